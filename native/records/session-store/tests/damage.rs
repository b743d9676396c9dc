//! Ten thousand ways to damage a session: each is classified right, none crashes, and none is repaired in silence.
//!
//! What a mutation should lead to is worked out here from the lines alone, without the code under test.

mod agent;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use agent::{Files, LOOP, advance, decide, open, start, step};
use serde_json::Value;
use session::protocol::RewindRequest;
use session::{Code, Digest, Health, SessionId};

const MUTATIONS: usize = 10_000;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % sides as u64) as usize
    }
}

/// A session of nine appends, with a refusal and a checkpoint among them.
fn build(root: &Path) -> (SessionId, String) {
    let engine = open(root);
    let mut answer = start(&engine, LOOP);
    let session = answer.session_id;
    for round in 0..6 {
        answer = match step(&answer) {
            "decide" if round % 2 == 0 => decide(&engine, &answer.token, "continue").unwrap(),
            "decide" => advance(&engine, &answer.token, "forgot to decide").unwrap(),
            _ => advance(&engine, &answer.token, &format!("notes {round}")).unwrap(),
        };
    }
    let token = answer.token.clone();
    let notes = Some("safe".into());
    engine
        .checkpoint(&session::protocol::CheckpointRequest {
            token: answer.token,
            notes,
        })
        .unwrap();
    (session, token)
}

fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

