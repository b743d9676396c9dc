//! `wbx lint`: does the plan cohere?

use crate::{
    answer::{Answer, Note, Remark, View},
    call::Call,
    facts,
    failure::Failure,
    source::Source,
    verdict::{tally, verdict},
};
use oql::{Facts, Finding};

/// The rules that `validate` applies; the others are the wider net.
const RUNG_ONE: [&str; 2] = ["WB001", "WB002"];

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let source = call.source("FILE")?;
    if call.flag("all") {
        let facts = match call.path("facts") {
            Some(path) => facts::parse(&Source::read(path)?)?,
            None => facts::built_in(),
        };
        let findings = oql::lint(&source.text, &facts)?;
        let exit = verdict(findings.iter().map(|finding| finding.level));
        return Ok(Answer::new(findings, exit, move |findings| {
            Ok(view(&source, &findings))
        }));
    }
    let diagnostics = oql::validate(&source.text)?;
    let exit = verdict(diagnostics.iter().map(|diagnostic| diagnostic.level));
    Ok(Answer::new(diagnostics, exit, move |_| {
        let mut findings = oql::lint(&source.text, &Facts::default())?;
        findings.retain(|finding| RUNG_ONE.contains(&finding.code));
        Ok(view(&source, &findings))
    }))
}

fn view(source: &Source, findings: &[Finding]) -> View {
    let summary = match findings {
        [] => format!("{}: the plan coheres", source.name),
        _ => format!("{}: {}", source.name, tally(findings.iter().map(|f| f.level))),
    };
    View::Notes(findings.iter().map(|finding| note(source, finding)).collect(), summary)
}

fn note(source: &Source, finding: &Finding) -> Note {
    Note {
        level: finding.level,
        code: Some(finding.code.to_owned()),
        message: finding.message.clone(),
        places: vec![source.phrase(finding.line, finding.column, &finding.scope)],
        remarks: vec![Remark::Help(finding.hint.clone())],
    }
}
