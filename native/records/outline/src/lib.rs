//! What a plan promised when it was last run, and what was amended since.
//!
//! A run seals the [`Outline`] of its plan into its log before anything else happens. The next run holds the plan
//! against the [`Baseline`]: what was sealed, with the verdicts and acceptances that came after. A task that was still to
//! be earned and is gone, lost its keyword, was re-titled, moved, cancelled, or has another check is an [`Amendment`].
//! It stays one, run after run, until a person accepts it: the baseline keeps the task as it was.
//!
//! ```
//! use outline::{Baseline, Change, Outline};
//!
//! let first = Outline::read("* TODO Ship\n** TODO Hard\n:done-when: test -s proof\n")?;
//! let mut baseline = Baseline::default();
//! baseline.seal(first);
//!
//! let bent = Outline::read("* TODO Ship\n** TODO Hard\n:done-when: true\n")?;
//! let amendments = baseline.compare(&bent);
//! assert_eq!((amendments[0].id.as_str(), &amendments[0].changes[..]), ("hard", &[Change::Check][..]));
//! assert_eq!(amendments[0].above, ["ship"]);
//! # Ok::<(), oql::Error>(())
//! ```
//!
//! Pure: no files, no clock.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod amendment;
mod baseline;
mod headline;
mod read;

pub use amendment::{Amendment, Change};
pub use baseline::{Baseline, Sealed};
pub use headline::{Check, Headline, Outline};
pub use read::is_cancelled;