fn restore(dir: &Path, wanted: &BTreeMap<PathBuf, Vec<u8>>) {
    for (path, bytes) in files(dir) {
        if wanted.get(&path) != Some(&bytes) {
            fs::remove_file(path).unwrap();
        }
    }
    for (path, bytes) in wanted {
        if !path.exists() {
            fs::write(path, bytes).unwrap();
        }
    }
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

/// One way to damage the bytes of a file.
fn mutate(dice: &mut Dice, bytes: &[u8]) -> (&'static str, Vec<u8>) {
    let mut lines = lines(bytes);
    let at = dice.roll(lines.len());
    let name = match dice.roll(10) {
        0 => {
            let bit = dice.roll(bytes.len() * 8);
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            return ("a flipped bit", bytes);
        }
        1 => return ("a truncated file", bytes[..dice.roll(bytes.len())].to_vec()),
        2 => {
            lines.remove(at);
            "a lost line"
        }
        3 => {
            let other = dice.roll(lines.len());
            lines.swap(at, other);
            "lines in another order"
        }
        4 => {
            let line = lines[at].clone();
            lines.insert(at, line);
            "a line twice"
        }
        5 => {
            lines.insert(at, b"garbage\n".to_vec());
            "a line of garbage"
        }
        6 => {
            let line = String::from_utf8(lines[at].clone()).unwrap();
            lines[at] = line.replace("\"v\":1", "\"v\":2").into_bytes();
            "a line of the future"
        }
        7 => {
            lines.push(b"{\"half\":".to_vec());
            "a torn end"
        }
        8 => {
            lines.truncate(at + 1);
            "lines cut off"
        }
        _ => {
            let line = &mut lines[at];
            let cut = dice.roll(line.len());
            line.drain(cut..);
            "a line cut short"
        }
    };
    (name, lines.concat())
}

/// What a damaged manifest should be taken for, and how many of its appends count.
fn expected(original: &[u8], damaged: &[u8]) -> (&'static str, usize) {
    let (was, is) = (lines(original), lines(damaged));
    let whole: Vec<&Vec<u8>> = is.iter().filter(|line| line.last() == Some(&b'\n')).collect();
    let same = whole.iter().zip(&was).take_while(|(a, b)| **a == *b).count();
    let closes = |line: &[u8]| String::from_utf8_lossy(line).contains("segment_closed");
    let (segments, total) = (
        was[..same].iter().filter(|l| closes(l)).count(),
        was.iter().filter(|l| closes(l)).count(),
    );
    if let Some(bad) = whole.get(same) {
        let version = serde_json::from_slice::<Value>(bad).ok().and_then(|v| v["v"].as_u64());
        // A record that belongs elsewhere is of a known version and stands in the wrong place.
        return match version {
            Some(v) if v != 1 => ("unknown_version", segments),
            _ if segments == 0 => ("corrupt_head", 0),
            _ => ("corrupt_tail", segments),
        };
    }
    // Only the end is gone. One append may never have been acknowledged; more were.
    match (segments, total - segments) {
        (_, 0) | (1.., 1) => ("healthy", segments),
        (0, _) => ("corrupt_head", 0),
        _ => ("corrupt_tail", segments),
    }
}

/// Everything that only looks. Nothing may panic, and nothing may write.
fn look(engine: &Files, session: SessionId) {
    let _ = engine.list().unwrap();
    let _ = engine.inspect(session, None);
    let _ = engine.export(session);
    let _ = engine.resume(&Default::default()).unwrap();
    let _ = engine.rewind(RewindRequest {
        session_id: session,
        node_id: None,
    });
}

#[test]
fn ten_thousand_mutations_are_classified_right_and_none_is_repaired_in_silence() {
    let dir = tempfile::tempdir().unwrap();
    let (session, token) = build(dir.path());
    let home = dir.path().join("sessions").join(session.to_string());
    let original = files(&home);
    let manifest = home.join("manifest.jsonl");
    let segments: Vec<PathBuf> = original
        .keys()
        .filter(|path| path.ends_with(path.file_name().unwrap()) && path.parent().unwrap().ends_with("events"))
        .cloned()
        .collect();
    assert_eq!(segments.len(), 8);
    let mut dice = Dice(8785);
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for _ in 0..MUTATIONS {
        let segment = dice.roll(2) == 0;
        let target = if segment {
            &segments[dice.roll(segments.len())]
        } else {
            &manifest
        };
        let (name, bytes) = mutate(&mut dice, &original[target]);
        if bytes == original[target] {
            continue;
        }
        let (health, count) = if segment {
            // A segment is what its digest says, or it is nothing, and the log ends before it.
            match segments.iter().position(|path| path == target).unwrap() {
                0 => ("corrupt_head", 0),
                n => ("corrupt_tail", n),
            }
        } else {
            expected(&original[target], &bytes)
        };
        fs::write(target, &bytes).unwrap();
        let damaged = files(&home);

        let engine = open(dir.path());
        let found = engine.store().verify(session).unwrap();
        assert_eq!(
            (found.health.as_str(), found.segments as usize),
            (health, count),
            "{name} in {target:?}"
        );
        look(&engine, session);
        if health == "healthy" {
            // What is there can be gone on with: a token of what is gone is refused, and nothing else changes.
            let gone = advance(&engine, &token, "on");
            if count < segments.len() {
                assert!(gone.is_err() || engine.store().verify(session).unwrap().health.is_healthy());
            }
            let now = files(&home);
            for segment in segments.iter().take(count) {
                assert_eq!(now[segment], original[segment], "{name}");
            }
            assert!(
                now[&manifest].starts_with(
                    &lines(&bytes)
                        .iter()
                        .filter(|l| l.last() == Some(&b'\n'))
                        .cloned()
                        .collect::<Vec<_>>()
                        .concat()
                )
            );
        } else {
            let refused = advance(&engine, &token, "on").unwrap_err();
            let code = if health == "unknown_version" {
                Code::SessionUnknownVersion
            } else {
                Code::SessionCorrupt
            };
            assert_eq!(refused.code, code, "{name}");
            assert_eq!(files(&home), damaged, "{name} was repaired");
        }
        *seen.entry((name, health)).or_default() += 1;
        restore(&home, &original);
    }
    println!("{seen:#?}");
    assert!(seen.keys().any(|(_, health)| *health == "unknown_version"));
    assert!(open(dir.path()).store().verify(session).unwrap().health.is_healthy());
}

#[test]
fn a_store_of_the_future_is_left_alone_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let (session, token) = build(dir.path());
    let home = dir.path().join("sessions").join(session.to_string());
    // A newer program wrote the last events and attested them.
    let mut records: Vec<Value> = fs::read_to_string(home.join("manifest.jsonl"))
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let last = records.iter_mut().rfind(|r| r["kind"] == "segment_closed").unwrap();
    let path = home.join(last["segmentRelPath"].as_str().unwrap());
    let events = fs::read_to_string(&path).unwrap().replace("\"v\":1", "\"v\":3");
    last["sha256"] = serde_json::json!(Digest::of(events.as_bytes()));
    fs::write(&path, events).unwrap();
    let lines: Vec<u8> = records
        .iter()
        .flat_map(|r| [session::canonical(r), b"\n".to_vec()].concat())
        .collect();
    fs::write(home.join("manifest.jsonl"), lines).unwrap();

    let engine = open(dir.path());
    let before = files(&home);
    let found = engine.store().verify(session).unwrap();
    assert!(
        matches!(found.health, Health::UnknownVersion { .. }),
        "{:?}",
        found.health
    );
    assert_eq!(found.segments, 7);
    assert_eq!(
        advance(&engine, &token, "on").unwrap_err().code,
        Code::SessionUnknownVersion
    );
    let shown = engine.inspect(session, None).unwrap();
    assert!(shown.overview.banner.is_some());
    assert_eq!(files(&home), before);
}

