//! What an agent is told about its toolkits before it asks: an index, never the manual.

use crate::Toolkit;

/// How many skills a line names.
const NAMED: usize = 8;

/// One line for each toolkit: its name, when to reach for it, and up to `most` skills (8 when `None`), with `(+n more)`.
pub fn injection_text(toolkits: &[Toolkit], most: Option<usize>) -> String {
    toolkits
        .iter()
        .map(|toolkit| line(toolkit, most.unwrap_or(NAMED)))
        .collect()
}

fn line(toolkit: &Toolkit, most: usize) -> String {
    let skills = toolkit.skills().unwrap_or_default();
    let mut names: Vec<&str> = skills.iter().take(most).map(|skill| skill.slug.as_str()).collect();
    let more = format!("(+{} more)", skills.len().saturating_sub(most));
    if skills.len() > most {
        names.push(&more);
    }
    let tagline = toolkit.manifest().tagline.as_deref().unwrap_or("");
    let skills = match names[..] {
        [] => String::new(),
        _ => format!(" [skills: {}]", names.join(" ")),
    };
    format!("- {}: {tagline}{skills}\n", toolkit.id())
}
