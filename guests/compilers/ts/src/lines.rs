//! Lines stay where they were, so that an error names the line that its author wrote.

/// Puts empty lines before lines of `code` until each is as far down as its source. `starts` are the places of the code
/// that came from a place of the source: line and column there, and the line of the source, all from zero. A line that
/// cannot be moved up again stays too far down.
///
/// An empty line is put only before a line that begins with something from the source. So it never lands inside a
/// template string, whose later lines begin with nothing that has a place of its own.
pub fn restored(code: &str, starts: impl Iterator<Item = (u32, u32, u32)>) -> String {
    // Not `lines`, which would take a carriage return out of a template string.
    let code = code.strip_suffix('\n').unwrap_or(code);
    let mut wanted = vec![None; code.split('\n').count()];
    let indents: Vec<usize> = code
        .split('\n')
        .map(|line| line.len() - line.trim_start().len())
        .collect();
    for (line, column, source) in starts {
        let line = line as usize;
        if indents.get(line) == Some(&(column as usize)) {
            wanted[line].get_or_insert(source as usize);
        }
    }
    let mut out = String::with_capacity(code.len() + 64);
    let mut at = 0;
    for (line, wanted) in code.split('\n').zip(wanted) {
        let missing = wanted.map_or(0, |wanted| wanted.saturating_sub(at));
        out.extend(std::iter::repeat_n('\n', missing));
        out.push_str(line);
        out.push('\n');
        at += missing + 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::restored;

    #[test]
    fn a_line_moves_down_to_where_it_was_and_never_up() {
        let code = "a\n\tb\nc\n";
        assert_eq!(
            restored(code, [(0, 0, 1), (1, 1, 4), (2, 0, 2)].into_iter()),
            "\na\n\n\n\tb\nc\n"
        );
    }

    #[test]
    fn a_line_that_begins_with_nothing_of_the_source_stays() {
        assert_eq!(restored("`\n${x}`\n", [(0, 0, 0), (1, 2, 9)].into_iter()), "`\n${x}`\n");
    }
}
