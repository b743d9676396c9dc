//! `timeout DURATION COMMAND`: the host holds the clock.

use crate::launch::{misused, status};
use start::Child;
use std::ffi::OsString;
use std::time::Duration;

const USAGE: &str = "\
Usage: timeout [OPTION] DURATION COMMAND [ARG]...
Run COMMAND, and end it if it still runs after DURATION: a number and s (seconds, the default), m, h or d.
  -k, --kill-after=DURATION  accepted: the command is ended for good at once
  -s, --signal=SIGNAL        accepted: there are no signals
      --foreground, --preserve-status, -v, --verbose  accepted";

pub fn main(args: impl Iterator<Item = OsString>) -> i32 {
    let mut words = args.skip(1).peekable();
    while let Some(option) = words.next_if(|word| word.as_encoded_bytes().starts_with(b"-")) {
        match option.to_str().unwrap_or_default() {
            "--" => break,
            "--help" => {
                println!("{USAGE}");
                return 0;
            }
            "-k" | "-s" | "--kill-after" | "--signal" => drop(words.next()),
            "--foreground" | "--preserve-status" | "-v" | "--verbose" | "-p" | "-f" => {}
            known
                if ["-k", "-s", "--kill-after=", "--signal="]
                    .iter()
                    .any(|start| known.starts_with(start)) => {}
            unknown => return misused("timeout", &format!("unknown option {unknown}")),
        }
    }
    let Some(duration) = words.next() else {
        return misused("timeout", "missing operand");
    };
    let Some(limit) = duration.to_str().and_then(parse) else {
        return misused("timeout", &format!("invalid time interval '{}'", duration.display()));
    };
    let words: Vec<OsString> = words.collect();
    if words.is_empty() {
        return misused("timeout", "missing operand");
    }
    status("timeout", &words, &Child::new(&words).deadline(limit))
}

/// A number with an optional unit; zero means "no limit".
fn parse(text: &str) -> Option<Duration> {
    let (number, unit) = match text.as_bytes().last()? {
        b's' => (&text[..text.len() - 1], 1.0),
        b'm' => (&text[..text.len() - 1], 60.0),
        b'h' => (&text[..text.len() - 1], 3600.0),
        b'd' => (&text[..text.len() - 1], 86400.0),
        _ => (text, 1.0),
    };
    let seconds: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(seconds * unit).ok()
}
