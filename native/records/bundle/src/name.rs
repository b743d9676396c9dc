//! The names that a bundle may hold: one file, one spelling, and nothing outside.

use crate::Error;
use crate::manifest::MANIFEST;
use crate::sign::SIGNATURE;

/// The plan.
pub(crate) const PLAN: &str = "workbook.org";
/// The plan as a page.
pub(crate) const PAGE: &str = "workbook.html";
/// The disk.
pub(crate) const DISK: &str = "vfs.sqlite";
/// What was built, and whatever else belongs to the workbook.
pub(crate) const ARTIFACTS: &str = "artifacts/";

/// The longest name, in bytes, and the longest part of one.
const LONGEST: (usize, usize) = (1_024, 255);

/// Says of a name whether it may be in an archive, and gives it as text.
pub(crate) type Check = for<'a> fn(&'a [u8]) -> Result<&'a str, Error>;

/// Whether a name may be in a bundle.
pub(crate) fn check(name: &[u8]) -> Result<&str, Error> {
    judged(name, |text| wrong(text).or_else(|| foreign(text)))
}

/// Whether a name may be in any archive of ours.
pub(crate) fn safe(name: &[u8]) -> Result<&str, Error> {
    judged(name, wrong)
}

fn judged(name: &[u8], wrong: fn(&str) -> Option<&'static str>) -> Result<&str, Error> {
    let unsafe_entry = |why| Error::UnsafeEntry {
        name: String::from_utf8_lossy(&name[..name.len().min(120)])
            .escape_debug()
            .to_string(),
        why,
    };
    let text = std::str::from_utf8(name).map_err(|_| unsafe_entry("its name is not UTF-8"))?;
    match wrong(text) {
        Some(why) => Err(unsafe_entry(why)),
        None => Ok(text),
    }
}

fn wrong(name: &str) -> Option<&'static str> {
    let drive = name.as_bytes().get(1) == Some(&b':');
    match name {
        "" => Some("it has no name"),
        _ if name.len() > LONGEST.0 => Some("its name is longer than 1024 bytes"),
        _ if name.starts_with('/') || drive => Some("it is absolute"),
        _ if name.contains('\\') => Some("its name holds a backslash"),
        _ if name.chars().any(char::is_control) => Some("its name holds a control character"),
        _ if name.ends_with('/') => Some("it is a directory"),
        _ => name.split('/').find_map(wrong_part),
    }
}

fn wrong_part(part: &str) -> Option<&'static str> {
    match part {
        "" => Some("it has an empty name between slashes"),
        "." | ".." => Some("it has a `.` or `..` in it"),
        _ if part.len() > LONGEST.1 => Some("it has a name longer than 255 bytes"),
        _ => None,
    }
}

/// What a bundle does not have room for cannot surprise anybody.
fn foreign(name: &str) -> Option<&'static str> {
    let known = [MANIFEST, SIGNATURE, PLAN, PAGE, DISK].contains(&name) || name.starts_with(ARTIFACTS);
    (!known).then_some("a bundle has no such file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_a_bundle_have_names() {
        for name in [
            "workbook.org",
            "manifest.json",
            "artifacts/a",
            "artifacts/ä/b c.wasm",
            "artifacts/..a/.b",
        ] {
            assert!(check(name.as_bytes()).is_ok(), "{name}");
        }
        for (name, why) in [
            ("", "it has no name"),
            ("/etc/passwd", "it is absolute"),
            ("//x", "it is absolute"),
            ("C:evil", "it is absolute"),
            ("../x", "it has a `.` or `..` in it"),
            ("artifacts/../../x", "it has a `.` or `..` in it"),
            ("artifacts/./x", "it has a `.` or `..` in it"),
            ("artifacts//x", "it has an empty name between slashes"),
            ("artifacts/", "it is a directory"),
            ("artifacts\\x", "its name holds a backslash"),
            ("artifacts/a\nb", "its name holds a control character"),
            ("artifacts/a\0", "its name holds a control character"),
            ("other.txt", "a bundle has no such file"),
            ("Manifest.json", "a bundle has no such file"),
            ("artifacts", "a bundle has no such file"),
        ] {
            match check(name.as_bytes()) {
                Err(Error::UnsafeEntry { why: found, .. }) => assert_eq!(found, why, "{name:?}"),
                other => panic!("{name:?}: {other:?}"),
            }
        }
        assert!(check(b"artifacts/\xFF").is_err());
    }
}
