//! What a browser's tokenizer finds inside `<pre id="source">`.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::RefCell;

#[derive(Default)]
struct Source(RefCell<(bool, String)>);

impl TokenSink for Source {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let (inside, text) = &mut *self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                *inside |= tag
                    .attrs
                    .iter()
                    .any(|a| &*a.name.local == "id" && &*a.value == "source");
            }
            Token::TagToken(_) => *inside = false,
            Token::CharacterTokens(found) if *inside => text.push_str(&found),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

pub fn source(page: &str) -> String {
    let tokenizer = Tokenizer::new(Source::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(page));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let text = tokenizer.sink.0.into_inner().1;
    // A browser leaves out the first newline of a `pre`.
    text.strip_prefix('\n').unwrap_or(&text).to_owned()
}
