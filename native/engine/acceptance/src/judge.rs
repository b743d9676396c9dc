//! What the shell's answer means.

use shell::{Error, Finished};
use std::time::Duration;

/// Characters of a check that its failure shows.
const SHOWN: usize = 120;
/// Lines and characters of standard error that a failure shows.
const LAST_LINES: usize = 3;
const LAST_WORDS: usize = 300;

type Answer = Result<(Finished, Vec<u8>, Vec<u8>), Error>;

/// Whether a check passed; if not, why.
pub(crate) fn judge(answer: &Answer, script: &str, sentinel: &str, time: Duration) -> Result<(), String> {
    let name = named(script);
    let (finished, stdout, stderr) = match answer {
        Ok(answer) => answer,
        Err(Error::Timeout(_)) => return Err(format!("the check {name} took longer than {} ms", time.as_millis())),
        Err(error) => return Err(format!("the check {name} could not be run: {error}")),
    };
    let end = format!("\n{sentinel}\n");
    let why = match finished {
        Finished { missing, .. } if !missing.is_empty() => {
            let missing: Vec<String> = missing.iter().map(|name| format!("`{}`", clean(name))).collect();
            format!("failed: the shell has no command {}", missing.join(", "))
        }
        Finished { broken, .. } if !broken.is_empty() => {
            format!(
                "failed: the command `{}` broke: {}",
                broken[0].name,
                clean(&broken[0].why)
            )
        }
        Finished { status: 1.., .. } => format!("exited with status {}", finished.status),
        Finished { ran: false, .. } => "failed: it runs no command".to_owned(),
        _ if stdout.ends_with(end.as_bytes()) => return Ok(()),
        _ => "failed: its own end was not reached".to_owned(),
    };
    Err(match last_words(stderr) {
        words if words.is_empty() => format!("the check {name} {why}"),
        words => format!("the check {name} {why}: {words}"),
    })
}

/// The check in a word or two: its first line that says something.
fn named(script: &str) -> String {
    let mut lines = script.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = clean(lines.next().unwrap_or_default());
    let cut = first.chars().count() > SHOWN || lines.next().is_some();
    let shown: String = first.chars().take(SHOWN).collect();
    format!("`{shown}{}`", if cut { " .." } else { "" })
}

/// The end of what was written to standard error.
fn last_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = clean(&lines[lines.len().saturating_sub(LAST_LINES)..].join("; "));
    let surplus = last.chars().count().saturating_sub(LAST_WORDS);
    last.chars().skip(surplus).collect()
}

/// Without what a terminal would take for a command.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_named_by_its_first_line() {
        assert_eq!(named("test -s a"), "`test -s a`");
        assert_eq!(named("\n  set -e\n test -s a\n"), "`set -e ..`");
        assert_eq!(named(&"x".repeat(500)), format!("`{} ..`", "x".repeat(SHOWN)));
        assert_eq!(named("echo \u{1b}[31m"), "`echo  [31m`");
    }

    #[test]
    fn the_end_of_standard_error_is_told() {
        assert_eq!(last_words(b"\n one\n\ntwo\n"), "one; two");
        assert_eq!(last_words(b"1\n2\n3\n4\n"), "2; 3; 4");
        assert_eq!(last_words(b""), "");
        assert_eq!(last_words("é".repeat(1000).as_bytes()).chars().count(), LAST_WORDS);
        assert_eq!(last_words(b"\xff\x1b[2J"), "\u{fffd} [2J");
    }
}
