//! How the runs of a plan hang together: each names the one before it, and how far that one went.

use crate::copies::{LEDGER, Places, STEPS};
use crate::record::{First, Previous, Record};
use crate::staged::{self, Points, sync_directory};
use crate::{Error, ledger_seal};
use ledger::{Chain, Signer};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A first line is short; what is longer is not one.
const MAX_FIRST: u64 = 64 * 1024;
/// A last line that ends a run is shorter than this.
const MAX_LAST: u64 = 4 * 1024;
/// The lines by which a run ends are within this.
const MAX_END: u64 = 64 * 1024;
const HEAD: Points = ["head.written", "head.synced", "head.placed"];

/// A run of a plan, as its directory shows it.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub run_id: String,
    pub dir: PathBuf,
    /// `None` in a log of version 1, and in one without a line.
    pub first: Option<First>,
    pub started: i64,
    /// How many runs are before it.
    pub depth: usize,
}

#[derive(Deserialize)]
struct About {
    started: i64,
}

/// The last run that began, signed: without it nobody would miss the newest run.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    v: u64,
    run_id: String,
    did: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    sig: String,
}

/// The runs of a plan that recorded something, the oldest first.
pub(crate) fn links(slot: &Path) -> Vec<Link> {
    let mut links: Vec<Link> = fs::read_dir(slot.join("runs"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| read(entry.path()))
        .collect();
    let previous: HashMap<String, String> = links
        .iter()
        .filter_map(|link| {
            Some((
                link.run_id.clone(),
                link.first.as_ref()?.previous.as_ref()?.run_id.clone(),
            ))
        })
        .collect();
    for link in &mut links {
        link.depth = depth(&link.run_id, &previous);
    }
    links.sort_by(|a, b| (a.depth, a.started, &a.run_id).cmp(&(b.depth, b.started, &b.run_id)));
    links
}

/// Empties logs that have nothing but a torn first line: their runs were killed before anything was acknowledged.
pub(crate) fn cut_torn(slot: &Path, links: &[Link]) -> Result<(), Error> {
    let known: HashSet<&Path> = links.iter().map(|link| link.dir.as_path()).collect();
    for entry in fs::read_dir(slot.join("runs")).into_iter().flatten().flatten() {
        let steps = entry.path().join(STEPS);
        if !known.contains(entry.path().as_path()) && fs::metadata(&steps).is_ok_and(|about| about.len() > 0) {
            durable::cut(&steps, 0).map_err(Error::io("cut the torn end of", &steps))?;
        }
    }
    Ok(())
}

/// A circle, which only a forger could make, is as deep as it is long.
fn depth(run_id: &str, previous: &HashMap<String, String>) -> usize {
    let mut seen = HashSet::new();
    let mut at = run_id;
    while let Some(before) = previous.get(at) {
        if !seen.insert(at) {
            break;
        }
        at = before;
    }
    seen.len()
}

fn read(dir: PathBuf) -> Option<Link> {
    let run_id = dir.file_name()?.to_str()?.to_owned();
    let steps = File::open(dir.join(STEPS)).ok()?;
    let mut line = String::new();
    let mut reader = BufReader::new(steps).take(MAX_FIRST);
    // A first line of version 1 may be longer, and it only has to be whole. A torn one was never acknowledged.
    let length = reader.read_line(&mut line).unwrap_or(0) as u64;
    if !line.ends_with('\n') && length < MAX_FIRST {
        return None;
    }
    let first = match line.ends_with('\n').then(|| Record::of_line(&line)).flatten() {
        Some(Record::Run(first)) => Some(first),
        _ => None,
    };
    let about = || {
        Some(
            serde_json::from_slice::<About>(&fs::read(dir.join("run.json")).ok()?)
                .ok()?
                .started,
        )
    };
    let started = first.as_ref().map(|first| first.ts).or_else(about).unwrap_or(0);
    Some(Link {
        run_id,
        dir,
        first,
        started,
        depth: 0,
    })
}

impl Link {
    pub fn steps(&self) -> PathBuf {
        self.dir.join(STEPS)
    }

    /// Whether the log says that the run is over.
    pub fn is_over(&self) -> bool {
        let line = self.last_line().and_then(|line| Record::of_line(&line));
        matches!(line, Some(Record::End { .. }))
    }

    /// Whether the seal stands for the whole log.
    pub fn is_sealed(&self) -> bool {
        let head = self.last_line().and_then(|line| ledger::head_after(line.as_bytes()));
        let seal = ledger_seal(&self.dir.join(LEDGER)).filter(ledger::Seal::is_signed);
        seal.is_some_and(|seal| Some(seal.head) == head)
    }

    /// The last line, if it is a whole one and short.
    fn last_line(&self) -> Option<String> {
        let bytes = self.tail(MAX_LAST)?;
        let whole = bytes.strip_suffix(b"\n")?;
        let line = whole.rsplit(|byte| *byte == b'\n').next()?;
        String::from_utf8(line.to_vec()).ok()
    }

    /// How the run says that it ended, if the end of its log does.
    pub fn outcome(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Finished {
            tool: String,
            event: String,
            state: String,
        }
        let bytes = self.tail(MAX_END)?;
        let mut lines = bytes.rsplit(|byte| *byte == b'\n');
        lines.find_map(|line| {
            let step: Finished = serde_json::from_slice(line).ok()?;
            (step.tool == "run" && step.event == "finished").then_some(step.state)
        })
    }

    fn tail(&self, length: u64) -> Option<Vec<u8>> {
        let mut file = File::open(self.steps()).ok()?;
        let end = file.seek(SeekFrom::End(0)).ok()?;
        file.seek(SeekFrom::Start(end.saturating_sub(length))).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// How far the run went: what its seal says if it is over, else what its lines say.
    pub fn reached(&self) -> Result<Previous, Error> {
        let sealed = ledger_seal(&self.dir.join(LEDGER)).filter(|_| self.is_over() && self.is_sealed());
        let (count, head) = match sealed {
            Some(seal) => (seal.count, seal.head),
            None => {
                let steps = self.steps();
                let bytes = fs::read(&steps).map_err(Error::io("read", &steps))?;
                let mut chain = Chain::new();
                crate::recover::whole_lines(&bytes).for_each(|line| chain.append(line));
                (chain.count(), chain.head().to_owned())
            }
        };
        Ok(Previous {
            run_id: self.run_id.clone(),
            count,
            head,
        })
    }
}

/// Names the newest run.
pub(crate) fn point_at(places: &Places, run_id: &str, signer: &Signer) -> io::Result<()> {
    let mut head = Head {
        v: 1,
        run_id: run_id.to_owned(),
        did: signer.did(),
        sig: String::new(),
    };
    head.sig = signer.sign(ledger::canonical(&head).as_bytes());
    let text = ledger::canonical(&head) + "\n";
    let target = places.slot.join("head.json");
    staged::stage(&target, &places.mark, 0o600, HEAD, |file| {
        file.write_all(text.as_bytes())
    })?
    .place()?;
    sync_directory(&places.slot)
}

/// The run that was named last: its id, or why nobody can say. `None` when none was named.
pub(crate) fn pointed_at(slot: &Path) -> Option<Result<String, String>> {
    let bytes = fs::read(slot.join("head.json")).ok()?;
    let read = || -> Option<String> {
        let mut head: Head = serde_json::from_slice(&bytes).ok()?;
        let sig = std::mem::take(&mut head.sig);
        let signed = ledger::is_signed_by(&head.did, ledger::canonical(&head).as_bytes(), &sig);
        (signed && head.v == 1).then_some(head.run_id)
    };
    Some(read().ok_or_else(|| "the note of the newest run is not what was signed".to_owned()))
}
