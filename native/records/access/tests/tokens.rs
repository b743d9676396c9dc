//! What a token allows, for how long, and what becomes of the file.

use access::{Error, Scope, Store};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().join("state/tokens.json"));
    (dir, store)
}

#[test]
fn a_scope_allows_itself_and_admin_allows_everything() {
    let (_dir, store) = store();
    for (has, asks, allowed) in [
        (vec![Scope::Read], Scope::Read, true),
        (vec![Scope::Read], Scope::Write, false),
        (vec![Scope::Write], Scope::Read, false),
        (vec![Scope::Run, Scope::Read], Scope::Read, true),
        (vec![Scope::Write, Scope::Run, Scope::Read], Scope::Admin, false),
        (vec![Scope::Admin], Scope::Run, true),
        (vec![Scope::Admin], Scope::Admin, true),
    ] {
        let made = store.create("t", &has, None, 0).unwrap();
        let bearer = store.bearer(&made.token, 1).unwrap().unwrap();
        assert_eq!(bearer.may(asks), allowed, "{has:?} {asks:?}");
    }
}

#[test]
fn the_file_is_its_owners_and_has_no_token() {
    let (_dir, store) = store();
    let made = store.create("t", &[Scope::Read], None, 0).unwrap();
    let text = fs::read_to_string(store.path()).unwrap();
    assert!(!text.contains(&made.token) && text.contains(&made.entry.id));
    assert_eq!(fs::metadata(store.path()).unwrap().mode() & 0o777, 0o600);
    fs::set_permissions(store.path(), fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(store.bearer(&made.token, 1), Err(Error::NotPrivate)));
}

#[test]
fn what_is_no_token_is_nobody() {
    let (_dir, store) = store();
    let made = store.create("t", &[Scope::Read], None, 0).unwrap();
    let long = "x".repeat(1 << 20);
    for wrong in ["", "wbt_", &made.token[..made.token.len() - 1], &made.entry.id, &long] {
        assert!(store.bearer(wrong, 1).unwrap().is_none(), "{wrong:.20}");
    }
}

#[test]
fn a_file_that_cannot_be_understood_allows_nothing() {
    let (_dir, store) = store();
    let made = store.create("t", &[Scope::Read], None, 0).unwrap();
    for (text, code) in [
        ("", "corrupt"),
        ("{\"format\":2,\"tokens\":[]}", "unknown_version"),
        ("{\"format\":1,\"tokens\":[{}]}", "corrupt"),
    ] {
        fs::write(store.path(), text).unwrap();
        assert_eq!(store.bearer(&made.token, 1).unwrap_err().code(), code, "{text}");
        assert_eq!(store.create("u", &[Scope::Read], None, 0).err().unwrap().code(), code);
        assert_eq!(
            fs::read_to_string(store.path()).unwrap(),
            text,
            "nothing is written over it"
        );
    }
}

#[test]
fn orders_that_make_no_sense_are_refused() {
    let (_dir, store) = store();
    let code = |name: &str, scopes: &[Scope], expires| store.create(name, scopes, expires, 10).err().unwrap().code();
    assert_eq!(code("", &[Scope::Read], None), "invalid_name");
    assert_eq!(code("a\nb", &[Scope::Read], None), "invalid_name");
    assert_eq!(code(&"x".repeat(101), &[Scope::Read], None), "invalid_name");
    assert_eq!(code("t", &[], None), "bad_option");
    assert_eq!(code("t", &[Scope::Read], Some(10)), "bad_option");
    assert_eq!(store.revoke("nobody").unwrap_err().code(), "unknown_token");
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn those_who_make_tokens_at_once_each_get_theirs() {
    let (_dir, store) = store();
    let made: Vec<_> = std::thread::scope(|threads| {
        let each: Vec<_> = (0..8)
            .map(|n| {
                let store = store.clone();
                threads.spawn(move || store.create(&format!("t{n}"), &[Scope::Read], None, 0).unwrap())
            })
            .collect();
        each.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for made in made {
        assert_eq!(store.bearer(&made.token, 1).unwrap().unwrap().id, made.entry.id);
    }
}

#[test]
fn a_change_of_the_file_can_be_seen() {
    let (_dir, store) = store();
    assert_eq!(store.mark(), None);
    let made = store.create("t", &[Scope::Read], None, 0).unwrap();
    let before = store.mark();
    store.revoke(&made.entry.id).unwrap();
    assert_ne!(store.mark(), before);
}
