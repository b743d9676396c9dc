//! `diff`: two files, two directories, or one of each.

use crate::changes::changes;
use crate::options::{self, Format, Options, Parsed};
use crate::text::{is_binary, lines};
use crate::{TROUBLE, context, header, normal, unified};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub fn main(words: Vec<OsString>) -> i32 {
    let options = match options::parse(words) {
        Ok(Parsed::Run(options)) => options,
        Ok(Parsed::Print(text)) => {
            println!("{text}");
            return 0;
        }
        Err(message) => {
            eprintln!("diff: {message}\ndiff: Try 'diff --help' for more information.");
            return TROUBLE;
        }
    };
    let mut comparison = Comparison {
        options: &options,
        out: BufWriter::new(io::stdout().lock()),
        status: 0,
    };
    let [old, new] = &options.files;
    let written = comparison.top(old, new).and_then(|()| comparison.out.flush());
    match written {
        Ok(()) => comparison.status,
        Err(_) => TROUBLE,
    }
}

struct Comparison<'a> {
    options: &'a Options,
    out: BufWriter<StdoutLock<'static>>,
    /// The worst so far.
    status: i32,
}

/// What is at one side.
struct Side {
    path: PathBuf,
    bytes: Vec<u8>,
    changed: SystemTime,
}

