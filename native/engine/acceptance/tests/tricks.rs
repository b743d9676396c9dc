//! The table of tricks, asked here as it is asked through every other door.

mod workshop;

use std::fs;
use std::time::Duration;
use workshop::{Workshop, ask, house};

#[test]
fn every_trick_fails_with_a_reason_and_every_honest_check_passes() {
    let table = fs::read_to_string(house().join("test/tricks.json")).unwrap();
    let table: Vec<serde_json::Value> = serde_json::from_str(&table).unwrap();
    assert!(table.len() > 100, "the table is there");
    let mut wrong = Vec::new();
    for row in &table {
        let (name, check) = (row["name"].as_str().unwrap(), row["check"].as_str().unwrap());
        let workshop = Workshop::new();
        let mut place = workshop.place();
        place.time = Duration::from_secs(20);
        let verdict = ask(check, place);
        let expected = row["pass"] == true;
        if verdict.pass != expected || verdict.pass != verdict.reason.is_none() {
            wrong.push(format!("{name}: {check:?} gives {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
