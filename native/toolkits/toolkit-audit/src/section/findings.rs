//! The findings: a headline for each script, a line for each finding.

use crate::{Report, name};
use std::fmt::Write as _;

pub(super) const NO_SCRIPTS: &str = "no carried scripts — guidance-only toolkit, nothing to convert";

pub(super) fn text(report: &Report) -> String {
    let mut text = String::from("** dependency audit (static, auto)\n");
    if report.scripts.is_empty() {
        let _ = writeln!(text, "   {NO_SCRIPTS}");
    }
    for script in &report.scripts {
        let _ = writeln!(
            text,
            "*** {} — {} ({})",
            name::shown(&script.file),
            script.class,
            script.interpreter
        );
        for finding in &script.findings {
            let _ = writeln!(
                text,
                "    - {} ={}= :: {} — {}",
                finding.kind, finding.name, finding.class, finding.note
            );
        }
    }
    text
}
