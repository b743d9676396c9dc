//! `stat`: what WASI and the host know of a file. There are no owners; the usual ones are shown in their place.

use rustix::fs::{FileType, Stat};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};
use uucore::time::{FormatSystemTimeFallback, format_system_time};

const USAGE: &str = "\
Usage: stat [OPTION] FILE...
  -L, --dereference    follow links
  -c, --format=FORMAT  print FORMAT and a newline for each file
      --printf=FORMAT  print FORMAT, with backslash escapes and no newline
  -t, --terse          print the values on one line";

const LONG: &str = "  File: %N
  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F
Device: %Hd,%Ld\tInode: %-11i Links: %h
Access: (%04a/%10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: -";
const TERSE: &str = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o";
const BLOCK: u64 = 4096;

pub fn main(args: impl Iterator<Item = OsString>) -> i32 {
    let mut format = None;
    let mut end = "\n";
    let mut follow = false;
    let mut files = Vec::new();
    let mut words = args.skip(1);
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        match text.as_str() {
            "--help" => {
                println!("{USAGE}");
                return 0;
            }
            "--" => files.extend(words.by_ref()),
            "-L" | "--dereference" => follow = true,
            "-t" | "--terse" => format = Some(TERSE.to_owned()),
            "-c" | "--format" => match words.next() {
                Some(value) => format = Some(value.to_string_lossy().into_owned()),
                None => return failed("option requires an argument -- 'c'"),
            },
            _ if text.starts_with("-c") => format = Some(text[2..].to_owned()),
            _ if text.starts_with("--format=") => format = Some(text["--format=".len()..].to_owned()),
            _ if text.starts_with("--printf=") => {
                format = Some(unescaped(&text["--printf=".len()..]));
                end = "";
            }
            "-f" | "--file-system" => return failed("nothing is known of the file system"),
            _ if text.len() > 1 && text.starts_with('-') => return failed(&format!("invalid option '{text}'")),
            _ => files.push(word),
        }
    }
    if files.is_empty() {
        return failed("missing operand");
    }
    let format = format.unwrap_or_else(|| LONG.to_owned());
    let mut status = 0;
    for file in files {
        let found = if follow {
            rustix::fs::stat(&file)
        } else {
            rustix::fs::lstat(&file)
        };
        match found {
            Ok(stat) => print(&expand(&format, &file, &stat), end),
            Err(error) => {
                let error = io::Error::from(error);
                status = failed(&format!(
                    "cannot statx '{}': {}",
                    file.display(),
                    uucore::error::strip_errno(&error)
                ));
            }
        }
    }
    status
}

fn failed(message: &str) -> i32 {
    eprintln!("stat: {message}");
    1
}

fn print(text: &str, end: &str) {
    let _ = write!(io::stdout(), "{text}{end}");
}

/// Fills a format in; a directive is `%`, flags, a width, and a letter.
fn expand(format: &str, file: &OsStr, stat: &Stat) -> String {
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text += &rest[..at];
        rest = &rest[at + 1..];
        let flags = rest.len() - rest.trim_start_matches(['-', '0', '+', ' ', '#']).len();
        let digits = rest[flags..].len() - rest[flags..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (spec, after) = rest.split_at(flags + digits);
        let split = after.starts_with(['H', 'L']) && after[1..].starts_with(['d', 'r']);
        let length = if split {
            2
        } else {
            after.chars().next().map_or(0, char::len_utf8)
        };
        let (directive, after) = after.split_at(length);
        text += &padded(
            &value(directive, file, stat),
            &spec[..flags],
            spec[flags..].parse().unwrap_or(0),
        );
        rest = after;
    }
    text + rest
}

fn padded(value: &str, flags: &str, width: usize) -> String {
    if flags.contains('-') {
        format!("{value:<width$}")
    } else if flags.contains('0') {
        format!("{value:0>width$}")
    } else {
        format!("{value:>width$}")
    }
}

