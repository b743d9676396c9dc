//! `workbook.html`: the plan for people who have nothing but a browser.

use crate::Error;
use std::fmt::Write as _;

/// No script and nothing from elsewhere: the page is safe to open, and the same in every year.
const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="Workbooks">
"#;

const STYLE: &str = include_str!("page.css");

/// The page of a plan. The source is embedded as text, so that it can be read and copied without any tool.
pub(crate) fn page(id: &str, created: &str, org: &str) -> Result<String, Error> {
    let body = oql::render(org).map_err(Error::Plan)?;
    let (id, created) = (escape(id), escape(created));
    let mut page = String::with_capacity(body.len() + 2 * org.len() + STYLE.len() + 1_000);
    // Writing into a String does not fail.
    let _ = write!(
        page,
        "{HEAD}<title>{id}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header><strong>{id}</strong> <time \
         datetime=\"{created}\">{created}</time></header>\n<main>\n{body}</main>\n<details>\n<summary>Source</summary>\n\
         <pre id=\"source\">\n{}</pre>\n</details>\n</body>\n</html>\n",
        escape(org)
    );
    Ok(page)
}

/// The text as HTML. A carriage return would come out of a browser as a newline, so it goes in by its number.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            // HTML has no NUL.
            '\0' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}
