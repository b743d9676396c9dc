//! Waiting.
//!
//! wasmtime's own `poll_oneoff` may sleep on the thread that the guest has; here others have it as well.

use super::errno::INVAL;
use super::memory::{put, slice, split};
use crate::command::module::Process;
use std::time::{Duration, SystemTime};
use tokio::time::sleep;
use wasmtime::{Caller, Result};

const SUBSCRIPTION: usize = 48;
const EVENT: usize = 32;
/// More than that nobody waits for at once.
const MAX_SUBSCRIPTIONS: i32 = 1_024;

const CLOCK: u8 = 0;
const REALTIME: u32 = 0;
const ABSOLUTE: u16 = 1;

/// What a guest waits for.
struct Subscription {
    userdata: [u8; 8],
    /// A clock, or a stream to read or to write.
    kind: u8,
    clock: u32,
    time: u64,
    absolute: bool,
}

/// `poll_oneoff(subscriptions, events, count, happened)`. Streams and files are always ready: reading and writing wait
/// by themselves. Without one, the first clock decides.
pub(super) async fn poll_oneoff(
    mut caller: Caller<'_, Process>,
    (list, events, count, happened): (i32, i32, i32, i32),
) -> Result<i32> {
    if !(1..=MAX_SUBSCRIPTIONS).contains(&count) {
        return Ok(INVAL);
    }
    let (bytes, process) = split(&mut caller)?;
    let list = slice(bytes, list, count * SUBSCRIPTION as i32)?;
    let subscriptions: Vec<Subscription> = list.chunks_exact(SUBSCRIPTION).map(subscription).collect();
    let ready: Vec<&Subscription> = match subscriptions.iter().any(|wanted| wanted.kind != CLOCK) {
        true => subscriptions.iter().filter(|wanted| wanted.kind != CLOCK).collect(),
        false => {
            let now = process.started.elapsed();
            let first = subscriptions.iter().min_by_key(|wanted| left(wanted, now));
            if let Some(first) = first {
                sleep(left(first, now)).await;
            }
            first.into_iter().collect()
        }
    };
    for (n, wanted) in ready.iter().enumerate() {
        let mut event = [0; EVENT];
        event[..8].copy_from_slice(&wanted.userdata);
        event[10] = wanted.kind;
        put(bytes, events + (n * EVENT) as i32, &event)?;
    }
    put(bytes, happened, &(ready.len() as u32).to_le_bytes())
}

fn subscription(bytes: &[u8]) -> Subscription {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    Subscription {
        userdata: bytes[..8].try_into().unwrap_or_default(),
        kind: bytes[8],
        clock: number(16) as u32,
        time: number(24),
        absolute: number(40) as u16 & ABSOLUTE != 0,
    }
}

/// How long a clock still runs. An absolute time of the monotonic clock counts from the start of the process.
fn left(wanted: &Subscription, monotonic: Duration) -> Duration {
    let time = Duration::from_nanos(wanted.time);
    let now = match (wanted.absolute, wanted.clock) {
        (false, _) => Duration::ZERO,
        (true, REALTIME) => SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default(),
        (true, _) => monotonic,
    };
    time.saturating_sub(now)
}
