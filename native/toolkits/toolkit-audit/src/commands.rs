//! Words at command position. A heuristic that is good enough offline, and no shell parser.

use crate::interpreter::Language;

/// What ends a segment of a line.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let marks = b"|;&(`";
    let mut i = 0;
    while i < marks.len() {
        ends[marks[i] as usize] = true;
        i += 1;
    }
    ends
};

/// Words of the shell after which a command stands.
const BEFORE_A_COMMAND: [&[u8]; 13] = [
    b"!", b"{", b"if", b"then", b"elif", b"else", b"while", b"until", b"do", b"time", b"exec", b"command", b"env",
];

/// Calls `found` with each word at command position of a line that is no comment.
pub(crate) fn each<'a>(line: &'a [u8], language: Language, mut found: impl FnMut(&'a [u8])) {
    let mut rest = line;
    loop {
        let end = rest.iter().position(|byte| ENDS[usize::from(*byte)]);
        let (segment, mark) = match end {
            Some(end) => (&rest[..end], Some(rest[end])),
            None => (rest, None),
        };
        if let Some(word) = word(segment, mark, language) {
            found(word);
        }
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return,
        }
    }
}

/// The command of a segment. `open(` and `open () {` call or define a function, `node = ..` assigns.
fn word(segment: &[u8], mark: Option<u8>, language: Language) -> Option<&[u8]> {
    let (mut word, mut rest) = next(segment)?;
    loop {
        word = &word[word.iter().take_while(|byte| **byte == b'$').count()..];
        let passes = word.is_empty() || language == Language::Shell && passes(word);
        if !passes {
            break;
        }
        (word, rest) = next(rest)?;
    }
    let after = rest.trim_ascii_start();
    let called = mark == Some(b'(') && after.is_empty();
    if called || after.starts_with(b"=") {
        return None;
    }
    // A binary of the host may be named by its path; `./open` is the author's own.
    match word.first() {
        Some(b'/') => word.rsplit(|byte| *byte == b'/').next(),
        _ => Some(word),
    }
}

/// Whether the command may stand after this word: a reserved one, or `NAME=value` with its quotes closed.
fn passes(word: &[u8]) -> bool {
    if BEFORE_A_COMMAND.contains(&word) {
        return true;
    }
    let Some(equals) = word.iter().position(|byte| *byte == b'=') else {
        return false;
    };
    let name = &word[..equals];
    let named = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let closed = |quote: u8| word.iter().filter(|byte| **byte == quote).count() % 2 == 0;
    !name.is_empty() && named && closed(b'"') && closed(b'\'')
}

fn next(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str, language: Language) -> Vec<String> {
        let mut words = Vec::new();
        each(line.as_bytes(), language, |word| {
            words.push(String::from_utf8_lossy(word).into_owned())
        });
        words
    }

    #[test]
    fn a_command_stands_first_in_its_segment() {
        for (line, want) in [
            ("curl -s x | jq . ; git log & sort", &["curl", "jq", "git", "sort"][..]),
            ("x=$(curl y)", &["curl"]),
            ("echo `wget z`", &["echo", "wget"]),
            ("a && b || c", &["a", "b", "c"]),
            ("echo curl", &["echo"]),
            ("$ curl x", &["curl"]),
            ("$curl x", &["curl"]),
            ("if ! curl x; then sudo y; fi", &["curl", "sudo", "fi"]),
            ("A=1 B=\"2\" git x", &["git"]),
            ("A=\"1 git\" x", &["A=\"1"]),
            ("/usr/bin/open x", &["open"]),
            ("./open x", &["./open"]),
            ("open() {", &[")"]),
            ("open () {", &[")"]),
            ("case x in open) y", &["case"]),
            ("", &[]),
            ("|||", &[]),
        ] {
            assert_eq!(words(line, Language::Shell), want, "{line}");
        }
    }

    #[test]
    fn a_call_or_an_assignment_is_no_command() {
        assert_eq!(words("with open(path) as f:", Language::Python), ["with", "path)"]);
        assert_eq!(words("open(path)", Language::Python), ["path)"]);
        assert_eq!(words("node = node.next", Language::JavaScript), Vec::<String>::new());
        assert_eq!(
            words("run(`curl -s ${url} | jq .`)", Language::JavaScript),
            ["curl", "jq", ")"]
        );
        assert_eq!(words("if curl", Language::JavaScript), ["if"]);
    }
}
