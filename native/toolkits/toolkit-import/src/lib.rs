//! An existing tool becomes a toolkit, in three honest stages: parse, audit, plan.
//!
//! [`scaffold`] is a function of a [`Source`]: files in, files out, nothing run and nothing fetched. [`import`] reads the
//! source from the disk, writes the toolkit all at once or not at all, and audits it. [`audit`] audits a toolkit that is
//! there. Sources are strangers' files: nothing outside the directory that was named is read, whatever its links say.
//!
//! ```
//! use toolkit_import::{Kind, Source, scaffold};
//! let source = Source::memory("greet", [("SKILL.md", "---\nname: greet\n---\nSay hello.\n"), ("scripts/hi.sh", "echo hi\n")]);
//! assert_eq!(Kind::detect(&source), Some(Kind::ClaudeSkill));
//! let toolkit = scaffold(Kind::ClaudeSkill, &source, None)?;
//! assert_eq!(toolkit.id, "greet");
//! assert_eq!(toolkit.files().keys().collect::<Vec<_>>(), ["manifest.org", "scripts/hi.sh", "skills/greet.org", "skills/overview.org"]);
//! # Ok::<(), toolkit_import::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod auditing;
mod disk;
mod error;
mod fault;
mod front_matter;
mod importing;
mod kind;
mod kinds;
mod markdown;
mod org;
mod slug;
mod source;
mod target;
mod toolkit;

pub use auditing::audit;
pub use error::Error;
pub use fault::FAULTS;
pub use importing::{Audited, Imported, Order, import};
pub use kind::Kind;
pub use kinds::scaffold;
pub use source::{MAX_DOCUMENT, MAX_FILE, Skipped, Source};
pub use toolkit::{Skill, Toolkit};
