//! The options of the command.

use crate::machine::Setting;

/// What `awk` is told without a program.
pub const USAGE: &str = "usage: awk [-F fs | --csv] [-v var=value] [prog | -f progfile] [file ...]";

/// What the words of the command line ask for.
#[derive(Debug)]
pub enum Request {
    /// Run a program.
    Run(Box<Run>),
    /// Say which version it is.
    Version,
    /// Say how it is used.
    Help,
}

/// A program and what it is started with.
#[derive(Debug, Default)]
pub struct Run {
    /// The program, unless it is in files.
    pub text: Option<Vec<u8>>,
    /// The files of the program.
    pub files: Vec<Vec<u8>>,
    /// What it is started with.
    pub setting: Setting,
}

/// Reads the command line; the first word is the name of the command.
///
/// ```
/// use awk::command_line::{Request, read};
/// let words = ["awk", "-F:", "-v", "x=1", "{ print }", "file"].map(|word| word.as_bytes().to_vec());
/// let Ok(Request::Run(run)) = read(words.to_vec()) else { panic!("a program") };
/// assert_eq!(run.text.as_deref(), Some(&b"{ print }"[..]));
/// assert_eq!(run.setting.assignments.len(), 2);
/// ```
///
/// # Errors
///
/// What is wrong with it.
pub fn read(words: Vec<Vec<u8>>) -> Result<Request, String> {
    let mut words = words.into_iter();
    let mut run = Run::default();
    run.setting
        .arguments
        .push(words.next().unwrap_or_else(|| b"awk".to_vec()));
    let mut operands = Vec::new();
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"--" => break,
            b"--version" | b"-version" | b"-V" => return Ok(Request::Version),
            b"--help" | b"-h" => return Ok(Request::Help),
            b"--csv" | b"-k" => run.setting.csv = true,
            [b'-', letter @ (b'F' | b'f' | b'v'), value @ ..] => {
                let value = match value {
                    [] => words.next().ok_or(match letter {
                        b'F' => "no field separator",
                        b'f' => "no program filename",
                        _ => "no variable name",
                    })?,
                    value => value.to_vec(),
                };
                option(&mut run, *letter, value)?;
            }
            b"-" => {
                operands.push(word);
                break;
            }
            [b'-', ..] => {
                let (long, value) = match memchr::memchr(b'=', &word) {
                    Some(at) => (&word[..at], Some(word[at + 1..].to_vec())),
                    None => (word.as_slice(), None),
                };
                let letter = match long {
                    b"--file" => b'f',
                    b"--field-separator" => b'F',
                    b"--assign" => b'v',
                    _ => return Err(format!("unknown option {}", String::from_utf8_lossy(&word))),
                };
                let value = value.or_else(|| words.next());
                option(&mut run, letter, value.ok_or("option requires an argument")?)?;
            }
            _ => {
                operands.push(word);
                break;
            }
        }
    }
    operands.extend(words);
    let mut operands = operands.into_iter();
    if run.files.is_empty() {
        match operands.next() {
            Some(text) => run.text = Some(text),
            None => return Ok(Request::Help),
        }
    }
    run.setting.arguments.extend(operands);
    Ok(Request::Run(Box::new(run)))
}

fn option(run: &mut Run, letter: u8, value: Vec<u8>) -> Result<(), String> {
    match letter {
        b'f' => run.files.push(value),
        b'F' => {
            // `-Ft` is a tab: POSIX says so.
            let value = if value == b"t" { b"\\t".to_vec() } else { value };
            run.setting.assignments.push(("FS".into(), value));
        }
        _ => {
            let Some((name, text)) = crate::machine::assignment(&value) else {
                let shown = String::from_utf8_lossy(&value);
                return Err(format!("invalid -v option argument: {shown}; it should be var=value"));
            };
            run.setting.assignments.push((name.to_owned(), text.to_vec()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str]) -> Run {
        let words = std::iter::once(&"awk").chain(words);
        match read(words.map(|word| word.as_bytes().to_vec()).collect()) {
            Ok(Request::Run(run)) => *run,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_come_before_the_program() {
        let given = run(&["-f", "a", "-fb", "x", "-v"]);
        assert_eq!(given.files, [b"a", b"b"]);
        assert_eq!(given.setting.arguments, [&b"awk"[..], b"x", b"-v"]);
        let given = run(&["--", "-f"]);
        assert_eq!(given.text.as_deref(), Some(&b"-f"[..]));
        let given = run(&["--csv", "1", "-"]);
        assert!(given.setting.csv);
        assert_eq!(given.setting.arguments, [&b"awk"[..], b"-"]);
        assert_eq!(
            run(&["-Ft", "1"]).setting.assignments,
            [("FS".to_owned(), b"\\t".to_vec())]
        );
        assert_eq!(
            run(&["-F", "t", "1"]).setting.assignments,
            [("FS".to_owned(), b"\\t".to_vec())]
        );
    }

    #[test]
    fn wrong_options_are_errors() {
        for words in [
            &["awk", "-v", "1x=2", "1"][..],
            &["awk", "-x", "1"],
            &["awk", "-F"],
            &["awk", "-v"],
        ] {
            let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
            assert!(read(words).is_err());
        }
    }
}
