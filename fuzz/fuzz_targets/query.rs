//! Any query over any text: the first line is the query, the rest is the text.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &str| {
    let (query, org) = input.split_once('\n').unwrap_or((input, ""));
    oql_oracle::query(org, query);
});
