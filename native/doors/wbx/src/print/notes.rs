//! Diagnostics in the manner of rustc.

use super::{paint::Paint, visible};
use crate::{
    answer::{Note, Remark},
    place::Place,
};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// The notes with a blank line between them.
pub fn draw(notes: &[Note], paint: Paint) -> String {
    let renderer = if paint.is_on() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let drawn: Vec<String> = notes
        .iter()
        .map(|note| renderer.render(&[group(note)]) + "\n")
        .collect();
    drawn.join("\n")
}

fn group(note: &Note) -> Group<'_> {
    let level = match note.level {
        oql::Level::Error => Level::ERROR,
        oql::Level::Warn => Level::WARNING,
    };
    let mut title = level.primary_title(visible::line(&note.message));
    if let Some(code) = &note.code {
        title = title.id(code.as_str());
    }
    Group::with_title(title)
        .elements(note.places.iter().map(snippet))
        .elements(note.remarks.iter().map(|remark| match remark {
            Remark::Help(text) => Level::HELP.message(visible::line(text)),
            Remark::Note(text) => Level::NOTE.message(visible::line(text)),
        }))
}

fn snippet(place: &Place) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(place.text.as_str())
        .line_start(place.line)
        .path(visible::line(&place.name))
        .annotation(AnnotationKind::Primary.span(place.span.clone()))
}
