//! Times for people.

use jiff::Timestamp;

/// Milliseconds since 1970 as `2026-06-11T09:30:00Z`.
pub fn utc(ms: i64) -> String {
    // Whatever is no time of the calendar is shown as the number it is.
    match Timestamp::from_second(ms.div_euclid(1_000)) {
        Ok(time) => time.to_string(),
        Err(_) => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::utc;

    /// Computed with `date -u`.
    #[test]
    fn times_are_those_of_the_calendar() {
        for (ms, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_700_000_000_999, "2023-11-14T22:13:20Z"),
            (1_709_251_199_000, "2024-02-29T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(ms), expected);
        }
    }
}
