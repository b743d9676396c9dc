//! The events of a call, kept for a while for those who come back.

use crate::Bearer;
use crate::call::{Admitted, Shared};
use failure::Failure;
use failure::codes::INTERNAL;
use host::Cancel;
use operations::door::{EVENTS_LOST, UNKNOWN_STREAM};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::Notify;

/// Streams that are over and may still be asked for. The oldest goes first.
const FINISHED: usize = 256;

/// Every stream that can be asked for.
#[derive(Default)]
pub(crate) struct Streams(Mutex<Known>);

#[derive(Default)]
struct Known {
    by_id: HashMap<String, Arc<Stream>>,
    finished: VecDeque<String>,
}

/// The events of one call.
pub(crate) struct Stream {
    pub id: String,
    /// Whose call it is.
    owner: String,
    /// Whether it goes on without a reader.
    detached: bool,
    state: Mutex<State>,
    told: Notify,
    cancel: Cancel,
    most: usize,
    most_bytes: usize,
}

#[derive(Default)]
struct State {
    kept: VecDeque<Said>,
    bytes: usize,
    /// The number of the next event; the first is 1.
    next: u64,
    over: bool,
    readers: usize,
}

/// One thing that is said on a stream.
#[derive(Clone)]
pub(crate) struct Said {
    pub n: u64,
    /// `event`, `answer` or `error`.
    pub kind: &'static str,
    pub data: Arc<str>,
}

/// Somebody who reads a stream.
pub(crate) struct Reader {
    pub stream: Arc<Stream>,
    shared: Arc<Shared>,
    /// The last event that was read.
    last: u64,
}

impl Stream {
    fn say(&self, kind: &'static str, value: &Value) {
        let data: Arc<str> = value.to_string().into();
        let mut state = self.state.lock();
        let n = state.next;
        state.next += 1;
        state.bytes += data.len();
        state.kept.push_back(Said { n, kind, data });
        state.over |= kind != "event";
        while state.kept.len() > 1 && (state.kept.len() > self.most || state.bytes > self.most_bytes) {
            if let Some(old) = state.kept.pop_front() {
                state.bytes -= old.data.len();
            }
        }
        drop(state);
        self.told.notify_waiters();
    }
}

/// Begins a call whose events are kept.
pub(crate) fn begin(
    shared: &Arc<Shared>,
    bearer: &Bearer,
    admitted: Admitted,
    params: Value,
    detached: bool,
) -> Result<Arc<Stream>, Failure> {
    let id = new_id()?;
    let limits = &shared.config.limits;
    let stream = Arc::new(Stream {
        id: id.clone(),
        owner: bearer.id.clone(),
        detached,
        state: Mutex::new(State {
            next: 1,
            ..State::default()
        }),
        told: Notify::new(),
        cancel: Cancel::default(),
        most: limits.replay,
        most_bytes: limits.replay_bytes,
    });
    shared.replays.0.lock().by_id.insert(id.clone(), stream.clone());
    let (shared, teller, under_way) = (shared.clone(), stream.clone(), stream.clone());
    tokio::spawn(async move {
        let heard = Arc::new(move |event: Value| teller.say("event", &event));
        let answer = shared.perform(admitted, params, heard, under_way.cancel.clone()).await;
        match answer {
            Ok(answer) => under_way.say("answer", &answer),
            Err(failure) => under_way.say("error", &json!(failure)),
        }
        let mut known = shared.replays.0.lock();
        known.finished.push_back(id);
        while known.finished.len() > FINISHED {
            if let Some(old) = known.finished.pop_front() {
                known.by_id.remove(&old);
            }
        }
    });
    Ok(stream)
}

fn new_id() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Failure::new(INTERNAL, error.to_string(), ""))?;
    Ok(data_encoding::HEXLOWER.encode(&bytes))
}

impl Streams {
    /// A stream of this bearer's. Anybody else's is as unknown as none.
    pub fn find(&self, id: &str, bearer: &Bearer) -> Result<Arc<Stream>, Failure> {
        let found = self.0.lock().by_id.get(id).cloned();
        found.filter(|stream| stream.owner == bearer.id).ok_or_else(|| {
            Failure::new(
                UNKNOWN_STREAM,
                "there is no such stream of events, or not any more",
                "ask for the operation again; `run.status` says how a run stands",
            )
        })
    }
}

impl Reader {
    /// Reads what comes after event `last`. What is not kept any more is a failure.
    pub fn new(shared: Arc<Shared>, stream: Arc<Stream>, last: u64) -> Result<Reader, Failure> {
        let mut state = stream.state.lock();
        let first = state.kept.front().map_or(state.next, |said| said.n);
        if last + 1 < first || last >= state.next {
            return Err(Failure::new(
                EVENTS_LOST,
                format!("the events after {last} are not kept any more: the first that is has the number {first}"),
                "read how things stand anew, and go on from there",
            ));
        }
        state.readers += 1;
        drop(state);
        Ok(Reader { stream, shared, last })
    }

    /// The next event; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<Said, Failure>> {
        loop {
            // Listen first and look then: what is told in between is not missed.
            let mut told = std::pin::pin!(self.stream.told.notified());
            told.as_mut().enable();
            {
                let state = self.stream.state.lock();
                if let Some(first) = state.kept.front()
                    && first.n > self.last + 1
                {
                    return Some(Err(Failure::new(
                        EVENTS_LOST,
                        "the reader is slower than the events come, and some are not kept any more",
                        "read how things stand anew, and go on from there",
                    )));
                }
                let at = state.kept.iter().find(|said| said.n > self.last).cloned();
                if let Some(said) = at {
                    self.last = said.n;
                    return Some(Ok(said));
                }
                if state.over {
                    return None;
                }
            }
            told.await;
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.stream.state.lock();
        state.readers -= 1;
        if state.readers > 0 || state.over || self.stream.detached {
            return;
        }
        drop(state);
        // The connection may be back in a moment. If it is not, nobody waits for the answer.
        let (stream, linger) = (self.stream.clone(), self.shared.config.limits.linger);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                tokio::time::sleep(linger).await;
                if stream.state.lock().readers == 0 {
                    stream.cancel.cancel();
                }
            });
        } else {
            stream.cancel.cancel();
        }
    }
}
