//! The only ways in which text of a plan reaches the page.

/// Text, or the value of an attribute in double quotes.
pub(super) fn text(s: &str, out: &mut String) {
    let mut copied = 0;
    for (at, byte) in s.bytes().enumerate() {
        let safe = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            // HTML has no NUL, and parsers differ in what they make of one.
            0 => "\u{FFFD}",
            _ => continue,
        };
        out.push_str(&s[copied..at]);
        out.push_str(safe);
        copied = at + 1;
    }
    out.push_str(&s[copied..]);
}

/// What of `s` may stand in a class name.
pub(super) fn class(s: &str) -> String {
    s.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        .collect()
}

/// The page-wide name of a place in the plan. The prefix keeps it from shadowing the page's own names.
pub(super) fn anchor(s: &str) -> String {
    let kept = s.trim().chars().map(|c| match c {
        c if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') => c,
        _ => '-',
    });
    "wb-".chars().chain(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_markup_left() {
        let mut out = String::new();
        text("<a b=\"c\" d='e'>&\0é", &mut out);
        assert_eq!(out, "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\u{FFFD}é");
    }

    #[test]
    fn a_class_is_letters_digits_underscore_and_hyphen() {
        assert_eq!(class("x\" onclick=\"e"), "xonclicke");
        assert_eq!(class("emacs-lisp_2"), "emacs-lisp_2");
        assert_eq!(class("é<>"), "");
    }

    #[test]
    fn an_anchor_is_one_word_under_a_prefix() {
        assert_eq!(anchor(" a b\"<é.1 "), "wb-a-b--é.1");
    }
}
