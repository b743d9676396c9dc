//! Any log against any seal: the first line is the seal, the rest is the log.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (seal, steps) = (&input[..end], input.get(end + 1..).unwrap_or_default());
    if let Ok(found) = ledger::verify(steps, seal) {
        assert_eq!(found.head.len(), 64);
        assert!(!found.tamper_evident || found.first_bad_line.is_none());
        assert!(found.first_bad_line.is_none_or(|line| line > 0));
    }
});
