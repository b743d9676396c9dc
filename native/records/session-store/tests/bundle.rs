//! A session travels as one file: what arrives is what left, and what was tampered with is refused.

mod agent;

use agent::{Files, LOOP, advance, decide, open, start, step};
use serde_json::{Value, json};
use session::protocol::{Inspection, RewindRequest};
use session::{Code, SessionId};

fn session_with_history(engine: &Files) -> SessionId {
    let first = start(engine, LOOP);
    let second = advance(engine, &first.token, "before").unwrap();
    let third = advance(engine, &second.token, "work").unwrap();
    let refused = advance(engine, &third.token, "forgot").unwrap();
    assert!(!refused.blockers.is_empty());
    decide(engine, &refused.token, "continue").unwrap();
    // A fork from the first step.
    let back = engine
        .rewind(RewindRequest {
            session_id: first.session_id,
            node_id: Some(first.node_id),
        })
        .unwrap();
    advance(engine, &back.token, "another way").unwrap();
    first.session_id
}

/// A view without what differs from place to place.
fn view(engine: &Files, id: SessionId) -> Value {
    let Inspection { overview, .. } = engine.inspect(id, None).unwrap();
    let mut view = serde_json::to_value(engine.inspect(id, None).unwrap()).unwrap();
    assert!(overview.health.is_healthy());
    view.as_object_mut().unwrap().remove("sessionId");
    view
}

#[test]
fn an_imported_session_reads_the_same_and_goes_on() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, to) = (open(here.path()), open(there.path()));
    let id = session_with_history(&from);
    let bundle = from.export(id).unwrap().encode();
    let imported = to.import(&bundle).unwrap();
    assert_eq!((imported.session_id, imported.renamed_from), (id, None));
    assert_eq!(view(&to, id), view(&from, id));
    assert!(to.store().verify(id).unwrap().warnings.is_empty());
    // Its tokens are of this store; those of the other one are not.
    let next = advance(&to, &imported.answer.token, "on").unwrap();
    assert_eq!(step(&next), "decide");
    assert_eq!(
        advance(&from, &imported.answer.token, "on").unwrap_err().code,
        Code::TokenBadSignature
    );
    // Once more out and in: the same bytes but for the bundle's own name and time.
    let mut first: Value = serde_json::from_slice(&bundle).unwrap();
    let mut again: Value = serde_json::from_slice(&from.export(id).unwrap().encode()).unwrap();
    for bundle in [&mut first, &mut again] {
        bundle["bundleId"] = json!(null);
        bundle["exportedAt"] = json!(0);
    }
    assert_eq!(first, again);
}

#[test]
fn a_name_that_is_taken_is_imported_as_new() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let id = session_with_history(&engine);
    let bundle = engine.export(id).unwrap().encode();
    let imported = engine.import(&bundle).unwrap();
    assert_eq!(imported.renamed_from, Some(id));
    assert_ne!(imported.session_id, id);
    assert_eq!(view(&engine, imported.session_id), view(&engine, id));
    let next = advance(&engine, &imported.answer.token, "on").unwrap();
    assert_eq!(next.session_id, imported.session_id);
    assert!(engine.store().verify(imported.session_id).unwrap().health.is_healthy());
    assert!(engine.store().verify(id).unwrap().health.is_healthy());
    // A copy can be copied.
    assert!(
        engine
            .import(&engine.export(imported.session_id).unwrap().encode())
            .is_ok()
    );
}

/// Changes a bundle; `sealed` makes its digests right again, as a careful forger would.
fn tampered(bundle: &Value, sealed: bool, change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut bundle = bundle.clone();
    change(&mut bundle);
    if sealed {
        let part: session::bundle::SessionPart = serde_json::from_value(bundle["session"].clone()).unwrap();
        bundle["integrity"] = json!(part.integrity());
    }
    bundle.to_string().into_bytes()
}