#[test]
fn a_bad_snapshot_fails_its_node_and_not_the_session() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let first = start(&engine, LOOP);
    let second = advance(&engine, &first.token, "one").unwrap();
    let third = advance(&engine, &second.token, "two").unwrap();
    let (events, _) = session::ports::Store::raw(engine.store(), first.session_id).unwrap();
    let last = events.iter().rev().find_map(|event| match &event.fact {
        session::event::Fact::NodeCreated(created) => Some(created.snapshot_ref),
        _ => None,
    });
    let path = dir
        .path()
        .join("snapshots")
        .join(format!("{}.json", last.unwrap().digest().hex()));
    for damage in [b"{}".to_vec(), Vec::new(), b"\xff\xfe".to_vec()] {
        fs::write(&path, damage).unwrap();
        let engine = open(dir.path());
        assert_eq!(
            decide(&engine, &third.token, "stop").unwrap_err().code,
            Code::StoreBadSnapshot
        );
        let shown = engine.inspect(first.session_id, None).unwrap();
        assert!(shown.overview.health.is_healthy());
        assert_eq!(
            shown.nodes.iter().filter(|node| node.snapshot_error.is_some()).count(),
            1
        );
        assert_eq!(engine.store().verify(first.session_id).unwrap().warnings.len(), 1);
    }
    // Going back takes another way, and writes the snapshot again.
    let engine = open(dir.path());
    let back = RewindRequest {
        session_id: first.session_id,
        node_id: Some(first.node_id),
    };
    let again = advance(&engine, &engine.rewind(back).unwrap().token, "another way").unwrap();
    assert_eq!(step(&again), "work");
}

#[test]
fn a_long_session_is_read_on_many_threads_and_judged_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut answer = start(&engine, LOOP);
    let session = answer.session_id;
    for _ in 0..160 {
        answer = match step(&answer) {
            "decide" => decide(&engine, &answer.token, "continue").unwrap(),
            _ => advance(&engine, &answer.token, "on").unwrap(),
        };
    }
    assert_eq!(open(dir.path()).store().verify(session).unwrap().segments, 161);
    let events = dir.path().join("sessions").join(session.to_string()).join("events");
    let mut segments: Vec<PathBuf> = fs::read_dir(&events)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    segments.sort();
    fs::write(&segments[70], "damage").unwrap();
    let found = open(dir.path()).store().verify(session).unwrap();
    assert_eq!((found.health.as_str(), found.segments), ("corrupt_tail", 70));
    fs::remove_file(&segments[0]).unwrap();
    let found = open(dir.path()).store().verify(session).unwrap();
    assert_eq!((found.health.as_str(), found.segments), ("corrupt_head", 0));
}
