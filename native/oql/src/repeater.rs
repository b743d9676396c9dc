//! The repeater of a timestamp: `+1d`, `++1w`, `.+1m`.

/// How a timestamp moves on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeater {
    /// From where.
    pub kind: Kind,
    /// By how many units, at least one.
    pub every: u32,
    /// Of what.
    pub unit: Unit,
}

/// From where a timestamp moves on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `+`: from itself, step by step.
    Fixed,
    /// `++`: from itself, over all that is past.
    NextFuture,
    /// `.+`: from when the work was completed.
    FromCompletion,
}

/// What a repeater counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `h`.
    Hour,
    /// `d`.
    Day,
    /// `w`.
    Week,
    /// `m`.
    Month,
    /// `y`.
    Year,
}

impl Repeater {
    /// The most units that a repeater may count: longer than anybody plans, short enough to reckon with.
    pub const MOST: u32 = 100_000;

    /// Reads a repeater; `None` for any other word.
    ///
    /// ```
    /// use oql::{Kind, Repeater, Unit};
    /// let weekly = Repeater { kind: Kind::NextFuture, every: 2, unit: Unit::Week };
    /// assert_eq!(Repeater::read("++2w"), Some(weekly));
    /// assert_eq!(Repeater::read("+0d"), None);
    /// ```
    pub fn read(word: &str) -> Option<Repeater> {
        let (kind, rest) = [
            ("++", Kind::NextFuture),
            (".+", Kind::FromCompletion),
            ("+", Kind::Fixed),
        ]
        .into_iter()
        .find_map(|(mark, kind)| Some((kind, word.strip_prefix(mark)?)))?;
        let unit = match rest.chars().last()? {
            'h' => Unit::Hour,
            'd' => Unit::Day,
            'w' => Unit::Week,
            'm' => Unit::Month,
            'y' => Unit::Year,
            _ => return None,
        };
        let digits = &rest[..rest.len() - 1];
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        let every = digits.parse().ok().filter(|n| plain && (1..=Self::MOST).contains(n))?;
        Some(Repeater { kind, every, unit })
    }

    /// Whether a word of a timestamp was meant as a repeater.
    pub(crate) fn is_meant(word: &str) -> bool {
        word.starts_with('+') || word.starts_with(".+")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mark_a_number_and_a_unit_are_a_repeater() {
        for word in [
            "", "+", "+d", "+1", "1d", "+1x", "+0d", "+-1d", "+ 1d", "+++1d", "..+1d", "+1dd", "+1é", "+100001d", ".1d",
        ] {
            assert_eq!(Repeater::read(word), None, "{word}");
        }
        for word in ["+1h", "++12d", ".+3w", "+01m", "+100000y"] {
            assert!(Repeater::read(word).is_some(), "{word}");
        }
    }
}
