//! docs/lanes.md tells the truth: it has a row for every lane and every language without one, and no other.

use lane_table::{LANES, WITHOUT};
use std::path::Path;

fn rows() -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/lanes.md");
    let text = std::fs::read_to_string(path).unwrap();
    let table = text
        .split("## What there is")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .nth(1)
        .unwrap();
    let cells = |line: &str| {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    table.lines().skip(2).map(cells).collect()
}

#[test]
fn every_lane_has_its_row() {
    let rows = rows();
    for lane in LANES {
        let row = rows.iter().find(|row| row[0] == lane.lang).expect(lane.lang);
        let shapes: Vec<&str> = lane.shapes.iter().map(|shape| shape.name()).collect();
        assert_eq!(row[1], lane.compiler);
        assert_eq!(row[2], lane.package);
        assert_eq!(row[3], shapes.join(", "));
    }
}

#[test]
fn every_language_without_a_lane_has_a_row_that_says_so() {
    let rows = rows();
    for without in WITHOUT {
        let row = rows.iter().find(|row| row[0] == without.lang).expect(without.lang);
        assert_eq!(row[1], "none yet");
        assert!(row[4].contains("lane_unavailable"));
    }
    assert_eq!(rows.len(), LANES.len() + WITHOUT.len());
}

#[test]
fn no_name_stands_for_two_languages() {
    let lanes = LANES.iter().map(|lane| (lane.lang, lane.also));
    let without = WITHOUT.iter().map(|without| (without.lang, without.also));
    let mut names: Vec<&str> = lanes
        .chain(without)
        .flat_map(|(lang, also)| also.iter().copied().chain([lang]))
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn the_pinned_versions_are_those_of_the_build() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../script/lanes");
    let script = std::fs::read_to_string(script).unwrap();
    for lane in LANES {
        let (kind, package) = lane.package.split_once(' ').unwrap();
        let (name, version) = package.rsplit_once(' ').unwrap();
        let pinned = match kind {
            "npm" => format!("fetched {name} {version} "),
            _ if name == "rquickjs-sys" => format!("patched {name}-{version}"),
            _ => continue,
        };
        assert!(script.contains(&pinned), "{pinned}");
    }
}
