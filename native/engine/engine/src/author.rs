//! Who works here, for what is recorded with a name.

use crate::Error;
use std::io::Read;
use std::process::{Command, Stdio};

/// As git writes it, `Ada <ada@example.org>`, or the login name of the user who runs this process. A name that nobody can
/// tell is an error, and never made up.
///
/// Git is asked in the directory of this process, not in that of a plan: a plan must not choose who acted on it.
pub fn author() -> Result<String, Error> {
    git(said("git", &["config", "--get-regexp", r"^user\.(name|email)$"]))
        .or_else(|| login(said("id", &["-un"]), said("id", &["-u"])))
        .ok_or(Error::NoAuthor)
}

/// From lines of a key and its value. Git prints a key once for each file that has it, the strongest last.
fn git(lines: Option<String>) -> Option<String> {
    let lines = lines?;
    let value = |key: &str| {
        let values = lines.lines().filter_map(|line| line.split_once(' '));
        let mut values = values.filter(|(name, value)| *name == key && !value.trim().is_empty());
        values.next_back().map(|(_, value)| value.trim().to_owned())
    };
    match (value("user.name"), value("user.email")) {
        (Some(name), Some(email)) => Some(format!("{name} <{email}>")),
        (name, email) => name.or(email),
    }
}

/// A user without a name in the system has a number at least, which `id -un` may print in place of the name.
fn login(name: Option<String>, number: Option<String>) -> Option<String> {
    let name = name.filter(|name| !name.bytes().all(|byte| byte.is_ascii_digit()));
    name.or_else(|| Some(format!("uid {}", number?)))
}

/// What a program prints, or nothing where it is missing, fails, or says nothing. In the BEAM, which lets its children go
/// unasked, nobody hears how a program ended; then what it printed is all there is.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut text = String::new();
    let read = child.stdout.take()?.read_to_string(&mut text);
    let failed = child.wait().is_ok_and(|status| !status.success());
    (read.is_ok() && !failed && !text.trim().is_empty()).then(|| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_has_a_name_or_an_address_or_both_or_nothing() {
        for (lines, expected) in [
            (
                Some("user.name Ada Lovelace\nuser.email ada@example.org"),
                Some("Ada Lovelace <ada@example.org>"),
            ),
            (
                Some("user.name Global\nuser.email a@b\nuser.name Local"),
                Some("Local <a@b>"),
            ),
            (Some("user.name Ada"), Some("Ada")),
            (Some("user.email a@b"), Some("a@b")),
            (Some("user.name \nuser.email a@b"), Some("a@b")),
            (Some("user.name"), None),
            (Some(""), None),
            (None, None),
        ] {
            assert_eq!(git(lines.map(str::to_owned)).as_deref(), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_user_without_a_name_has_a_number() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(login(text("ada"), text("1000")), text("ada"));
        assert_eq!(login(None, text("1000")), text("uid 1000"));
        assert_eq!(login(text("1000"), text("1000")), text("uid 1000"));
        assert_eq!(login(None, None), None);
    }
}
