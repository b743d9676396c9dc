//! A verdict per dependency: which of the carried scripts run in the sandbox, which need work, and which cannot.
//!
//! Static, offline, honest. A script is read and never run; what the [`table`] does not know gets no finding, and
//! silence is not a blessing. Which lanes exist is an argument, so the verdicts are never older than the build.
//!
//! ```
//! use toolkit_audit::{Class, Lanes};
//! let scripts = [("calc.py", "#!/usr/bin/env python3\nimport numpy\n")];
//! let report = toolkit_audit::audit(&scripts, &Lanes::none());
//! assert_eq!(report.scripts[0].class, Class::Blocked);
//! let report = toolkit_audit::audit(&scripts, &Lanes::from_iter([("python", "cpython 3.12")]));
//! assert_eq!(report.scripts[0].findings[0].note, "cpython 3.12");
//! ```
//!
//! [`section::write`] puts a report into a manifest, together with a plan that `wbx run` can work off.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod auditor;
mod class;
mod commands;
mod imports;
mod interpreter;
mod lanes;
mod name;
mod report;
pub mod section;
mod stdlib;
pub mod table;

pub use auditor::{Auditor, MAX_SCRIPT, Unread, audit};
pub use class::{Class, UnknownClass};
pub use lanes::Lanes;
pub use report::{Finding, Kind, Report, Script, Summary};
