//! The shape of an entry in the table of verbs.

use crate::{answer::Answer, call::Call, exit::Exit, failure::Failure};
use serde::Serialize;

/// One verb: everything that help, completions, the man page and the parser need to know.
#[derive(Serialize)]
pub struct Verb {
    pub name: &'static str,
    pub summary: &'static str,
    /// What the summary has no room for.
    pub details: &'static str,
    pub arguments: &'static [Argument],
    pub flags: &'static [Flag],
    pub exits: &'static [Exit],
    pub examples: &'static [Example],
    #[serde(skip)]
    pub run: fn(&Call) -> Result<Answer, Failure>,
}

/// A positional argument.
#[derive(Serialize)]
pub struct Argument {
    pub name: &'static str,
    pub summary: &'static str,
    pub required: bool,
    /// The only words allowed; empty when anything goes.
    pub values: &'static [&'static str],
    #[serde(skip)]
    pub is_path: bool,
}

/// A flag, or an option when it takes a value.
#[derive(Serialize)]
pub struct Flag {
    pub name: &'static str,
    pub short: Option<char>,
    /// The placeholder of the value, when there is one.
    pub value: Option<&'static str>,
    pub summary: &'static str,
    /// The flag without which this one has no meaning.
    pub needs: Option<&'static str>,
}

/// A command line that works as written, and how it ends.
#[derive(Serialize)]
pub struct Example {
    pub command: &'static str,
    pub exit: Exit,
}

impl Argument {
    /// A file, or `-` for standard input.
    pub const fn path(name: &'static str, summary: &'static str) -> Self {
        Argument {
            name,
            summary,
            required: true,
            values: &[],
            is_path: true,
        }
    }

    /// A piece of text.
    pub const fn text(name: &'static str, summary: &'static str) -> Self {
        Argument {
            is_path: false,
            ..Argument::path(name, summary)
        }
    }

    /// One word of a few.
    pub const fn choice(name: &'static str, summary: &'static str, values: &'static [&'static str]) -> Self {
        Argument {
            values,
            ..Argument::text(name, summary)
        }
    }

    /// The same argument, but it may be left out.
    pub const fn optional(self) -> Self {
        Argument {
            required: false,
            ..self
        }
    }

    /// `<NAME>`, or `[NAME]` when it may be left out.
    pub fn usage(&self) -> String {
        if self.required {
            format!("<{}>", self.name)
        } else {
            format!("[{}]", self.name)
        }
    }
}

impl Flag {
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Flag {
            name,
            short: None,
            value: None,
            summary,
            needs: None,
        }
    }

    pub const fn taking(self, value: &'static str) -> Self {
        Flag {
            value: Some(value),
            ..self
        }
    }

    pub const fn short(self, short: char) -> Self {
        Flag {
            short: Some(short),
            ..self
        }
    }

    pub const fn needing(self, flag: &'static str) -> Self {
        Flag {
            needs: Some(flag),
            ..self
        }
    }

    /// `-o, --output <FILE>`.
    pub fn usage(&self) -> String {
        let short = self.short.map(|c| format!("-{c}, ")).unwrap_or_default();
        let value = self.value.map(|v| format!(" <{v}>")).unwrap_or_default();
        format!("{short}--{}{value}", self.name)
    }
}

impl Example {
    pub const fn new(command: &'static str, exit: Exit) -> Self {
        Example { command, exit }
    }
}

impl Verb {
    /// `wbx lint [OPTIONS] <FILE>`.
    pub fn usage(&self) -> String {
        let arguments: String = self
            .arguments
            .iter()
            .map(|argument| format!(" {}", argument.usage()))
            .collect();
        format!("wbx {} [OPTIONS]{arguments}", self.name)
    }
}
