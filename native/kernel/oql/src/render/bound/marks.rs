//! The marks of one kind of emphasis, seen from right to left.

/// Whether a mark can end what a mark of its kind began.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closes {
    /// It cannot.
    Never,
    /// Only as the last one in a cell, a link or other markup.
    Maybe,
    /// Wherever it stands.
    Surely,
}

/// The marks of one kind to the right of the place that is being read.
pub(super) struct Marks {
    /// How many, and the nearest.
    seen: Seen,
    /// The two nearest that surely close, each with what was to the right of it.
    closers: [Option<(usize, usize)>; 2],
    /// The last one on this line that may close, and on the next line.
    last: [Option<usize>; 2],
    /// What was to the right of the end of this line, and of the next.
    beyond: [Seen; 2],
}

#[derive(Clone, Copy)]
struct Seen {
    count: usize,
    nearest: usize,
}

/// What an opening mark finds.
pub(super) struct Found {
    /// What the search costs, in nanoseconds.
    pub price: u64,
    /// The mark that closes it, or the last one that may.
    pub close: Option<usize>,
}

impl Marks {
    /// No marks yet, in a text that ends there.
    pub(super) fn new(end: usize) -> Self {
        let nothing = Seen { count: 0, nearest: end };
        Marks {
            seen: nothing,
            closers: [None; 2],
            last: [None; 2],
            beyond: [nothing; 2],
        }
    }

    /// Goes on to the line before.
    pub(super) fn newline(&mut self) {
        self.beyond = [self.seen, self.beyond[0]];
        self.last = [None, self.last[0]];
    }

    /// Goes past a mark.
    pub(super) fn see(&mut self, at: usize, closes: Closes) {
        if closes == Closes::Surely {
            self.closers = [Some((at, self.seen.count)), self.closers[0]];
        }
        if closes != Closes::Never {
            self.last[0].get_or_insert(at);
        }
        self.seen = Seen {
            count: self.seen.count + 1,
            nearest: at,
        };
    }

    /// orgize goes from mark to mark, counting newlines from `at` each time, until one closes or two lines are over.
    pub(super) fn open(&self, at: usize, two_lines: usize) -> Found {
        let tries = |count: usize, to: usize| count as u64 * (8 + (to - at) as u64 / 8);
        let closer = self.closers.iter().flatten().find(|(close, _)| *close > at + 1);
        match closer {
            Some(&(close, right)) if close < two_lines => Found {
                price: tries(self.seen.count - right, close),
                close: Some(close),
            },
            _ => Found {
                price: tries(self.seen.count - self.beyond[1].count, two_lines)
                    + (self.beyond[1].nearest - at) as u64 / 4,
                close: self.last[1].or(self.last[0]).filter(|close| *close > at + 1),
            },
        }
    }
}
