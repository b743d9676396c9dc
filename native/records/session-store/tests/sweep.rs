//! Sweeping, remedies and keys: what nobody needs goes, what anybody needs stays, and a damaged session keeps what is its own.

mod agent;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use agent::{LOOP, THREE, advance, open, start, step};
use session::ports::Store;
use session::{Code, Token};
use session_store::{Sweep, Swept};

const DAY: u64 = 24 * 60 * 60;

fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

fn count(root: &Path, dir: &str) -> usize {
    fs::read_dir(root.join(dir)).unwrap().count()
}

#[test]
fn sessions_expire_unless_they_are_kept_and_then_their_snapshots_go() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let (old, kept) = (start(&engine, LOOP), start(&engine, THREE));
    advance(&engine, &old.token, "").unwrap();
    engine.store().keep(kept.session_id, true).unwrap();
    let all = count(dir.path(), "snapshots");
    // Nothing has expired yet, and nothing is unneeded.
    let early = Sweep {
        now: now(),
        ttl: Some(30 * DAY),
        dry_run: false,
    };
    assert_eq!(engine.store().sweep(&early).unwrap(), Swept::default());
    // The clock is ours.
    let late = Sweep {
        now: now() + 31 * DAY,
        ..early
    };
    let told = engine.store().sweep(&Sweep { dry_run: true, ..late }).unwrap();
    assert_eq!(told.expired, [old.session_id]);
    assert_eq!(count(dir.path(), "snapshots"), all, "a dry run deletes nothing");
    let swept = engine.store().sweep(&late).unwrap();
    assert_eq!(swept, told);
    assert_eq!((swept.snapshots, swept.workflows), (2, 1));
    assert_eq!(
        engine.inspect(old.session_id, None).unwrap_err().code,
        Code::SessionNotFound
    );
    assert_eq!(step(&advance(&engine, &kept.token, "").unwrap()), "two");
    // A session that is not kept any more expires.
    engine.store().keep(kept.session_id, false).unwrap();
    assert_eq!(engine.store().sweep(&late).unwrap().expired, [kept.session_id]);
    assert_eq!(
        (count(dir.path(), "snapshots"), count(dir.path(), "workflows/pinned")),
        (0, 0)
    );
}

#[test]
fn one_damaged_session_does_not_keep_the_others_from_being_swept() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let (old, damaged) = (start(&engine, LOOP), start(&engine, THREE));
    fs::write(
        dir.path().join("snapshots").join(format!("{}.json", "0".repeat(64))),
        "{}",
    )
    .unwrap();
    let home = dir.path().join("sessions").join(damaged.session_id.to_string());
    fs::write(home.join("manifest.jsonl"), "{\"v\":7}\n").unwrap();
    let before = count(dir.path(), "snapshots");
    let late = Sweep {
        now: now() + 31 * DAY,
        ttl: Some(DAY),
        dry_run: false,
    };
    // The damaged one stays with everything that its files may name; the others are swept all the same.
    let needed: Vec<_> = fs::read_dir(home.join("events")).unwrap().collect();
    assert_eq!(needed.len(), 1);
    let swept = engine.store().sweep(&late).unwrap();
    assert_eq!((swept.expired, swept.doubts.len()), (vec![old.session_id], 1));
    assert_eq!(
        swept.snapshots,
        before as u64 - 1,
        "the old session's, and the one that nobody named"
    );
    assert!(engine.inspect(damaged.session_id, None).is_ok());
    // Moved aside it is in nobody's way, and still loses nothing.
    let moved = engine.store().quarantine(damaged.session_id).unwrap();
    assert!(dir.path().join(moved.aside.unwrap()).join("events").is_dir());
    let swept = engine.store().sweep(&late).unwrap();
    assert_eq!((swept.snapshots, swept.doubts.len()), (0, 0));
    engine.store().delete(damaged.session_id).unwrap();
    assert_eq!(engine.store().sweep(&late).unwrap().snapshots, 1);
    assert_eq!(
        engine.store().delete(damaged.session_id).unwrap_err().code,
        Code::SessionNotFound
    );
}

