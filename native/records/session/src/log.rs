//! Reading a session back: the manifest says what is truth, and everything it says is checked.
//!
//! Nothing is salvaged by looking around. What cannot be confirmed ends the valid part, and the session's health says
//! so; only what was never acknowledged is passed over in silence.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::{BadEvent, Event, Fact};
use crate::manifest::{BadRecord, Closed, Record, RecordFact, segment_bounds, segment_path};
use crate::state::State;
use crate::{Digest, EventId, SessionId, SnapshotRef};

/// Whether a session can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Health {
    /// All of it.
    Healthy,
    /// Up to a place.
    CorruptTail {
        /// What is wrong there.
        reason: String,
    },
    /// None of it.
    CorruptHead {
        /// What is wrong.
        reason: String,
    },
    /// It was written by a newer program.
    UnknownVersion {
        /// What is unknown.
        reason: String,
    },
}

impl Health {
    /// Whether all of it can be trusted.
    pub const fn is_healthy(&self) -> bool {
        matches!(self, Health::Healthy)
    }

    /// The name as it is written.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Health::Healthy => "healthy",
            Health::CorruptTail { .. } => "corrupt_tail",
            Health::CorruptHead { .. } => "corrupt_head",
            Health::UnknownVersion { .. } => "unknown_version",
        }
    }

    /// What readers are shown above a session that is not whole.
    pub fn banner(&self) -> Option<String> {
        match self {
            Health::Healthy => None,
            Health::CorruptTail { reason } => Some(format!("only the valid beginning is shown: {reason}")),
            Health::CorruptHead { reason } => Some(format!("nothing of it can be trusted: {reason}")),
            Health::UnknownVersion { reason } => Some(format!("a newer program wrote it: {reason}")),
        }
    }
}

/// A pin that a snapshot needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The event that needs it.
    pub event_index: u64,
    /// The event that needs it.
    pub event_id: EventId,
    /// The snapshot.
    pub snapshot: SnapshotRef,
}

/// A session as it was read.
#[derive(Debug, Clone)]
pub struct Log {
    /// What its valid events add up to.
    pub state: State,
    /// Whether it can be trusted.
    pub health: Health,
    /// What was found that does no harm.
    pub warnings: Vec<String>,
    records: u64,
    offset: u64,
    torn: u64,
    segments: u64,
    pinned: BTreeSet<SnapshotRef>,
    unpinned: Vec<Pin>,
    poisoned: bool,
}

/// Why reading stopped.
#[derive(Debug)]
enum Stop {
    Corrupt(String),
    Version(String),
}

/// A segment that was held against its record: its events, or why they do not count.
///
/// Reading one needs nothing but its record, so many can be read at once.
#[derive(Debug)]
pub struct Segment(Result<Vec<Event>, Stop>);

impl Segment {
    /// Checks the bytes of a segment and reads its events.
    pub fn read(closed: &Closed, bytes: Result<Vec<u8>, String>) -> Self {
        let path = &closed.segment_rel_path;
        let corrupt = |why: String| Stop::Corrupt(format!("{} {why}", crate::text::clip(path, 64)));
        let read = || {
            let data = bytes.map_err(corrupt)?;
            if data.len() as u64 != closed.bytes || Digest::of(&data) != closed.sha256 {
                return Err(corrupt("is not what its digest says".into()));
            }
            let events = read_events(&data).map_err(|e| match e {
                BadEvent::UnknownVersion(_) => Stop::Version(e.to_string()),
                BadEvent::Unreadable(_) => corrupt(format!("does not hold events: {e}")),
            })?;
            let wanted = closed
                .last_event_index
                .checked_sub(closed.first_event_index)
                .and_then(|n| n.checked_add(1));
            if wanted != Some(events.len() as u64) {
                return Err(corrupt(format!("has {} events", events.len())));
            }
            Ok(events)
        };
        Segment(read())
    }
}

