//! RFC 8785 and the digests that others have published.

use serde_json::{Value, json};
use session::snapshot::{Completed, EngineState, Frame, LoopAt, Pending, PendingStep};
use session::{Digest, Snapshot, canonical};

fn text(value: &Value) -> String {
    String::from_utf8(canonical(value)).unwrap()
}

#[test]
fn numbers_are_written_as_ecmascript_writes_them() {
    // RFC 8785, appendix B: the bits of a double and its text.
    for (bits, want) in [
        (0x0000_0000_0000_0000_u64, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        let number = f64::from_bits(bits);
        assert_eq!(text(&json!(number)), want, "{bits:016x}");
        // Reading it back gives the same bits, but for the sign of zero.
        let back: f64 = serde_json::from_str(want).unwrap();
        assert!(back.to_bits() == bits || number == 0.0, "{want}");
    }
}

#[test]
fn keys_are_sorted_by_utf_16_and_strings_are_escaped_as_little_as_can_be() {
    // The names in the order that the RFC wants them.
    let sorted = ["\r", "1", "\u{80}", "\u{f6}", "\u{20ac}", "\u{1f600}", "\u{fb33}"];
    let object: serde_json::Map<String, Value> = sorted.iter().rev().map(|key| ((*key).to_owned(), json!(0))).collect();
    let want: Vec<String> = sorted
        .iter()
        .map(|key| format!("{}:0", serde_json::to_string(key).unwrap()))
        .collect();
    assert_eq!(text(&Value::Object(object)), format!("{{{}}}", want.join(",")));
    let string = "\u{20ac}$\u{f}\nA'B\"\\\\\"/</script>";
    assert_eq!(text(&json!(string)), r#""€$\u000f\nA'B\"\\\\\"/</script>""#);
    assert_eq!(
        text(&json!("\u{8}\t\n\u{c}\r\u{0}\u{7f}")),
        "\"\\b\\t\\n\\f\\r\\u0000\u{7f}\""
    );
}

#[test]
fn values_nest_without_a_space() {
    for (input, want) in [
        (
            r#"[56, {"d": true, "10": null, "1": []}]"#,
            r#"[56,{"1":[],"10":null,"d":true}]"#,
        ),
        (
            r#"{"1": {"f": {"f": "hi", "F": 5}, "\n": 56.0}, "10": {}, "": "empty", "a": {}, "111": [{"e": "yes", "E": "no"}], "A": {}}"#,
            r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#,
        ),
        (
            r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "literals": [null, true, false]}"#,
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}"#,
        ),
        (
            "{\"peach\": \"order\", \"p\u{ea}che\": \"order\", \"p\u{e9}ch\u{e9}\": \"order\", \"sin\": 1}",
            "{\"peach\":\"order\",\"p\u{e9}ch\u{e9}\":\"order\",\"p\u{ea}che\":\"order\",\"sin\":1}",
        ),
        // Not normalised: a ring that stands alone stays alone.
        ("{\"u\": \"A\\u030a\"}", "{\"u\":\"A\u{30a}\"}"),
    ] {
        assert_eq!(text(&serde_json::from_str(input).unwrap()), want);
    }
}

/// `step` in these iterations.
fn pending(step: &str, path: &[(&str, u32)]) -> Pending {
    let at = |(id, iteration): &(&str, u32)| LoopAt {
        loop_id: (*id).into(),
        iteration: *iteration,
    };
    Pending::Some {
        step: PendingStep {
            step_id: step.into(),
            loop_path: path.iter().map(at).collect(),
        },
    }
}

fn completed(keys: &[&str]) -> Completed {
    Completed::Set {
        values: keys.iter().map(|key| (*key).to_owned()).collect(),
    }
}

#[test]
fn our_snapshots_have_the_published_digests() {
    let running = EngineState::Running {
        completed: completed(&["step1", "step2"]),
        loop_stack: vec![],
        pending: pending("step3", &[]),
    };
    let frame = Frame {
        loop_id: "outer_loop".into(),
        iteration: 2,
        body_index: 0,
        decision: None,
    };
    let looping = EngineState::Running {
        completed: completed(&["outer_loop@0::inner_step", "outer_loop@1::inner_step"]),
        loop_stack: vec![frame],
        pending: pending("inner_step", &[("outer_loop", 2)]),
    };
    for (state, want) in [
        (
            EngineState::Init,
            "sha256:5deaac6d12e2072728219b84f5bd468f4a2e94fe826725f02febe4fcb13d5d48",
        ),
        (
            EngineState::Complete,
            "sha256:e5839a07041b0c9b886ee2eec70b0f44a8c279b8458d7ee8b0e9b3eb97b0532a",
        ),
        (
            running,
            "sha256:dc2fbb18647cd555cad6c705b07d10e8a14973745cc82dd4d0d77820c1ff72e3",
        ),
        (
            looping,
            "sha256:94267c27fb95689668ee5f8c15658f12d33dbd7864dc3e33bfbe928c97a1b4ed",
        ),
    ] {
        let (name, bytes) = Snapshot::new(state.clone()).encode();
        assert_eq!(name.to_string(), want);
        if state != EngineState::Init {
            assert_eq!(Snapshot::decode(name, &bytes).unwrap().state(), &state);
        }
    }
}

#[test]
fn compiled_forms_of_others_have_the_published_digests() {
    let step = |id: &str, title: &str, prompt: &str| json!({"id": id, "title": title, "prompt": prompt});
    let minimal = json!({
        "schemaVersion": 1, "sourceKind": "v1_preview", "workflowId": "test.minimal", "name": "Minimal Test Workflow",
        "description": "A minimal test workflow", "version": "1.0.0",
        "preview": {"stepId": "step1", "title": "Step 1", "prompt": "Do step 1"},
    });
    let pinned = json!({
        "schemaVersion": 1, "sourceKind": "v1_pinned", "workflowId": "test.pinned", "name": "Pinned Test Workflow",
        "description": "A pinned workflow with full definition", "version": "1.0.0",
        "definition": {
            "id": "test.pinned", "name": "Pinned Test Workflow", "description": "A pinned workflow", "version": "1.0.0",
            "steps": [step("triage", "Triage", "Perform triage"), step("execute", "Execute", "Execute the work")],
        },
    });
    for (value, want) in [
        (
            minimal,
            "sha256:9a895227c318a19990daa70c62df81543ef6e7e411a1067041dc8e47af1273ec",
        ),
        (
            pinned,
            "sha256:038d308fe13f5999a2c048389327c3381eb209fcfced8b95c82ddefb1310741b",
        ),
    ] {
        assert_eq!(Digest::of_value(&value).to_string(), want);
    }
}
