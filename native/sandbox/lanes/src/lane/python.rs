//! Python: the source is checked by CPython, and travels with CPython.

use super::Build;
use crate::Error;
use crate::toolbox::Run;

const ENTRIES: [&str; 2] = ["main.py", "__main__.py"];
/// Nothing is read from outside: no environment, no site packages, no compiled files.
const FLAGS: [&str; 5] = ["python", "-I", "-B", "-X", "utf8"];
const CHECK: &str = include_str!("python/check.py");
const START: &str = include_str!("python/start.py");

pub(super) fn build(build: &Build) -> Result<Vec<u8>, Error> {
    let modules = build.project.modules(&[".py"])?;
    let entry = build.project.entry(&ENTRIES)?;
    let files: Vec<&str> = modules.iter().flat_map(|(path, text)| [*path, *text]).collect();
    let count = modules.len().to_string();
    let check = Run {
        argv: argv(&["-c", CHECK], &files),
        ..Run::default()
    };
    build.site.run("python.wasm", check)?.content()?;
    let packaged = argv(&["-c", START, &entry, &count], &files);
    Ok(host::package(&build.site.toolbox.bytes("python.wasm")?, &packaged)?)
}

fn argv(first: &[&str], files: &[&str]) -> Vec<String> {
    let words = FLAGS.iter().chain(first).chain(files);
    words.map(|word| (*word).to_owned()).collect()
}