impl Log {
    /// A session without records.
    pub fn new(id: SessionId) -> Self {
        Log {
            state: State::new(id),
            health: Health::Healthy,
            warnings: Vec::new(),
            records: 0,
            offset: 0,
            torn: 0,
            segments: 0,
            pinned: BTreeSet::new(),
            unpinned: Vec::new(),
            poisoned: false,
        }
    }

    /// Reads a whole manifest. `segment` reads a segment; `names` are the files in `events/`.
    pub fn load(id: SessionId, manifest: &[u8], segment: &mut dyn FnMut(&Closed) -> Segment, names: &[String]) -> Self {
        let mut log = Log::new(id);
        log.extend(manifest, segment);
        if log.poisoned {
            // Half a segment got into the state: read once more, and stop before it.
            let (end, health) = (log.offset as usize, log.health);
            log = Log::new(id);
            log.extend(&manifest[..end], segment);
            log.health = health;
        }
        log.check_names(names);
        log
    }

    /// Whether the state holds half a segment, so that only a new [`Log::load`] can tell what is valid.
    pub const fn is_poisoned(&self) -> bool {
        self.poisoned
    }

    /// Reads what was added to the manifest after [`Log::offset`].
    pub fn extend(&mut self, added: &[u8], segment: &mut dyn FnMut(&Closed) -> Segment) {
        let whole = added.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        self.torn = (added.len() - whole) as u64;
        for line in added[..whole].split_inclusive(|b| *b == b'\n') {
            if !self.health.is_healthy() {
                return;
            }
            match self.line(line, segment) {
                Ok(()) => self.offset += line.len() as u64,
                Err(stop) => self.stop(stop),
            }
        }
    }

    /// The bytes of the manifest that are valid records.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes after them that end in no newline and were never acknowledged.
    pub const fn torn(&self) -> u64 {
        self.torn
    }

    /// The index of the next record.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// How many appends there were.
    pub const fn segments(&self) -> u64 {
        self.segments
    }

    /// The snapshots that are pinned.
    pub fn pinned(&self) -> impl Iterator<Item = SnapshotRef> {
        self.pinned.iter().copied()
    }

    /// Pins that the last append still owes.
    pub fn unpinned(&self) -> &[Pin] {
        &self.unpinned
    }

    /// Forgets the torn bytes, after they were cut off.
    pub fn mended(&mut self) {
        self.torn = 0;
    }

    /// The records that commit a segment with these events, and the pins that follow it.
    pub fn records_for(&self, segment: &[u8], events: &[Event]) -> (Record, Vec<Record>) {
        let (first, last) = (self.state.next_index, self.state.next_index + events.len() as u64 - 1);
        let closed = RecordFact::SegmentClosed(Closed {
            first_event_index: first,
            last_event_index: last,
            segment_rel_path: segment_path(first, last),
            sha256: Digest::of(segment),
            bytes: segment.len() as u64,
        });
        let closed = Record::new(self.records, self.state.id, closed);
        (closed, self.pin_records(self.records + 1, &self.owed(events)))
    }

    /// The records of these pins.
    pub fn pin_records(&self, first: u64, pins: &[Pin]) -> Vec<Record> {
        let record = |(i, pin): (usize, &Pin)| {
            let fact = RecordFact::SnapshotPinned {
                event_index: pin.event_index,
                snapshot_ref: pin.snapshot,
                created_by_event_id: pin.event_id,
            };
            Record::new(first + i as u64, self.state.id, fact)
        };
        pins.iter().enumerate().map(record).collect()
    }

    /// Takes records that were just written, with the segment they commit.
    pub fn committed(&mut self, lines: &[u8], segment: &[u8]) {
        self.extend(lines, &mut |closed| Segment::read(closed, Ok(segment.to_vec())));
    }

    fn owed(&self, events: &[Event]) -> Vec<Pin> {
        let mut owed: Vec<Pin> = Vec::new();
        for event in events {
            if let Fact::NodeCreated(created) = &event.fact {
                let snapshot = created.snapshot_ref;
                if !self.pinned.contains(&snapshot) && owed.iter().all(|pin| pin.snapshot != snapshot) {
                    owed.push(Pin {
                        event_index: event.event_index,
                        event_id: event.event_id,
                        snapshot,
                    });
                }
            }
        }
        owed
    }

