//! Columns that line up.

use super::{paint::Paint, visible};
use unicode_width::UnicodeWidthStr;

/// The rows under their heads. A column in which nothing stands is left out.
pub fn draw(head: &[&str], rows: &[Vec<String>], paint: Paint) -> String {
    let columns: Vec<usize> = (0..head.len())
        .filter(|column| rows.iter().any(|row| !row[*column].is_empty()))
        .collect();
    let Some((last, padded)) = columns.split_last() else {
        return String::new();
    };
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| visible::line(cell)).collect())
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].width());
        cells.max().unwrap_or(0).max(head[column].width())
    };
    let padded: Vec<(usize, usize)> = padded.iter().map(|&column| (column, width(column))).collect();
    let line = |cell: &dyn Fn(usize) -> String| {
        let mut line = String::new();
        for &(column, width) in &padded {
            let cell = cell(column);
            line += &cell;
            line += &" ".repeat(width - cell.width() + 2);
        }
        line + &cell(*last)
    };
    let mut drawn = paint.strong(&line(&|column| head[column].to_owned())) + "\n";
    for row in &rows {
        drawn += line(&|column| row[column].clone()).trim_end();
        drawn.push('\n');
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(rows: &[[&str; 3]]) -> String {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        draw(&["LINE", "STATE", "TITLE"], &rows, Paint::new(false))
    }

    #[test]
    fn wide_characters_line_up() {
        assert_eq!(
            drawn(&[["1", "🦀", "Crab"], ["20", "TODO", "Next"]]),
            "LINE  STATE  TITLE\n1     🦀     Crab\n20    TODO   Next\n"
        );
    }

    #[test]
    fn an_empty_column_is_left_out() {
        assert_eq!(drawn(&[["1", "", "Crab"]]), "LINE  TITLE\n1     Crab\n");
    }

    #[test]
    fn no_rows_draw_nothing() {
        assert_eq!(drawn(&[]), "");
    }
}
