//! `set -x`.

use crate::ast::{Assign, Bytes};
use crate::options::Flag;
use crate::parse::Parser;
use crate::quote;
use crate::shell::Shell;
use pipe::Stream;

impl Shell {
    /// Shows a command before it runs.
    pub(super) async fn trace(&mut self, assigns: &[Assign], args: &[Bytes], stderr: Option<Stream>) {
        if !self.is(Flag::XTrace) {
            return;
        }
        self.options.set(Flag::XTrace, false);
        let mut line = self.expand_prompt(b"PS4").await;
        self.options.set(Flag::XTrace, true);
        let assigned = assigns.iter().map(|assign| {
            let value = self.variable(&assign.name).unwrap_or_default();
            let operator: &[u8] = if assign.append { b"+=" } else { b"=" };
            [&assign.name[..], operator, &quote::if_needed(&value)].concat()
        });
        let words: Vec<_> = assigned.chain(args.iter().map(|arg| quote::if_needed(arg))).collect();
        line.extend(words.join(&b' '));
        line.push(b'\n');
        if let Some(stderr) = stderr {
            let _ = stderr.write_all(&line).await;
        }
    }

    /// A prompt's value, expanded.
    pub(super) async fn expand_prompt(&mut self, name: &[u8]) -> Bytes {
        let prompt = self.variables.get(name).unwrap_or_default().to_vec();
        let parser = Parser::new(prompt.clone().into(), self.line, &self.world.limits.grammar());
        let Ok(word) = parser.and_then(|parser| parser.in_dialect(self.dialect).prompt()) else {
            return prompt;
        };
        let text = Box::pin(self.text(&word)).await;
        text.map_or(prompt, |(text, _)| text)
    }
}