fn value(directive: &str, file: &OsStr, stat: &Stat) -> String {
    let kind = FileType::from_raw_mode(stat.st_mode);
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    match directive {
        "" | "%" => "%".into(),
        "n" => file.display().to_string(),
        "N" => match std::fs::read_link(file) {
            Ok(target) if kind == FileType::Symlink => format!("'{}' -> '{}'", file.display(), target.display()),
            _ => format!("'{}'", file.display()).trim_matches('\'').to_owned(),
        },
        "s" => size.to_string(),
        "b" => (size.div_ceil(BLOCK) * BLOCK / 512).to_string(),
        "B" => "512".into(),
        "o" => BLOCK.to_string(),
        "F" => name(kind, size).into(),
        "a" => format!("{:o}", mode(file, kind)),
        "A" => permissions(file, kind),
        "f" => format!("{:x}", type_bits(kind) | mode(file, kind)),
        "u" | "g" => "0".into(),
        "U" | "G" => "root".into(),
        "h" => stat.st_nlink.to_string(),
        "i" => stat.st_ino.to_string(),
        "d" | "Hd" | "Ld" | "D" | "t" | "T" | "r" | "Hr" | "Lr" | "R" => "0".into(),
        "m" => "/".into(),
        "w" => "-".into(),
        "W" => "0".into(),
        "x" => when(stat.st_atim.tv_sec, stat.st_atim.tv_nsec.into()),
        "y" => when(stat.st_mtim.tv_sec, stat.st_mtim.tv_nsec.into()),
        "z" => when(stat.st_ctim.tv_sec, stat.st_ctim.tv_nsec.into()),
        "X" => stat.st_atim.tv_sec.to_string(),
        "Y" => stat.st_mtim.tv_sec.to_string(),
        "Z" => stat.st_ctim.tv_sec.to_string(),
        _ => "?".into(),
    }
}

fn name(kind: FileType, size: u64) -> &'static str {
    match kind {
        FileType::RegularFile if size == 0 => "regular empty file",
        FileType::RegularFile => "regular file",
        FileType::Directory => "directory",
        FileType::Symlink => "symbolic link",
        FileType::CharacterDevice => "character special file",
        FileType::BlockDevice => "block special file",
        _ => "weird file",
    }
}

/// A link has the bits that links have.
fn mode(file: &OsStr, kind: FileType) -> u32 {
    match kind {
        FileType::Symlink => 0o777,
        _ => start::mode(Path::new(file)).unwrap_or(0),
    }
}

fn type_bits(kind: FileType) -> u32 {
    match kind {
        FileType::Directory => 0o040_000,
        FileType::Symlink => 0o120_000,
        FileType::CharacterDevice => 0o020_000,
        FileType::BlockDevice => 0o060_000,
        _ => 0o100_000,
    }
}

fn permissions(file: &OsStr, kind: FileType) -> String {
    let letter = match kind {
        FileType::Directory => 'd',
        FileType::Symlink => 'l',
        FileType::CharacterDevice => 'c',
        FileType::BlockDevice => 'b',
        _ => '-',
    };
    let bits = mode(file, kind);
    let triple = |shift: u32| {
        let letter = |bit, letter| if bits >> shift & bit == 0 { '-' } else { letter };
        [letter(4, 'r'), letter(2, 'w'), letter(1, 'x')]
    };
    std::iter::once(letter)
        .chain([6, 3, 0].into_iter().flat_map(triple))
        .collect()
}

fn when(seconds: i64, nanoseconds: i64) -> String {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    let time =
        if seconds < 0 { epoch - whole } else { epoch + whole } + Duration::from_nanos(nanoseconds.unsigned_abs());
    let mut text = Vec::new();
    let fallback = FormatSystemTimeFallback::Integer;
    match format_system_time(&mut text, time, "%Y-%m-%d %H:%M:%S.%N %z", fallback) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => seconds.to_string(),
    }
}

fn unescaped(format: &str) -> String {
    let mut text = String::new();
    let mut rest = format.chars();
    while let Some(char) = rest.next() {
        match (char, if char == '\\' { rest.next() } else { None }) {
            ('\\', Some('n')) => text.push('\n'),
            ('\\', Some('t')) => text.push('\t'),
            ('\\', Some('0')) => text.push('\0'),
            ('\\', Some(other)) => text.push(other),
            (char, _) => text.push(char),
        }
    }
    text
}