    fn line(&mut self, line: &[u8], segment: &mut dyn FnMut(&Closed) -> Segment) -> Result<(), Stop> {
        let at = self.records;
        let corrupt = |why: String| Stop::Corrupt(format!("manifest record {at}: {why}"));
        let text = std::str::from_utf8(&line[..line.len() - 1]).map_err(|e| corrupt(e.to_string()))?;
        let record = Record::read(text).map_err(|e| match e {
            BadRecord::UnknownVersion(_) => Stop::Version(e.to_string()),
            BadRecord::Unreadable(_) => corrupt(e.to_string()),
        })?;
        if record.manifest_index != self.records {
            return Err(corrupt(format!("it says that it is record {}", record.manifest_index)));
        }
        if record.session_id != self.state.id {
            return Err(corrupt("it belongs to another session".into()));
        }
        match record.fact {
            RecordFact::SegmentClosed(closed) => {
                if let Some(pin) = self.unpinned.first() {
                    return Err(corrupt(format!(
                        "the snapshot of event {} is not pinned",
                        pin.event_index
                    )));
                }
                let (first, last, due) = (closed.first_event_index, closed.last_event_index, self.state.next_index);
                if first != due || last < first {
                    return Err(corrupt(format!("it closes events {first} to {last}, and {due} is due")));
                }
                let path = segment_path(first, last);
                if closed.segment_rel_path != path {
                    return Err(corrupt(format!(
                        "it names `{}`",
                        crate::text::clip(&closed.segment_rel_path, 64)
                    )));
                }
                let events = segment(&closed).0.map_err(|stop| match stop {
                    Stop::Corrupt(why) => corrupt(why),
                    version => version,
                })?;
                let owed = self.owed(&events);
                if let Err(why) = self.state.apply_all(events) {
                    let stop = corrupt(format!("{path}: {why}"));
                    self.poisoned = true;
                    return Err(stop);
                }
                self.unpinned = owed;
                self.segments += 1;
            }
            RecordFact::SnapshotPinned {
                event_index,
                snapshot_ref,
                created_by_event_id,
            } => {
                let needs = |node: &&crate::state::Node| {
                    node.snapshot == snapshot_ref && node.created_by == created_by_event_id
                };
                if self.state.node_created_at(event_index).filter(needs).is_none() {
                    return Err(corrupt(format!(
                        "it pins a snapshot that event {event_index} does not need"
                    )));
                }
                self.pinned.insert(snapshot_ref);
                self.unpinned.retain(|pin| pin.snapshot != snapshot_ref);
            }
        }
        self.records += 1;
        Ok(())
    }

    fn stop(&mut self, stop: Stop) {
        self.health = match stop {
            Stop::Version(reason) => Health::UnknownVersion { reason },
            Stop::Corrupt(reason) if self.segments == 0 => Health::CorruptHead { reason },
            Stop::Corrupt(reason) => Health::CorruptTail { reason },
        };
    }

    /// A crash leaves at most a segment that begins where the log ends. One that begins later was committed once, so
    /// the manifest has lost records.
    fn check_names(&mut self, names: &[String]) {
        if !self.health.is_healthy() {
            return;
        }
        let beyond = |name: &&String| segment_bounds(name).is_some_and(|(first, _)| first > self.state.next_index);
        if let Some(name) = names.iter().find(beyond) {
            self.stop(Stop::Corrupt(format!(
                "the manifest ends before event {}, and events/{} exists",
                self.state.next_index,
                crate::text::clip(name, 64)
            )));
        }
    }
}

/// The events of a segment, each a line.
pub fn read_events(segment: &[u8]) -> Result<Vec<Event>, BadEvent> {
    let text = std::str::from_utf8(segment).map_err(|e| BadEvent::Unreadable(e.to_string()))?;
    let whole = text
        .strip_suffix('\n')
        .ok_or_else(|| BadEvent::Unreadable("the last line has no end".into()))?;
    whole.split('\n').map(Event::read).collect()
}
