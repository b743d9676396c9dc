//! `patch`: applies what `diff -u` (or plain `diff`) printed.

mod apply;
mod parse;

use crate::TROUBLE;
use crate::compare::reason;
use crate::text::lines;
use apply::Outcome;
use parse::FilePatch;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

const USAGE: &str = "\
Usage: patch [OPTION]... [ORIGINAL [PATCH]]
  -p N, --strip=N      remove N leading components of file names
  -i FILE, --input=FILE   read the patch from FILE
  -o FILE, --output=FILE  write what is patched to FILE
  -d DIR, --directory=DIR go to DIR first
  -R, --reverse        take old for new
  -N, --forward        skip what seems applied already
  -F N, --fuzz=N       lines of context that may differ (2)
  -b, --backup         keep the original as FILE.orig
  -E, --remove-empty-files  remove what becomes empty
  -s, --quiet          say nothing but errors
      --dry-run        only say what would happen
  -f, -t, -u           accepted";

#[derive(Default)]
struct Options {
    strip: Option<usize>,
    input: Option<PathBuf>,
    output: Option<PathBuf>,
    directory: Option<PathBuf>,
    file: Option<PathBuf>,
    reverse: bool,
    forward: bool,
    fuzz: usize,
    backup: bool,
    remove_empty: bool,
    quiet: bool,
    dry_run: bool,
}

pub fn main(words: Vec<OsString>) -> i32 {
    if words.iter().any(|word| word == "--help") {
        println!("{USAGE}");
        return 0;
    }
    match options(words).and_then(|options| run(&options)) {
        Ok(status) => status,
        Err(message) => {
            eprintln!("patch: **** {message}");
            TROUBLE
        }
    }
}

fn options(words: Vec<OsString>) -> Result<Options, String> {
    let mut options = Options {
        fuzz: 2,
        ..Options::default()
    };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if text == "-" || !text.starts_with('-') {
            match (&options.file, &options.input) {
                (None, _) => options.file = Some(word.into()),
                (_, None) => options.input = Some(word.into()),
                _ => return Err(format!("extra operand '{text}'")),
            }
            continue;
        }
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
            _ if text.starts_with("--") || text.len() == 2 => (text, None),
            _ if text.starts_with(['-']) && text[1..].starts_with(['p', 'i', 'o', 'd', 'F']) => {
                (text[..2].to_owned(), Some(text[2..].to_owned()))
            }
            _ => (text, None),
        };
        let mut value = || match attached
            .clone()
            .or_else(|| Some(words.next()?.to_string_lossy().into_owned()))
        {
            Some(value) => Ok(value),
            None => Err(format!("option '{name}' requires an argument")),
        };
        match name.as_str() {
            "-p" | "--strip" => options.strip = Some(number(&value()?)?),
            "-i" | "--input" => options.input = Some(value()?.into()),
            "-o" | "--output" => options.output = Some(value()?.into()),
            "-d" | "--directory" => options.directory = Some(value()?.into()),
            "-F" | "--fuzz" => options.fuzz = number(&value()?)?,
            "--reverse" => options.reverse = true,
            "--forward" => options.forward = true,
            "--backup" => options.backup = true,
            "--remove-empty-files" => options.remove_empty = true,
            "--quiet" | "--silent" => options.quiet = true,
            "--dry-run" => options.dry_run = true,
            "--force" | "--batch" | "--unified" | "--posix" => {}
            letters if !letters.starts_with("--") => {
                for letter in letters[1..].chars() {
                    match letter {
                        'R' => options.reverse = true,
                        'N' => options.forward = true,
                        'b' => options.backup = true,
                        'E' => options.remove_empty = true,
                        's' => options.quiet = true,
                        'f' | 't' | 'u' | 'l' => {}
                        _ => return Err(format!("invalid option -- '{letter}'")),
                    }
                }
            }
            _ => return Err(format!("unrecognized option '{name}'")),
        }
    }
    Ok(options)
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number"))
}

