//! Items into command lines, and command lines into a status.

use crate::input::Item;
use crate::options::Options;
use start::Child;
use std::ffi::OsString;
use std::os::wasi::ffi::OsStringExt;

/// Some command failed.
const SOME_FAILED: u8 = 123;
/// A command asked to stop by exiting with 255.
const STOPPED: u8 = 124;
const NOT_RUN: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs a command line per batch of items and answers the status of xargs.
pub fn run(options: &Options, items: impl Iterator<Item = Result<Item, String>>) -> Result<u8, String> {
    let mut runner = Runner { options, status: 0 };
    match &options.replace {
        Some(pattern) => runner.replace(pattern, items),
        None => runner.append(items),
    }
}

struct Runner<'a> {
    options: &'a Options,
    status: u8,
}

/// Whether to go on.
type Verdict = Result<(), u8>;

impl Runner<'_> {
    fn replace(&mut self, pattern: &[u8], items: impl Iterator<Item = Result<Item, String>>) -> Result<u8, String> {
        for item in items {
            let item = item?.bytes;
            let line: Vec<_> = self
                .options
                .command
                .iter()
                .map(|word| replaced(word, pattern, &item))
                .collect();
            if size(&line) > self.options.max_bytes {
                return Err("argument list too long".into());
            }
            if let Err(stop) = self.execute(line) {
                return Ok(stop);
            }
        }
        Ok(self.status)
    }

    fn append(&mut self, items: impl Iterator<Item = Result<Item, String>>) -> Result<u8, String> {
        let options = self.options;
        let base = size(&options.command);
        let mut batch: Vec<Vec<u8>> = Vec::new();
        let (mut bytes, mut lines, mut ran) = (base, 0, false);
        for item in items {
            let item = match item {
                Ok(item) => item,
                // What came before an error still runs.
                Err(error) => {
                    if !batch.is_empty() {
                        let _ = self.execute(self.line(&batch));
                    }
                    return Err(error);
                }
            };
            let grown = bytes + item.bytes.len() + 1;
            if grown > options.max_bytes {
                let lines_are_counted = options.max_lines.is_some() || options.max_args.is_some();
                if batch.is_empty() || (options.strict && lines_are_counted) {
                    return Err(too_long(batch.is_empty()));
                }
                if let Err(stop) = self.execute(self.line(&batch)) {
                    return Ok(stop);
                }
                batch.clear();
                (bytes, lines, ran) = (base, 0, true);
                if bytes + item.bytes.len() + 1 > options.max_bytes {
                    return Err(too_long(true));
                }
            }
            bytes += item.bytes.len() + 1;
            lines += usize::from(item.ends_line);
            batch.push(item.bytes);
            let full = options.max_args.is_some_and(|most| batch.len() >= most)
                || options.max_lines.is_some_and(|most| lines >= most);
            if full {
                if let Err(stop) = self.execute(self.line(&batch)) {
                    return Ok(stop);
                }
                batch.clear();
                (bytes, lines, ran) = (base, 0, true);
            }
        }
        let due = !batch.is_empty() || (!ran && !options.skip_if_empty);
        if due && let Err(stop) = self.execute(self.line(&batch)) {
            return Ok(stop);
        }
        Ok(self.status)
    }

    fn line(&self, batch: &[Vec<u8>]) -> Vec<Vec<u8>> {
        self.options.command.iter().chain(batch).cloned().collect()
    }

    fn execute(&mut self, line: Vec<Vec<u8>>) -> Verdict {
        if self.options.verbose {
            eprintln!("{}", String::from_utf8_lossy(&line.join(&b' ')));
        }
        let words: Vec<OsString> = line.into_iter().map(OsString::from_vec).collect();
        let child = Child::new(&words);
        // With -a the commands may have stdin to themselves.
        let child = if self.options.file.is_some() {
            child
        } else {
            child.empty_stdin()
        };
        match child.run() {
            0 => Ok(()),
            255 => {
                eprintln!("xargs: {}: exited with status 255; aborting", words[0].display());
                Err(STOPPED)
            }
            NOT_RUN => Err(NOT_RUN),
            NOT_FOUND => {
                eprintln!("xargs: {}: No such file or directory", words[0].display());
                Err(NOT_FOUND)
            }
            _ => {
                self.status = SOME_FAILED;
                Ok(())
            }
        }
    }
}

fn size(words: &[Vec<u8>]) -> usize {
    words.iter().map(|word| word.len() + 1).sum()
}

fn too_long(single: bool) -> String {
    if single {
        "argument line too long".into()
    } else {
        "argument list too long".into()
    }
}

fn replaced(word: &[u8], pattern: &[u8], item: &[u8]) -> Vec<u8> {
    let mut rest = word;
    let mut result = Vec::new();
    while let Some(at) = rest.windows(pattern.len().max(1)).position(|part| part == pattern) {
        result.extend(&rest[..at]);
        result.extend(item);
        rest = &rest[at + pattern.len()..];
    }
    result.extend(rest);
    result
}
