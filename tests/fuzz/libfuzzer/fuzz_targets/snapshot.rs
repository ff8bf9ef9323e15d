#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dolmen_libfuzzer::run("snapshot", data));
