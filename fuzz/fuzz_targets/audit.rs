//! Scripts and manifests from strangers: the scan never panics, its names stay in their line, and a second audit changes
//! no byte. The bytes up to the first NUL are the manifest, the rest is a script.
#![no_main]

use toolkit_audit::{Class, Lanes};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let cut = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (manifest, script) = bytes.split_at(cut);
    let manifest = String::from_utf8_lossy(manifest);
    let lanes = Lanes::from_iter([("python", "cpython 3.12")]);
    for lanes in [&Lanes::none(), &lanes] {
        for file in ["a.sh", "b.js", "c.py", "d"] {
            let report = toolkit_audit::audit(&[(file, script)], lanes);
            let [script] = &report.scripts[..] else { panic!("one script, one verdict") };
            assert_eq!(script.class, script.findings.iter().map(|f| f.class).max().unwrap_or(Class::Ready));
            assert!(script.findings.iter().all(|finding| !finding.name.contains(['\n', '\r', '='])));
            let once = toolkit_audit::section::write(&manifest, "fuzz", &report);
            assert_eq!(toolkit_audit::section::write(&once, "fuzz", &report), once);
        }
    }
});
