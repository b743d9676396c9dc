//! The man page.

use crate::{
    exit::Exit,
    table::{self, DETAILS, ENVIRONMENT, GLOBAL, SUMMARY},
    verb::{Flag, Verb},
};
use roff::{Inline, Roff, bold, italic, roman};

/// The page in roff, for `man -l -`.
pub fn page() -> String {
    let mut page = Roff::new();
    page.control("TH", ["WBX", "1", "", concat!("wbx ", env!("CARGO_PKG_VERSION"))]);
    page.control("SH", ["NAME"]);
    page.text([roman(format!("wbx - {SUMMARY}"))]);
    page.control("SH", ["SYNOPSIS"]);
    page.text([bold("wbx"), roman(" "), italic("VERB"), roman(" [OPTIONS] [ARGUMENTS]")]);
    page.control("SH", ["DESCRIPTION"]);
    page.text([roman(DETAILS)]);
    page.control("SH", ["OPTIONS"]);
    GLOBAL.iter().for_each(|flag| describe(&mut page, flag));
    page.control("SH", ["VERBS"]);
    table::all().for_each(|verb| section(&mut page, verb));
    page.control("SH", ["EXIT STATUS"]);
    for exit in Exit::ALL {
        entry(&mut page, bold((exit as u8).to_string()), exit.meaning());
    }
    page.control("SH", ["ENVIRONMENT"]);
    for (name, meaning) in ENVIRONMENT {
        entry(&mut page, bold(*name), meaning);
    }
    page.render()
}

fn section(page: &mut Roff, verb: &Verb) {
    page.control("SS", [verb.usage().as_str()]);
    page.text([roman(format!("{}.", verb.summary))]);
    if !verb.details.is_empty() {
        page.control("PP", []);
        page.text([roman(verb.details)]);
    }
    for argument in verb.arguments {
        entry(page, italic(argument.name), argument.summary);
    }
    verb.flags.iter().for_each(|flag| describe(page, flag));
    page.control("PP", []);
    let exits: Vec<String> = verb.exits.iter().map(|exit| (*exit as u8).to_string()).collect();
    page.text([roman(format!("Exits with {}.", exits.join(", ")))]);
    for example in verb.examples {
        page.control("PP", []);
        page.text([roman(example.command)]);
    }
}

fn describe(page: &mut Roff, flag: &Flag) {
    entry(page, bold(flag.usage()), flag.summary);
}

fn entry(page: &mut Roff, term: Inline, meaning: &str) {
    page.control("TP", []);
    page.text([term]);
    page.text([roman(meaning)]);
}
