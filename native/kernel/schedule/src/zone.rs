//! A time zone as stretches of a constant offset, and the two ways in which a local clock jumps.
//!
//! A clock that is put forward leaves out local times: a gap. One that is put back shows local times twice: an overlap.
//! The rule, for times that a plan names: what falls into a gap happens at the moment of the jump; what comes twice
//! happens the first time.

use crate::Error;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

/// A time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Zone(TimeZone);

/// A time in which the local clock runs evenly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    /// Its first instant.
    pub start: i64,
    /// The first instant after it.
    pub end: i64,
    /// Local time minus UTC, in seconds.
    pub offset: i64,
    /// The offset before it began.
    pub before: i64,
}

/// The name of every zone that a plan may use, sorted.
///
/// ```
/// let zones = schedule::zones();
/// assert!(zones.iter().any(|name| name == "Europe/Berlin"));
/// assert!(zones.iter().any(|name| name == "UTC"));
/// assert!(!zones.iter().any(|name| name == "europe/berlin"));
/// ```
pub fn zones() -> Vec<String> {
    let mut names: Vec<String> = jiff::tz::db()
        .available()
        .map(|name| name.as_str().to_owned())
        .collect();
    names.retain(|name| Zone::read(name).is_ok());
    names.sort();
    names.dedup();
    names
}

impl Zone {
    pub fn read(name: &str) -> Result<Zone, Error> {
        // The database takes names in any case; a plan should have one spelling.
        let unknown = || Error::UnknownZone { name: name.into() };
        let zone = TimeZone::get(name).map_err(|_| unknown())?;
        match zone.iana_name() {
            Some(found) if found == name => Ok(Zone(zone)),
            _ if name == "UTC" => Ok(Zone(zone)),
            _ => Err(unknown()),
        }
    }

    /// The stretches from the one with `from` on.
    pub fn stretches(&self, from: i64) -> impl Iterator<Item = Stretch> + '_ {
        let mut next = Timestamp::from_second(from).ok().map(|_| from);
        std::iter::from_fn(move || {
            let stretch = self.stretch(next?);
            next = (stretch.end != i64::MAX).then_some(stretch.end);
            Some(stretch)
        })
    }

    /// The stretch that an instant belongs to.
    fn stretch(&self, at: i64) -> Stretch {
        let offset = self.offset(at);
        let (mut start, mut before) = (i64::MIN, offset);
        for change in self.0.preceding(clamp(at.saturating_add(1))) {
            start = change.timestamp().as_second();
            before = self.offset(start - 1);
            // Some changes are only of the zone's name.
            if before != offset {
                break;
            }
            start = i64::MIN;
        }
        let end = self
            .0
            .following(clamp(at))
            .map(|change| (change.timestamp().as_second(), i64::from(change.offset().seconds())))
            .find(|(_, to)| *to != offset);
        Stretch {
            start,
            end: end.map_or(i64::MAX, |(instant, _)| instant),
            offset,
            before,
        }
    }

    /// Local time minus UTC at an instant, in seconds.
    pub fn offset(&self, at: i64) -> i64 {
        i64::from(self.0.to_offset(clamp(at)).seconds())
    }

    /// The local time at an instant.
    pub fn local(&self, at: i64) -> DateTime {
        self.0.to_datetime(clamp(at))
    }

    /// The instant of a local time, by the rule for gaps and overlaps.
    pub fn instant(&self, local: DateTime) -> Option<i64> {
        let ambiguous = self.0.to_ambiguous_timestamp(local);
        match ambiguous.offset() {
            AmbiguousOffset::Unambiguous { .. } | AmbiguousOffset::Fold { .. } => {
                Some(ambiguous.earlier().ok()?.as_second())
            }
            AmbiguousOffset::Gap { .. } => {
                // Read with the offset from after the jump, a time in the gap lies before it.
                let before = ambiguous.earlier().ok()?.as_second();
                Some(self.stretch(before).end).filter(|end| *end != i64::MAX)
            }
        }
    }
}

fn clamp(at: i64) -> Timestamp {
    let at = at.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(at).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_has_one_spelling() {
        for name in ["UTC", "Europe/Berlin", "America/New_York", "Etc/UTC"] {
            assert!(Zone::read(name).is_ok(), "{name}");
        }
        for name in ["", "utc", "europe/berlin", "Mars/Base", "../etc/passwd", "CET-1CEST"] {
            assert!(Zone::read(name).is_err(), "{name}");
        }
    }

    /// Published: Berlin's clocks changed at 01:00 UTC on 2026-03-29 and change at 01:00 UTC on 2026-10-25.
    #[test]
    fn berlin_has_two_stretches_a_year() {
        let berlin = Zone::read("Europe/Berlin").unwrap();
        let found: Vec<(i64, i64, i64)> = berlin
            .stretches(1_767_225_600)
            .take(3)
            .map(|s| (s.end, s.before, s.offset))
            .collect();
        assert_eq!(
            found,
            [
                (1_774_746_000, 7200, 3600),
                (1_792_890_000, 3600, 7200),
                (1_806_195_600, 7200, 3600)
            ]
        );
    }

    #[test]
    fn utc_is_one_stretch() {
        let utc = Zone::read("UTC").unwrap();
        assert_eq!(utc.stretches(0).count(), 1);
    }
}
