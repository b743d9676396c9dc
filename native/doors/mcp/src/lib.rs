//! The table of operations as a server of the Model Context Protocol: how an agent reaches Workbooks.
//!
//! At most ten tools, each a few rows of the table under a name that an agent understands ([`tools`]). [`Server`] answers;
//! [`serve`] lets it do so over lines of standard input and output, [`service`] over HTTP. Neither keeps anything in the
//! connection: what lasts is in histories, sessions and the log of calls.
//!
//! A server can do what its [`Grant`] says and nothing else. A tool that was not granted is not in the list, and a path
//! outside of the directories that the operator listed is refused whatever leads there.
//!
//! ```
//! use mcp::{Directories, Grant, Scopes};
//!
//! let here = std::env::temp_dir();
//! let looking = Grant::new(Scopes::default(), Directories::new(&[], &here)?);
//! let names: Vec<String> = mcp::tools(&looking).iter().map(|tool| tool.name.to_string()).collect();
//! assert_eq!(names, ["check_plan", "follow_run", "find_session", "toolkits"]);
//!
//! let working = Grant::new(Scopes::read("read,write,run")?, Directories::new(&[here.clone()], &here)?);
//! assert_eq!(mcp::tools(&working).len(), 10);
//! # Ok::<(), failure::Failure>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answer;
mod arguments;
mod calls;
mod config;
mod cut;
mod directories;
mod files;
mod frames;
mod grant;
mod http;
mod listing;
mod past;
mod prompts;
mod resources;
mod runs;
mod schema;
mod server;
mod sessions;
mod stdio;
mod table;
mod tasks;

pub use config::{CLIENTS, config};
pub use directories::Directories;
pub use frames::{Frame, Frames, MAX_FRAME};
pub use grant::{Caller, Grant, Scopes};
pub use http::{Http, over_http, service};
pub use listing::tools;
pub use server::{Contexts, Server};
pub use stdio::serve;
