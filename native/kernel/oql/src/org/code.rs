//! The text of a source block as its language sees it.
//!
//! Org puts a comma before lines that would read as Org, and most people indent a block with the text around it. Both
//! belong to the plan, not to the program. Emacs is the judge: `org-babel--normalize-body`.

use super::SourceBlock;
use std::ops::Range;

/// Columns from one tab stop to the next, as in Emacs.
const TAB: usize = 8;

/// A block's text, and where each of its lines stands in the plan.
pub(crate) struct Code {
    /// What the language reads. Lines end with `\n`, whatever the plan's do.
    pub text: String,
    /// For each line: where it begins in `text`, and the bytes of the plan that it came from.
    lines: Vec<(usize, Range<usize>)>,
}

impl Code {
    /// Reads a block of `plan`.
    pub fn of(plan: &str, block: &SourceBlock<'_>) -> Code {
        let raw = &plan[block.body.clone()];
        let remove = if block.keeps_indentation { 0 } else { common(raw) };
        let mut text = String::with_capacity(raw.len());
        let mut lines = Vec::new();
        let mut at = block.body.start;
        for line in raw.split_inclusive('\n') {
            let (content, end) = content(line);
            lines.push((text.len(), at..at + content.len()));
            push_line(&mut text, content, remove);
            text.push_str(end);
            at += line.len();
        }
        Code { text, lines }
    }

    /// The byte offset in the plan of byte `at` of the text. Lines are shortened on their left only, so it is counted
    /// from their ends.
    pub fn place(&self, at: usize) -> usize {
        let after = self.lines.partition_point(|(start, _)| *start <= at);
        let Some((_, raw)) = after.checked_sub(1).and_then(|i| self.lines.get(i)) else {
            return 0;
        };
        let text_end = self.lines.get(after).map_or(self.text.len(), |(next, _)| *next);
        let line_end = text_end - usize::from(self.text[..text_end].ends_with('\n'));
        // A tab that was cut in two is more spaces than it was bytes.
        raw.end.saturating_sub(line_end.saturating_sub(at)).max(raw.start)
    }
}

/// The text of a block of `plan`.
pub(crate) fn code(plan: &str, block: &SourceBlock<'_>) -> String {
    Code::of(plan, block).text
}

/// A line without its ending, and the ending that a program sees.
fn content(line: &str) -> (&str, &'static str) {
    match line.strip_suffix('\n') {
        Some(rest) => (rest.strip_suffix('\r').unwrap_or(rest), "\n"),
        None => (line, ""),
    }
}

fn push_line(out: &mut String, line: &str, remove: usize) {
    let code = line.trim_start_matches([' ', '\t']);
    let indent = &line[..line.len() - code.len()];
    // Where there is common indentation, a line of blanks loses all of its own.
    if remove == 0 {
        out.push_str(indent);
    } else if !code.is_empty() {
        push_columns(out, indent, columns(indent) - remove);
    }
    out.push_str(&code[escape(code)]);
}

/// What follows the comma that Org put there: none before other text.
fn escape(code: &str) -> Range<usize> {
    let bare = code.trim_start_matches(',');
    let quoted = bare.len() < code.len() && (bare.starts_with('*') || bare.starts_with("#+"));
    usize::from(quoted)..code.len()
}

/// The indentation that every line with something on it has.
fn common(raw: &str) -> usize {
    let mut least = usize::MAX;
    for line in raw.lines() {
        let code = line.trim_start_matches([' ', '\t']);
        if !code.is_empty() && code != "\r" {
            least = least.min(columns(&line[..line.len() - code.len()]));
            if least == 0 {
                break;
            }
        }
    }
    if least == usize::MAX { 0 } else { least }
}

fn columns(indent: &str) -> usize {
    indent.bytes().fold(0, next)
}

fn next(column: usize, byte: u8) -> usize {
    match byte {
        b'\t' => (column / TAB + 1) * TAB,
        _ => column + 1,
    }
}

/// The first `keep` columns of an indentation. Emacs cuts on the right of it, and a tab that is cut becomes spaces.
fn push_columns(out: &mut String, indent: &str, keep: usize) {
    let mut column = 0;
    for b in indent.bytes() {
        let to = next(column, b);
        if to > keep {
            break;
        }
        out.push(b as char);
        column = to;
    }
    out.extend(std::iter::repeat_n(' ', keep - column));
}

#[cfg(test)]
mod tests {
    use super::super::Section;
    use super::*;

    fn code_of(body: &str, switches: &str) -> (String, Code) {
        let plan = format!("#+begin_src sh{switches}\n{body}#+end_src\n");
        let section = Section::read(&plan, 0..plan.len(), 1);
        let code = Code::of(&plan, &section.sources[0]);
        (plan.clone(), code)
    }

    #[test]
    fn common_indentation_and_commas_are_no_part_of_the_program() {
        for (body, want) in [
            ("a\n", "a\n"),
            ("  a\n    b\n\n  c\n", "a\n  b\n\nc\n"),
            ("  a\n   \n", "a\n\n"),
            ("a\n   \n", "a\n   \n"),
            ("\ta\n        b\n\t  c\n", "a\nb\n  c\n"),
            ("    a\n\tb\n", "a\n    b\n"),
            ("\t\ta\n\tb\n", "\ta\nb\n"),
            ("  ,* a\n  ,,#+b\n  ,c\n", "* a\n,#+b\n,c\n"),
            ("  a\r\n\r\n    b\r\n", "a\n\n  b\n"),
            ("  \n", "  \n"),
            ("", ""),
        ] {
            assert_eq!(code_of(body, "").1.text, want, "{body:?}");
        }
        assert_eq!(code_of("  a\n", " -i").1.text, "  a\n");
    }

    #[test]
    fn every_byte_is_found_again_in_the_plan() {
        let (plan, code) = code_of("    if x\r\n\r\n      ,* then\n", "");
        assert_eq!(code.text, "if x\n\n  * then\n");
        for (what, at) in [("if", 0), ("x", 3), ("* then", 8)] {
            assert!(plan[code.place(at)..].starts_with(what), "{what}");
        }
        assert!(plan[code.place(code.text.len())..].starts_with('\n'));
        let (plan, code) = code_of("    é\n\tb\n", "");
        assert_eq!(code.text, "é\n    b\n");
        assert!(plan[code.place(3)..].starts_with("\tb"));
        assert_eq!(code_of("", "").1.place(0), 0);
    }
}
