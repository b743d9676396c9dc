//! The verdicts, the upgrade rules, hostile bytes, and the guests that the workspace builds.

mod from_wit;
mod guests;
mod hostile;
mod upgrades;
mod verdicts;
