//! Alone in its process, because the most memory a process ever had says nothing about one of several tests.

mod workshop;

use std::fs;
use workshop::sh;

/// The most memory this process has had, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib << 10
}

#[test]
fn a_gigabyte_goes_through_three_stages_in_flat_memory() {
    assert_eq!(count("head -c 1M /dev/zero | cat | wc -c"), "1048576\n");
    let before = peak();
    assert_eq!(count("head -c 1G /dev/zero | cat | wc -c"), "1073741824\n");
    let grown = peak() - before;
    assert!(grown < 32 << 20, "{} MiB more", grown >> 20);
}

fn count(script: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    String::from_utf8(sh(script, dir.path()).stdout).unwrap()
}
