//! contents: the table of contents of a Markdown text, as an Org list.
//!
//! Headings are lines that begin with one to six `#` and a blank, outside of fenced code. Each becomes an item, indented by
//! its level, with the anchor that common renderers give it: lower case, words joined by `-`, `-1` for the second of a name.

wit_bindgen::generate!({ world: "engine", path: "../../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        let mut fence: Option<&str> = None;
        let mut seen: Vec<String> = Vec::new();
        let mut out = String::new();
        for line in input.lines() {
            let text = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (None, None) => {
                    if let Some((level, title)) = heading(line) {
                        let anchor = anchor(title, &mut seen);
                        out.push_str(&"  ".repeat(level - 1));
                        out.push_str("- [[#");
                        out.push_str(&anchor);
                        out.push_str("][");
                        out.push_str(title);
                        out.push_str("]]\n");
                    }
                }
                _ => {}
            }
        }
        out
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line[level..].strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !title.is_empty()).then_some((level, title))
}

fn anchor(title: &str, seen: &mut Vec<String>) -> String {
    let mut slug = String::new();
    for c in title.chars() {
        match c {
            ' ' | '-' => slug.push('-'),
            '_' => slug.push('_'),
            c if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            _ => {}
        }
    }
    let before = seen.iter().filter(|known| **known == slug).count();
    seen.push(slug.clone());
    if before > 0 { format!("{slug}-{before}") } else { slug }
}
