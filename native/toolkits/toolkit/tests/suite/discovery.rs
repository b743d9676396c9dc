//! Finding toolkits, their skills, and words in them.

use super::scratch::{NODE, OVERVIEW, PLAIN, Scratch};
use std::fs;
use toolkit::{Root, find_root, injection_text, search};

fn library() -> Scratch {
    let scratch = Scratch::new();
    scratch.dates("");
    for (id, title) in [("atlas", "Maps"), ("zebra", "Stripes")] {
        let manifest = PLAIN.replace("dates", id).replace("Dates", title);
        let node = NODE.replace("dates", id).replace("Dates", title);
        scratch.write(&format!("{id}/manifest.org"), manifest + &node);
        scratch.write(&format!("{id}/skills/overview.org"), OVERVIEW);
    }
    scratch.write("notes/manifest.org", "* No tag\n");
    scratch.write("empty/readme.txt", "x");
    scratch
}

#[test]
fn toolkits_are_directories_with_a_tagged_node() {
    let scratch = library();
    let root = Root::open(&scratch.root()).unwrap();
    let ids: Vec<String> = root.list().unwrap().iter().map(|t| t.id().to_owned()).collect();
    assert_eq!(ids, ["atlas", "dates", "zebra"]);
    for (id, code) in [
        ("notes", "unknown_toolkit"),
        ("empty", "unknown_toolkit"),
        ("nobody", "unknown_toolkit"),
        ("../x", "invalid_name"),
    ] {
        assert_eq!(root.toolkit(id).err().unwrap().code(), code, "{id}");
    }
}

#[test]
fn the_view_is_exactly_five_fields() {
    let scratch = library();
    let view = serde_json::to_value(scratch.open("dates").view()).unwrap();
    let expected = serde_json::json!({
        "id": "dates", "title": "Dates", "cli": null, "status": "stable", "skill_dir": "skills"
    });
    assert_eq!(view, expected);
}

#[test]
fn the_root_is_the_named_one_only_if_it_is_there() {
    let scratch = library();
    let here = scratch.path();
    let inner = here.join("inner");
    fs::create_dir(&inner).unwrap();
    let found = |named: Option<&str>, from: &std::path::Path| find_root(named.map(std::path::Path::new), from).ok();
    assert_eq!(found(Some("toolkits"), here), Some(here.join("toolkits")));
    assert_eq!(found(Some("/no/such/place"), here), Some(here.join("toolkits")));
    assert_eq!(found(Some(""), here), Some(here.join("toolkits")));
    assert_eq!(found(None, &inner), Some(inner.join("../toolkits")));
    assert_eq!(found(None, std::path::Path::new("/proc")), None);
}

#[test]
fn an_agent_gets_its_toolkits_in_declared_order() {
    let scratch = library();
    let root = Root::open(&scratch.root()).unwrap();
    let org = "* Helper :agent:\n:PROPERTIES:\n:ID: helper\n:TOOLKITS: zebra nobody ../x dates zebra\n:END:\n* Other :agent:\n";
    let ids = |agent| -> Vec<String> {
        let found = root.for_agent(org, agent).unwrap();
        found.iter().map(|t| t.id().to_owned()).collect()
    };
    assert_eq!(ids("helper"), ["zebra", "dates"]);
    assert_eq!(ids("Helper"), ["zebra", "dates"]);
    assert!(ids("Other").is_empty() && ids("nobody").is_empty());
}

#[test]
fn the_injected_text_is_an_index_of_bounded_length() {
    let scratch = library();
    for n in 0..10 {
        scratch.write(&format!("dates/skills/s{n}.org"), "* x\n");
    }
    let root = Root::open(&scratch.root()).unwrap();
    let text = injection_text(&root.list().unwrap()[1..], None);
    assert_eq!(
        text,
        "- dates: Reach for it when a date is in doubt [skills: overview s0 s1 s2 s3 s4 s5 s6 (+3 more)]\n\
         - zebra: Reach for it when a date is in doubt [skills: overview]\n"
    );
    assert!(injection_text(&root.list().unwrap()[1..2], Some(1)).contains("[skills: overview (+10 more)]"));
}

#[test]
fn words_are_found_in_manifests_and_skills_whatever_their_case() {
    let scratch = library();
    scratch.write(
        "dates/skills/leap.org",
        "#+TITLE: Leap years\n* When\nEvery FOURTH year, but not always.\n",
    );
    let root = Root::open(&scratch.root()).unwrap();
    let hits: Vec<_> = search(&root.list().unwrap(), "year fourth")
        .into_iter()
        .map(|hit| (hit.toolkit, hit.skill, hit.line))
        .collect();
    assert_eq!(hits, [("dates".to_owned(), Some("leap".to_owned()), 3)]);
    assert!(
        search(&root.list().unwrap(), "STRIPES")
            .iter()
            .all(|hit| hit.toolkit == "zebra")
    );
    assert!(search(&root.list().unwrap(), " ").is_empty());
}

#[test]
fn skills_have_titles_and_the_overview_comes_first() {
    let scratch = library();
    scratch.write("dates/skills/a.org", "* The first headline\n");
    let shown: Vec<_> = scratch
        .open("dates")
        .skills()
        .unwrap()
        .into_iter()
        .map(|s| (s.slug, s.title.unwrap()))
        .collect();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        shown,
        [pair("overview", "What it does"), pair("a", "The first headline")]
    );
}
