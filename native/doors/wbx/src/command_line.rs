//! From the table to clap, and from clap to a call.

use crate::{
    answer::Answer,
    call::Call,
    exit::Exit,
    failure::Failure,
    table::{self, DETAILS, ENVIRONMENT, GLOBAL, SUMMARY, TABLE},
    verb::{Argument, Does, Flag, Verb},
    verbs::help,
};
use clap::{
    Arg, ArgAction, ArgMatches, Command, ValueHint,
    builder::ValueParser,
    error::{ContextKind, ContextValue, ErrorKind},
    parser::ValueSource,
};
use std::ffi::OsString;

type Work = fn(&Call) -> Result<Answer, Failure>;

/// What the arguments ask for.
pub enum Request {
    Run(&'static Verb, Work, Call),
    Help(Option<&'static Verb>),
    Version,
}

/// Reads the arguments, the first of which is the program's own name.
pub fn read(args: &[OsString]) -> Result<Request, Failure> {
    match command().try_get_matches_from(args) {
        Ok(matches) => meant(matches),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp => Ok(Request::Help(verb_of(args))),
            ErrorKind::DisplayVersion => Ok(Request::Version),
            ErrorKind::InvalidSubcommand => Err(help::unknown(&words_of(args).collect::<Vec<_>>())),
            _ => Err(usage(&error.render().to_string())),
        },
    }
}

/// The verb that a word which is none was probably meant to be.
pub fn likely(words: &[&str]) -> Option<String> {
    let args = std::iter::once("wbx").chain(words.iter().copied());
    let error = command().try_get_matches_from(args).err()?;
    match error.get(ContextKind::SuggestedSubcommand)? {
        // The likeliest comes last.
        ContextValue::Strings(words) => words.last().cloned(),
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    }
}

/// Follows clap's subcommands to the verb at their end. One that only begins others is explained.
fn meant(mut matches: ArgMatches) -> Result<Request, Failure> {
    let mut words: Vec<String> = Vec::new();
    while let Some((word, inner)) = matches.remove_subcommand() {
        if let Some((verb, _)) = table::find(words.iter().map(String::as_str)) {
            check_nothing_is_lost(verb, &matches, &word)?;
        }
        words.push(word);
        matches = inner;
    }
    Ok(match table::find(words.iter().map(String::as_str)) {
        Some((verb, _)) => match verb.does {
            Does::Work(work) | Does::Both(work, _) => Request::Run(verb, work, Call(matches)),
            Does::Verbs(_) => Request::Help(Some(verb)),
        },
        None => Request::Help(None),
    })
}

/// `wbx deploy plan.org list` could mean two things: what was given to the first verb must not be dropped for the second.
fn check_nothing_is_lost(verb: &Verb, matches: &ArgMatches, word: &str) -> Result<(), Failure> {
    let names = verb.arguments.iter().map(|argument| argument.name);
    let names = names.chain(verb.flags.iter().map(|flag| flag.name));
    let given = |name: &&str| matches.value_source(name) == Some(ValueSource::CommandLine);
    match names.collect::<Vec<_>>().into_iter().find(given) {
        None => Ok(()),
        Some(name) => Err(Failure::usage(
            format!("`{} {word}` takes no {name} before `{word}`", verb.name),
            format!("write `./{word}` for a file of that name"),
        )),
    }
}

/// The verb that the arguments name, even if the rest cannot be read. No flag before a verb takes a value.
pub fn verb_of(args: &[OsString]) -> Option<&'static Verb> {
    table::find(words_of(args)).map(|(verb, _)| verb)
}

fn words_of(args: &[OsString]) -> impl Iterator<Item = &str> {
    let words = args.iter().skip(1).filter_map(|arg| arg.to_str());
    words.filter(|word| !word.starts_with('-'))
}

/// The whole command line as clap sees it.
pub fn command() -> Command {
    Command::new("wbx")
        .version(env!("CARGO_PKG_VERSION"))
        .about(SUMMARY)
        .after_help(format!("{DETAILS}\n\n{}", exits(&Exit::ALL) + &environment()))
        .disable_help_subcommand(true)
        .subcommand_value_name("VERB")
        .subcommand_help_heading("Verbs")
        .args(GLOBAL.iter().map(|flag| option(flag).global(true)))
        .subcommands(TABLE.iter().map(subcommand))
}

fn subcommand(verb: &Verb) -> Command {
    let examples: String = verb
        .examples
        .iter()
        .map(|example| format!("  {}\n", example.command))
        .collect();
    let details = if verb.details.is_empty() {
        String::new()
    } else {
        format!("{}\n\n", verb.details)
    };
    Command::new(verb.word())
        .about(verb.summary)
        .override_usage(verb.usage())
        .disable_help_subcommand(true)
        .subcommand_value_name("VERB")
        .subcommand_help_heading("Verbs")
        .subcommand_negates_reqs(true)
        .subcommands(verb.verbs().iter().map(subcommand))
        .after_help(format!("{details}Examples:\n{examples}\n{}", exits(verb.exits)))
        .args(verb.arguments.iter().map(positional))
        .args(verb.flags.iter().map(option))
}

fn positional(argument: &Argument) -> Arg {
    let action = if argument.repeated {
        ArgAction::Append
    } else {
        ArgAction::Set
    };
    let arg = Arg::new(argument.name)
        .help(argument.summary)
        .required(argument.required)
        .trailing_var_arg(argument.rest)
        .allow_hyphen_values(argument.rest)
        .action(action);
    match (argument.is_path, argument.values) {
        (true, _) => path(arg),
        (false, []) => arg,
        (false, values) => arg.value_parser(values.to_vec()),
    }
}

fn option(flag: &Flag) -> Arg {
    let mut arg = Arg::new(flag.name).long(flag.name).help(flag.summary);
    if let Some(short) = flag.short {
        arg = arg.short(short);
    }
    if let Some(needed) = flag.needs {
        arg = arg.requires(needed);
    }
    if flag.repeated {
        arg = arg.action(ArgAction::Append);
    }
    match flag.value {
        Some(value) if flag.is_path => path(arg.value_name(value)),
        Some(value) if flag.values.is_empty() => arg.value_name(value),
        Some(value) => arg.value_name(value).value_parser(flag.values.to_vec()),
        None => arg.action(ArgAction::SetTrue),
    }
}

fn path(arg: Arg) -> Arg {
    arg.value_parser(ValueParser::os_string())
        .value_hint(ValueHint::FilePath)
}

fn exits(exits: &[Exit]) -> String {
    exits.iter().fold("Exit codes:\n".to_owned(), |text, exit| {
        format!("{text}  {}  {}\n", *exit as u8, exit.meaning())
    })
}

fn environment() -> String {
    ENVIRONMENT
        .iter()
        .fold("\nEnvironment:\n".to_owned(), |text, (name, meaning)| {
            format!("{text}  {name:14} {meaning}\n")
        })
}

/// clap says what is wrong, then tips, then the usage line, each after a blank line.
fn usage(rendered: &str) -> Failure {
    let mut parts = rendered
        .split("\n\n")
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let message = parts.next().unwrap_or_default();
    let hints: Vec<String> = parts
        .filter(|part| !part.is_empty() && !part.starts_with("For more information"))
        .map(|part| part.trim_start_matches("tip: ").replacen("Usage:", "usage:", 1))
        .collect();
    Failure::usage(message.trim_start_matches("error: "), hints.join("; "))
}
