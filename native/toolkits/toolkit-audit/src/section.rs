//! The audit inside a manifest: the findings and the plan, and not a byte besides.
//!
//! Two parts are the audit's own: the headline `dependency audit` (at first the bait that an import leaves) and the
//! headline `fix-up plan`. Each is written anew where it stands. Text that follows the last line that the audit wrote
//! is somebody's, and so is what is no step in a task of the plan; it stays.

mod findings;
mod lines;
mod plan;
mod previous;

use crate::Report;
use lines::Part;

/// The headline that an import leaves where the audit will stand.
pub const BAIT: &str = "\
** TODO dependency audit
   The import was parse-only. Next: the wasm compatibility audit classifies every
   carried script ready/convertible/blocked and writes the fix-up plan here.
";

/// Puts a report into the manifest of toolkit `id`. A second time changes nothing.
///
/// ```
/// let manifest = format!("* Demo :toolkit:\n{}* Notes\n", toolkit_audit::section::BAIT);
/// let report = toolkit_audit::audit(&[("run.sh", "echo hello\n")], &toolkit_audit::Lanes::none());
/// let written = toolkit_audit::section::write(&manifest, "demo", &report);
/// assert!(written.contains("*** run.sh — ready (sh)\n") && written.ends_with("* Notes\n"));
/// assert_eq!(toolkit_audit::section::write(&written, "demo", &report), written);
/// ```
pub fn write(manifest: &str, id: &str, report: &Report) -> String {
    let mut text = once(manifest, id, report);
    // Somebody's text may look like ours once it stands below ours; then it is taken for it, here and not by the next run.
    for _ in 0..PASSES {
        let next = once(&text, id, report);
        if next == text {
            break;
        }
        text = next;
    }
    text
}

/// More than any text was seen to need.
const PASSES: usize = 64;

fn once(manifest: &str, id: &str, report: &Report) -> String {
    let lines = lines::split(manifest);
    let end = lines::line_end(manifest);
    let audit = lines::find(&lines, 0..lines.len(), Part::Audit);
    let node = lines::node(&lines, audit.as_ref().map(|audit| audit.start));
    let plan = lines::find(&lines, node.clone(), Part::Plan);
    let previous = plan
        .clone()
        .map(|range| previous::read(&lines[range]))
        .unwrap_or_default();

    let findings = findings::text(report);
    let new_plan = plan::text(id, report, &previous);
    let mut edits = match (audit, plan) {
        (Some(audit), Some(plan)) => vec![(audit, findings), (plan, new_plan)],
        (Some(audit), None) => vec![(audit, findings + &new_plan)],
        (None, Some(plan)) => vec![(plan, findings + &new_plan)],
        (None, None) => vec![(node.end..node.end, findings + &new_plan)],
    };
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(manifest.len() + 4096);
    let mut at = 0;
    for (range, text) in edits {
        lines[at..range.start].iter().for_each(|line| out.push_str(line.whole));
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(end);
        }
        put(&mut out, &text, end);
        at = range.end;
    }
    lines[at..].iter().for_each(|line| out.push_str(line.whole));
    out
}

/// Writes lines with the ends that the file has.
fn put(out: &mut String, text: &str, end: &str) {
    for line in text.lines() {
        out.push_str(line);
        out.push_str(end);
    }
}
