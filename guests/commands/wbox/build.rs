//! Collects the messages of the utilities, and sees to it that `commands.tsv` and the box agree on their names.

use std::fs;

fn main() {
    catalogue::write(|package| package == "uucore" || package.starts_with("uu_"));
    check_names();
}

fn check_names() {
    const TABLE: &str = "../commands.tsv";
    const UTILITIES: &str = "src/utilities.rs";
    let table = fs::read_to_string(TABLE).expect("commands.tsv is there");
    let source = fs::read_to_string(UTILITIES).expect("utilities.rs is there");
    let row = table
        .lines()
        .find_map(|line| line.strip_prefix("wbox\targv\ttrue\twbox "))
        .expect("a row for wbox");
    let listed: Vec<&str> = row.split(' ').collect();
    let offered: Vec<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("    \"")?.split_once("\" => ").map(|(name, _)| name))
        .collect();
    assert_eq!(listed, offered, "commands.tsv (left) and utilities.rs (right) differ");
    println!("cargo::rerun-if-changed={TABLE}");
    println!("cargo::rerun-if-changed={UTILITIES}");
}
