//! The repeater of a timestamp: `+1d`, `++1w`, `.+1m`, and of a habit: `.+2d/3d`.

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

    /// Reads a repeater; `None` for any other word. A habit says behind a slash how long it may take at the most, which
    /// moves nothing.
    ///
    /// ```
    /// use oql::{Kind, Repeater, Unit};
    /// let weekly = Repeater { kind: Kind::NextFuture, every: 2, unit: Unit::Week };
    /// assert_eq!(Repeater::read("++2w"), Some(weekly));
    /// assert_eq!(Repeater::read("++2w/3w"), Some(weekly));
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
        let (least, most) = rest.split_once('/').map_or((rest, None), |(a, b)| (a, Some(b)));
        let (every, unit) = Self::step(least)?;
        if let Some(most) = most {
            Self::step(most)?;
        }
        Some(Repeater { kind, every, unit })
    }

    /// A number and a unit: `2d`.
    fn step(text: &str) -> Option<(u32, Unit)> {
        let unit = match text.chars().last()? {
            'h' => Unit::Hour,
            'd' => Unit::Day,
            'w' => Unit::Week,
            'm' => Unit::Month,
            'y' => Unit::Year,
            _ => return None,
        };
        let digits = &text[..text.len() - 1];
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        let every = digits.parse().ok().filter(|n| plain && (1..=Self::MOST).contains(n))?;
        Some((every, unit))
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
            "",
            "+",
            "+d",
            "+1",
            "1d",
            "+1x",
            "+0d",
            "+-1d",
            "+ 1d",
            "+++1d",
            "..+1d",
            "+1dd",
            "+1é",
            "+100001d",
            ".1d",
            "+1d/",
            "+1d/2",
            "+1d/x",
            "+1d/2d/3d",
            "+/2d",
        ] {
            assert_eq!(Repeater::read(word), None, "{word}");
        }
        for word in ["+1h", "++12d", ".+3w", "+01m", "+100000y", ".+2d/3d", "+1w/2m"] {
            assert!(Repeater::read(word).is_some(), "{word}");
        }
    }
}
