//! Every function of the kernel over any text. The promises are in `oql-oracle`.
#![no_main]

libfuzzer_sys::fuzz_target!(|org: &str| oql_oracle::kernel(org));
