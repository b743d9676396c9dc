//! Holding logs against their seals, and the runs of a plan against each other.

use crate::copies::{LEDGER, STEPS};
use crate::link;
use crate::past::{Past, Problem, ProblemKind};
use crate::{Error, Home, place};
use ledger::Verification;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// What came of holding the runs of a plan against their seals and each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlanVerification {
    /// The newest run's log.
    #[serde(flatten)]
    pub newest: Verification,
    /// Where that log lies.
    pub log: String,
    /// What stands on its first bad line, if anything does.
    pub bad_line_text: Option<String>,
    /// Whether it is sealed with the key of this history directory.
    pub own_key: bool,
    /// The newest run.
    pub run_id: String,
    /// How many runs there are.
    pub runs: usize,
    /// What is wrong with any of them.
    pub problems: Vec<Problem>,
}

impl PlanVerification {
    /// Whether every run is what it was, and none is missing.
    pub fn is_sound(&self) -> bool {
        self.newest.is_sound() && self.problems.is_empty()
    }
}

/// Verifies what is there: a `_steps.jsonl`, the one in a directory, or every run of a plan.
pub fn verify_at(home: &Home, at: &Path) -> Result<PlanVerification, Error> {
    let path = place::of_past_plan(at);
    if !path.is_dir() && path.extension().is_none_or(|extension| extension != "jsonl") {
        return verify_plan(home, at);
    }
    let log = steps(home, at)?;
    let seal = crate::ledger_seal(&log.with_file_name(LEDGER));
    let newest = verify(home, at)?;
    Ok(PlanVerification {
        bad_line_text: bad_line_text(&log, &newest),
        own_key: own_key(home, &newest),
        log: log.display().to_string(),
        newest,
        run_id: seal.map(|seal| seal.run_id).unwrap_or_default(),
        runs: 1,
        problems: Vec::new(),
    })
}

/// Verifies a log: a `_steps.jsonl`, or the one in a directory.
pub fn verify(home: &Home, at: &Path) -> Result<Verification, Error> {
    let steps = steps(home, at)?;
    let found = hold(&steps)?;
    if found.is_sound() {
        return Ok(found);
    }
    // The two files of a run that goes on get their names one after the other.
    thread::sleep(Duration::from_millis(20));
    hold(&steps)
}

/// Verifies every run of a plan: that each log is what was sealed, and that each run follows the one that it names.
///
/// A run that goes on, or was killed, may have lines that are not sealed yet; they only have to fit.
pub fn verify_plan(home: &Home, plan: &Path) -> Result<PlanVerification, Error> {
    let past = Past::read(home, plan)?;
    let problems = problems(&past);
    // A run that was killed as it began may have no seal yet.
    let sealed = past.logs.iter().rev().find(|log| log.link.dir.join(LEDGER).is_file());
    let newest = sealed
        .or(past.logs.last())
        .ok_or_else(|| Error::NoHistory(plan.to_owned()))?;
    let mut found = hold(&newest.link.steps())?;
    // Lines after the seal of a run that goes on or was killed are honest, as far as anybody can say: they fit.
    if newest.problem.is_none() && newest.link.first.is_some() {
        found.tamper_evident = true;
        found.first_bad_line = None;
    }
    let log = newest.link.steps();
    Ok(PlanVerification {
        bad_line_text: bad_line_text(&log, &found),
        own_key: own_key(home, &found),
        log: log.display().to_string(),
        newest: found,
        run_id: newest.link.run_id.clone(),
        runs: past.logs.len(),
        problems,
    })
}

/// The lines of a log, without checking anything; one that is not JSON is the text that it is.
///
/// `at` is what [`verify`] takes. Of a plan it is the log of the newest run.
pub fn lines(home: &Home, at: &Path) -> Result<Vec<Value>, Error> {
    let steps = steps(home, at)?;
    let text = fs::read(&steps).map_err(Error::io("read", &steps))?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines();
    Ok(lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| line.into()))
        .collect())
}

fn bad_line_text(log: &Path, found: &Verification) -> Option<String> {
    let line = usize::try_from(found.first_bad_line?).ok()?.checked_sub(1)?;
    let text = fs::read(log).ok()?;
    String::from_utf8_lossy(&text).lines().nth(line).map(str::to_owned)
}

fn own_key(home: &Home, found: &Verification) -> bool {
    home.signer().is_ok_and(|signer| signer.did() == found.did)
}

/// Everything that is wrong with the runs of a plan.
pub(crate) fn problems(past: &Past) -> Vec<Problem> {
    let mut problems: Vec<Problem> = past.logs.iter().filter_map(|log| log.problem.clone()).collect();
    let there: HashSet<&str> = past.logs.iter().map(|log| log.link.run_id.as_str()).collect();
    let problem = |run_id: &str, kind, message: String| Problem {
        run_id: run_id.to_owned(),
        kind,
        message,
        line: None,
    };
    let mut followed: HashMap<&str, &str> = HashMap::new();
    let mut beginnings: Vec<&str> = Vec::new();
    for log in &past.logs {
        let run_id = log.link.run_id.as_str();
        let Some(first) = &log.link.first else { continue };
        if first.run_id != run_id {
            problems.push(problem(
                run_id,
                ProblemKind::Changed,
                format!("its log is that of run `{}`", first.run_id),
            ));
        }
        let Some(previous) = &first.previous else {
            beginnings.push(run_id);
            continue;
        };
        if !there.contains(previous.run_id.as_str()) {
            let message = format!("run `{run_id}` follows it, and it is not there");
            problems.push(problem(&previous.run_id, ProblemKind::Missing, message));
        }
        if let Some(other) = followed.insert(&previous.run_id, run_id) {
            let message = format!("run `{other}` and run `{run_id}` both follow it");
            problems.push(problem(&previous.run_id, ProblemKind::Forked, message));
        }
    }
    // Only one run can be the first.
    for second in beginnings.iter().skip(1) {
        let message = format!("it follows no run, and run `{}` was there", beginnings[0]);
        problems.push(problem(second, ProblemKind::Forked, message));
    }
    match link::pointed_at(&past.slot) {
        Some(Ok(run_id)) if !there.contains(run_id.as_str()) => {
            let message = "it was the newest run, and it is not there".to_owned();
            problems.push(problem(&run_id, ProblemKind::Missing, message));
        }
        Some(Err(message)) => problems.push(problem("", ProblemKind::Changed, message)),
        _ => {}
    }
    problems
}

/// The log that [`verify`] looks at; of a plan it is that of the newest run.
pub fn steps(home: &Home, at: &Path) -> Result<PathBuf, Error> {
    let path = place::of_past_plan(at);
    let steps = match path {
        _ if path.is_dir() => path.join(STEPS),
        _ if path.extension().is_some_and(|extension| extension == "jsonl") => path,
        plan => {
            let newest = link::links(&home.slot(&plan)).pop();
            newest.ok_or_else(|| Error::NoHistory(at.to_owned()))?.steps()
        }
    };
    match steps.is_file() {
        true => Ok(steps),
        false => Err(Error::NoHistory(at.to_owned())),
    }
}

fn hold(steps: &Path) -> Result<Verification, Error> {
    let seal = steps.with_file_name(LEDGER);
    let seal = fs::read(&seal).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => Error::NotSealed(steps.to_owned()),
        _ => Error::io("read", &seal)(e),
    })?;
    let log = fs::read(steps).map_err(Error::io("read", steps))?;
    Ok(ledger::verify(&log, &seal)?)
}
