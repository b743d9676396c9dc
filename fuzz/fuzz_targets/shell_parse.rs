//! Any bytes read as a script or are refused, in time linear in their length.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: &[u8]| {
    for dialect in [shell_exec::Dialect::Sh, shell_exec::Dialect::Bash] {
        let _ = shell_exec::parse_check(script, dialect, &shell_exec::Limits::default());
    }
});
