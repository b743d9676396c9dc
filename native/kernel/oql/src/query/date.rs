//! Dates and times in ISO form, compared as far as both are known.

use std::cmp::Ordering;

/// A day, or a minute of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    day: (u16, u8, u8),
    time: Option<(u8, u8)>,
}

impl Moment {
    /// Reads `2026-06-11`, `2026-06-11T09:30` or the same with a space; a day that does not exist is none.
    pub(super) fn parse(text: &str) -> Option<Moment> {
        let (day, time) = match text.split_once(['T', ' ']) {
            Some((day, time)) => (day, Some(time)),
            None => (text, None),
        };
        let [year, month, date] = numbers(day, '-', [4, 2, 2])?;
        let time = match time.map(|time| numbers(time, ':', [2, 2])) {
            None => None,
            Some(Some([hour, minute])) if hour < 24 && minute < 60 => Some((hour as u8, minute as u8)),
            Some(_) => return None,
        };
        let exists = (1..=12).contains(&month) && (1..=length(year, month)).contains(&date);
        exists.then_some(Moment {
            day: (year, month as u8, date as u8),
            time,
        })
    }

    /// A day without a time is the whole day: it is neither before nor after any minute of it.
    pub(super) fn compare(self, other: Moment) -> Ordering {
        let times = self.time.zip(other.time).map_or(Ordering::Equal, |(a, b)| a.cmp(&b));
        self.day.cmp(&other.day).then(times)
    }
}

fn length(year: u16, month: u16) -> u16 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Exactly these many digits in each part.
fn numbers<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[u16; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next()?;
        let digits = part.len() == width && part.bytes().all(|b| b.is_ascii_digit());
        *number = digits.then(|| part.parse().ok()).flatten()?;
    }
    parts.next().is_none().then_some(numbers)
}
