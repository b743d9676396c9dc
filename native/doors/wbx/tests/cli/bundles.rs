//! `wbx bundle`, `unbundle`, `sign`, `verify` and `init`.

use crate::{
    program::{Ended, Folder, run},
    runs::engine_home,
    worked_examples::{BROKEN, COHERENT},
};
use serde_json::Value;
use std::{fs, process::Command};

/// A place to work in, and a history with a key that lies elsewhere.
struct Bench {
    work: Folder,
    state: Folder,
}

impl Bench {
    fn new() -> Self {
        Bench {
            work: Folder::with(&[("plan.org", COHERENT), ("broken.org", BROKEN)]),
            state: Folder::with(&[]),
        }
    }

    fn wbx(&self, args: &[&str]) -> Ended {
        run(&mut self.command(args))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.work.wbx(args);
        command
            .env("XDG_STATE_HOME", self.state.path())
            .env_remove("SOURCE_DATE_EPOCH")
            .env("WORKBOOKS_HOME", engine_home());
        command
    }

    fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.work.path().join(path)).unwrap()
    }
}

fn data(ended: &Ended) -> Value {
    let envelope: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    envelope["data"].clone()
}

#[test]
fn a_plan_goes_into_a_bundle_and_comes_out_the_same() {
    let bench = Bench::new();
    let made = bench.wbx(&["bundle", "plan.org", "--json"]);
    assert_eq!(made.exit, 0, "{made:?}");
    assert_eq!(data(&made)["path"], "plan.wbundle");
    assert_eq!(data(&made)["manifest"]["format"], "wbundle/1");
    let again = bench.wbx(&["bundle", "plan.org", "-o", "again.wbundle"]);
    assert_eq!(again.exit, 0, "{again:?}");
    assert_eq!(bench.read("plan.wbundle"), bench.read("again.wbundle"));

    assert_eq!(bench.wbx(&["unbundle", "plan.wbundle", "-o", "copy"]).exit, 0);
    assert_eq!(bench.read("copy/workbook.org"), COHERENT.as_bytes());
    // The place is taken now.
    assert_eq!(bench.wbx(&["unbundle", "plan.wbundle", "-o", "copy"]).exit, 6);
}

#[test]
fn the_time_in_a_bundle_can_be_given() {
    let bench = Bench::new();
    let dated = |epoch: &str| {
        let mut command = bench.command(&["bundle", "plan.org", "--json"]);
        run(command.env("SOURCE_DATE_EPOCH", epoch))
    };
    assert_eq!(data(&dated("0"))["manifest"]["created"], "1970-01-01T00:00:00Z");
    assert_eq!(dated("yesterday").exit, 2);
}

#[test]
fn a_plan_with_diagnostics_is_refused_and_the_json_follows() {
    let bench = Bench::new();
    let refused = bench.wbx(&["bundle", "broken.org"]);
    assert_eq!(refused.exit, 5, "{refused:?}");
    let lint = bench.wbx(&["lint", "broken.org"]).stdout;
    assert_eq!(
        refused.stderr,
        format!("error[diagnostics]: source has diagnostics — fix them first (wbx lint)\n{lint}")
    );
    let refused = bench.wbx(&["bundle", "broken.org", "--json"]);
    let envelope: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(envelope["error"]["code"], "diagnostics");
    assert_eq!(
        envelope["error"]["message"],
        "source has diagnostics — fix them first (wbx lint)"
    );
    assert_eq!(envelope["data"], serde_json::from_str::<Value>(&lint).unwrap());
    assert!(!bench.work.path().join("broken.wbundle").exists());
}

#[test]
fn a_signature_holds_until_a_byte_changes() {
    let bench = Bench::new();
    bench.wbx(&["bundle", "plan.org", "-o", "x.wbundle"]);
    let verify = |args: &[&str]| bench.wbx(&[&["verify", "x.wbundle", "--json"], args].concat());
    assert_eq!(verify(&[]).exit, 5);
    assert_eq!(data(&verify(&[]))["signed"], false);

    assert_eq!(bench.wbx(&["sign", "x.wbundle"]).exit, 0);
    let did = bench.wbx(&["ledger", "key"]).stdout.trim().to_owned();
    assert_eq!(verify(&[]).exit, 0);
    assert_eq!(data(&verify(&["--by", &did]))["did"], did.as_str());
    let other = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";
    assert_eq!(verify(&["--by", other]).exit, 5);

    let mut bytes = bench.read("x.wbundle");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(bench.work.path().join("x.wbundle"), bytes).unwrap();
    assert_eq!(verify(&[]).exit, 5);
    assert_eq!(bench.wbx(&["unbundle", "x.wbundle", "-o", "out"]).exit, 5);
    assert!(!bench.work.path().join("out").exists());
    assert_eq!(bench.wbx(&["verify", "nothing.wbundle"]).exit, 4);
    assert_eq!(bench.wbx(&["verify", "plan.org"]).exit, 5);
}

#[test]
fn a_new_workbook_is_linted_runs_and_can_be_bundled() {
    let bench = Bench::new();
    let made = bench.wbx(&["init", "hello", "--json"]);
    assert_eq!(made.exit, 0, "{made:?}");
    assert_eq!(data(&made)["path"], "hello/workbook.org");
    let lint = bench.wbx(&["lint", "--all", "hello/workbook.org"]);
    assert_eq!((lint.exit, lint.stdout.as_str()), (0, "[]\n"));
    assert_eq!(bench.wbx(&["tasks", "hello/workbook.org"]).exit, 0);
    let ran = bench.wbx(&["run", "hello/workbook.org", "--json"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(data(&ran)["state"], "done");
    assert_eq!(bench.read("hello/words.txt"), b"4\n");
    assert_eq!(bench.wbx(&["bundle", "hello"]).exit, 0);
}

#[test]
fn a_new_workbook_takes_no_place_that_is_taken_and_no_odd_name() {
    let bench = Bench::new();
    assert_eq!(bench.wbx(&["init", "hello"]).exit, 0);
    assert_eq!(bench.wbx(&["init", "hello"]).exit, 6);
    for name in ["", "..", ".hidden", "a b", "a\nb", "ü"] {
        assert_eq!(bench.wbx(&["init", name]).exit, 2, "{name:?}");
    }
    assert_eq!(bench.wbx(&["init", "no/such/place"]).exit, 4);
}
