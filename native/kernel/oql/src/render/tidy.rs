//! The text as orgize reads it best: one kind of line ending, and the two ends of a block in the same case.

/// `org` without byte order mark and carriage returns, with the names of blocks in lower case.
///
/// Line numbers stay what they were. What stands inside a block that is shown as written stays as it was.
pub(super) fn tidy(org: &str) -> String {
    let org = org.strip_prefix('\u{FEFF}').unwrap_or(org);
    let org = if org.contains('\r') {
        // A carriage return alone ends no line in the rest of the kernel.
        org.replace("\r\n", "\n").replace('\r', " ")
    } else {
        org.to_owned()
    };
    lower_block_names(org)
}

/// orgize takes `#+BEGIN_SRC` and `#+end_src` for the ends of two different blocks.
fn lower_block_names(mut org: String) -> String {
    let mut names = vec![];
    let mut verbatim: Option<&str> = None;
    let mut start = 0;
    for line in org.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if is_headline(line) {
            verbatim = None;
            continue;
        }
        let Some((edge, name)) = block_edge(line) else {
            continue;
        };
        match (verbatim, edge) {
            (Some(open), Edge::End) if open.eq_ignore_ascii_case(name) => verbatim = None,
            (Some(_), _) => continue,
            (None, Edge::Begin) if is_verbatim(name) => verbatim = Some(name),
            (None, _) => {}
        }
        if name.bytes().any(|b| b.is_ascii_uppercase()) {
            let name_at = at + line.find('_').map_or(0, |underscore| underscore + 1);
            names.push(name_at..name_at + name.len());
        }
    }
    for name in names {
        org[name].make_ascii_lowercase();
    }
    org
}

/// Which end of a block a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// `#+begin_name`
    Begin,
    /// `#+end_name`
    End,
}

/// The end of a block that stands on a line, and the block's name.
pub(super) fn block_edge(line: &str) -> Option<(Edge, &str)> {
    let line = line.trim_start_matches([' ', '\t']);
    let rest = line.strip_prefix("#+")?;
    let underscore = rest.as_bytes().iter().take(6).position(|&b| b == b'_')?;
    let edge = match &rest[..underscore] {
        word if word.eq_ignore_ascii_case("begin") => Edge::Begin,
        word if word.eq_ignore_ascii_case("end") => Edge::End,
        _ => return None,
    };
    let rest = &rest[underscore + 1..];
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, after) = rest.split_at(letters);
    let complete = edge == Edge::Begin || after.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\n'));
    (letters > 0 && complete).then_some((edge, name))
}

/// Whether the text of a block is shown as written.
pub(super) fn is_verbatim(name: &str) -> bool {
    ["src", "example", "export", "comment", "verse"]
        .iter()
        .any(|verbatim| verbatim.eq_ignore_ascii_case(name))
}

/// Whether a line is a headline.
pub(super) fn is_headline(line: &str) -> bool {
    line.starts_with('*') && line.trim_start_matches('*').starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_become_newlines() {
        assert_eq!(tidy("\u{FEFF}a\r\nb\rc\n"), "a\nb c\n");
    }

    #[test]
    fn the_names_of_blocks_become_lower_case() {
        for (org, expected) in [
            ("#+BEGIN_SRC C\n#+end_src\n", "#+BEGIN_src C\n#+end_src\n"),
            ("  #+begin_Quote\n\t#+END_QUOTE \n", "  #+begin_quote\n\t#+END_quote \n"),
            (
                "#+BEGIN_SRC\n#+END_QUOTE\n#+END_SRC",
                "#+BEGIN_src\n#+END_QUOTE\n#+END_src",
            ),
            ("#+BEGIN_SRC\n* A\n#+BEGIN_QUOTE\n", "#+BEGIN_src\n* A\n#+BEGIN_quote\n"),
            ("#+END_SRC x\n", "#+END_SRC x\n"),
            ("#+TITLE: A_B\n", "#+TITLE: A_B\n"),
        ] {
            assert_eq!(tidy(org), expected);
        }
    }

    #[test]
    fn stars_and_a_space_make_a_headline() {
        for (line, expected) in [
            ("* a", true),
            ("*** ", true),
            ("*a", false),
            (" * a", false),
            ("*\ta", false),
            ("", false),
        ] {
            assert_eq!(is_headline(line), expected, "{line:?}");
        }
    }
}
