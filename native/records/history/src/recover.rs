//! Finishing what a killed process began.
//!
//! The seal says how much of a log was acknowledged, and the database says the same of the lines since. That much must be
//! there, to the last byte: if it is not, it is reported and nothing is touched. Only where the seal stands for the whole
//! log is a database that disagrees wrong: it is an index, and is made again. What comes after was written and not
//! acknowledged. Whole lines that fit are kept; the rest, such as a torn last line, is cut off.

use crate::copies::LEDGER;
use crate::database::Known;
use crate::log::Mark;
use crate::past::read_or_empty;
use crate::record::Record;
use crate::{Error, ledger_seal};
use ledger::Chain;
use std::path::Path;

/// A log that was put right.
pub(crate) struct Recovered {
    /// Where it ends now.
    pub mark: Mark,
    /// The last time that it speaks of.
    pub last: Option<i64>,
    /// The lines whose rows the database lacks.
    pub rows: Vec<(u64, Record)>,
    /// What the database claims and the sealed log does not have.
    pub disagrees: Option<String>,
}

/// Puts the log of a run right. `known` is what the database says of it.
pub(crate) fn recover(run_id: &str, known: Option<&Known>, steps: &Path) -> Result<Recovered, Error> {
    let bytes = read_or_empty(steps)?;
    let seal = ledger_seal(&steps.with_file_name(LEDGER)).filter(ledger::Seal::is_signed);
    if let Some(seal) = &seal {
        stands_for(run_id, &bytes, seal.count, &seal.head)?;
    }
    let sealed_whole = seal
        .as_ref()
        .is_some_and(|seal| seal.count == whole_lines(&bytes).count() as u64);
    let mut recovered = Recovered {
        mark: Mark::default(),
        last: None,
        rows: Vec::new(),
        disagrees: None,
    };
    let acknowledged = known.map_or(0, |known| known.lines);
    let mut agrees = acknowledged == 0;
    let mut ended = false;
    let sealed_count = seal.as_ref().map_or(0, |seal| seal.count);
    for line in whole_lines(&bytes) {
        // Whoever goes on after a sealed end seals that at once, so what is not sealed there was never acknowledged.
        if ended && recovered.mark.chain.count() >= sealed_count {
            break;
        }
        let Some(record) = fitting(&recovered.mark.chain, line) else {
            break;
        };
        recovered.mark.add(line);
        recovered.last = Some(record.ts());
        ended = matches!(record, Record::End { .. });
        let count = recovered.mark.chain.count();
        agrees |= known.is_some_and(|known| known.lines == count && known.head == recovered.mark.chain.head());
        if count > acknowledged {
            recovered.rows.push((count, record));
        }
    }
    if let Some(known) = known.filter(|_| !agrees) {
        let line = ledger::first_bad_line(&bytes, known.lines, &known.head).unwrap_or(known.lines);
        let damaged = Error::Damaged {
            run_id: run_id.to_owned(),
            line,
        };
        if !sealed_whole {
            return Err(damaged);
        }
        recovered.disagrees = Some(format!("the telemetry was made again: {damaged}"));
    }
    if bytes.len() as u64 > recovered.mark.bytes {
        durable::cut(steps, recovered.mark.bytes).map_err(Error::io("cut the torn end of", steps))?;
    }
    Ok(recovered)
}

/// Checks what a seal stands for.
fn stands_for(run_id: &str, bytes: &[u8], count: u64, head: &str) -> Result<(), Error> {
    let lines = usize::try_from(count).unwrap_or(usize::MAX);
    let length: usize = whole_lines(bytes).take(lines).map(|line| line.len() + 1).sum();
    match ledger::first_bad_line(&bytes[..length], count, head) {
        None => Ok(()),
        Some(line) => Err(Error::Damaged {
            run_id: run_id.to_owned(),
            line,
        }),
    }
}

/// The lines that end with a newline, without it.
pub(crate) fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    bytes[..whole].split(|byte| *byte == b'\n').filter(move |_| whole > 0)
}

/// What a line records, if it is the next one of the chain.
fn fitting(chain: &Chain, line: &[u8]) -> Option<Record> {
    let line = std::str::from_utf8(line).ok()?;
    chain.is_next(line).then(|| Record::of_line(line)).flatten()
}
