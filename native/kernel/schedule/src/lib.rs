//! When a workflow runs by itself: cron, Org repeaters, zones, and what becomes of missed runs.
//!
//! A [`Schedule`] is made of a [`Spec`], which is what a plan says. [`in_plan`] finds those of a plan. Asked with what
//! has happened so far ([`Progress`]) and the time, it [decides](Schedule::decide): run now, wait, or let it go.
//!
//! ```
//! use schedule::{Decision, Progress, Schedule, Spec};
//!
//! let daily = Schedule::read(&Spec { tz: "Europe/Berlin".into(), ..Spec::cron("30 9 * * *") }).unwrap();
//! let deployed = 1_781_000_000; // 2026-06-09T10:13:20Z
//! let progress = Progress::since(deployed);
//! assert_eq!(daily.decide(&progress, deployed), Decision::Wait { until: 1_781_076_600 }); // 07:30Z, 09:30 in Berlin
//! assert_eq!(daily.decide(&progress, 1_781_076_600), Decision::Run { due: 1_781_076_600 });
//! ```
//!
//! Nothing here looks at a clock: instants are whole seconds since 1970, and come in as arguments. Zones come with the
//! program, so the same plan fires at the same instants on every machine.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod catchup;
mod cron;
mod decide;
mod error;
mod plan;
mod repeat;
mod rule;
mod spec;
mod zone;

pub use catchup::Catchup;
pub use decide::{Decision, GRACE, Progress};
pub use error::Error;
pub use plan::{Planned, Problem, in_plan};
pub use rule::Schedule;
pub use spec::Spec;
pub use zone::zones;
