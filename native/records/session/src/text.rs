//! Byte budgets. Texts that may be cut end in a mark; the others are refused when they are too long.

/// What a cut text ends with.
pub const TRUNCATED: &str = "\n\n[TRUNCATED]";

/// The text within `max` bytes: as it is, or its beginning and the mark.
///
/// ```
/// assert_eq!(session::truncate("short", 20), "short");
/// assert_eq!(session::truncate(&"x".repeat(30), 20), "xxxxxxx\n\n[TRUNCATED]");
/// ```
pub fn truncate(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(max.saturating_sub(TRUNCATED.len()))];
    format!("{kept}{TRUNCATED}")
}

/// The beginning of a text that goes into a message.
pub(crate) fn clip(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    format!("{}..", &text[..text.floor_char_boundary(max)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_falls_between_characters_and_the_mark_fits() {
        for max in TRUNCATED.len()..40 {
            let cut = truncate(&"\u{20ac}".repeat(40), max);
            assert!(cut.len() <= max && cut.ends_with(TRUNCATED), "{max}");
        }
    }
}
