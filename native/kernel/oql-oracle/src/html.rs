//! `render` gives HTML that is safe to put into any page.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::RefCell;

/// Renders a text and looks at the result with a browser's eyes.
pub(crate) fn render(org: &str) {
    match oql::render(org) {
        Ok(html) => assert_safe_html(&html),
        Err(error) => assert!(!error.message.is_empty() && !error.hint.is_empty(), "{error:?}"),
    }
}

/// Every tag, with the attributes that it may carry. Nothing else may come out of a plan.
const ALLOWED: &[(&str, &[&str])] = &[
    ("a", &["href", "rel"]),
    ("b", &[]),
    ("blockquote", &[]),
    ("br", &[]),
    ("code", &["class"]),
    ("dd", &[]),
    ("div", &["class"]),
    ("dl", &[]),
    ("dt", &[]),
    ("h1", &["id"]),
    ("h2", &["id"]),
    ("h3", &["id"]),
    ("h4", &["id"]),
    ("h5", &["id"]),
    ("h6", &["aria-level", "id"]),
    ("hr", &[]),
    ("i", &[]),
    ("img", &["alt", "src"]),
    ("li", &["value"]),
    ("ol", &[]),
    ("p", &["class", "id"]),
    ("pre", &["class"]),
    ("s", &[]),
    ("span", &["class", "id"]),
    ("sub", &[]),
    ("sup", &[]),
    ("table", &[]),
    ("td", &[]),
    ("th", &[]),
    ("tr", &[]),
    ("u", &[]),
    ("ul", &[]),
];

/// Panics unless `html`, read by an HTML tokenizer, is made of allowed tags and attributes only, each tag closed where
/// it was opened, and no link leaves the listed schemes.
///
/// ```
/// oql_oracle::assert_safe_html("<p><a href=\"https://example.org\">a</a></p>");
/// ```
///
/// ```should_panic
/// oql_oracle::assert_safe_html("<a href=\"javascript:alert(1)\">a</a>");
/// ```
pub fn assert_safe_html(html: &str) {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Page::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let open = tokenizer.sink.open.into_inner();
    assert!(open.is_empty(), "never closed: {open:?}");
}

#[derive(Default)]
struct Page {
    open: RefCell<Vec<String>>,
}

impl TokenSink for Page {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => self.tag(&tag),
            Token::CharacterTokens(_) | Token::EOFToken => {}
            other => panic!("not text and not a tag: {other:?}"),
        }
        TokenSinkResult::Continue
    }
}

impl Page {
    fn tag(&self, tag: &Tag) {
        let name = &*tag.name;
        if tag.kind == TagKind::EndTag {
            assert_eq!(
                self.open.borrow_mut().pop().as_deref(),
                Some(name),
                "closed out of order"
            );
            return;
        }
        let (_, attributes) = ALLOWED
            .iter()
            .find(|(allowed, _)| *allowed == name)
            .unwrap_or_else(|| panic!("tag {name} is not allowed"));
        for attribute in &tag.attrs {
            let (key, value) = (&*attribute.name.local, &*attribute.value);
            assert!(attributes.contains(&key), "attribute {key} of {name} is not allowed");
            assert_value(key, value);
        }
        assert!(!tag.had_duplicate_attributes, "an attribute of {name} is there twice");
        if !matches!(name, "br" | "hr" | "img") {
            self.open.borrow_mut().push(name.to_owned());
        }
    }
}

fn assert_value(key: &str, value: &str) {
    let holds = match key {
        "class" => value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ')),
        "id" => value.starts_with("wb-") && !value.contains(char::is_whitespace),
        "aria-level" | "value" => value.bytes().all(|b| b.is_ascii_digit()),
        "href" => is_safe_url(value, &["http", "https", "mailto"]),
        "src" => is_safe_url(value, &["http", "https"]),
        "rel" => value == "noopener noreferrer",
        "alt" => true,
        _ => false,
    };
    assert!(holds, "{key}={value:?}");
}

/// A browser drops control characters from a URL before it looks for a scheme; here there may be none to drop.
fn is_safe_url(url: &str, schemes: &[&str]) -> bool {
    let scheme = url
        .split(['/', '?', '#'])
        .next()
        .and_then(|start| start.split_once(':'));
    !url.contains(|c: char| c.is_control() || c == ' ')
        && (!url.starts_with('#') || url.starts_with("#wb-"))
        && scheme.is_none_or(|(scheme, _)| schemes.iter().any(|s| s.eq_ignore_ascii_case(scheme)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_the_list_is_noticed() {
        for html in [
            "<script>",
            "<p onclick=\"x\">",
            "<!-- a -->",
            "<!doctype html>",
            "<p",
            "<p></b>",
            "<p>",
            "</p>",
            "<b class=\"a\"></b>",
            "<span id=\"a\"></span>",
            "<span class=\"a;b\"></span>",
            "<a href=\"JAVASCRIPT:x\"></a>",
            "<a href=\"java\tscript:x\"></a>",
            "<a href=\"&#106;avascript:x\"></a>",
            "<a href=\" javascript:x\"></a>",
            "<a href=\"#top\"></a>",
            "<a href=\"data:x\"></a>",
            "<img src=\"mailto:x\">",
            "<img src=\"data:image/png,x\">",
            "<img src=\"a\" src=\"b\">",
            "a\0b",
            "<li value=\"x\"></li>",
        ] {
            let caught = std::panic::catch_unwind(|| assert_safe_html(html));
            assert!(caught.is_err(), "{html}");
        }
    }
}
