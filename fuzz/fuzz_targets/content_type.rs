#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| unbake_fuzz::content_type::run(data));
