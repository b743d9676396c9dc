//! Utilities that run another command: `nice`, `nohup`, `time`. `env` is upstream's, `timeout` has a file of its own.

use start::Child;
use std::ffi::OsString;
use std::time::Instant;

/// The utility itself was called wrong.
const MISUSED: i32 = 125;
const NOT_FOUND: u8 = 127;

/// `nice [-n N] [COMMAND]`: there is one priority, so the number is read and forgotten.
pub fn nice(args: impl Iterator<Item = OsString>) -> i32 {
    let mut words: Vec<OsString> = args.skip(1).collect();
    loop {
        let Some(first) = words.first().and_then(|word| word.to_str()) else {
            println!("0");
            return 0;
        };
        let number = |text: &str| text.parse::<i32>().is_ok();
        let (used, value) = match first {
            "-n" | "--adjustment" => (2, words.get(1).and_then(|word| word.to_str()).unwrap_or_default()),
            "--" => {
                words.remove(0);
                return run("nice", &words);
            }
            _ if first.starts_with("--adjustment=") => (1, &first["--adjustment=".len()..]),
            _ if first.starts_with("-n") => (1, &first[2..]),
            _ if first.starts_with('-') && number(&first[1..]) => (1, &first[1..]),
            _ if first.starts_with('-') => return misused("nice", &format!("unknown option {first}")),
            _ => return run("nice", &words),
        };
        if !number(value) {
            return misused("nice", &format!("invalid adjustment '{value}'"));
        }
        words.drain(..used);
    }
}

/// `nohup COMMAND`: nobody hangs up here.
pub fn nohup(args: impl Iterator<Item = OsString>) -> i32 {
    let words: Vec<OsString> = args.skip(1).skip_while(|word| word == "--").collect();
    if words.is_empty() {
        return misused("nohup", "missing operand");
    }
    run("nohup", &words)
}

/// `time [-p] COMMAND`: the time on the wall, in the format of POSIX. Processor time is not known to a guest.
pub fn time(args: impl Iterator<Item = OsString>) -> i32 {
    let words: Vec<OsString> = args.skip(1).skip_while(|word| word == "-p" || word == "--").collect();
    let begin = Instant::now();
    let status = if words.is_empty() { 0 } else { run("time", &words) };
    eprintln!("real {:.2}\nuser 0.00\nsys 0.00", begin.elapsed().as_secs_f64());
    status
}

fn run(utility: &str, words: &[OsString]) -> i32 {
    status(utility, words, &Child::new(words))
}

/// Runs the child and says so when there is no such command.
pub fn status(utility: &str, words: &[OsString], child: &Child) -> i32 {
    let status = child.run();
    if status == NOT_FOUND {
        eprintln!(
            "{utility}: failed to run command '{}': No such file or directory",
            words[0].display()
        );
    }
    status.into()
}

pub fn misused(utility: &str, message: &str) -> i32 {
    eprintln!("{utility}: {message}");
    MISUSED
}
