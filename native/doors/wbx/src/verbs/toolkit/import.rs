//! `wbx toolkit import`: an existing tool as a toolkit.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
};
use ::toolkit_audit::Lanes;
use ::toolkit_import::{Audited, Imported, Kind, Order};
use std::path::Path;

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let kind = call.text("as").map(str::parse::<Kind>).transpose()?;
    let imported = ::toolkit_import::import(&Order {
        source: Path::new(call.path("SOURCE").unwrap_or_default()),
        kind,
        target: call.path("output").map(Path::new),
        here: Path::new(""),
        lanes: &Lanes::shipped(),
    })?;
    Ok(Answer::new(imported, Exit::Ok, |imported| Ok(view(imported))))
}

fn view(imported: Imported) -> View {
    let item = |depth, text: String, aside: String| Item {
        depth,
        text,
        aside,
        ..Item::default()
    };
    let mut items = vec![item(
        0,
        imported.dir.display().to_string(),
        format!("({}, {})", imported.id, imported.kind),
    )];
    items.extend(
        imported
            .skills
            .iter()
            .map(|skill| item(1, format!("skills/{skill}.org"), String::new())),
    );
    match &imported.audited {
        Audited::Audit(report) => items.extend(report.scripts.iter().map(|script| {
            let verdict = format!("{} ({})", script.class, script.interpreter);
            item(1, format!("scripts/{}", script.file), verdict)
        })),
        Audited::AuditSkipped(_) => {
            items.extend(
                imported
                    .scripts
                    .iter()
                    .map(|script| item(1, format!("scripts/{script}"), String::new())),
            );
        }
    }
    items.extend(
        imported
            .skipped
            .iter()
            .map(|left| item(1, left.file.clone(), format!("not carried: {}", left.why))),
    );
    let audit = match &imported.audited {
        Audited::Audit(report) => {
            let summary = report.summary;
            format!(
                "audit: {} ready, {} convertible, {} blocked",
                summary.ready, summary.convertible, summary.blocked
            )
        }
        Audited::AuditSkipped(why) => format!("audit skipped: {why}"),
    };
    let summary = format!(
        "imported {}, {}; {audit}",
        count(imported.skills.len(), "skill"),
        count(imported.scripts.len(), "script")
    );
    View::Outline(items, summary)
}
