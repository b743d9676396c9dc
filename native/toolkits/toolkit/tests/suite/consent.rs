//! A stranger's toolkit needs a grant, for what it is now.

use super::scratch::{Scratch, facts};
use ledger::Signer;
use std::fs;
use toolkit::{Grants, sign, verify};

fn caps(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn ones_own_toolkit_needs_nobodys_consent() {
    let scratch = Scratch::new();
    let dates = scratch.dates("#+CAPS: net\n");
    assert_eq!(Grants::at(scratch.path()).consent(&dates).unwrap(), None);
}

#[test]
fn a_strangers_needs_a_signature_and_all_that_it_asks_for() {
    let scratch = Scratch::new();
    let signer = Signer::from_seed(&[7; 32]);
    let grants = Grants::at(&scratch.path().join("state"));
    let dates = scratch.dates(&format!(
        "#+TRUST: third-party\n#+CAPS: vfs net\n#+AUTHOR_DID: {}\n",
        signer.did()
    ));
    assert_eq!(grants.consent(&dates).unwrap_err().code(), "bad_signature");
    assert_eq!(
        grants.grant(&dates, &caps("vfs net"), 1).unwrap_err().code(),
        "bad_signature"
    );

    sign(&dates, &signer).unwrap();
    let dates = scratch.open("dates");
    assert!(
        verify(&dates, &facts())
            .iter()
            .all(|f| f.what != "trust" || f.to_string().starts_with('✓'))
    );
    assert_eq!(
        grants.consent(&dates).unwrap_err().to_string(),
        "`dates` is third-party and nobody has granted it: vfs net"
    );

    grants.grant(&dates, &caps("vfs llm"), 1).unwrap();
    assert_eq!(
        grants.of("dates").unwrap().unwrap().caps,
        ["vfs"],
        "what is not asked for is not granted"
    );
    assert_eq!(
        grants.consent(&dates).unwrap_err().to_string(),
        "`dates` is third-party and nobody has granted it: net"
    );

    grants.grant(&dates, &caps("vfs net"), 2).unwrap();
    assert_eq!(grants.consent(&dates).unwrap(), Some(caps("vfs net")));

    scratch.write("dates/skills/new.org", "* new\n");
    assert_eq!(
        grants.consent(&scratch.open("dates")).unwrap_err().code(),
        "bad_signature"
    );
    sign(&scratch.open("dates"), &signer).unwrap();
    assert_eq!(
        grants.consent(&scratch.open("dates")).unwrap_err().code(),
        "not_granted",
        "the grant was for other content"
    );
}

#[test]
fn a_record_of_another_version_grants_nothing() {
    let scratch = Scratch::new();
    let dates = scratch.dates("");
    fs::write(scratch.path().join("grants.json"), r#"{"v":2,"grants":{}}"#).unwrap();
    let error = Grants::at(scratch.path()).of(dates.id()).unwrap_err();
    assert!(error.to_string().contains("version 2"), "{error}");
}
