//! The table in the documentation is the table in the program.

use engine::Place;
use std::fs;

#[test]
fn the_guide_lists_every_place_as_it_is() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/engine.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, rest) = guide
        .split_once("| what | default | config key | variable |\n|---|---|---|---|\n")
        .expect("the guide has the table");
    let written: Vec<&str> = rest.lines().take_while(|line| line.starts_with('|')).collect();
    let code = |word: &str| format!("`{word}`");
    let rows = Place::ALL.map(|place| {
        let variables: Vec<String> = place.variables().into_iter().map(code).collect();
        format!(
            "| {} | {} | {} | {} |",
            place.what(),
            place.default_in_words(),
            place.key().map(code).unwrap_or_default(),
            variables.join(", ")
        )
    });
    assert_eq!(written, rows, "docs/engine.md should have:\n{}", rows.join("\n"));
}
