//! The command line of tar, in its three styles: `tar xzf F`, `tar -xzf F`, `tar --extract --file=F`.

use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "\
Usage: tar -c|-x|-t [OPTION]... [FILE]...
  -c, --create     make an archive of FILEs
  -x, --extract    take files out
  -t, --list       list what is in it
  -f FILE          the archive; - or nothing for stdin or stdout
  -z, --gzip       through gzip (found out by itself when reading)
  -a, --auto-compress   by the name of the archive
  -v, --verbose    name each file
  -C DIR           go to DIR
  -O, --to-stdout  take files out to stdout
  -k, --keep-old-files   do not overwrite
  -m, --touch      do not set times
  --exclude=PATTERN  --strip-components=N  -T FILE (names from a file)  -h (follow links)  -P, -p accepted";

#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    Create,
    Extract,
    List,
    Help,
}

pub struct Options {
    pub mode: Mode,
    pub file: Option<PathBuf>,
    pub gzip: bool,
    pub verbose: usize,
    pub to_stdout: bool,
    pub keep: bool,
    pub touch: bool,
    pub follow: bool,
    pub strip: usize,
    pub exclude: Vec<String>,
    /// What to pack or take, each with the directory it is relative to.
    pub names: Vec<(PathBuf, PathBuf)>,
    pub directory: PathBuf,
}

pub fn parse(words: Vec<OsString>) -> Result<Options, String> {
    let mut parser = Parser {
        options: Options {
            mode: Mode::Help,
            file: None,
            gzip: false,
            verbose: 0,
            to_stdout: false,
            keep: false,
            touch: false,
            follow: false,
            strip: 0,
            exclude: Vec::new(),
            names: Vec::new(),
            directory: PathBuf::new(),
        },
        auto: false,
        words: words.into_iter(),
    };
    parser.run()?;
    let Parser { mut options, auto, .. } = parser;
    let named_gz = |file: &PathBuf| file.extension().is_some_and(|end| end == "gz" || end == "tgz");
    options.gzip |= auto && options.file.as_ref().is_some_and(named_gz);
    if options.mode == Mode::Create && options.names.is_empty() {
        return Err("Cowardly refusing to create an empty archive".into());
    }
    Ok(options)
}

struct Parser {
    options: Options,
    auto: bool,
    words: std::vec::IntoIter<OsString>,
}

impl Parser {
    fn run(&mut self) -> Result<(), String> {
        let mut first = true;
        let mut only_names = false;
        while let Some(word) = self.words.next() {
            let text = word.to_string_lossy().into_owned();
            let old_style = first && !text.starts_with('-');
            first = false;
            if only_names {
                self.name(word);
            } else if text == "--" {
                only_names = true;
            } else if let Some(long) = text.strip_prefix("--") {
                self.long(long)?;
            } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                self.letters(letters)?;
            } else if old_style {
                // The values of old-style letters follow in their order.
                for letter in text.chars() {
                    self.letter(letter, None)?;
                }
            } else {
                self.name(word);
            }
        }
        if self.options.mode == Mode::Help && !first {
            return Err("You must specify one of -c, -x, -t".into());
        }
        Ok(())
    }

    fn name(&mut self, word: OsString) {
        self.options.names.push((self.options.directory.clone(), word.into()));
    }

    fn long(&mut self, long: &str) -> Result<(), String> {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        let letter = match name {
            "help" => {
                self.options.mode = Mode::Help;
                self.words = Vec::new().into_iter();
                return Ok(());
            }
            "create" => 'c',
            "extract" | "get" => 'x',
            "list" => 't',
            "file" => 'f',
            "gzip" | "gunzip" => 'z',
            "auto-compress" => 'a',
            "verbose" => 'v',
            "directory" => 'C',
            "to-stdout" => 'O',
            "keep-old-files" | "skip-old-files" => 'k',
            "touch" => 'm',
            "dereference" => 'h',
            "files-from" => 'T',
            "absolute-names" => 'P',
            "preserve-permissions"
            | "same-owner"
            | "no-same-owner"
            | "numeric-owner"
            | "no-same-permissions"
            | "sparse" => 'p',
            "exclude" => {
                let pattern = self.value(value, name)?;
                self.options.exclude.push(pattern);
                return Ok(());
            }
            "strip-components" => {
                let count = self.value(value, name)?;
                self.options.strip = count
                    .parse()
                    .map_err(|_| format!("{count}: Invalid number of elements"))?;
                return Ok(());
            }
            "format" | "owner" | "group" | "mode" | "mtime" | "sort" => return self.value(value, name).map(drop),
            _ => return Err(format!("unrecognized option '--{long}'")),
        };
        self.letter(letter, value)
    }

    fn letters(&mut self, letters: &str) -> Result<(), String> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let attached = rest.as_str();
            if matches!(letter, 'f' | 'C' | 'T') && !attached.is_empty() {
                return self.letter(letter, Some(attached.to_owned()));
            }
            self.letter(letter, None)?;
        }
        Ok(())
    }

    fn letter(&mut self, letter: char, value: Option<String>) -> Result<(), String> {
        let options = &mut self.options;
        match letter {
            'c' => options.mode = Mode::Create,
            'x' => options.mode = Mode::Extract,
            't' => options.mode = Mode::List,
            'z' => options.gzip = true,
            'a' => self.auto = true,
            'v' => options.verbose += 1,
            'O' => options.to_stdout = true,
            'k' => options.keep = true,
            'm' => options.touch = true,
            'h' => options.follow = true,
            'p' | 'P' | 'o' | 'S' => {}
            'f' => {
                let file = self.value(value, "f")?;
                self.options.file = (file != "-").then(|| file.into());
            }
            'C' => {
                let directory = self.value(value, "C")?;
                self.options.directory = self.options.directory.join(directory);
            }
            'T' => {
                let file = self.value(value, "T")?;
                let text =
                    std::fs::read_to_string(&file).map_err(|error| format!("{file}: {}", crate::reason(&error)))?;
                text.lines()
                    .filter(|line| !line.is_empty())
                    .for_each(|line| self.name(line.into()));
            }
            _ => return Err(format!("invalid option -- '{letter}'")),
        }
        Ok(())
    }

    fn value(&mut self, attached: Option<String>, name: &str) -> Result<String, String> {
        let next = || Some(self.words.next()?.to_string_lossy().into_owned());
        attached
            .or_else(next)
            .ok_or_else(|| format!("option '{name}' requires an argument"))
    }
}

/// Whether a path is left out: a pattern matches all of it, or what follows one of its slashes.
pub fn excluded(patterns: &[String], path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let tails = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    let tails: Vec<&str> = std::iter::once(path).chain(tails).collect();
    patterns.iter().any(|pattern| {
        let pattern = pattern.trim_end_matches('/');
        tails.iter().any(|tail| matches(pattern.as_bytes(), tail.as_bytes()))
    })
}

/// `*` and `?` as in the shell; what a pattern matches, everything below it matches as well.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], [] | [b'/', ..]) => true,
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|skip| matches(rest, &text[skip..])),
        ([b'?', rest @ ..], [_, after @ ..]) => matches(rest, after),
        ([a, rest @ ..], [b, after @ ..]) if a == b => matches(rest, after),
        _ => false,
    }
}
