//! Any bytes as a bundle, held against the oracle that the tests share.
#![no_main]

#[path = "../../native/records/bundle/tests/hostile/oracle.rs"]
mod oracle;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    oracle::check(input);
});
