//! How often something is done that takes time in the size of what there is.
//!
//! Copying the telemetry after each of a thousand verdicts would take the square of its size, and so would writing a plan
//! after each of its states. So such work rests after it is done, twenty times as long as it took: it never takes more than
//! a small part of the time, however large things grow. What is small is done so quickly that nobody notices.

use std::time::{Duration, Instant};

/// The work may take one part in this many of the time.
const SHARE: u32 = 20;

#[derive(Default)]
pub(crate) struct Pace {
    free: Option<Instant>,
}

impl Pace {
    /// When it may be done again; `None` is now.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        self.free.filter(|free| *free > now)
    }

    /// Notes that it was done.
    pub fn took(&mut self, took: Duration, ended: Instant) {
        self.free = Some(ended + took * SHARE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_rests_twenty_times_as_long_as_it_took() {
        let end = Instant::now();
        let mut pace = Pace::default();
        assert_eq!(pace.due(end), None);
        for (took, pause) in [(1, 20), (10, 200), (500, 10_000)] {
            pace.took(Duration::from_millis(took), end);
            let free = end + Duration::from_millis(pause);
            assert_eq!(pace.due(free - Duration::from_micros(1)), Some(free));
            assert_eq!(pace.due(free), None);
        }
    }
}
