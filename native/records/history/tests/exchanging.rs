//! A new text for the plan never costs somebody's edit.

mod scratch;

use history::Exchanged::{Changed, Swapped};
use history::{exchange, exchange_at};
use proptest::prelude::*;
use scratch::Scratch;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const OLD: &[u8] = b"* TODO Ship\n";
const NEW: &[u8] = b"* DONE Ship\n";

#[test]
fn the_expected_text_is_replaced_and_nothing_is_left_over() {
    let scratch = Scratch::new();
    assert_eq!(exchange(&scratch.plan, OLD, NEW).unwrap(), Swapped);
    assert_eq!(fs::read(&scratch.plan).unwrap(), NEW);
    assert_eq!(fs::read_dir(scratch.beside("")).unwrap().count(), 1);
}

#[test]
fn another_text_stays_and_is_given_back() {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, "edited").unwrap();
    assert_eq!(exchange(&scratch.plan, OLD, NEW).unwrap(), Changed(b"edited".to_vec()));
    assert_eq!(fs::read(&scratch.plan).unwrap(), b"edited");
    assert_eq!(fs::read_dir(scratch.beside("")).unwrap().count(), 1);
}

#[test]
fn the_mode_of_the_plan_is_kept() {
    let scratch = Scratch::new();
    fs::set_permissions(&scratch.plan, fs::Permissions::from_mode(0o640)).unwrap();
    exchange(&scratch.plan, OLD, NEW).unwrap();
    assert_eq!(fs::metadata(&scratch.plan).unwrap().mode() & 0o777, 0o640);
}

#[test]
fn a_link_to_the_plan_stays_a_link() {
    let scratch = Scratch::new();
    let link = scratch.dir.path().join("link.org");
    symlink(&scratch.plan, &link).unwrap();
    assert_eq!(exchange(&link, OLD, NEW).unwrap(), Swapped);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&scratch.plan).unwrap(), NEW);
}

#[test]
fn a_link_planted_at_the_true_path_is_not_followed() {
    let scratch = Scratch::new();
    let victim = scratch.dir.path().join("victim.org");
    fs::write(&victim, OLD).unwrap();
    fs::remove_file(&scratch.plan).unwrap();
    symlink(&victim, &scratch.plan).unwrap();
    assert!(exchange_at(&scratch.plan, OLD, NEW).is_err());
    assert_eq!(fs::read(&victim).unwrap(), OLD);
}

#[test]
fn a_plan_that_is_gone_is_not_found() {
    let scratch = Scratch::new();
    let gone = exchange(&scratch.beside("gone.org"), OLD, NEW).unwrap_err();
    assert_eq!(gone.code(), "not_found");
}

#[test]
fn an_editor_that_is_still_writing_is_waited_for() {
    let scratch = Scratch::new();
    let mut editor = fs::File::options().append(true).open(&scratch.plan).unwrap();
    let slow = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        editor.write_all(b"* TODO Added\n").unwrap();
    });
    let edited = [OLD, b"* TODO Added\n"].concat();
    assert_eq!(exchange(&scratch.plan, OLD, NEW).unwrap(), Changed(edited.clone()));
    slow.join().unwrap();
    assert_eq!(fs::read(&scratch.plan).unwrap(), edited);
}

/// An editor saves by renaming, over and over, while states are exchanged. Its own saves may undo a state, but no
/// exchange may undo a save: what was saved is in the plan, or, where two edits met, in a file beside it.
#[test]
fn no_edit_is_lost_in_a_race() {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, "").unwrap();
    let done = AtomicBool::new(false);
    let [rounds, swapped, changed] = [(); 3].map(|()| AtomicUsize::new(0));
    let raced = || swapped.load(Ordering::SeqCst) > 0 && changed.load(Ordering::SeqCst) > 0;
    let edits = thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let mut n = 0;
            // Who wins how often is up to the machine; that each wins at least once is waited for.
            while n < 300 || !raced() {
                let text = settled(&scratch.plan, n, &rounds);
                assert!(holds(&text, n), "an edit before {n} is lost");
                let aside = scratch.beside("editor");
                fs::write(&aside, format!("{text}edit {n}\n")).unwrap();
                fs::rename(aside, &scratch.plan).unwrap();
                n += 1;
            }
            done.store(true, Ordering::SeqCst);
            n
        });
        while !done.load(Ordering::SeqCst) && !editor.is_finished() {
            let text = fs::read(&scratch.plan).unwrap();
            match exchange(&scratch.plan, &text, &[b"state\n", &text[..]].concat()) {
                Ok(Swapped) => swapped.fetch_add(1, Ordering::SeqCst),
                Ok(Changed(_)) | Err(history::Error::Conflict { .. }) => changed.fetch_add(1, Ordering::SeqCst),
                Err(e) => panic!("{e}"),
            };
            rounds.fetch_add(1, Ordering::SeqCst);
        }
        editor.join().unwrap()
    });
    assert!(holds(&fs::read_to_string(&scratch.plan).unwrap(), edits));
}

fn holds(text: &str, edits: usize) -> bool {
    (0..edits).all(|n| text.contains(&format!("edit {n}\n")))
}

/// The plan as an editor finds it that saved `edits` edits. An exchange that caught the last of them has taken its name
/// and is about to give it back; when that exchange has returned, the edit is in its place.
fn settled(plan: &Path, edits: usize, rounds: &AtomicUsize) -> String {
    let before = rounds.load(Ordering::SeqCst);
    let text = fs::read_to_string(plan).unwrap();
    if holds(&text, edits) {
        return text;
    }
    while rounds.load(Ordering::SeqCst) == before {
        thread::yield_now();
    }
    fs::read_to_string(plan).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_exchanged_for_any_others(old: Vec<u8>, new: Vec<u8>) {
        let scratch = Scratch::new();
        fs::write(&scratch.plan, &old).unwrap();
        prop_assert_eq!(exchange(&scratch.plan, &old, &new).unwrap(), Swapped);
        prop_assert_eq!(fs::read(&scratch.plan).unwrap(), new);
    }
}
