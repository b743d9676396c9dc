//! Indented lines, such as tasks under tasks.

use super::{paint::Paint, visible};
use crate::answer::Item;

/// Deeper lines stay at this depth, so that a hostile outline cannot fill the screen with blanks.
const DEEPEST: usize = 40;

/// One line for each item.
pub fn draw(items: &[Item], paint: Paint) -> String {
    let mut drawn = String::new();
    for item in items {
        let words = [
            paint.state(&visible::line(item.state.as_deref().unwrap_or_default())),
            visible::line(&item.text),
            paint.quiet(&visible::line(&item.aside)),
        ];
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|word| !word.is_empty())
            .collect();
        drawn += &"  ".repeat(item.depth.min(DEEPEST));
        drawn += &words.join(" ");
        drawn.push('\n');
    }
    drawn
}
