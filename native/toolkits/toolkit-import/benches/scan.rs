//! How fast scripts are read: 10,000 of 200 lines in one pass, and whether memory grows with them.
//!
//! Prints one line a figure, `name<TAB>value<TAB>unit`, for `make bench` to collect.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::time::Instant;
use toolkit_audit::{Auditor, Lanes, Report};

const SCRIPTS: usize = 10_000;
const LINES: usize = 200;
const ROUNDS: usize = 5;

const SHELL: [&str; 8] = [
    "set -euo pipefail",
    "for file in \"$@\"; do",
    "  if [ -f \"$file\" ]; then grep -n pattern \"$file\" | sort -u > \"$file.out\"; fi",
    "done",
    "# a comment that says what the next lines are for",
    "total=$(wc -l < \"$input\")",
    "printf '%s\\n' \"$total lines were read, and the rest is in the log\" >&2",
    "curl -fsSL \"$url\" | jq -r '.items[].name'",
];
const JAVASCRIPT: [&str; 8] = [
    "import { readFile } from 'node:fs/promises';",
    "const lodash = require('lodash');",
    "export function total(items) {",
    "  return items.reduce((sum, item) => sum + item.price * item.count, 0);",
    "}",
    "// a comment that says what the next lines are for",
    "const text = await readFile(path, 'utf8');",
    "console.log(`${total(JSON.parse(text).items)} in all`);",
];
const PYTHON: [&str; 8] = [
    "import json, sys",
    "import numpy as np",
    "def total(items):",
    "    return sum(item['price'] * item['count'] for item in items)",
    "# a comment that says what the next lines are for",
    "with open(sys.argv[1]) as source:",
    "    items = json.load(source)",
    "print(np.array([total(items)]))",
];

fn script(n: usize) -> (&'static str, String) {
    let (extension, lines) = [("sh", SHELL), ("js", JAVASCRIPT), ("py", PYTHON)][n % 3];
    let mut text = String::new();
    for line in 0..LINES {
        let _ = writeln!(text, "{}", lines[(n + line) % lines.len()]);
    }
    (extension, text)
}

/// What the process holds, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

fn main() {
    // Three texts stand for the ten thousand: reading files is not what is measured here.
    let texts: Vec<(&str, String)> = (0..3).map(script).collect();
    let names: Vec<String> = (0..SCRIPTS).map(|n| format!("script-{n}.{}", texts[n % 3].0)).collect();
    let bytes: usize = (0..SCRIPTS).map(|n| texts[n % 3].1.len()).sum();
    let lanes = Lanes::none();
    let auditor = Auditor::new(&lanes);
    let mut best = f64::MAX;
    let mut report = Report::default();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        report = (0..SCRIPTS)
            .map(|n| auditor.script(&names[n], black_box(texts[n % 3].1.as_bytes())))
            .collect();
        best = best.min(begin.elapsed().as_secs_f64());
    }
    let megabytes = bytes as f64 / 1e6;
    println!("{SCRIPTS} scripts of {LINES} lines, one pass\t{:.0}\tms", best * 1e3);
    println!("scanning (goal: at least 100)\t{:.0}\tMB/s", megabytes / best);

    let before = resident();
    let mut classes = [0; 3];
    for n in 0..SCRIPTS * 10 {
        classes[auditor.script(&names[n % SCRIPTS], texts[n % 3].1.as_bytes()).class as usize] += 1;
    }
    black_box(classes);
    let grown = resident().saturating_sub(before);
    println!("memory gained by reading ten times as many (goal: 0)\t{grown}\tKiB");

    // The same from the disk, manifest and all. Once to have the files in memory, once to measure.
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("scripts")).unwrap();
    fs::write(dir.path().join("manifest.org"), "* Bench :toolkit:\n").unwrap();
    for (n, name) in names.iter().enumerate() {
        fs::write(dir.path().join("scripts").join(name), &texts[n % 3].1).unwrap();
    }
    let mut seconds = 0.0;
    for _ in 0..2 {
        let begin = Instant::now();
        report = toolkit_import::audit(dir.path(), false, &lanes).unwrap();
        seconds = begin.elapsed().as_secs_f64();
    }
    println!(
        "the whole audit, from files to manifest (goal: at least 100)\t{:.0}\tMB/s",
        megabytes / seconds
    );

    let begin = Instant::now();
    let section = toolkit_audit::section::write(toolkit_audit::section::BAIT, "bench", &report);
    println!(
        "writing the section of {SCRIPTS} scripts\t{:.0}\tms",
        begin.elapsed().as_secs_f64() * 1e3
    );
    let begin = Instant::now();
    assert_eq!(toolkit_audit::section::write(&section, "bench", &report), section);
    println!(
        "writing it again, to the same bytes\t{:.0}\tms",
        begin.elapsed().as_secs_f64() * 1e3
    );
}
