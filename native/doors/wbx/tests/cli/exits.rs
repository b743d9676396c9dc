//! Every exit code in use, and what leads to it.

use crate::{
    program::{Folder, run},
    worked_examples::{BROKEN, COHERENT, V1, V2},
};
use std::fs;

#[test]
fn each_ending_has_its_code() {
    let folder = Folder::with(&[
        ("plan.org", COHERENT),
        ("broken.org", BROKEN),
        ("v1.org", V1),
        ("v2.org", V2),
        ("facts.json", r#"{"commandos": []}"#),
    ]);
    fs::create_dir(folder.path().join("folder")).unwrap();
    fs::write(folder.path().join("latin1.org"), b"* caf\xE9\n").unwrap();
    for (args, exit) in [
        (&["lint", "plan.org"][..], 0),
        (&[], 0),
        (&["--version"], 0),
        (&["lint", "--help"], 0),
        (&["lint", "folder"], 1),
        (&["lint", "latin1.org"], 1),
        (&["render", "plan.org", "-o", "folder"], 1),
        (&["frob"], 2),
        (&["lint"], 2),
        (&["lint", "plan.org", "plan.org"], 2),
        (&["lint", "--facts", "facts.json", "plan.org"], 2),
        (&["lint", "--all", "--facts", "facts.json", "plan.org"], 2),
        (&["query", "plan.org", "(frob)"], 2),
        (&["completions", "csh"], 2),
        (&["check-upgrade", "-", "-"], 2),
        (&["check-upgrade", "git:HEAD", "plan.org"], 2),
        (&["help", "frob"], 2),
        (&["help", "lint", "--man"], 2),
        (&["help", "--man", "--markdown"], 2),
        (&["lint", "gone.org"], 4),
        (&["lint", "plan.org/inside"], 4),
        (&["check-upgrade", "v1.org", "gone.org"], 4),
        (&["render", "plan.org", "-o", "gone/page.html"], 4),
        (&["lint", "broken.org"], 5),
        (&["lint", "--all", "broken.org"], 5),
        (&["check-upgrade", "v1.org", "v2.org"], 5),
    ] {
        assert_eq!(run(&mut folder.wbx(args)).exit, exit, "{args:?}");
        let json = [args, &["--json"]].concat();
        assert_eq!(run(&mut folder.wbx(&json)).exit, exit, "{json:?}");
    }
}
