//! Where a link may lead. Everything that is not on the list is shown as text.

use super::escape;

/// What to make of a link's path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Another page, as a URL.
    Page(String),
    /// A place in this text, as an anchor.
    Place(String),
    /// Nowhere: show the text.
    Nowhere,
}

/// Reads a link's path.
pub(super) fn target(path: &str) -> Target {
    let path = path.trim_matches(' ');
    // Browsers drop some control characters from URLs, so one could hide a scheme.
    if path.chars().any(char::is_control) {
        return Target::Nowhere;
    }
    if let Some(place) = path.strip_prefix('#') {
        return Target::Place(escape::anchor(place));
    }
    match path.find([':', '/', '?', '#']) {
        Some(at) if path.as_bytes()[at] == b':' => match path[..at].to_ascii_lowercase().as_str() {
            "http" | "https" | "mailto" => page(path),
            "id" => Target::Place(escape::anchor(&path[at + 1..])),
            _ => Target::Nowhere,
        },
        // A bare word or `*Title` names a headline, not a page.
        _ if path.starts_with('*') || !path.contains(['/', '.']) => Target::Nowhere,
        _ => page(path),
    }
}

/// The URL of an image, if `path` is one that may be shown.
pub(super) fn image(path: &str) -> Option<String> {
    const ENDINGS: [&str; 7] = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg"];
    let lower = path.trim_matches(' ').to_ascii_lowercase();
    if lower.starts_with("mailto:") || !ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        return None;
    }
    match target(path) {
        Target::Page(url) => Some(url),
        _ => None,
    }
}

fn page(path: &str) -> Target {
    Target::Page(path.replace(' ', "%20"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_schemes_relative_paths_and_anchors_lead_somewhere() {
        let page = |url: &str| Target::Page(url.into());
        let place = |anchor: &str| Target::Place(anchor.into());
        for (path, expected) in [
            ("https://example.org/a?b#c", page("https://example.org/a?b#c")),
            ("HTTP://example.org", page("HTTP://example.org")),
            ("mailto:a@example.org", page("mailto:a@example.org")),
            ("./a b.html", page("./a%20b.html")),
            ("../up/", page("../up/")),
            ("/root:1", page("/root:1")),
            ("page.html#part:2", page("page.html#part:2")),
            ("#part two", place("wb-part-two")),
            ("id:7f-3", place("wb-7f-3")),
            ("ID:7f-3", place("wb-7f-3")),
            ("file:notes.org", Target::Nowhere),
            ("file:///etc/passwd", Target::Nowhere),
            ("*A title", Target::Nowhere),
            ("A title", Target::Nowhere),
            ("", Target::Nowhere),
            ("javascript:alert(1)", Target::Nowhere),
            ("JaVaScRiPt:alert(1)", Target::Nowhere),
            ("  javascript:alert(1)", Target::Nowhere),
            ("java\tscript:alert(1)", Target::Nowhere),
            ("java\rscript:alert(1)", Target::Nowhere),
            ("\u{1}javascript:alert(1)", Target::Nowhere),
            ("javascript\u{0}:alert(1)", Target::Nowhere),
            ("\u{a0}javascript:alert(1)", Target::Nowhere),
            ("&#106;avascript:alert(1)", Target::Nowhere),
            ("javascript&colon;alert(1)", Target::Nowhere),
            // To every browser the path of a page with an ampersand in it, once it is escaped.
            ("javascript&colon;alert(1)/.", page("javascript&colon;alert(1)/.")),
            ("vbscript:x", Target::Nowhere),
            ("data:text/html,<script>", Target::Nowhere),
            ("blob:https://example.org/1", Target::Nowhere),
            ("view-source:https://example.org", Target::Nowhere),
            ("elisp:(shell-command)", Target::Nowhere),
            (":javascript:x", Target::Nowhere),
        ] {
            assert_eq!(target(path), expected, "{path:?}");
        }
    }

    #[test]
    fn images_come_from_the_web_or_from_beside_the_page() {
        for (path, expected) in [
            ("https://example.org/a.png", Some("https://example.org/a.png")),
            ("./a b.SVG", Some("./a%20b.SVG")),
            ("file:a.png", None),
            ("data:image/svg+xml,x.svg", None),
            ("javascript:x.png", None),
            ("mailto:a@b.png", None),
            ("#a.png", None),
            ("a.html", None),
        ] {
            assert_eq!(image(path).as_deref(), expected, "{path:?}");
        }
    }
}
