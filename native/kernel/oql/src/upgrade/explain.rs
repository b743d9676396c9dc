//! Why a diagnostic breaks: the lines, and a consumer that works with the old plan and not with the new one.

use super::signature::{Output, Signature};
use super::{Gate, Side, compare};
use crate::answer::Explanation;
use crate::types::Verdict;
use crate::workflow::Value;

pub(super) fn removed(old: &Side<'_>, was: &Signature<'_>) -> Explanation {
    let witness = match was.exports.first() {
        Some(export) => format!(
            "a workbook that reads `{}` from `{}` finds no workflow",
            export.text, was.title
        ),
        None => format!("a schedule or a caller that starts `{}` finds no workflow", was.title),
    };
    Explanation {
        old_line: Some(old.outline.headlines[was.headline].line),
        new_line: None,
        witness,
    }
}

pub(super) fn lost_export(gate: &Gate<'_>, now: &Signature<'_>, export: &Value<'_>) -> Explanation {
    let producer = gate.old.outline.above(export.offset);
    let successor = now.outputs.get(&gate.old.outline.name(producer));
    Explanation {
        old_line: Some(gate.old.line(export.offset)),
        new_line: successor.map(|o| output_line(gate.new, o)),
        witness: format!("a component with `:in {}` has no upstream producer", export.text),
    }
}

pub(super) fn new_demand(new: &Side<'_>, was: &Signature<'_>, import: &Value<'_>) -> Explanation {
    let granted: Vec<&str> = was.imports.iter().map(|v| v.text).collect();
    let granted = if granted.is_empty() {
        "nothing".into()
    } else {
        granted.join(", ")
    };
    Explanation {
        old_line: None,
        new_line: Some(new.line(import.offset)),
        witness: format!("a host that granted {granted} does not start it"),
    }
}

pub(super) fn moved_type(gate: &Gate<'_>, name: &str, old: &Output<'_>, new: &Output<'_>) -> Explanation {
    let text = |o: &Output<'_>| o.value.map_or("nothing".to_owned(), |v| format!("`{}`", v.text));
    let structural = old.value.zip(new.value).and_then(|(o, n)| compare(o.text, n.text));
    let witness = match structural {
        Some(Verdict::Breaks(broken)) if gate.structural() => broken.to_string(),
        _ => format!(
            "a consumer that reads {} from `{name}` is given {}",
            text(old),
            text(new)
        ),
    };
    Explanation {
        old_line: Some(output_line(gate.old, old)),
        new_line: Some(output_line(gate.new, new)),
        witness,
    }
}

pub(super) fn must_choose(gate: &Gate<'_>, was: &Signature<'_>, second: usize, names: &[String]) -> Explanation {
    Explanation {
        old_line: Some(gate.old.outline.headlines[was.headline].line),
        new_line: Some(gate.new.outline.headlines[second].line),
        witness: format!(
            "a caller that runs the plan without naming `{}` is asked which one of {}",
            was.title,
            names.join(", ")
        ),
    }
}

pub(super) fn moved_key(
    gate: &Gate<'_>,
    was: &Signature<'_>,
    key: &str,
    old: &Value<'_>,
    new: &Value<'_>,
) -> Explanation {
    Explanation {
        old_line: Some(gate.old.line(old.offset)),
        new_line: Some(gate.new.line(new.offset)),
        witness: format!(
            "a caller that reads `{key}` from the result of `{}` finds nothing",
            was.title
        ),
    }
}

fn output_line(side: &Side<'_>, output: &Output<'_>) -> usize {
    match output.value {
        Some(value) => side.line(value.offset),
        None => side.outline.headlines[output.headline].line,
    }
}
