//! A plan is a stranger's text: what it says may be shown, what it would do to a terminal may not.

/// Nobody reads further; a program gets the whole text.
const LONGEST: usize = 500;

/// The text on one line, with every character that steers a terminal made visible, and cut when it is endless.
pub fn line(text: &str) -> String {
    let mut chars = text.chars().map(visible);
    let mut line: String = chars.by_ref().take(LONGEST).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}

fn visible(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        '\0'..='\x1F' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn what_nobody_would_read_is_cut() {
        assert_eq!(line(&"é".repeat(500)), "é".repeat(500));
        assert_eq!(line(&"é".repeat(501)), "é".repeat(500) + "…");
    }

    #[test]
    fn what_steers_a_terminal_is_shown_instead() {
        for (text, shown) in [
            ("plain 🦀 é", "plain 🦀 é"),
            ("a\tb\r\n", "a b  "),
            ("\x1B[2Jgone", "␛[2Jgone"),
            ("nul\0 del\x7F", "nul␀ del␡"),
            ("c1\u{9B}2J", "c1\u{FFFD}2J"),
            ("bidi\u{202E}", "bidi\u{FFFD}"),
        ] {
            assert_eq!(line(text), shown);
        }
    }
}
