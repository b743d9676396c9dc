//! Reading what the runs of a plan left: their logs, held against their seals. The database is not asked.

use crate::copies::LEDGER;
use crate::link::{Link, links};
use crate::record::{Previous, Record};
use crate::recover::whole_lines;
use crate::{Error, Home, ledger_seal, place};
use ledger::Chain;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// All runs of a plan, the oldest first.
pub(crate) struct Past {
    pub slot: PathBuf,
    pub logs: Vec<PastLog>,
}

/// The log of one run.
pub(crate) struct PastLog {
    pub link: Link,
    /// The lines that can be believed.
    pub lines: Vec<PastLine>,
    /// Over those lines.
    pub chain: Chain,
    /// Whether the last line says that the run is over.
    pub over: bool,
    pub problem: Option<Problem>,
}

pub(crate) struct PastLine {
    pub text: String,
    pub record: Record,
    /// The hash after this line.
    pub head: String,
}

/// What is wrong with the log of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Problem {
    /// The run.
    pub run_id: String,
    /// What is wrong.
    pub kind: ProblemKind,
    /// The same in words.
    pub message: String,
    /// The first bad line of the run's log, counted from 1, when it is known.
    pub line: Option<u64>,
}

/// Kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The log is not what was sealed.
    Changed,
    /// Another run names it, and it is not there.
    Missing,
    /// Two runs follow it.
    Forked,
}

impl Past {
    /// Reads everything about a plan, which may be gone.
    pub fn read(home: &Home, plan: &Path) -> Result<Past, Error> {
        let slot = home.slot(&place::of_past_plan(plan));
        let past = Past::of_slot(&slot)?;
        match past.logs.is_empty() {
            true => Err(Error::NoHistory(plan.to_owned())),
            false => Ok(past),
        }
    }

    pub fn of_slot(slot: &Path) -> Result<Past, Error> {
        let mut logs: Vec<PastLog> = links(slot).into_iter().map(PastLog::read).collect::<Result<_, _>>()?;
        // Whoever names a run says how far it went at that time.
        let named: Vec<(String, Previous)> = logs
            .iter()
            .filter_map(|log| Some((log.link.run_id.clone(), log.link.first.as_ref()?.previous.clone()?)))
            .collect();
        for (by, previous) in named {
            if let Some(log) = logs.iter_mut().find(|log| log.link.run_id == previous.run_id) {
                log.hold(&by, &previous);
            }
        }
        Ok(Past {
            slot: slot.to_owned(),
            logs,
        })
    }

    /// Every line that can be believed, with its run, in the order of time.
    pub fn lines(&self) -> impl Iterator<Item = (&str, &PastLine)> {
        self.logs
            .iter()
            .flat_map(|log| log.lines.iter().map(|line| (log.link.run_id.as_str(), line)))
    }
}

impl PastLog {
    fn read(link: Link) -> Result<PastLog, Error> {
        let steps = link.steps();
        let bytes = fs::read(&steps).map_err(Error::io("read", &steps))?;
        let mut chain = Chain::new();
        let mut lines = Vec::new();
        let seal = ledger_seal(&link.dir.join(LEDGER));
        let mut sealed = seal
            .as_ref()
            .is_none_or(|seal| seal.count == 0 && seal.head == chain.head());
        let mut added_after_end = false;
        for bytes in whole_lines(&bytes) {
            let ended = matches!(
                lines.last(),
                Some(PastLine {
                    record: Record::End { .. },
                    ..
                })
            );
            // After an end that was sealed nothing counts that is not sealed as well.
            if ended && seal.as_ref().is_some_and(|seal| seal.count == chain.count()) {
                added_after_end = true;
                break;
            }
            let Some((text, record)) = line(&chain, bytes) else {
                break;
            };
            chain.append(bytes);
            sealed |= seal
                .as_ref()
                .is_some_and(|seal| seal.count == chain.count() && seal.head == chain.head());
            lines.push(PastLine {
                text,
                record,
                head: chain.head().to_owned(),
            });
        }
        let signed = seal.as_ref().is_none_or(ledger::Seal::is_signed);
        let mut log = PastLog {
            over: matches!(
                lines.last(),
                Some(PastLine {
                    record: Record::End { .. },
                    ..
                })
            ),
            link,
            lines,
            chain,
            problem: None,
        };
        if let Some(seal) = seal.filter(|_| !(sealed && signed)) {
            let line = ledger::first_bad_line(&bytes, seal.count, &seal.head).filter(|_| signed);
            let message = match (signed, line) {
                (false, _) => "nobody has signed its seal".to_owned(),
                (true, Some(line)) => format!("line {line} of its log is gone or changed"),
                (true, None) => "its log is not what was sealed".to_owned(),
            };
            log.distrust(ProblemKind::Changed, message, line);
        } else if added_after_end {
            // What was sealed still counts.
            let line = log.chain.count() + 1;
            let message = format!("line {line} of its log was added after its end");
            log.problem = Some(log.problem_of(ProblemKind::Changed, message, Some(line)));
        }
        Ok(log)
    }

    /// Holds the log against what a later run says of it.
    fn hold(&mut self, by: &str, previous: &Previous) {
        let head = match previous.count.checked_sub(1) {
            None => Some(Chain::new().head().to_owned()),
            Some(last) => usize::try_from(last)
                .ok()
                .and_then(|last| Some(self.lines.get(last)?.head.clone())),
        };
        if self.problem.is_none() && head.as_ref() != Some(&previous.head) {
            let message = format!("its log is not the one that run `{by}` followed");
            self.distrust(ProblemKind::Changed, message, None);
        }
    }

    /// Nothing that such a log says counts.
    fn distrust(&mut self, kind: ProblemKind, message: String, line: Option<u64>) {
        self.problem = Some(self.problem_of(kind, message, line));
        self.lines.clear();
    }

    fn problem_of(&self, kind: ProblemKind, message: String, line: Option<u64>) -> Problem {
        Problem {
            run_id: self.link.run_id.clone(),
            kind,
            message,
            line,
        }
    }
}

/// A line that is the next of the chain.
fn line(chain: &Chain, bytes: &[u8]) -> Option<(String, Record)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let record = chain.is_next(text).then(|| Record::of_line(text)).flatten()?;
    Some((text.to_owned(), record))
}

/// The bytes of a file, none when it is not there.
pub(crate) fn read_or_empty(path: &Path) -> Result<Vec<u8>, Error> {
    match fs::read(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(Error::io("read", path)),
    }
}
