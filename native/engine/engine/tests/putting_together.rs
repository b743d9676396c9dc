//! What is put together, and when.

use engine::{Engine, Environment, Error, Owner, Place, Places, Policy, ToolkitOptions};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn places(values: &[(&str, &str)]) -> Places {
    Places::new(values.iter().copied().collect())
}

fn path(places: &Places, place: Place) -> String {
    places.get(place).unwrap().display().to_string()
}

#[test]
fn a_configuration_goes_before_a_variable_and_a_variable_before_the_default() {
    let home = [("HOME", "/home/ada")];
    let state = [("HOME", "/home/ada"), ("XDG_STATE_HOME", "/state")];
    let named = [
        ("HOME", "/home/ada"),
        ("WORKBOOKS_SESSIONS", "here"),
        ("XDG_STATE_HOME", "/state"),
    ];
    for (environment, place, expected) in [
        (&home[..], Place::Cache, "/home/ada/.cache/workbooks"),
        (&home, Place::Builds, "/home/ada/.cache/workbooks/builds"),
        (&home, Place::Data, "/home/ada/.local/share/workbooks"),
        (&home, Place::Cold, "/home/ada/.local/share/workbooks/cold"),
        (&home, Place::Sessions, "/home/ada/.local/state/workbooks/sessions"),
        (&state, Place::Sessions, "/state/workbooks/sessions"),
        (&state, Place::Commands, "/state/workbooks/commands"),
        (&state, Place::Runtime, "/state/workbooks/runtime.json"),
        (&state, Place::Tokens, "/state/workbooks/tokens.json"),
        (&named, Place::Sessions, "here"),
    ] {
        assert_eq!(path(&places(environment), place), expected);
    }
    let given = places(&named).give(Place::Sessions, "/given");
    assert_eq!(path(&given, Place::Sessions), "/given");
}

#[test]
fn what_is_empty_or_relative_says_nothing() {
    for odd in ["", "state", "./state"] {
        let places = places(&[
            ("HOME", "/home/ada"),
            ("XDG_STATE_HOME", odd),
            ("WORKBOOKS_SESSIONS", ""),
        ]);
        assert_eq!(
            path(&places, Place::Sessions),
            "/home/ada/.local/state/workbooks/sessions"
        );
    }
    assert!(places(&[("HOME", "home")]).get(Place::Data).is_err());
}

#[test]
fn every_place_without_a_home_says_what_to_give() {
    for place in Place::ALL {
        let error = places(&[]).get(place).unwrap_err();
        match error {
            Error::NoDirectory { variable, .. } => {
                assert!(error.to_string().contains(variable), "{error}");
                assert!(error.hint().contains("set HOME"), "{}", error.hint());
            }
            Error::NoApplication(_) => assert!(error.hint().contains("WORKBOOKS_HOME")),
            other => panic!("{place:?}: {other}"),
        }
    }
}

#[test]
fn nothing_is_opened_before_it_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Arc::new(Engine::new(Places::new(Environment::from([("HOME", dir.path())]))));
    let foundry = engine
        .foundry(ToolkitOptions {
            root: None,
            here: dir.path().to_owned(),
            state: None,
            history: None,
            execute: false,
            posix: false,
        })
        .unwrap();
    assert_eq!(engine.policy(), Policy::built_in());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);

    assert_eq!((foundry.signer)().unwrap().did(), engine.signer(None).unwrap().did());
    assert!(dir.path().join(".local/state/workbooks/history/key").is_file());
    let other = dir.path().join("other");
    assert_ne!(
        engine.signer(Some(&other)).unwrap().did(),
        engine.signer(None).unwrap().did()
    );
}

#[test]
fn parts_that_cannot_be_made_are_errors_until_they_can() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().to_str().unwrap();
    let engine = Engine::new(places(&[("HOME", home), ("WORKBOOKS_HOME", home)]));
    assert_eq!(engine.registry().err().unwrap().code(), "engine_missing");
    let code = dir.path().join("lib/workbooks/ebin");
    fs::create_dir_all(&code).unwrap();
    fs::write(code.join("workbooks.app"), "").unwrap();
    assert_eq!(engine.registry().err().unwrap().code(), "commands_missing");
    let commands = dir.path().join("lib/workbooks/priv/wasm/commands");
    fs::create_dir_all(&commands).unwrap();
    fs::write(commands.join("commands.json"), r#"{"version":1,"modules":{}}"#).unwrap();
    let registry = engine.registry().unwrap();
    assert!(Arc::ptr_eq(&registry, &engine.registry().unwrap()));
}

#[test]
fn who_is_refused_a_directory_hears_who_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("made/when/needed");
    let owner = Owner::take(&data).unwrap();
    let refused = Owner::take(&data).unwrap_err();
    assert_eq!(refused.code(), "data_in_use");
    let (message, process) = (refused.to_string(), std::process::id());
    assert!(
        message.contains(&format!("process {process} has it since 20")),
        "{message}"
    );
    drop(owner);
    assert_eq!(Owner::of(&data).unwrap(), None);
    assert_eq!(Owner::of(Path::new("/no/such/directory")).unwrap(), None);
}
