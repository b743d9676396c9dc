//! Certificates for what the logs of a plan prove.

use crate::begin::promised;
use crate::past::{Past, PastLine};
use crate::read::{TaskEvent, event};
use crate::record::{Record, Verdict};
use crate::{Error, Home, place, verify};
use certificate::{Earned, Envelope, LedgerEnd, LedgerPlace, Plan, Statement};
use oql::Task;
use outline::{Amendment, Check, Headline, Outline};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;

/// A verdict, with everything that its run knows of it.
struct Proof<'a> {
    run_id: &'a str,
    line: &'a PastLine,
    number: u64,
    verdict: &'a Verdict,
    plan_sha256: Option<&'a str>,
}

/// Why no record supports the DONE of a task, given the last verdict on it. What a check is and what proves it is not for
/// the records to say: `acceptance` is above them.
pub type Unproven<'a> = &'a dyn Fn(&Task, Option<&TaskEvent>) -> Option<String>;

/// Certifies a task of a plan with everything below it, or the whole plan. One task that is not earned, one amendment that
/// nobody accepted, one log that is not what was sealed, and there is no certificate.
pub fn certify(
    home: &Home,
    plan: &Path,
    task: Option<&str>,
    unproven: Unproven<'_>,
    ts: i64,
) -> Result<Envelope, Error> {
    let plan = place::of_plan(plan)?;
    let past = Past::read(home, &plan)?;
    let refused = |id: &str, reason: String| Error::NotEarned {
        id: id.to_owned(),
        reason,
    };
    if let Some(problem) = verify::problems(&past).into_iter().next() {
        return Err(refused(&problem.run_id, problem.message));
    }
    let (bytes, _) = crate::exchange::read(&plan)?;
    let org = std::str::from_utf8(&bytes).map_err(|e| Error::NotText(e.valid_up_to()))?;
    let outline = Outline::read(org)?;
    let rows = oql::tasks(org)?;
    let rows: HashMap<&str, &Task> = rows.iter().map(|row| (row.id.as_str(), row)).collect();
    let tasks = chosen(&outline, task)?;
    let amendments = promised(&past).baseline.compare(&outline);
    let proofs = proofs(&past);
    let mut earned = Vec::new();
    for headline in tasks {
        if let Some(amendment) = amendments.iter().find(|amendment| holds_back(amendment, &headline.id)) {
            let reason = format!("`{}` is amended: {}", amendment.id, amendment.reason);
            return Err(refused(&headline.id, reason));
        }
        let proof = proofs.get(headline.id.as_str());
        let last = proof.map(|proof| event(proof.run_id, proof.verdict));
        match unearned(headline, rows.get(headline.id.as_str()).copied(), last, unproven) {
            Some(reason) => return Err(refused(&headline.id, reason)),
            None => earned.extend(proof.map(|proof| statement_of(headline, proof))),
        }
    }
    let signer = home.signer()?;
    let newest = past.logs.last().ok_or_else(|| Error::NoHistory(plan.clone()))?;
    let subject = Plan {
        name: plan.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        sha256: format!("{:x}", Sha256::digest(&bytes)),
    };
    let end = LedgerEnd {
        run: newest.link.run_id.clone(),
        count: newest.chain.count(),
        head: newest.chain.head().to_owned(),
    };
    Ok(Statement::new(subject, signer.did(), ts, earned, end).sign(&signer))
}

/// The tasks that are meant: all that are not cancelled, or one with those below it.
fn chosen<'a>(outline: &'a Outline, task: Option<&str>) -> Result<Vec<&'a Headline>, Error> {
    let tasks = outline
        .headlines()
        .iter()
        .filter(|h| h.keyword.is_some() && !h.cancelled);
    let below = |h: &Headline, top: &str| h.id == top || outline.above(&h.id).any(|above| above.id == top);
    let chosen: Vec<&Headline> = tasks.filter(|h| task.is_none_or(|top| below(h, top))).collect();
    match (task, chosen.is_empty()) {
        (Some(id), _) if !chosen.iter().any(|h| h.id == id) => Err(Error::NoTask(id.to_owned())),
        (None, true) => Err(Error::NoTask(String::new())),
        _ => Ok(chosen),
    }
}

/// An amendment speaks against the task itself, and against everything above it.
fn holds_back(amendment: &Amendment, id: &str) -> bool {
    amendment.id == id || amendment.above.iter().any(|above| above == id)
}

/// Why a DONE is not earned.
fn unearned(
    headline: &Headline,
    task: Option<&Task>,
    last: Option<TaskEvent>,
    unproven: Unproven<'_>,
) -> Option<String> {
    if headline.open {
        let keyword = headline.keyword.as_deref().unwrap_or_default();
        return Some(format!("its state is {keyword}"));
    }
    unproven(task?, last.as_ref())
}

/// The last verdict on each task.
fn proofs(past: &Past) -> HashMap<&str, Proof<'_>> {
    let mut proofs = HashMap::new();
    for log in &past.logs {
        let mut plan_sha256 = None;
        for (at, line) in log.lines.iter().enumerate() {
            match &line.record {
                Record::Outline(outline) => plan_sha256 = Some(outline.plan_sha256.as_str()),
                Record::Verdict(verdict) => {
                    let proof = Proof {
                        run_id: &log.link.run_id,
                        number: at as u64 + 1,
                        line,
                        verdict,
                        plan_sha256,
                    };
                    proofs.insert(verdict.task_id.as_str(), proof);
                }
                _ => {}
            }
        }
    }
    proofs
}

fn statement_of(headline: &Headline, proof: &Proof<'_>) -> Earned {
    let fields: Value = serde_json::from_str(&proof.line.text).unwrap_or_default();
    let list = |key: &str| match &fields[key] {
        Value::Null => Value::Array(Vec::new()),
        value => value.clone(),
    };
    let check = headline
        .check
        .as_ref()
        .map(|Check { text, sha256 }| certificate::Check {
            text: text.clone(),
            sha256: sha256.clone(),
        });
    Earned {
        id: headline.id.clone(),
        title: headline.title.clone(),
        how: proof.verdict.how.clone().unwrap_or_default(),
        check,
        exit_status: fields["exit_code"].as_i64(),
        commands: list("commands"),
        files_read: list("files_read"),
        plan_sha256: proof.plan_sha256.map(str::to_owned),
        at: proof.verdict.ts,
        ledger: LedgerPlace {
            run: proof.run_id.to_owned(),
            line: proof.number,
            head: proof.line.head.clone(),
        },
    }
}
