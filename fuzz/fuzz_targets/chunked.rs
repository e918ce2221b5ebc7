#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| unbake_fuzz::chunked::run(data));
