#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| unbake_fuzz::stream_vs_whole::run(data));
