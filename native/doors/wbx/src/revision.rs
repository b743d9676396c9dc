//! A file as git remembers it. git is the user's own tool, run as the user would run it.

use crate::{
    failure::{Code, Failure},
    source::Source,
};
use std::{
    io::{self, Read},
    process::{Child, Command, Stdio},
};

/// Reads `REV:PATH`.
pub fn read(object: &str) -> Result<Source, Failure> {
    if !object.contains(':') || object.starts_with('-') {
        return Err(Failure::usage(
            format!("`git:{object}` names no file"),
            "write git:REV:PATH, such as git:HEAD:plan.org",
        ));
    }
    // `cat-file blob` is `show` for files alone: a directory is an error, and no filter touches the bytes.
    let child = Command::new("git")
        .args(["cat-file", "blob", object])
        .env("LC_ALL", "C")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(&error))?;
    answer(object, child)
}

fn answer(object: &str, mut child: Child) -> Result<Source, Failure> {
    let source = Source::from_reader(&format!("git:{object}"), child.stdout.take().expect("stdout is piped"));
    let mut complaint = String::new();
    let heard = child
        .stderr
        .take()
        .expect("stderr is piped")
        .read_to_string(&mut complaint);
    let status = child.wait().map_err(|error| not_started(&error))?;
    match source {
        Ok(_) if !status.success() => Err(Failure::new(
            Code::NotFound,
            match heard.is_ok().then(|| complaint.lines().next()).flatten() {
                Some(complaint) => {
                    let complaint = complaint.trim_start_matches("fatal: ");
                    format!("git cannot read `{object}`: {complaint}")
                }
                None => format!("git cannot read `{object}`"),
            },
            "stand in the repository; PATH counts from its top, ./PATH from here",
        )),
        source => source,
    }
}

fn not_started(error: &io::Error) -> Failure {
    Failure::new(
        Code::GitMissing,
        format!("git cannot be run: {error}"),
        "install git, or name a file instead",
    )
}