impl Comparison<'_> {
    fn top(&mut self, old: &Path, new: &Path) -> io::Result<()> {
        match (is_directory(old), is_directory(new)) {
            (true, true) => self.directories(old, new),
            // A file and a directory: the file of that name in it.
            (true, false) => self.files(&old.join(new.file_name().unwrap_or_default()), new),
            (false, true) => self.files(old, &new.join(old.file_name().unwrap_or_default())),
            (false, false) => self.files(old, new),
        }
    }

    fn directories(&mut self, old: &Path, new: &Path) -> io::Result<()> {
        let (Some(ours), Some(theirs)) = (self.names(old), self.names(new)) else {
            return Ok(());
        };
        for name in ours.union(&theirs) {
            let (a, b) = (old.join(name), new.join(name));
            match (ours.contains(name), theirs.contains(name)) {
                (true, true) => self.pair(&a, &b)?,
                (here, _) if self.options.new_file => match is_directory(if here { &a } else { &b }) {
                    true if self.options.recursive => self.directories(&a, &b)?,
                    true => self.only(if here { old } else { new }, name)?,
                    false => self.within_tree(&a, &b)?,
                },
                (true, false) => self.only(old, name)?,
                (false, _) => self.only(new, name)?,
            }
        }
        Ok(())
    }

    /// Two entries of the same name.
    fn pair(&mut self, a: &Path, b: &Path) -> io::Result<()> {
        match (is_directory(a), is_directory(b)) {
            (true, true) if self.options.recursive => self.directories(a, b),
            (true, true) => writeln!(self.out, "Common subdirectories: {} and {}", a.display(), b.display()),
            (false, false) => self.within_tree(a, b),
            (left, _) => {
                let kind = |directory| if directory { "directory" } else { "regular file" };
                self.status = self.status.max(1);
                writeln!(
                    self.out,
                    "File {} is a {} while file {} is a {}",
                    a.display(),
                    kind(left),
                    b.display(),
                    kind(!left)
                )
            }
        }
    }

    /// Two files of a tree: a difference is announced by the command that would show it alone.
    fn within_tree(&mut self, a: &Path, b: &Path) -> io::Result<()> {
        let (Some(old), Some(new)) = (self.read(a), self.read(b)) else {
            return Ok(());
        };
        let words: Vec<&str> = self.options.given.iter().map(String::as_str).collect();
        let heading = format!("diff {} {} {}", words.join(" "), a.display(), b.display());
        self.contents(&old, &new, Some(&heading.replace("diff  ", "diff ")))
    }

    fn only(&mut self, directory: &Path, name: &OsString) -> io::Result<()> {
        self.status = self.status.max(1);
        writeln!(self.out, "Only in {}: {}", directory.display(), name.display())
    }

    fn files(&mut self, old: &Path, new: &Path) -> io::Result<()> {
        match (self.read(old), self.read(new)) {
            (Some(old), Some(new)) => self.contents(&old, &new, None),
            _ => Ok(()),
        }
    }

    fn contents(&mut self, old: &Side, new: &Side, heading: Option<&str>) -> io::Result<()> {
        let options = self.options;
        let names = || (old.path.display(), new.path.display());
        let binary = !options.text && (is_binary(&old.bytes) || is_binary(&new.bytes));
        let (before, after) = (lines(&old.bytes), lines(&new.bytes));
        let found = match old.bytes == new.bytes || binary {
            true => Vec::new(),
            false => changes(&before, &after, options.folding, options.ignore_blank_lines),
        };
        if found.is_empty() && !(binary && old.bytes != new.bytes) {
            if options.identical {
                let (a, b) = names();
                writeln!(self.out, "Files {a} and {b} are identical")?;
            }
            return Ok(());
        }
        self.status = self.status.max(1);
        let (a, b) = names();
        if options.brief {
            return writeln!(self.out, "Files {a} and {b} differ");
        }
        if binary {
            return writeln!(self.out, "Binary files {a} and {b} differ");
        }
        if let Some(heading) = heading {
            writeln!(self.out, "{heading}")?;
        }
        let label = |at: usize, side: &Side| match options.labels.get(at) {
            Some(label) => label.clone(),
            None => header::label(&side.path, side.changed),
        };
        match options.format {
            Format::Normal => normal::write(&mut self.out, &found, &before, &after),
            Format::Unified(context) => {
                writeln!(self.out, "--- {}\n+++ {}", label(0, old), label(1, new))?;
                unified::write(&mut self.out, &found, &before, &after, context)
            }
            Format::Context(context) => {
                writeln!(self.out, "*** {}\n--- {}", label(0, old), label(1, new))?;
                context::write(&mut self.out, &found, &before, &after, context)
            }
        }
    }

    /// A file, `-` for stdin, or nothing with a message.
    fn read(&mut self, path: &Path) -> Option<Side> {
        let read = || -> io::Result<Side> {
            if path == Path::new("-") {
                let mut bytes = Vec::new();
                io::stdin().read_to_end(&mut bytes)?;
                return Ok(Side {
                    path: path.to_owned(),
                    bytes,
                    changed: SystemTime::now(),
                });
            }
            let changed = fs::metadata(path)?.modified()?;
            Ok(Side {
                path: path.to_owned(),
                bytes: fs::read(path)?,
                changed,
            })
        };
        match read() {
            Ok(side) => Some(side),
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.options.new_file => Some(Side {
                path: path.to_owned(),
                bytes: Vec::new(),
                changed: SystemTime::UNIX_EPOCH,
            }),
            Err(error) => {
                let _ = self.out.flush();
                self.status = TROUBLE;
                eprintln!("diff: {}: {}", path.display(), reason(&error));
                None
            }
        }
    }

    fn names(&mut self, directory: &Path) -> Option<BTreeSet<OsString>> {
        let read = || {
            fs::read_dir(directory)?
                .map(|entry| Ok(entry?.file_name()))
                .collect::<io::Result<_>>()
        };
        match read() {
            Ok(names) => {
                let names: BTreeSet<OsString> = names;
                let excluded = |name: &OsString| {
                    let name = name.to_string_lossy();
                    self.options
                        .exclude
                        .iter()
                        .any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
                };
                Some(names.into_iter().filter(|name| !excluded(name)).collect())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.options.new_file => Some(BTreeSet::new()),
            Err(error) => {
                self.status = TROUBLE;
                eprintln!("diff: {}: {}", directory.display(), reason(&error));
                None
            }
        }
    }
}

fn is_directory(path: &Path) -> bool {
    path != Path::new("-") && path.is_dir()
}

/// An error without the number that Rust adds.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// `*` and `?` as in the shell.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=name.len()).any(|skip| matches(rest, &name[skip..])),
        ([b'?', rest @ ..], [_, after @ ..]) => matches(rest, after),
        ([a, rest @ ..], [b, after @ ..]) if a == b => matches(rest, after),
        _ => false,
    }
}
