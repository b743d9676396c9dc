use super::Regex;

fn found(regex: &str, subject: &str) -> Option<(usize, usize)> {
    found_bytes(regex.as_bytes(), subject.as_bytes())
}

fn found_bytes(regex: &[u8], subject: &[u8]) -> Option<(usize, usize)> {
    let regex = Regex::new(regex).expect("a good expression");
    let span = regex.find(subject, 0);
    assert_eq!(regex.is_match(subject), span.is_some());
    span
}

#[test]
fn the_leftmost_match_and_of_those_the_longest() {
    for (regex, subject, span) in [
        ("a|ab", "xab", Some((1, 3))),
        ("(a|ab)(c|bcd)", "abcd", Some((0, 4))),
        ("(a?)(ab)?", "ab", Some((0, 2))),
        ("abcd|c", "abcd", Some((0, 4))),
        ("b|a*", "baaa", Some((0, 1))),
        ("x*", "aaa", Some((0, 0))),
        ("(ab|cd)*e|a", "ababcde", Some((0, 7))),
        ("foo|foobar", "a foobar", Some((2, 8))),
        ("[0-9]+", "ab123c", Some((2, 5))),
        ("a.*c", "xabcabcx", Some((1, 7))),
        ("^a|b$", "cab", Some((2, 3))),
        ("^[ \t]+|[ \t]+$", "  a  ", Some((0, 2))),
        ("", "abc", Some((0, 0))),
        ("()", "abc", Some((0, 0))),
        ("(|a)b", "ab", Some((0, 2))),
        ("z", "abc", None),
    ] {
        assert_eq!(found(regex, subject), span, "/{regex}/ in {subject:?}");
    }
}

#[test]
fn anchors_are_the_ends_of_the_string() {
    for (regex, subject, span) in [
        ("^b", "a\nb", None),
        ("a$", "a\nb", None),
        ("^a", "ab", Some((0, 1))),
        ("a^b", "ab", None),
        ("a$b", "ab", None),
        ("(^a)", "ba", None),
        ("^$", "", Some((0, 0))),
        ("x^|b", "ab", Some((1, 2))),
        ("^*ab", "*ab", Some((0, 3))),
        ("^+", "+", Some((0, 1))),
    ] {
        assert_eq!(found(regex, subject), span, "/{regex}/ in {subject:?}");
    }
    let regex = Regex::new(b"^a").unwrap();
    assert_eq!(regex.find(b"aa", 1), None);
    let regex = Regex::new(b"^[ab]c?").unwrap();
    assert_eq!(regex.find(b"aab", 1), None);
}

#[test]
fn brackets() {
    for (regex, subject, span) in [
        ("[]a]", "]", Some((0, 1))),
        ("[^]a]", "a]b", Some((2, 3))),
        ("[a-]", "-", Some((0, 1))),
        ("[-a]", "-", Some((0, 1))),
        ("[a\\]b]", "]", Some((0, 1))),
        ("[\\/]", "/", Some((0, 1))),
        ("[a\\-z]", "-", Some((0, 1))),
        ("[a\\-z]", "m", None),
        ("[\\t]", "\t", Some((0, 1))),
        ("[[:digit:]]+", "a12", Some((1, 3))),
        ("[[:alpha:]_]+", "12ab_c", Some((2, 6))),
        ("[^[:space:]]+", "  ab ", Some((2, 4))),
        ("[[.a.]]", "a", Some((0, 1))),
        ("[[=a=]b]", "b", Some((0, 1))),
        ("[[]", "[", Some((0, 1))),
        ("[.]", "a.", Some((1, 2))),
        ("[*+?]", "?", Some((0, 1))),
        ("[$]", "$", Some((0, 1))),
        ("[a^]", "^", Some((0, 1))),
        ("[\u{e0}-\u{ff}]", "x\u{e9}", Some((1, 3))),
        ("x[z-a]y", "xy", Some((0, 2))),
        ("x[z-a]y", "xzy", None),
        ("[\\x30-\\x32]", "1", Some((0, 1))),
        ("[0-25-69]", "3", None),
        ("[0-25-69]", "5", Some((0, 1))),
        ("[^a]", "\u{e9}", Some((0, 2))),
        ("[^a]$", "a\u{20ac}", Some((1, 4))),
    ] {
        assert_eq!(found(regex, subject), span, "/{regex}/ in {subject:?}");
    }
}

