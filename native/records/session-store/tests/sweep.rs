//! Sweeping and keys: what nobody needs goes, what anybody needs stays, and on any doubt nothing goes.

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
fn on_any_doubt_nothing_is_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let (old, damaged) = (start(&engine, LOOP), start(&engine, THREE));
    fs::write(
        dir.path().join("snapshots").join(format!("{}.json", "0".repeat(64))),
        "{}",
    )
    .unwrap();
    let manifest = dir
        .path()
        .join("sessions")
        .join(damaged.session_id.to_string())
        .join("manifest.jsonl");
    fs::write(&manifest, "{\"v\":7}\n").unwrap();
    let before = count(dir.path(), "snapshots");
    let late = Sweep {
        now: now() + 31 * DAY,
        ttl: Some(DAY),
        dry_run: false,
    };
    let swept = engine.store().sweep(&late).unwrap();
    assert_eq!((swept.expired.len(), swept.snapshots, swept.doubts.len()), (0, 0, 1));
    assert_eq!(count(dir.path(), "snapshots"), before);
    assert!(engine.inspect(old.session_id, None).is_ok());
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
