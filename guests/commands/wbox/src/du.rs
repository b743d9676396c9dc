//! `du`: the size of files and trees. WASI tells no blocks, so a file takes its size in blocks of 4 KiB, and a directory one.

use clap::{Arg, ArgAction, Command};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const BLOCK: u64 = 4096;

struct Options {
    all: bool,
    apparent: bool,
    human: bool,
    follow: bool,
    separate: bool,
    unit: u64,
    depth: usize,
    end: char,
}

pub fn main(args: impl Iterator<Item = OsString>) -> i32 {
    let matches = match command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => {
            let _ = error.print();
            return i32::from(error.use_stderr());
        }
    };
    let flag = |name: &str| matches.get_flag(name);
    let depth = match matches.get_one::<usize>("max-depth") {
        Some(depth) => *depth,
        None if flag("summarize") => 0,
        None => usize::MAX,
    };
    let unit = match () {
        () if flag("bytes") => 1,
        () if flag("mega") => 1 << 20,
        () => 1 << 10,
    };
    let options = Options {
        all: flag("all"),
        apparent: flag("bytes") || flag("apparent-size"),
        human: flag("human-readable"),
        follow: flag("dereference"),
        separate: flag("separate-dirs"),
        unit,
        depth,
        end: if flag("null") { '\0' } else { '\n' },
    };
    let files: Vec<PathBuf> = match matches.get_many("files") {
        Some(files) => files.cloned().collect(),
        None => vec![".".into()],
    };
    let mut walk = Walk { options, failed: false };
    let total = files.iter().map(|file| walk.size(file, 0)).sum();
    if flag("total") {
        walk.print(total, Path::new("total"));
    }
    i32::from(walk.failed)
}

fn command() -> Command {
    let flag = |name: &'static str, short: Option<char>| {
        let arg = Arg::new(name).long(name).action(ArgAction::SetTrue);
        match short {
            Some(short) => arg.short(short),
            None => arg,
        }
    };
    Command::new("du")
        .about("Estimate the size of files and trees")
        .args_override_self(true)
        .arg(flag("all", Some('a')))
        .arg(flag("apparent-size", None))
        .arg(flag("bytes", Some('b')))
        .arg(flag("total", Some('c')))
        .arg(flag("dereference", Some('L')))
        .arg(
            Arg::new("human-readable")
                .long("human-readable")
                .short('h')
                .action(ArgAction::SetTrue),
        )
        .arg(Arg::new("kilo").short('k').action(ArgAction::SetTrue))
        .arg(Arg::new("mega").short('m').action(ArgAction::SetTrue))
        .arg(Arg::new("one-file-system").short('x').action(ArgAction::SetTrue))
        .arg(flag("separate-dirs", Some('S')))
        .arg(flag("summarize", Some('s')))
        .arg(flag("null", Some('0')))
        .arg(
            Arg::new("max-depth")
                .long("max-depth")
                .short('d')
                .value_parser(clap::value_parser!(usize)),
        )
        .arg(
            Arg::new("files")
                .num_args(0..)
                .value_parser(clap::value_parser!(PathBuf)),
        )
        .disable_help_flag(true)
        .arg(Arg::new("help").long("help").action(ArgAction::Help))
}

struct Walk {
    options: Options,
    failed: bool,
}

impl Walk {
    /// The size of what is at `path`, printing it and what is below as asked.
    fn size(&mut self, path: &Path, depth: usize) -> u64 {
        let metadata = if self.options.follow {
            fs::metadata(path)
        } else {
            fs::symlink_metadata(path)
        };
        let metadata = match metadata {
            Ok(metadata) => metadata,
            Err(error) => return self.complain("cannot access", path, &error),
        };
        if !metadata.is_dir() {
            let size = self.rounded(metadata.len());
            if depth == 0 || (self.options.all && depth <= self.options.depth) {
                self.print(size, path);
            }
            return size;
        }
        // Upstream file systems report a block for a directory; WASI reports what the host has, which differs.
        let mut size = BLOCK;
        match entries(path) {
            Ok(names) => {
                for name in names {
                    let child = path.join(name);
                    let below = self.size(&child, depth + 1);
                    if !(self.options.separate && child.is_dir()) {
                        size += below;
                    }
                }
            }
            Err(error) => drop(self.complain("cannot read directory", path, &error)),
        }
        if depth <= self.options.depth {
            self.print(size, path);
        }
        size
    }

    fn rounded(&self, size: u64) -> u64 {
        if self.options.apparent {
            size
        } else {
            size.div_ceil(BLOCK) * BLOCK
        }
    }

    fn print(&self, size: u64, path: &Path) {
        let size = match self.options.human {
            true => human(size),
            false => size.div_ceil(self.options.unit).to_string(),
        };
        let _ = write!(io::stdout(), "{size}\t{}{}", path.display(), self.options.end);
    }

    fn complain(&mut self, what: &str, path: &Path, error: &io::Error) -> u64 {
        self.failed = true;
        eprintln!("du: {what} '{}': {}", path.display(), uucore::error::strip_errno(error));
        0
    }
}

fn entries(path: &Path) -> io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(path)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// `4.0K`, `12K`, `1.5M`: rounded up, as GNU does.
fn human(size: u64) -> String {
    let units = ["", "K", "M", "G", "T", "P"];
    let mut power = 0;
    while size >> (10 * power) >= 1024 && power < units.len() - 1 {
        power += 1;
    }
    if power == 0 {
        return size.to_string();
    }
    let unit = 1_u64 << (10 * power);
    let tenths = (size * 10).div_ceil(unit);
    match tenths {
        ..100 => format!("{}.{}{}", tenths / 10, tenths % 10, units[power]),
        _ => format!("{}{}", size.div_ceil(unit), units[power]),
    }
}
