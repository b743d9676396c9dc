//! The shape of an entry in the table of verbs.

use crate::{answer::Answer, call::Call, exit::Exit, failure::Failure};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// One verb: everything that help, completions, the man page and the parser need to know.
#[derive(Serialize)]
pub struct Verb {
    /// All its words: `lint`, `ledger verify`.
    pub name: &'static str,
    pub summary: &'static str,
    /// What the summary has no room for.
    pub details: &'static str,
    pub arguments: &'static [Argument],
    pub flags: &'static [Flag],
    pub exits: &'static [Exit],
    pub examples: &'static [Example],
    #[serde(flatten)]
    pub does: Does,
}

/// What a verb does.
pub enum Does {
    /// It works.
    Work(fn(&Call) -> Result<Answer, Failure>),
    /// Nothing by itself: it is the first word of these.
    Verbs(&'static [Verb]),
    /// It works, unless one of these words follows.
    Both(fn(&Call) -> Result<Answer, Failure>, &'static [Verb]),
}

/// A positional argument.
#[derive(Serialize)]
pub struct Argument {
    pub name: &'static str,
    pub summary: &'static str,
    pub required: bool,
    /// Whether it may be given more than once.
    pub repeated: bool,
    /// Whether everything from here on belongs to it, flags and all.
    #[serde(skip)]
    pub rest: bool,
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
    /// The only words that it takes; empty when anything goes.
    pub values: &'static [&'static str],
    #[serde(skip)]
    pub is_path: bool,
    pub summary: &'static str,
    /// The flag without which this one has no meaning.
    pub needs: Option<&'static str>,
    /// Whether it may be given more than once.
    #[serde(skip)]
    pub repeated: bool,
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
            repeated: false,
            rest: false,
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

    /// The same argument, but it may be given more than once.
    pub const fn repeated(self) -> Self {
        Argument { repeated: true, ..self }
    }

    /// The same argument, but everything from here on belongs to it.
    pub const fn rest(self) -> Self {
        Argument {
            rest: true,
            ..self.optional().repeated()
        }
    }

    /// `<NAME>`, or `[NAME]` when it may be left out; with dots when it may be repeated.
    pub fn usage(&self) -> String {
        let (open, close) = if self.required { ('<', '>') } else { ('[', ']') };
        let dots = if self.repeated { "..." } else { "" };
        format!("{open}{}{close}{dots}", self.name)
    }
}

impl Flag {
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Flag {
            name,
            short: None,
            value: None,
            values: &[],
            is_path: false,
            summary,
            needs: None,
            repeated: false,
        }
    }

    /// The flag takes a path.
    pub const fn taking(self, value: &'static str) -> Self {
        Flag {
            value: Some(value),
            is_path: true,
            ..self
        }
    }

    /// The flag takes a piece of text.
    pub const fn taking_text(self, value: &'static str) -> Self {
        Flag {
            is_path: false,
            ..self.taking(value)
        }
    }

    /// The flag takes one of these words.
    pub const fn choosing(self, value: &'static str, values: &'static [&'static str]) -> Self {
        Flag {
            values,
            ..self.taking_text(value)
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

    /// The same flag, but it may be given more than once.
    pub const fn repeated(self) -> Self {
        Flag { repeated: true, ..self }
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
    /// The last of its words, which tells it from its siblings.
    pub fn word(&self) -> &'static str {
        self.name.rsplit(' ').next().unwrap_or(self.name)
    }

    /// The verbs that begin with its words.
    pub fn verbs(&self) -> &'static [Verb] {
        match self.does {
            Does::Verbs(verbs) | Does::Both(_, verbs) => verbs,
            Does::Work(_) => &[],
        }
    }

    /// Itself, and every verb that begins with its words.
    pub fn family(&'static self) -> Vec<&'static Verb> {
        let inner = self.verbs().iter().flat_map(Verb::family);
        std::iter::once(self).chain(inner).collect()
    }

    /// `wbx lint [OPTIONS] <FILE>`, `wbx ledger <VERB>`, `wbx deploy [OPTIONS] <PLAN> | <VERB>`.
    pub fn usage(&self) -> String {
        let arguments: String = self
            .arguments
            .iter()
            .map(|argument| format!(" {}", argument.usage()))
            .collect();
        let verb = match self.does {
            Does::Work(_) => "",
            Does::Verbs(_) => " <VERB>",
            Does::Both(..) => " | <VERB>",
        };
        format!("wbx {} [OPTIONS]{arguments}{verb}", self.name)
    }
}

/// In the tree, only a family shows what is inside.
impl Serialize for Does {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Does::Verbs(verbs) | Does::Both(_, verbs) = self {
            map.serialize_entry("verbs", verbs)?;
        }
        map.end()
    }
}
