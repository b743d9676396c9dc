//! `gzip`, `gunzip`, `zcat`.

use crate::reason;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

const USAGE: &str = "\
Usage: gzip [OPTION]... [FILE]...
  -c, --stdout      write to stdout, keep the files
  -d, --decompress  decompress
  -f, --force       overwrite
  -k, --keep        keep the files
  -q, --quiet       no warnings
  -r, --recursive   directories as well
  -S SUFFIX         in place of .gz
  -t, --test        only see whether it is whole
  -v, --verbose     say what is done
  -1 .. -9          fast .. small
  -n, -N            accepted";

struct Options {
    stdout: bool,
    decompress: bool,
    force: bool,
    keep: bool,
    quiet: bool,
    recursive: bool,
    test: bool,
    verbose: bool,
    level: u32,
    suffix: String,
    files: Vec<PathBuf>,
}

const FAILED: i32 = 1;
const WARNED: i32 = 2;

pub fn main(name: &str, words: Vec<OsString>) -> i32 {
    let mut options = Options {
        stdout: name == "zcat",
        decompress: name != "gzip",
        force: false,
        keep: false,
        quiet: false,
        recursive: false,
        test: false,
        verbose: false,
        level: 6,
        suffix: ".gz".into(),
        files: Vec::new(),
    };
    if words.iter().any(|word| word == "--help") {
        println!("{USAGE}");
        return 0;
    }
    if let Err(message) = parse(&mut options, words) {
        eprintln!("{name}: {message}");
        return FAILED;
    }
    if options.files.is_empty() {
        options.files.push("-".into());
    }
    let mut status = 0;
    for file in std::mem::take(&mut options.files) {
        status = status.max(match one(&options, &file) {
            Ok(()) => 0,
            Err(Trouble::Warning(message)) => {
                if !options.quiet {
                    eprintln!("{name}: {message}");
                }
                WARNED
            }
            Err(Trouble::Error(message)) => {
                eprintln!("{name}: {message}");
                // An error outweighs a warning.
                return FAILED;
            }
        });
    }
    status
}

fn parse(options: &mut Options, words: Vec<OsString>) -> Result<(), String> {
    let mut words = words.into_iter();
    let mut only_files = false;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if only_files || text == "-" || !text.starts_with('-') {
            options.files.push(word.into());
            continue;
        }
        let letters = match text.as_str() {
            "--" => {
                only_files = true;
                continue;
            }
            "--stdout" | "--to-stdout" => "c",
            "--decompress" | "--uncompress" => "d",
            "--force" => "f",
            "--keep" => "k",
            "--quiet" => "q",
            "--recursive" => "r",
            "--test" => "t",
            "--verbose" => "v",
            "--fast" => "1",
            "--best" => "9",
            "--no-name" | "--name" => "n",
            _ if text.starts_with("--suffix=") => {
                options.suffix = text["--suffix=".len()..].to_owned();
                continue;
            }
            _ if text.starts_with("--") => return Err(format!("unrecognized option '{text}'")),
            _ => &text[1..],
        };
        for letter in letters.chars() {
            match letter {
                'c' => options.stdout = true,
                'd' => options.decompress = true,
                'f' => options.force = true,
                'k' => options.keep = true,
                'q' => options.quiet = true,
                'r' => options.recursive = true,
                't' => (options.test, options.decompress) = (true, true),
                'v' => options.verbose = true,
                'n' | 'N' => {}
                'S' => {
                    let suffix = words.next().ok_or("option requires an argument -- 'S'")?;
                    options.suffix = suffix.to_string_lossy().into_owned();
                }
                '1'..='9' => options.level = letter.to_digit(10).unwrap_or(6),
                _ => return Err(format!("invalid option -- '{letter}'")),
            }
        }
    }
    Ok(())
}

enum Trouble {
    Warning(String),
    Error(String),
}

fn one(options: &Options, file: &Path) -> Result<(), Trouble> {
    let shown = file.display().to_string();
    let failed = |error: io::Error| Trouble::Error(format!("{shown}: {}", reason(&error)));
    if file == Path::new("-") {
        return convert(options, io::stdin().lock(), io::stdout().lock())
            .map_err(|error| Trouble::Error(format!("stdin: {}", reason(&error))));
    }
    if file.is_dir() {
        if !options.recursive {
            return Err(Trouble::Warning(format!("{shown} is a directory -- ignored")));
        }
        let mut names: Vec<PathBuf> = fs::read_dir(file)
            .map_err(failed)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        names.sort();
        return names.iter().try_for_each(|name| one(options, name));
    }
    let source = File::open(file).map_err(failed)?;
    if options.test {
        return convert(options, source, io::sink()).map_err(failed);
    }
    if options.stdout {
        return convert(options, source, io::stdout().lock()).map_err(failed);
    }
    let goal = goal(options, file)?;
    if goal.exists() && !options.force {
        return Err(Trouble::Warning(format!(
            "{} already exists; not overwritten",
            goal.display()
        )));
    }
    let modified = source.metadata().and_then(|metadata| metadata.modified());
    let target = File::create(&goal).map_err(failed)?;
    if let Err(error) = convert(options, source, &target) {
        let _ = fs::remove_file(&goal);
        return Err(failed(error));
    }
    if let Ok(time) = modified {
        let _ = target.set_modified(time);
    }
    if options.verbose {
        let verb = if options.keep { "created" } else { "replaced with" };
        eprintln!("{shown}:\t{verb} {}", goal.display());
    }
    if options.keep {
        Ok(())
    } else {
        fs::remove_file(file).map_err(failed)
    }
}

fn goal(options: &Options, file: &Path) -> Result<PathBuf, Trouble> {
    let name = file.to_string_lossy();
    if !options.decompress {
        return match name.ends_with(&options.suffix) {
            true => Err(Trouble::Warning(format!(
                "{name} already has {} suffix -- unchanged",
                options.suffix
            ))),
            false => Ok(format!("{name}{}", options.suffix).into()),
        };
    }
    match (name.strip_suffix(&options.suffix), name.strip_suffix(".tgz")) {
        (Some(stem), _) => Ok(stem.into()),
        (None, Some(stem)) => Ok(format!("{stem}.tar").into()),
        _ => Err(Trouble::Warning(format!("{name}: unknown suffix -- ignored"))),
    }
}

fn convert(options: &Options, source: impl Read, target: impl Write) -> io::Result<()> {
    let mut source = BufReader::with_capacity(64 * 1024, source);
    let mut target = BufWriter::with_capacity(64 * 1024, target);
    if options.decompress {
        io::copy(&mut MultiGzDecoder::new(source), &mut target)?;
    } else {
        let mut encoder = GzEncoder::new(&mut target, Compression::new(options.level));
        io::copy(&mut source, &mut encoder)?;
        encoder.finish()?;
    }
    target.flush()
}