#[test]
fn a_repair_keeps_the_valid_beginning_and_moves_the_rest_aside() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let first = start(&engine, THREE);
    let second = advance(&engine, &first.token, "kept").unwrap();
    advance(&engine, &second.token, "lost").unwrap();
    let id = first.session_id;
    assert_eq!(
        engine.store().repair(id).unwrap().done,
        "nothing: the session is healthy"
    );
    let home = dir.path().join("sessions").join(id.to_string());
    let mut names: Vec<_> = fs::read_dir(home.join("events"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    names.sort();
    fs::write(names.last().unwrap(), "garbage").unwrap();
    let engine = open(dir.path());
    assert_eq!(
        advance(&engine, &second.token, "x").unwrap_err().code,
        Code::SessionCorrupt
    );
    let done = engine.store().repair(id).unwrap();
    let aside = dir.path().join(done.aside.unwrap());
    assert_eq!(
        fs::read(aside.join("events").join(names.last().unwrap().file_name().unwrap())).unwrap(),
        b"garbage"
    );
    assert!(engine.store().verify(id).unwrap().health.is_healthy());
    assert_eq!(step(&advance(&engine, &second.token, "again").unwrap()), "three");
    // Nothing valid, nothing to repair; a newer program's session is not ours to cut.
    let other = start(&engine, THREE);
    let manifest = dir
        .path()
        .join("sessions")
        .join(other.session_id.to_string())
        .join("manifest.jsonl");
    for (bytes, code) in [
        ("garbage\n", Code::SessionCorrupt),
        ("{\"v\":7}\n", Code::SessionCorrupt),
    ] {
        fs::write(&manifest, bytes).unwrap();
        assert_eq!(
            open(dir.path()).store().repair(other.session_id).unwrap_err().code,
            code
        );
        assert_eq!(fs::read_to_string(&manifest).unwrap(), bytes);
    }
}

#[test]
fn the_index_is_believed_only_about_the_manifest_it_was_made_from() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let tokens: Vec<_> = (0..40).map(|_| start(&engine, THREE)).collect();
    assert_eq!(engine.list().unwrap().len(), 40);
    let index = dir.path().join("cache/index");
    assert!(index.is_file());
    advance(&engine, &tokens[7].token, "the needle").unwrap();
    let query = session::project::Query {
        text: Some("needle".into()),
        ..Default::default()
    };
    let fresh = open(dir.path());
    assert_eq!(fresh.resume(&query).unwrap()[0].session_id, tokens[7].session_id);
    let listed = fresh
        .listed(&session::protocol::ListRequest {
            limit: Some(3),
            ..Default::default()
        })
        .unwrap();
    assert_eq!((listed.sessions.len(), listed.total), (3, 40));
    assert_eq!(
        listed.sessions[0].session_id, tokens[7].session_id,
        "the latest written is first"
    );
    // Whatever lies there instead is thrown away, not believed.
    let good = fresh.list().unwrap();
    for junk in [
        "",
        "workbooks session index 9\n",
        "workbooks session index 1\nsess_x {}\n\u{0}",
    ] {
        fs::write(&index, junk).unwrap();
        assert_eq!(open(dir.path()).list().unwrap(), good, "{junk:?}");
    }
}

#[test]
fn a_sweep_waits_for_nobody_and_disturbs_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let first = start(&engine, THREE);
    let other = open(dir.path());
    let writer = engine.store().lock(first.session_id).unwrap();
    let sweep = Sweep {
        now: now(),
        ttl: None,
        dry_run: false,
    };
    let busy = other.store().sweep(&sweep).unwrap_err();
    assert_eq!(busy.code, Code::StoreBusy);
    assert_eq!(
        other.store().lock(first.session_id).map(|_| ()).unwrap_err().code,
        Code::SessionLocked
    );
    drop(writer);
    assert!(other.store().sweep(&sweep).is_ok());
}

#[test]
fn what_was_never_acknowledged_is_swept_up() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    start(&engine, THREE);
    let sessions = dir.path().join("sessions");
    fs::create_dir_all(sessions.join("sess_aaaaaaaaaaaaaaaaaaaaaaaaaa/events")).unwrap();
    fs::create_dir(sessions.join(".import-sess_aaaaaaaaaaaaaaaaaaaaaaaaaa")).unwrap();
    fs::write(dir.path().join("snapshots/x.tmp"), "half").unwrap();
    assert_eq!(engine.list().unwrap().len(), 1);
    let swept = engine
        .store()
        .sweep(&Sweep {
            now: now(),
            ttl: None,
            dry_run: false,
        })
        .unwrap();
    assert_eq!(swept.abandoned, 1);
    assert_eq!(count(dir.path(), "sessions"), 1);
    assert_eq!(count(dir.path(), "snapshots"), 1);
}

#[test]
fn keys_are_private_and_rotate_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let first = start(&engine, THREE);
    let path = dir.path().join("keys/keyring.json");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(
        fs::metadata(dir.path().join("keys")).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let key = fs::read_to_string(&path).unwrap();
    let ring = engine.store().keyring().unwrap();
    assert!(
        !format!("{ring:?}").contains(&key[14..40]),
        "a key gets into no message"
    );

    // The token of the previous key holds; after the next rotation it does not.
    let other = open(dir.path());
    other.store().rotate_keys().unwrap();
    let second = advance(&engine, &first.token, "").unwrap();
    assert_eq!(step(&second), "two");
    assert!(
        Token::read(&second.token, &ring).is_err(),
        "a new token is of the new key"
    );
    other.store().rotate_keys().unwrap();
    assert_eq!(
        advance(&engine, &first.token, "").unwrap_err().code,
        Code::TokenBadSignature
    );
    assert_eq!(step(&advance(&engine, &second.token, "").unwrap()), "three");
}

#[test]
fn a_key_ring_that_others_can_read_or_nobody_can_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys/keyring.json");
    let first = start(&open(dir.path()), THREE);
    let good = fs::read(&path).unwrap();
    for (bytes, mode) in [
        (good.clone(), 0o644),
        (b"{}".to_vec(), 0o600),
        (b"{\"v\":2,\"current\":\"\"}".to_vec(), 0o600),
    ] {
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(
            advance(&open(dir.path()), &first.token, "").unwrap_err().code,
            Code::StoreBadKeyring
        );
    }
    fs::write(&path, good).unwrap();
    assert!(advance(&open(dir.path()), &first.token, "").is_ok());
}

#[test]
fn many_that_open_a_new_store_at_once_share_one_key() {
    let dir = tempfile::tempdir().unwrap();
    let rings: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| open(dir.path()).store().keyring().unwrap()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(rings.iter().all(|ring| *ring == rings[0]));
    assert_eq!(count(dir.path(), "keys"), 2, "the ring and its lock");
}
