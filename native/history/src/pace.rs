//! How often copies are made.
//!
//! Copying takes time in the length of the log, so doing it after each of a thousand verdicts would take its square. In a
//! burst the copies wait a moment instead, so that they never take more than a small part of the time.

use std::time::{Duration, Instant};

/// Copies may take one part in this many of the time.
const SHARE: u32 = 20;
/// The longest that a copy waits.
const LONGEST: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct Pace {
    free: Option<Instant>,
}

impl Pace {
    /// When the next copy may be made; `None` is now.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        self.free.filter(|free| *free > now)
    }

    /// Notes that a copy was made.
    pub fn took(&mut self, started: Instant, ended: Instant) {
        self.free = Some(ended + (ended.duration_since(started) * SHARE).min(LONGEST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_followed_by_a_pause_of_twenty_times_its_length_but_no_more_than_a_second() {
        let start = Instant::now();
        let mut pace = Pace::default();
        assert_eq!(pace.due(start), None);
        for (took, pause) in [(1, 20), (10, 200), (50, 1_000), (5_000, 1_000)] {
            let end = start + Duration::from_millis(took);
            pace.took(start, end);
            let free = end + Duration::from_millis(pause);
            assert_eq!(pace.due(free - Duration::from_micros(1)), Some(free));
            assert_eq!(pace.due(free), None);
        }
    }
}
