//! Finishing what a killed process began.
//!
//! The database says how much of a log was acknowledged. That much must be there, to the last byte: if it is not, it is
//! reported and nothing is touched. What comes after was written and not acknowledged. Whole lines that fit are kept and
//! get their rows; the rest, such as a torn last line, is cut off.

use crate::Error;
use crate::database::{Database, Known};
use crate::log::Mark;
use crate::record::Record;
use ledger::Chain;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes the log and the database agree. Returns where the log ends now, and the last time it speaks of.
pub(crate) fn recover(database: &mut Database, known: &Known, steps: &Path) -> Result<(Mark, Option<i64>), Error> {
    let bytes = match fs::read(steps) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(Error::io("read", steps))?,
    };
    let mut mark = acknowledged(&bytes, known)?;
    let mut records = Vec::new();
    let mut last = None;
    for line in whole_lines(&bytes[mark.bytes as usize..]) {
        let Some(record) = fitting(&mark.chain, line) else {
            break;
        };
        mark.add(line);
        last = Some(record.ts());
        records.push((mark.chain.count(), record));
    }
    if bytes.len() as u64 > mark.bytes {
        cut(steps, mark.bytes).map_err(Error::io("cut the torn end of", steps))?;
    }
    if !records.is_empty() {
        database.add(&known.run_id, &records, &mark)?;
    }
    Ok((mark, last))
}

/// Checks what the database stands for.
fn acknowledged(bytes: &[u8], known: &Known) -> Result<Mark, Error> {
    let length = usize::try_from(known.bytes).unwrap_or(usize::MAX);
    let bytes = &bytes[..length.min(bytes.len())];
    if let Some(line) = ledger::first_bad_line(bytes, known.lines, &known.head) {
        return Err(Error::Damaged {
            run_id: known.run_id.clone(),
            line,
        });
    }
    let mut mark = Mark::default();
    whole_lines(bytes).for_each(|line| mark.add(line));
    Ok(mark)
}

/// The lines that end with a newline, without it.
fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    bytes[..whole].split(|byte| *byte == b'\n').filter(move |_| whole > 0)
}

/// What a line records, if it is the next one of the chain.
fn fitting(chain: &Chain, line: &[u8]) -> Option<Record> {
    let line = std::str::from_utf8(line).ok()?;
    chain.is_next(line).then(|| Record::of_line(line)).flatten()
}

fn cut(path: &Path, bytes: u64) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    file.set_len(bytes)?;
    file.sync_all()
}
