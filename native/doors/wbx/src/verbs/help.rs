//! `wbx help`: the table, as text, as data, as a man page, as a reference page.

use crate::{
    answer::Answer,
    call::Call,
    command_line,
    exit::Exit,
    failure::Failure,
    man, markdown,
    table::{self, ENVIRONMENT, GLOBAL, SUMMARY, TABLE},
    verb::{Flag, Verb},
};
use serde::Serialize;

/// The tree of verbs as `help --json` gives it.
#[derive(Serialize)]
struct Tree {
    name: &'static str,
    version: &'static str,
    summary: &'static str,
    flags: &'static [Flag],
    environment: Vec<Variable>,
    exits: Vec<Ending>,
    verbs: &'static [Verb],
}

#[derive(Serialize)]
struct Variable {
    name: &'static str,
    meaning: &'static str,
}

#[derive(Serialize)]
struct Ending {
    code: Exit,
    meaning: &'static str,
}

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let words = call.texts("VERB");
    let verb = match (&words[..], table::find(words.iter().copied())) {
        ([], _) => None,
        (words, Some((verb, taken))) if taken == words.len() => Some(verb),
        (words, _) => return Err(unknown(words)),
    };
    match (verb, call.flag("man"), call.flag("markdown")) {
        (None, true, false) => Ok(Answer::text(man::page())),
        (None, false, true) => Ok(Answer::text(markdown::page())),
        (verb, false, false) => Ok(explain(verb)),
        _ => Err(Failure::usage(
            "a page covers every verb, and there is one page at a time",
            "run `wbx help --man` or `wbx help --markdown`",
        )),
    }
}

/// Help as clap lays it out, the tree in the envelope.
pub fn explain(verb: Option<&'static Verb>) -> Answer {
    let mut command = command_line::command();
    command.build();
    match verb {
        Some(verb) => {
            let mut about = &mut command;
            for word in verb.name.split(' ') {
                about = about.find_subcommand_mut(word).expect("clap knows the whole table");
            }
            Answer::told(verb, about.render_help().to_string())
        }
        None => Answer::told(&tree(), command.render_help().to_string()),
    }
}

fn tree() -> Tree {
    Tree {
        name: "wbx",
        version: env!("CARGO_PKG_VERSION"),
        summary: SUMMARY,
        flags: GLOBAL,
        environment: ENVIRONMENT
            .iter()
            .map(|&(name, meaning)| Variable { name, meaning })
            .collect(),
        exits: Exit::ALL
            .iter()
            .map(|&code| Ending {
                code,
                meaning: code.meaning(),
            })
            .collect(),
        verbs: TABLE,
    }
}

/// The first of these words that leads nowhere, and where it could have led.
pub fn unknown(words: &[&str]) -> Failure {
    let (verbs, taken) = match table::find(words.iter().copied()) {
        Some((verb, taken)) if !verb.verbs().is_empty() => (verb.verbs(), taken),
        Some((_, taken)) => (TABLE, taken),
        None => (TABLE, 0),
    };
    let wrong = words[..words.len().min(taken + 1)].join(" ");
    let names: Vec<&str> = verbs.iter().map(|verb| verb.name).collect();
    let meant = command_line::likely(words).map(|likely| {
        let before = words[..taken.min(words.len())].iter().copied();
        let verb: Vec<&str> = before.chain([likely.as_str()]).collect();
        format!("did you mean `{}`? ", verb.join(" "))
    });
    let hint = format!("{}the verbs are {}", meant.unwrap_or_default(), names.join(", "));
    Failure::usage(format!("there is no verb `{wrong}`"), hint)
}
