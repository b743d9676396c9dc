//! The commands that a script is certain to name.
//!
//! What a word expands to is unknown, so a command word with an expansion or a pattern in it is left out, and so are the
//! script's own functions.

use crate::ast::*;
use crate::script::Script;
use std::collections::BTreeSet;

/// A command by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name without its quotes.
    pub name: String,
    /// Where its word begins, in bytes from the start of the script.
    pub offset: usize,
}

impl Script {
    /// Every command that it certainly names, in the order of the text, wherever it stands: in pipelines, functions,
    /// substitutions and here-documents.
    pub fn commands(&self) -> Vec<Named> {
        let mut found = Found::default();
        self.lists.iter().for_each(|list| found.list(list));
        let Found { mut names, functions } = found;
        names.retain(|named| !functions.contains(named.name.as_bytes()));
        names.sort_by_key(|named| named.offset);
        names
    }
}

impl Word {
    /// What the word says, when that is certain before it runs: nothing in it expands or matches file names.
    pub fn certain(&self) -> Option<String> {
        let mut text = Vec::new();
        for part in &self.parts {
            certain(part, &mut text)?;
        }
        String::from_utf8(text).ok()
    }
}

fn certain(part: &Part, text: &mut Vec<u8>) -> Option<()> {
    match part {
        // A lone bracket matches nothing but itself.
        Part::Literal(plain) if plain.iter().any(|b| matches!(b, b'*' | b'?')) || is_bracketed(plain) => None,
        Part::Literal(plain) | Part::Quoted(plain) => {
            text.extend(plain);
            Some(())
        }
        Part::Double(parts) => parts.iter().try_for_each(|part| certain(part, text)),
        Part::Tilde(_)
        | Part::Parameter(_)
        | Part::Command(_)
        | Part::Arithmetic(_)
        | Part::Braces(_)
        | Part::Sequence(_)
        | Part::Process { .. }
        | Part::Array(_) => None,
    }
}

fn is_bracketed(text: &[u8]) -> bool {
    let open = text.iter().position(|b| *b == b'[');
    open.is_some_and(|open| text[open..].contains(&b']'))
}

#[derive(Default)]
struct Found<'a> {
    names: Vec<Named>,
    functions: BTreeSet<&'a [u8]>,
}

impl<'a> Found<'a> {
    fn list(&mut self, list: &'a List) {
        for item in list.items.iter() {
            let AndOr { first, rest } = &*item.and_or;
            let pipelines = std::iter::once(first).chain(rest.iter().map(|(_, pipeline)| pipeline));
            pipelines.flat_map(|p| &p.commands).for_each(|c| self.command(c));
        }
    }

    fn command(&mut self, command: &'a Command) {
        match &command.kind {
            Kind::Simple(simple) => self.simple(simple),
            Kind::Group(list) | Kind::Subshell(list) => self.list(list),
            Kind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.list(condition);
                    self.list(body);
                }
                otherwise.iter().for_each(|list| self.list(list));
            }
            Kind::For(looped) | Kind::Select(looped) => {
                looped.words.iter().flatten().for_each(|word| self.word(word));
                self.list(&looped.body);
            }
            Kind::Case(subject, items) => {
                self.word(subject);
                for item in items {
                    item.patterns.iter().for_each(|word| self.word(word));
                    self.list(&item.body);
                }
            }
            Kind::Loop { condition, body, .. } => {
                self.list(condition);
                self.list(body);
            }
            Kind::Arithmetic(parts) => self.parts(parts),
            Kind::Condition(condition) => self.condition(condition),
            Kind::ForArithmetic(looped) => {
                looped.expressions.iter().for_each(|parts| self.parts(parts));
                self.list(&looped.body);
            }
            Kind::Function(name, function) => {
                self.functions.insert(name);
                self.command(&function.body);
            }
        }
        for redirect in &command.redirects {
            match &redirect.kind {
                RedirectKind::File(_, word)
                | RedirectKind::Both(_, word)
                | RedirectKind::Duplicate { target: word, .. }
                | RedirectKind::HereString(word) => self.word(word),
                RedirectKind::Here(body) => body.get().into_iter().for_each(|word| self.word(word)),
            }
        }
    }

    fn condition(&mut self, condition: &'a Condition) {
        match condition {
            Condition::Word(word) | Condition::Unary(_, word) => self.word(word),
            Condition::Binary(left, _, right) => {
                self.word(left);
                self.word(right);
            }
            Condition::Not(inner) => self.condition(inner),
            Condition::And(all) | Condition::Or(all) => all.iter().for_each(|each| self.condition(each)),
        }
    }

    fn elements(&mut self, elements: &'a [Element]) {
        for element in elements {
            element.index.iter().for_each(|parts| self.parts(parts));
            self.word(&element.value);
        }
    }

    fn simple(&mut self, simple: &'a Simple) {
        for assign in &simple.assigns {
            assign.index.iter().for_each(|parts| self.parts(parts));
            match &assign.value {
                Assigned::Word(word) => self.word(word),
                Assigned::Array(elements) => self.elements(elements),
            }
        }
        simple.words.iter().for_each(|word| self.word(word));
        if let Some(word) = simple.words.first()
            && let Some(name) = word.certain()
        {
            let offset = word.at as usize;
            self.names.push(Named { name, offset });
        }
    }

    fn word(&mut self, word: &'a Word) {
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &'a [Part]) {
        for part in parts {
            match part {
                Part::Literal(_) | Part::Quoted(_) | Part::Tilde(_) | Part::Sequence(_) => {}
                Part::Double(parts) | Part::Arithmetic(parts) => self.parts(parts),
                Part::Command(list) | Part::Process { list, .. } => self.list(list),
                Part::Braces(choices) => choices.iter().for_each(|parts| self.parts(parts)),
                Part::Array(elements) => self.elements(elements),
                Part::Parameter(parameter) => self.parameter(parameter),
            }
        }
    }

    fn parameter(&mut self, parameter: &'a Parameter) {
        if let Some(Index::At(parts)) = &parameter.index {
            self.parts(parts);
        }
        match &parameter.op {
            Op::Plain | Op::Length | Op::Bad | Op::Bash | Op::Transform(_) | Op::Names(_) | Op::Keys => {}
            Op::Test { word, .. } | Op::Trim { pattern: word, .. } | Op::Case { pattern: word, .. } => self.word(word),
            Op::Slice { offset, length } => {
                self.parts(offset);
                length.iter().for_each(|parts| self.parts(parts));
            }
            Op::Replace { pattern, with, .. } => {
                self.word(pattern);
                self.word(with);
            }
        }
    }
}