#[test]
fn what_was_tampered_with_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let id = session_with_history(&engine);
    let bundle: Value = serde_json::from_slice(&engine.export(id).unwrap().encode()).unwrap();
    let first_key = |part: &str| {
        bundle["session"][part]
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap()
            .clone()
    };
    let (snapshot, workflow) = (first_key("snapshots"), first_key("pinnedWorkflows"));
    type Change<'c> = Box<dyn Fn(&mut Value) + 'c>;
    let cases: Vec<(&str, bool, Change, Code)> = vec![
        (
            "no bundle",
            false,
            Box::new(|b| *b = json!([])),
            Code::BundleInvalidFormat,
        ),
        (
            "a field more",
            false,
            Box::new(|b| b["more"] = json!(1)),
            Code::BundleInvalidFormat,
        ),
        (
            "a newer version",
            false,
            Box::new(|b| b["bundleSchemaVersion"] = json!(2)),
            Code::BundleUnsupportedVersion,
        ),
        (
            "other notes",
            false,
            Box::new(|b| {
                let text = b["session"]["events"].to_string().replace("another way", "this way");
                b["session"]["events"] = serde_json::from_str(&text).unwrap();
            }),
            Code::BundleIntegrityFailed,
        ),
        (
            "a digest less",
            false,
            Box::new(|b| drop(b["integrity"]["entries"].as_array_mut().unwrap().pop())),
            Code::BundleIntegrityFailed,
        ),
        (
            "another session",
            false,
            Box::new(|b| b["session"]["sessionId"] = json!("sess_aaaaaaaaaaaaaaaaaaaaaaaaaa")),
            Code::BundleIntegrityFailed,
        ),
        (
            "another session, sealed",
            true,
            Box::new(|b| b["session"]["sessionId"] = json!("sess_aaaaaaaaaaaaaaaaaaaaaaaaaa")),
            Code::BundleEventOrderInvalid,
        ),
        (
            "an event less, sealed",
            true,
            Box::new(|b| drop(b["session"]["events"].as_array_mut().unwrap().remove(3))),
            Code::BundleEventOrderInvalid,
        ),
        (
            "events swapped, sealed",
            true,
            Box::new(|b| b["session"]["events"].as_array_mut().unwrap().swap(2, 3)),
            Code::BundleEventOrderInvalid,
        ),
        (
            "no events, sealed",
            true,
            Box::new(|b| b["session"]["events"] = json!([])),
            Code::BundleEventOrderInvalid,
        ),
        (
            "an event of the future, sealed",
            true,
            Box::new(|b| b["session"]["events"][1]["v"] = json!(9)),
            Code::BundleUnsupportedVersion,
        ),
        (
            "other notes, sealed",
            true,
            Box::new(|b| {
                let text = b["session"]["events"].to_string().replace("another way", "this way");
                b["session"]["events"] = serde_json::from_str(&text).unwrap();
            }),
            Code::BundleManifestOrderInvalid,
        ),
        (
            "a record less, sealed",
            true,
            Box::new(|b| drop(b["session"]["manifest"].as_array_mut().unwrap().remove(0))),
            Code::BundleManifestOrderInvalid,
        ),
        (
            "the last pin less, sealed",
            true,
            Box::new(|b| {
                let records = b["session"]["manifest"].as_array_mut().unwrap();
                let at = records.iter().position(|r| r["kind"] == "snapshot_pinned").unwrap();
                records.truncate(at);
                b["session"]["events"].as_array_mut().unwrap().truncate(4);
            }),
            Code::BundleManifestOrderInvalid,
        ),
        (
            "a snapshot less, sealed",
            true,
            Box::new(|b| drop(b["session"]["snapshots"].as_object_mut().unwrap().remove(&snapshot))),
            Code::BundleMissingSnapshot,
        ),
        (
            "another snapshot, sealed",
            true,
            Box::new(|b| b["session"]["snapshots"][&snapshot] = json!({})),
            Code::BundleMissingSnapshot,
        ),
        (
            "a workflow less, sealed",
            true,
            Box::new(|b| b["session"]["pinnedWorkflows"] = json!({})),
            Code::BundleMissingPinnedWorkflow,
        ),
        (
            "another workflow, sealed",
            true,
            Box::new(|b| b["session"]["pinnedWorkflows"][&workflow]["name"] = json!("x")),
            Code::BundleMissingPinnedWorkflow,
        ),
    ];
    let store = tempfile::tempdir().unwrap();
    for (name, sealed, change, code) in cases {
        let there = open(store.path());
        let refused = there
            .import(&tampered(&bundle, sealed, change))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(refused.code, code, "{name}: {refused}");
        assert_eq!(there.list().unwrap(), [], "{name} left something behind");
    }
}

#[test]
fn no_flipped_byte_gets_in() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let id = session_with_history(&engine);
    let bundle = engine.export(id).unwrap().encode();
    let original = view(&engine, id);
    let store = tempfile::tempdir().unwrap();
    let mut taken = 0;
    for at in (0..bundle.len()).step_by(7) {
        let mut flipped = bundle.clone();
        flipped[at] ^= 1 << (at % 8);
        let there = open(store.path());
        match there.import(&flipped) {
            Err(error) => assert!(error.code.as_str().starts_with("BUNDLE_"), "{error}"),
            // Only the bundle's own name, its time and its producer are free.
            Ok(imported) => {
                taken += 1;
                assert_eq!(view(&there, imported.session_id), original);
                std::fs::remove_dir_all(store.path().join("sessions").join(imported.session_id.to_string())).unwrap();
            }
        }
    }
    assert!(taken < 20, "{taken} flips were taken");
}

#[test]
fn a_damaged_session_exports_its_valid_part_with_a_banner() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let id = session_with_history(&engine);
    let events = dir.path().join("sessions").join(id.to_string()).join("events");
    let mut segments: Vec<_> = std::fs::read_dir(&events)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    segments.sort();
    std::fs::write(segments.last().unwrap(), "damage").unwrap();
    let engine = open(dir.path());
    let bundle = engine.export(id).unwrap();
    assert!(
        bundle
            .producer
            .banner
            .as_ref()
            .unwrap()
            .starts_with("only the valid beginning is shown")
    );
    let there = tempfile::tempdir().unwrap();
    let imported = open(there.path()).import(&bundle.encode()).unwrap();
    assert!(
        open(there.path())
            .store()
            .verify(imported.session_id)
            .unwrap()
            .health
            .is_healthy()
    );
}
