//! `wbx check-upgrade`: does the new plan keep the old one's promises?

use crate::{
    answer::{Answer, Note, Remark, View},
    call::Call,
    failure::Failure,
    place::Place,
    source::Source,
    verdict::{tally, verdict},
};
use oql::{Diagnostic, Explanation, Types, UpgradeOptions};

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let paths = ["OLD", "NEW"].map(|name| call.path(name).unwrap_or_default());
    if paths == ["-", "-"] {
        return Err(Failure::usage(
            "OLD and NEW cannot both be standard input",
            "name a file for one of them",
        ));
    }
    let old = Source::read_revision(paths[0])?;
    let new = Source::read_revision(paths[1])?;
    let options = UpgradeOptions {
        identity: call.flag("identity"),
        types: if call.flag("structural") {
            Types::Structural
        } else {
            Types::Exact
        },
        explain: call.flag("explain"),
        callers: false,
    };
    let diagnostics = oql::check_upgrade(&old.text, &new.text, &options)?;
    let exit = verdict(diagnostics.iter().map(|diagnostic| diagnostic.level));
    Ok(Answer::new(diagnostics, exit, move |diagnostics| {
        Ok(view(&old, &new, &diagnostics))
    }))
}

fn view(old: &Source, new: &Source, diagnostics: &[Diagnostic]) -> View {
    let summary = match diagnostics {
        [] => format!("{}: every promise of {} holds", new.name, old.name),
        _ => format!("{}: {}", new.name, tally(diagnostics.iter().map(|d| d.level))),
    };
    View::Notes(diagnostics.iter().map(|d| note(old, new, d)).collect(), summary)
}

fn note(old: &Source, new: &Source, diagnostic: &Diagnostic) -> Note {
    let scope = Remark::Note(format!("in workflow `{}`", diagnostic.scope));
    let (places, why) = match &diagnostic.explain {
        Some(explanation) => explained(old, new, explanation),
        None => (vec![], None),
    };
    Note {
        level: diagnostic.level,
        code: None,
        message: diagnostic.message.clone(),
        places,
        remarks: std::iter::once(scope).chain(why).collect(),
    }
}

fn explained(old: &Source, new: &Source, explanation: &Explanation) -> (Vec<Place>, Option<Remark>) {
    let places = [(old, explanation.old_line), (new, explanation.new_line)]
        .into_iter()
        .filter_map(|(source, line)| line.map(|line| source.whole_line(line)))
        .collect();
    (places, Some(Remark::Note(explanation.witness.clone())))
}
