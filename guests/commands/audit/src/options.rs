//! The command line.

use toolkit_audit::Class;

const USAGE: &str = "\
Usage: audit [OPTION]... PATH...
Say of each script whether it runs in the sandbox. A directory stands for the files in it.
  --expect CLASS  fail unless each is ready, or convertible at worst, or blocked at worst
  --deep          go into the directories below a directory
  --json          print the report as JSON";

#[derive(Default)]
pub struct Options {
    pub expect: Option<Class>,
    pub deep: bool,
    pub json: bool,
    pub paths: Vec<String>,
}

impl Options {
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        let mut only_paths = false;
        while let Some(word) = words.next() {
            match word.as_str() {
                _ if only_paths => options.paths.push(word),
                "--" => only_paths = true,
                "--help" => {
                    println!("{USAGE}");
                    std::process::exit(0);
                }
                "--deep" => options.deep = true,
                "--json" => options.json = true,
                "--expect" => options.expect = Some(class(&words.next().unwrap_or_default())?),
                _ if word.starts_with("--expect=") => options.expect = Some(class(&word["--expect=".len()..])?),
                _ if word.starts_with('-') => return Err(format!("unknown option {word}\n{USAGE}")),
                _ => options.paths.push(word),
            }
        }
        if options.paths.is_empty() {
            return Err(format!("no script is named\n{USAGE}"));
        }
        Ok(options)
    }
}

fn class(word: &str) -> Result<Class, String> {
    word.parse()
        .map_err(|_| format!("--expect takes ready, convertible or blocked, and not `{word}`"))
}