fn run(options: &Options) -> Result<i32, String> {
    let failed = |path: &Path, error: io::Error| format!("Can't open file {} : {}", path.display(), reason(&error));
    let text = match &options.input {
        Some(path) if path != Path::new("-") => fs::read(path).map_err(|error| failed(path, error))?,
        _ => {
            let mut text = Vec::new();
            io::stdin().read_to_end(&mut text).map_err(|error| reason(&error))?;
            text
        }
    };
    if let Some(directory) = &options.directory {
        std::env::set_current_dir(directory).map_err(|error| failed(directory, error))?;
    }
    let patches = parse::patches(&text)?;
    if patches.is_empty() {
        return Err("Only garbage was found in the patch input.".into());
    }
    let mut status = 0;
    for patch in patches {
        let patch = if options.reverse { patch.reversed() } else { patch };
        status = status.max(one(options, &patch)?);
    }
    Ok(status)
}

/// Patches one file; 1 when a hunk did not fit.
fn one(options: &Options, patch: &FilePatch) -> Result<i32, String> {
    let path = match &options.file {
        Some(path) => path.clone(),
        None => target(patch, options.strip)?,
    };
    let failed = |error: io::Error| format!("{}: {}", path.display(), reason(&error));
    let original = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound && patch.creates() => Vec::new(),
        Err(error) => return Err(format!("Can't open file {} : {}", path.display(), reason(&error))),
    };
    let out = &mut io::stdout();
    if !options.quiet {
        let verb = if options.dry_run { "checking" } else { "patching" };
        let _ = match &options.output {
            Some(goal) => writeln!(out, "{verb} file {} (read from {})", goal.display(), path.display()),
            None => writeln!(out, "{verb} file {}", path.display()),
        };
    }
    let old = lines(&original);
    let Outcome { text, notes, rejected } = apply::apply(&old, &patch.hunks, options.fuzz);
    if options.forward && !rejected.is_empty() {
        let back = patch.clone().reversed();
        if apply::apply(&old, &back.hunks, 0).rejected.is_empty() {
            let _ = writeln!(out, "Reversed (or previously applied) patch detected!  Skipping patch.");
            return Ok(1);
        }
    }
    for note in notes {
        if !options.quiet || note.contains("FAILED") {
            let _ = writeln!(out, "{note}");
        }
    }
    if options.dry_run {
        return Ok(i32::from(!rejected.is_empty()));
    }
    if options.backup {
        fs::write(with_suffix(&path, ".orig"), &original).map_err(failed)?;
    }
    let goal = options.output.as_ref().unwrap_or(&path);
    if text.is_empty() && (patch.removes() || options.remove_empty) && options.output.is_none() {
        fs::remove_file(goal).map_err(failed)?;
    } else {
        if let Some(parent) = goal.parent() {
            let _ = fs::create_dir_all(parent);
        }
        fs::write(goal, text).map_err(failed)?;
    }
    if rejected.is_empty() {
        return Ok(0);
    }
    let rejects = with_suffix(goal, ".rej");
    let _ = writeln!(
        out,
        "{} out of {} hunk{} FAILED -- saving rejects to file {}",
        rejected.len(),
        patch.hunks.len(),
        if patch.hunks.len() == 1 { "" } else { "s" },
        rejects.display()
    );
    fs::write(&rejects, patch.text_of(&rejected)).map_err(failed)?;
    Ok(1)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The file to patch: the first of the two names that is there, or the new one of a file to be made.
fn target(patch: &FilePatch, strip: Option<usize>) -> Result<PathBuf, String> {
    let names: Vec<PathBuf> = [&patch.old, &patch.new]
        .into_iter()
        .flatten()
        .filter(|name| name.as_path() != Path::new("/dev/null"))
        .filter_map(|name| stripped(name, strip))
        .collect();
    let found = names
        .iter()
        .find(|name| name.is_file())
        .or(names.last().filter(|_| patch.creates()));
    found
        .cloned()
        .ok_or_else(|| "Can't find file to patch; give it with the command.".into())
}

/// Without -p only the last component counts.
fn stripped(name: &Path, strip: Option<usize>) -> Option<PathBuf> {
    match strip {
        None => name.file_name().map(PathBuf::from),
        Some(0) => Some(name.to_owned()),
        Some(count) => {
            let rest: PathBuf = name
                .components()
                .filter(|part| *part != Component::CurDir)
                .skip(count)
                .collect();
            (rest != Path::new("")).then_some(rest)
        }
    }
}
