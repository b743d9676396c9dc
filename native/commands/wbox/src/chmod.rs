//! `chmod`: files here have no mode bits, so it checks what it is asked and changes nothing.

use std::ffi::OsString;
use std::fs;

pub fn main(args: impl Iterator<Item = OsString>) -> i32 {
    let mut mode = None;
    let mut reference = false;
    let mut quiet = false;
    let mut files = Vec::new();
    for word in args.skip(1) {
        let text = word.to_string_lossy();
        match &*text {
            "-R" | "--recursive" | "-v" | "--verbose" | "-c" | "--changes" | "--preserve-root"
            | "--no-preserve-root" | "--" => {}
            "-f" | "--quiet" | "--silent" => quiet = true,
            "--help" => {
                println!("Usage: chmod [OPTION] MODE FILE...\nFiles here have no mode bits: nothing is changed.");
                return 0;
            }
            _ if text.starts_with("--reference=") => reference = true,
            _ if mode.is_none() && !reference => mode = Some(text.into_owned()),
            _ => files.push(word),
        }
    }
    match &mode {
        None if !reference => return failed("missing operand"),
        Some(mode) if !is_mode(mode) => return failed(&format!("invalid mode: '{mode}'")),
        _ if files.is_empty() => return failed("missing operand"),
        _ => {}
    }
    let mut status = 0;
    for file in files {
        if let Err(error) = fs::metadata(&file) {
            status = 1;
            if !quiet {
                failed(&format!(
                    "cannot access '{}': {}",
                    file.display(),
                    uucore::error::strip_errno(&error)
                ));
            }
        }
    }
    status
}

fn failed(message: &str) -> i32 {
    eprintln!("chmod: {message}");
    1
}

/// Octal, or clauses such as `u+rw,go-x`.
fn is_mode(mode: &str) -> bool {
    let octal = mode.trim_start_matches(['+', '-', '=']);
    if !octal.is_empty() && octal.len() <= 5 && octal.bytes().all(|digit| matches!(digit, b'0'..=b'7')) {
        return true;
    }
    mode.split(',').all(|clause| {
        let actions = clause.trim_start_matches(['u', 'g', 'o', 'a']);
        actions.starts_with(['+', '-', '=']) && actions.bytes().all(|byte| b"+-=rwxXstugo".contains(&byte))
    })
}
