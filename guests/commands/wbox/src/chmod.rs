//! `chmod`: changes the permission bits of files, by the host.

use std::ffi::OsString;
use std::path::Path;
use std::{fs, io};

const USAGE: &str = "\
Usage: chmod [OPTION] MODE FILE...
       chmod [OPTION] --reference=RFILE FILE...
  -R, --recursive  what is in directories too
  -v, --verbose    say what becomes of every file
  -c, --changes    say what was changed
  -f, --silent     say nothing of files that cannot be changed";

/// The mask behind a mode that names nobody, such as `+w`.
const UMASK: u32 = 0o022;
const EXECUTE: u32 = 0o111;

#[derive(Default)]
struct Options {
    recursive: bool,
    quiet: bool,
    verbose: bool,
    changes: bool,
}

pub fn main(args: impl Iterator<Item = OsString>) -> i32 {
    let mut options = Options::default();
    let mut mode = None;
    let mut files = Vec::new();
    let mut only_files = false;
    for word in args.skip(1) {
        let text = word.to_string_lossy();
        match &*text {
            _ if only_files && mode.is_some() => files.push(word),
            "--" => only_files = true,
            "-R" | "--recursive" => options.recursive = true,
            "-v" | "--verbose" => options.verbose = true,
            "-c" | "--changes" => options.changes = true,
            "-f" | "--quiet" | "--silent" => options.quiet = true,
            "--help" => {
                println!("{USAGE}");
                return 0;
            }
            _ if text.starts_with("--reference=") => match start::mode(Path::new(&text["--reference=".len()..])) {
                Ok(bits) => mode = Some(format!("{bits:o}")),
                Err(error) => return failed(&format!("{}: {}", &text["--reference=".len()..], told(&error))),
            },
            _ if text.starts_with("--") => return failed(&format!("unrecognized option '{text}'")),
            _ if mode.is_none() && changed(&text, 0, false).is_none() => {
                return failed(&format!("invalid mode: '{text}'"));
            }
            _ if mode.is_none() => mode = Some(text.into_owned()),
            _ => files.push(word),
        }
    }
    let (Some(mode), false) = (mode, files.is_empty()) else {
        return failed("missing operand");
    };
    let mut status = 0;
    for file in files {
        if let Err((path, error)) = change(Path::new(&file), &mode, &options) {
            status = 1;
            if !options.quiet {
                failed(&format!("cannot access '{path}': {}", told(&error)));
            }
        }
    }
    status
}

fn change(path: &Path, mode: &str, options: &Options) -> Result<(), (String, io::Error)> {
    let named = |error| (path.display().to_string(), error);
    let directory = fs::metadata(path).map_err(named)?.is_dir();
    let before = start::mode(path).map_err(named)?;
    let after = changed(mode, before, directory).unwrap_or(before);
    start::set_mode(path, after).map_err(named)?;
    let shown = path.display();
    if before != after && (options.verbose || options.changes) {
        println!(
            "mode of '{shown}' changed from {before:04o} ({}) to {after:04o} ({})",
            letters(before),
            letters(after)
        );
    } else if options.verbose {
        println!("mode of '{shown}' retained as {after:04o} ({})", letters(after));
    }
    if options.recursive && directory {
        for entry in fs::read_dir(path).map_err(named)? {
            let entry = entry.map_err(named)?;
            // A link inside is left alone, as everywhere.
            if !entry.file_type().map_err(named)?.is_symlink() {
                change(&entry.path(), mode, options)?;
            }
        }
    }
    Ok(())
}

/// The bits after a mode: octal, or clauses such as `u+rw,go-x`. `None` if it is no mode.
fn changed(mode: &str, before: u32, directory: bool) -> Option<u32> {
    if !mode.is_empty() && mode.len() <= 5 && mode.bytes().all(|digit| matches!(digit, b'0'..=b'7')) {
        return u32::from_str_radix(mode, 8).ok().map(|bits| bits & 0o777);
    }
    let mut bits = before;
    for clause in mode.split(',') {
        let actions = clause.trim_start_matches(['u', 'g', 'o', 'a']);
        let who = &clause[..clause.len() - actions.len()];
        let mut rest = actions;
        while let Some(operator) = rest.chars().next().filter(|c| "+-=".contains(*c)) {
            let what = rest[1..].split(['+', '-', '=']).next().unwrap_or_default();
            rest = &rest[1 + what.len()..];
            let (named, mask) = of(who);
            let value = granted(what, bits, directory)? & mask;
            bits = match operator {
                '+' => bits | value,
                '-' => bits & !value,
                _ => bits & !named | value,
            };
        }
        if !rest.is_empty() || actions.is_empty() {
            return None;
        }
    }
    Some(bits)
}

/// Whose bits are meant, and which of them may change.
fn of(who: &str) -> (u32, u32) {
    let named = who.chars().fold(0, |bits, c| {
        bits | match c {
            'u' => 0o700,
            'g' => 0o070,
            'o' => 0o007,
            _ => 0o777,
        }
    });
    match named {
        0 => (0o777, 0o777 & !UMASK),
        named => (named, named),
    }
}

/// What the letters behind an operator stand for, for everybody.
fn granted(what: &str, bits: u32, directory: bool) -> Option<u32> {
    let copied = |class: u32| (bits >> class & 7) * 0o111;
    what.chars().try_fold(0, |value, c| {
        Some(
            value
                | match c {
                    'r' => 0o444,
                    'w' => 0o222,
                    'x' => EXECUTE,
                    'X' if directory || bits & EXECUTE != 0 => EXECUTE,
                    'X' | 's' | 't' => 0,
                    'u' => copied(6),
                    'g' => copied(3),
                    'o' => copied(0),
                    _ => return None,
                },
        )
    })
}

fn letters(bits: u32) -> String {
    (0..9)
        .map(|n| {
            if bits >> (8 - n) & 1 == 1 {
                ['r', 'w', 'x'][n % 3]
            } else {
                '-'
            }
        })
        .collect()
}

fn told(error: &io::Error) -> String {
    uucore::error::strip_errno(error)
}

fn failed(message: &str) -> i32 {
    eprintln!("chmod: {message}");
    1
}
