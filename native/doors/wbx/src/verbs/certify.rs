//! `wbx certify`: a portable statement that DONE was earned, and whether one holds. It needs no engine.

use crate::{
    answer::{Answer, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
    moment, parts,
    verb::{Argument, Does::Work, Example, Flag, Verb},
};
use certificate::{Certificate, Envelope};
use serde_json::json;

pub const CERTIFY: Verb = Verb {
    name: "certify",
    summary: "State, signed, that a DONE was earned; or check such a statement",
    details: "\
Prints a certificate for a task with everything below it, or for the whole plan: an
in-toto statement in a DSSE envelope, signed with your key. What was not earned gets
none. With --verify it checks one; priv/static/verify.html does the same in a browser.
Whether to believe its signer is yours to say: `wbx ledger key` prints your own name.",
    arguments: &[
        Argument::path("PLAN", "The plan file").optional(),
        Argument::text("TASK", "The task's id").optional(),
    ],
    flags: &[
        Flag::new("verify", "Check the certificate in a file; - is standard input").taking("FILE"),
        Flag::new("history", "Another history directory than the user's own").taking("DIR"),
    ],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
    examples: &[
        Example::new("wbx certify plan.org build", Exit::NotFound),
        Example::new("wbx certify --verify plan.org", Exit::Verification),
    ],
    does: Work(run),
};

fn run(call: &Call) -> Result<Answer, Failure> {
    match (call.path("PLAN"), call.source_of_flag("verify")?) {
        (None, Some(certificate)) => checked(call, &certificate.text),
        (Some(plan), None) => {
            let order = json!({"plan": parts::path(plan)?, "task": call.text("TASK")});
            let envelope: Envelope = parts::ask(call, "plan.certify", order)?;
            Ok(Answer::told(&envelope, envelope.to_line()))
        }
        (Some(_), Some(_)) => Err(Failure::usage(
            "a plan is certified, and a certificate is verified",
            "give PLAN, or --verify FILE",
        )),
        (None, None) => Err(Failure::usage(
            "there is nothing to certify",
            "give PLAN, or --verify FILE",
        )),
    }
}

fn checked(call: &Call, text: &str) -> Result<Answer, Failure> {
    let found: Certificate = parts::ask(call, "certificate.verify", json!({"certificate": text}))?;
    Ok(Answer::new(found, Exit::Ok, |Certificate { did, statement }| {
        let head = vec!["TASK", "HOW", "STATUS", "TIME", "RUN", "LINE"];
        let tasks = &statement.predicate.tasks;
        let rows = tasks.iter().map(|task| {
            vec![
                task.id.clone(),
                task.how.clone(),
                task.exit_status.map(|status| status.to_string()).unwrap_or_default(),
                moment::utc(task.at),
                task.ledger.run.clone(),
                task.ledger.line.to_string(),
            ]
        });
        let names: Vec<&str> = statement.subject.iter().map(|subject| subject.name.as_str()).collect();
        let summary = format!(
            "{} of {} earned, signed by {did}",
            count(tasks.len(), "task"),
            names.join(", ")
        );
        Ok(View::Table(head, rows.collect(), summary))
    }))
}
