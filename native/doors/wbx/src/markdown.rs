//! The reference page.

use crate::{
    exit::Exit,
    table::{self, DETAILS, ENVIRONMENT, GLOBAL, SUMMARY},
    verb::{Flag, Verb},
};

/// The page in Markdown.
pub fn page() -> String {
    let verbs: String = table::all().map(section).collect();
    let exits: String = Exit::ALL
        .iter()
        .map(|exit| format!("| {} | {} |\n", *exit as u8, exit.meaning()))
        .collect();
    let environment: String = ENVIRONMENT.iter().map(|(name, meaning)| item(name, meaning)).collect();
    format!(
        "# wbx\n\n{SUMMARY}.\n\n{DETAILS}\n\n{}{verbs}## Exit codes\n\n| code | meaning |\n|---|---|\n{exits}\n\
         ## Environment\n\n{environment}",
        list(GLOBAL.iter().map(flag))
    )
}

fn section(verb: &Verb) -> String {
    let details = if verb.details.is_empty() {
        String::new()
    } else {
        format!("{}\n\n", verb.details)
    };
    let arguments = verb
        .arguments
        .iter()
        .map(|argument| item(argument.name, argument.summary));
    let exits: Vec<String> = verb.exits.iter().map(|exit| (*exit as u8).to_string()).collect();
    let examples: String = verb
        .examples
        .iter()
        .map(|example| format!("    {}\n", example.command))
        .collect();
    format!(
        "## wbx {}\n\n{}.\n\n    {}\n\n{details}{}Exits with {}. For example:\n\n{examples}\n",
        verb.name,
        verb.summary,
        verb.usage(),
        list(arguments.chain(verb.flags.iter().map(flag))),
        exits.join(", ")
    )
}

fn flag(flag: &Flag) -> String {
    item(&flag.usage(), flag.summary)
}

fn item(name: &str, meaning: &str) -> String {
    format!("- `{name}`: {meaning}\n")
}

/// The items and a blank line, or nothing.
fn list(items: impl Iterator<Item = String>) -> String {
    let list: String = items.collect();
    if list.is_empty() { list } else { list + "\n" }
}
