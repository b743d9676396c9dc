//! The pages in the repository are those that the table makes.

use std::fs;
use std::path::Path;

#[test]
fn the_pages_are_those_of_the_table() {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    for (path, text) in operations::reference::pages() {
        let found = fs::read_to_string(house.join(path)).unwrap_or_default();
        assert!(found == text, "{path} has drifted: run `make docs`");
    }
}