#[test]
fn repetitions() {
    for (regex, subject, span) in [
        ("a{2}", "aaa", Some((0, 2))),
        ("a{2,}", "baaa", Some((1, 4))),
        ("a{1,2}", "aaa", Some((0, 2))),
        ("a{,2}b", "aab", Some((0, 3))),
        ("(ab){2}", "ababab", Some((0, 4))),
        ("a{0}b", "ab", Some((1, 2))),
        ("a{x}", "a{x}", Some((0, 4))),
        ("a{", "a{", Some((0, 2))),
        ("{1}", "{1}", Some((0, 3))),
        ("a**", "aaa", Some((0, 3))),
        ("a+?", "aaa", Some((0, 3))),
        ("*a", "*a", Some((0, 2))),
        ("(*a)", "*a", Some((0, 2))),
        ("a|*b", "*b", Some((0, 2))),
        ("a.?c", "ac", Some((0, 2))),
        ("\u{e9}+", "a\u{e9}\u{e9}", Some((1, 5))),
    ] {
        assert_eq!(found(regex, subject), span, "/{regex}/ in {subject:?}");
    }
}

#[test]
fn backslashes() {
    for (regex, subject, span) in [
        ("\\.", "a.", Some((1, 2))),
        ("\\/", "/", Some((0, 1))),
        ("\\\"", "\"", Some((0, 1))),
        ("\\$", "a$", Some((1, 2))),
        ("a\\tb", "a\tb", Some((0, 3))),
        ("\\101", "A", Some((0, 1))),
        ("\\(a\\)", "(a)", Some((0, 3))),
        ("a\\", "a\\", Some((0, 2))),
        ("\\w+", "  ab_1 ", Some((2, 6))),
        ("\\S+", "  ab ", Some((2, 4))),
        ("\\<b", "ab b", Some((3, 4))),
        ("a\\>", "ab a", Some((3, 4))),
        ("\\yb\\y", "ab b", Some((3, 4))),
        ("\\&", "&", Some((0, 1))),
    ] {
        assert_eq!(found(regex, subject), span, "/{regex}/ in {subject:?}");
    }
}

#[test]
fn a_character_is_what_utf8_says_and_a_stray_byte_is_one() {
    for (regex, subject, span) in [
        (&b"^.$"[..], "\u{e9}".as_bytes(), Some((0, 2))),
        (b"^..$", "\u{e9}".as_bytes(), None),
        (b"^.$", b"\xff", Some((0, 1))),
        (b"a.c", b"a\xffc", Some((0, 3))),
        (b"^[^x]+$", b"\xff\xfe", Some((0, 2))),
        (b"\xff", b"a\xff", Some((1, 2))),
        (b"[\xfe\xff]", b"a\xff", Some((1, 2))),
        (b"a.*z", b"a\xff\xc3z", Some((0, 4))),
    ] {
        assert_eq!(found_bytes(regex, subject), span, "{regex:?} in {subject:?}");
    }
}

#[test]
fn wrong_expressions_are_errors() {
    let nested = format!("{}{}", "(".repeat(100_000), ")".repeat(100_000));
    let repeated = format!("a{}", "*".repeat(100_000));
    for regex in [
        "(",
        ")",
        "a)",
        "(a",
        "[a",
        "[",
        "[]",
        "[[:foo:]]",
        "a{2,1}",
        "a{99999}",
        "((a{1000}){1000}){1000}",
        &nested,
        &repeated,
    ] {
        assert!(Regex::new(regex.as_bytes()).is_err(), "{:.20}", regex);
    }
}

#[test]
fn groups_take_what_they_matched() {
    let regex = Regex::new(b"(a+)(b+)?(c)?").unwrap();
    let subject = b"xaabz";
    let span = regex.find(subject, 0).unwrap();
    assert_eq!(
        regex.groups(subject, span),
        [Some((1, 4)), Some((1, 3)), Some((3, 4)), None]
    );
    let regex = Regex::new(b"(a|ab)(c|bcd)").unwrap();
    let span = regex.find(b"abcd", 0).unwrap();
    assert_eq!(regex.groups(b"abcd", span), [Some((0, 4)), Some((0, 1)), Some((1, 4))]);
}
