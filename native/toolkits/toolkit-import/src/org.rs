//! Strangers' words inside Org: they say what they say, and structure nothing.

/// Looks like nothing, and keeps a line from being read as structure.
const SHIELD: char = '\u{200b}';

/// Words that would be a state, or hide the headline, at its beginning.
const KEYWORDS: [&str; 12] = [
    "TODO",
    "NEXT",
    "WAITING",
    "DOING",
    "STARTED",
    "BLOCKED",
    "CANCELLED",
    "CANCELED",
    "DONE",
    "FAILED",
    "PARTIAL",
    "COMMENT",
];

/// Words on one line, without control characters.
pub(crate) fn line(text: &str) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(|c| !c.is_control()).collect())
        .filter(|word: &String| !word.is_empty())
        .collect();
    words.join(" ")
}

/// The first sentence or so, for places where one line must do.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 200;
    let line = line(text);
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    let line = &line[..end];
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let cut: String = line.chars().take(LONGEST - 1).collect();
    format!("{}…", cut.trim_end())
}

/// The words of a headline: neither a keyword nor tags.
pub(crate) fn title(text: &str) -> String {
    let mut title = line(text);
    let first = title.split(' ').next().unwrap_or_default();
    if KEYWORDS.contains(&first) || title.starts_with(['*', '[']) {
        title.insert(0, SHIELD);
    }
    if title.ends_with(':') {
        title.push(SHIELD);
    }
    title
}

/// Text that begins a line: a mark that would make it a headline, a block, a drawer, a list or a table is shielded.
pub(crate) fn begin(text: &str) -> String {
    let trimmed = text.trim_start();
    let list = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = list.len() < trimmed.len() && (list.starts_with(". ") || list.starts_with(") "));
    let marked = trimmed.starts_with(['*', '#', ':', '|']) || trimmed.starts_with("- ") || trimmed.starts_with("+ ");
    if marked || numbered {
        format!("{SHIELD}{trimmed}")
    } else {
        text.to_owned()
    }
}

/// A line inside a block: what would end the block or be a headline gets a comma, as Org has it.
pub(crate) fn in_block(line: &str) -> String {
    let line: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
    let bare = line.trim_start();
    let marked = bare.trim_start_matches(',');
    if marked.starts_with('*') || marked.starts_with("#+") {
        format!("{},{bare}", &line[..line.len() - bare.len()])
    } else {
        line
    }
}

/// A block of the given kind around a text.
pub(crate) fn block(kind: &str, argument: &str, text: &str, indent: &str) -> String {
    let mut out = format!("{indent}{}\n", format!("#+begin_{kind} {argument}").trim_end());
    for line in text.lines() {
        let line = in_block(line);
        out += &if line.is_empty() {
            "\n".to_owned()
        } else {
            format!("{indent}{line}\n")
        };
    }
    out + &format!("{indent}#+end_{kind}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_words_structure_nothing() {
        assert_eq!(title("TODO list"), "\u{200b}TODO list");
        assert_eq!(title("A plan :workflow:"), "A plan :workflow:\u{200b}");
        assert_eq!(title("Plain\nwords\u{7}"), "Plain words");
        for text in ["* a", "#+end_quote", ":done-when: true", "| a |", "- a", "12. a", "+ a"] {
            assert_eq!(begin(text), format!("\u{200b}{text}"));
        }
        assert_eq!(begin("3.14 is pi"), "3.14 is pi");
        assert_eq!(in_block("  #+end_src"), "  ,#+end_src");
        assert_eq!(in_block("* a"), ",* a");
    }

    #[test]
    fn a_short_line_is_a_sentence() {
        assert_eq!(short("One. Two."), "One.");
        assert_eq!(short(&"x ".repeat(300)).chars().count(), 200);
    }
}
