//! Every way to touch a log is seen, and the line is named.

use ledger::{Chain, Error, Signer, Verification, verify};
use proptest::prelude::*;

const STEPS: usize = 6;

fn signer() -> Signer {
    Signer::from_seed(&[7; 32])
}

/// The lines of a run and its seal.
fn run(steps: usize) -> (Vec<String>, String) {
    let mut chain = Chain::new();
    let lines = (1..=steps)
        .map(|i| {
            chain
                .link(&format!(r#"{{"step":{i},"tool":"sh","output":"line {i}"}}"#))
                .unwrap()
        })
        .collect();
    (lines, signer().seal(&chain, "run-1", 1).unwrap().to_json())
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn held(lines: &[String], seal: &str) -> Verification {
    verify(text(lines).as_bytes(), seal.as_bytes()).unwrap()
}

#[test]
fn an_untouched_log_is_sound() {
    for steps in 0..4 {
        let (lines, seal) = run(steps);
        let verdict = held(&lines, &seal);
        assert!(verdict.is_sound());
        assert_eq!((verdict.count, verdict.first_bad_line), (steps as u64, None));
        assert_eq!(verdict.did, signer().did());
    }
}

/// What is done to the lines, and how to.
type Touch = (&'static str, fn(&mut Vec<String>, usize));

const TOUCHES: [Touch; 12] = [
    ("changed", |lines, at| lines[at] = lines[at].replace("line", "lime")),
    ("changed in its first byte", |lines, at| {
        lines[at].replace_range(..1, "[")
    }),
    ("cut short", |lines, at| lines[at].truncate(20)),
    ("renumbered", |lines, at| {
        lines[at] = lines[at].replacen(&format!("\"n\":{}", at + 1), "\"n\":99", 1)
    }),
    ("given another past", |lines, at| {
        let start = lines[at].find("\"prev\":\"").unwrap() + 8;
        let other = if &lines[at][start..=start] == "0" { "1" } else { "0" };
        lines[at].replace_range(start..=start, other);
    }),
    ("dropped", |lines, at| drop(lines.remove(at))),
    ("swapped with the next", |lines, at| {
        let next = (at + 1) % lines.len();
        lines.swap(at.min(next), at.max(next));
    }),
    ("blanked", |lines, at| lines[at].clear()),
    ("pushed down by a blank line", |lines, at| {
        lines.insert(at, String::new())
    }),
    ("pushed down by spaces", |lines, at| lines.insert(at, "  ".into())),
    ("pushed down by a stranger", |lines, at| {
        lines.insert(at, r#"{"tool":"forged"}"#.into())
    }),
    ("given a carriage return", |lines, at| lines[at].push('\r')),
];

#[test]
fn a_touched_line_is_named() {
    for (how, touch) in TOUCHES {
        for at in 0..STEPS {
            let (mut lines, seal) = run(STEPS);
            touch(&mut lines, at);
            let first = match (how, at) {
                // The last is swapped with the first.
                ("swapped with the next", 5) => 1,
                _ => at as u64 + 1,
            };
            let verdict = held(&lines, &seal);
            assert_eq!(
                (verdict.tamper_evident, verdict.attributable, verdict.first_bad_line),
                (false, true, Some(first)),
                "line {} {how}",
                at + 1
            );
        }
    }
}

#[test]
fn lines_added_after_the_seal_are_named_even_if_they_fit() {
    let (mut lines, seal) = run(2);
    let mut chain = Chain::new();
    lines.iter().for_each(|line| chain.append(line.as_bytes()));
    lines.push(chain.link(r#"{"tool":"forged"}"#).unwrap());
    assert_eq!(held(&lines, &seal).first_bad_line, Some(3));
}

#[test]
fn a_last_line_without_its_newline_is_named() {
    let (lines, seal) = run(2);
    let verdict = verify(text(&lines).trim_end().as_bytes(), seal.as_bytes()).unwrap();
    assert_eq!((verdict.tamper_evident, verdict.first_bad_line), (false, Some(2)));
}

#[test]
fn an_empty_log_misses_its_first_line() {
    let (_, seal) = run(2);
    assert_eq!(held(&[], &seal).first_bad_line, Some(1));
}

#[test]
fn a_rewritten_tail_is_seen_at_the_latest_at_its_end() {
    let (mut lines, seal) = run(3);
    let mut chain = Chain::new();
    chain.append(lines[0].as_bytes());
    lines.truncate(1);
    lines.extend([2, 3].map(|i| chain.link(&format!(r#"{{"step":{i},"tool":"forged"}}"#)).unwrap()));
    let verdict = held(&lines, &seal);
    assert_eq!((verdict.tamper_evident, verdict.first_bad_line), (false, Some(3)));
}

/// The chain of the specification asks nothing of a line, so lines of another program verify as well.
#[test]
fn a_log_without_numbers_verifies_and_names_what_it_can() {
    let lines = ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"].map(String::from).to_vec();
    let mut chain = Chain::new();
    lines.iter().for_each(|line| chain.append(line.as_bytes()));
    let seal = signer().seal(&chain, "run-1", 1).unwrap().to_json();
    assert!(held(&lines, &seal).is_sound());
    assert_eq!(held(&lines[..2], &seal).first_bad_line, Some(3));
    let added = [lines.clone(), vec!["{}".into()]].concat();
    assert_eq!(held(&added, &seal).first_bad_line, Some(4));
    let changed = [vec!["{\"a\":2}".to_owned()], lines[1..].to_vec()].concat();
    assert!(!held(&changed, &seal).tamper_evident);
}

#[test]
fn no_field_of_a_seal_can_be_changed() {
    let (lines, seal) = run(2);
    for (old, new) in [
        ("\"count\":2", "\"count\":3"),
        ("run-1", "run-2"),
        ("\"ts\":1", "\"ts\":2"),
        (signer().did().as_str(), Signer::from_seed(&[8; 32]).did().as_str()),
        ("\"sig\":\"", "\"sig\":\"A"),
        ("\"head\":\"", "\"head\":\"0"),
    ] {
        assert!(seal.contains(old), "{old}");
        let verdict = held(&lines, &seal.replace(old, new));
        assert!(!verdict.attributable, "{old}");
        assert_eq!(verdict.first_bad_line, None, "{old}");
    }
}

#[test]
fn a_log_resealed_by_a_stranger_has_the_strangers_name() {
    let mut chain = Chain::new();
    let line = chain.link(r#"{"tool":"forged"}"#).unwrap();
    let stranger = Signer::from_seed(&[8; 32]);
    let seal = stranger.seal(&chain, "run-1", 1).unwrap().to_json();
    let verdict = held(&[line], &seal);
    assert!(verdict.is_sound());
    assert_eq!(verdict.did, stranger.did());
    assert_ne!(verdict.did, signer().did());
}

#[test]
fn what_is_not_a_seal_is_an_error() {
    let (_, seal) = run(1);
    for (json, code) in [
        ("", "not_a_ledger"),
        ("[]", "not_a_ledger"),
        ("{}", "not_a_ledger"),
        (r#"{"v":2}"#, "unknown_version"),
        (&seal.replace("\"v\":1", "\"v\":9"), "unknown_version"),
        (&seal.replace("\"v\":1", "\"v\":1,\"extra\":1"), "not_a_ledger"),
        (&seal.replace("\"v\":1", "\"v\":1,\"v\":1"), "not_a_ledger"),
        (&seal.replace("\"ts\":1", "\"ts\":9007199254740992"), "bad_option"),
        (&seal.replace("\"ts\":1", "\"ts\":-1"), "not_a_ledger"),
    ] {
        assert_eq!(verify(b"", json.as_bytes()).unwrap_err().code(), code, "{json}");
    }
}

#[test]
fn the_chains_own_fields_cannot_be_given() {
    for step in [r#"{"n":1}"#, r#"{"prev":""}"#, "[]", "", "{"] {
        let mut chain = Chain::new();
        assert!(matches!(chain.link(step), Err(Error::NotAStep { .. })), "{step}");
        assert_eq!(chain, Chain::new(), "a refused step leaves the chain alone");
    }
}

#[test]
fn a_number_that_json_cannot_say_is_not_sealed() {
    assert_eq!(
        signer().seal(&Chain::new(), "r", 1 << 53),
        Err(Error::TooLarge { field: "ts" })
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_flipped_bit_names_its_line(byte in 0usize..1_000_000, bit in 0u8..8) {
        let (lines, seal) = run(STEPS);
        let mut steps = text(&lines).into_bytes();
        let at = byte % steps.len();
        steps[at] ^= 1 << bit;
        let verdict = verify(&steps, seal.as_bytes()).unwrap();
        prop_assert!(!verdict.tamper_evident && verdict.attributable);
        let line = 1 + text(&lines).as_bytes()[..at].iter().filter(|b| **b == b'\n').count() as u64;
        prop_assert_eq!(verdict.first_bad_line, Some(line));
    }

    #[test]
    fn any_bytes_have_an_answer(steps: Vec<u8>, ledger: Vec<u8>) {
        let (_, seal) = run(3);
        prop_assert!(!verify(&steps, seal.as_bytes()).unwrap().tamper_evident);
        prop_assert!(verify(&steps, &ledger).is_err());
    }

    #[test]
    fn a_damaged_seal_never_attributes(at in 0usize..1_000, bit in 0u8..8) {
        let (lines, seal) = run(2);
        let mut damaged = seal.trim_end().as_bytes().to_vec();
        let at = at % damaged.len();
        damaged[at] ^= 1 << bit;
        if let Ok(verdict) = verify(text(&lines).as_bytes(), &damaged) {
            prop_assert!(!verdict.attributable);
        }
    }
}
