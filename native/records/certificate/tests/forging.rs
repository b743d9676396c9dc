//! Any change of any field is found.

use certificate::{Check, Earned, LedgerEnd, LedgerPlace, Plan, Statement, verify};
use ledger::Signer;
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn statement(signer: &Signer) -> Statement {
    let task = Earned {
        id: "hard".into(),
        title: "Hard".into(),
        how: "done-when: test -s proof".into(),
        check: Some(Check {
            text: "done-when: test -s proof".into(),
            // sha256sum of the text.
            sha256: format!("{:x}", Sha256::digest("done-when: test -s proof")),
        }),
        exit_status: Some(0),
        commands: json!([{"name": "test", "sha256": "00"}]),
        files_read: json!([{"path": "proof", "sha256": "11"}]),
        plan_sha256: Some("22".into()),
        at: 1_700_000_000_000,
        ledger: LedgerPlace {
            run: "run-1".into(),
            line: 7,
            head: "33".into(),
        },
    };
    let plan = Plan {
        name: "plan.org".into(),
        sha256: "44".into(),
    };
    let end = LedgerEnd {
        run: "run-1".into(),
        count: 9,
        head: "55".into(),
    };
    Statement::new(plan, signer.did(), 1_700_000_000_001, vec![task], end)
}

fn signer() -> Signer {
    Signer::from_seed(&[7; 32])
}

#[test]
fn a_certificate_says_what_was_signed() {
    let found = verify(statement(&signer()).sign(&signer()).to_line().as_bytes()).unwrap();
    assert_eq!((found.did, found.statement), (signer().did(), statement(&signer())));
}

/// Every leaf of a JSON value, by its path.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| leaves(value, &format!("{at}/{key}"), found)),
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(i, value)| leaves(value, &format!("{at}/{i}"), found));
        }
        _ => found.push(at.to_owned()),
    }
}

#[test]
fn no_field_of_the_statement_can_be_changed() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let envelope: Value = serde_json::from_str(&statement(&signer()).sign(&signer()).to_line()).unwrap();
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    let payload: Value = serde_json::from_slice(&payload).unwrap();
    let mut paths = Vec::new();
    leaves(&payload, "", &mut paths);
    assert!(paths.len() > 20, "{paths:?}");
    for path in paths {
        let mut changed = payload.clone();
        let field = changed.pointer_mut(&path).unwrap();
        *field = match field {
            Value::String(text) => json!(format!("{text}x")),
            Value::Number(n) => json!(n.as_i64().unwrap() + 1),
            _ => json!("x"),
        };
        let mut forged = envelope.clone();
        forged["payload"] = json!(STANDARD.encode(changed.to_string()));
        assert!(verify(forged.to_string().as_bytes()).is_err(), "{path}");
    }
}

#[test]
fn a_field_too_many_another_signer_and_two_signatures_are_refused() {
    let envelope: Value = serde_json::from_str(&statement(&signer()).sign(&signer()).to_line()).unwrap();
    let other = Signer::from_seed(&[8; 32]);
    // Signed by somebody who is not its issuer.
    assert!(verify(statement(&signer()).sign(&other).to_line().as_bytes()).is_err());
    for forge in [
        (|e: &mut Value| e["more"] = json!(1)) as fn(&mut Value),
        |e| e["signatures"][0]["more"] = json!(1),
        |e| e["signatures"] = json!([]),
        |e| {
            let again = e["signatures"][0].clone();
            e["signatures"].as_array_mut().unwrap().push(again);
        },
        |e| e["payloadType"] = json!("application/json"),
        |e| e["signatures"][0]["keyid"] = json!("did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"),
    ] {
        let mut forged = envelope.clone();
        forge(&mut forged);
        assert!(verify(forged.to_string().as_bytes()).is_err(), "{forged}");
    }
}

proptest! {
    /// The text has no byte that does not count, but for the newline at its end.
    #[test]
    fn no_byte_can_be_changed(at in any::<prop::sample::Index>(), bit in 0..8u8) {
        let mut bytes = statement(&signer()).sign(&signer()).to_line().into_bytes();
        bytes.pop();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(verify(&bytes).is_err());
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(verify(&bytes).is_err());
    }
}
