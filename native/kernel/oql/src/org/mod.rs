//! Reading Org: the line grammar, in one linear pass.
//!
//! Headlines, drawers and blocks are lines, and this module finds them itself: orgize rescans the rest of a section
//! for every unclosed block, and scans emphasis in cubic time, so a stranger's text must not reach it unmeasured.
//! orgize renders (see `crate::render`), behind a work bound.

mod args;
mod code;
mod header_args;
mod headline;
mod keywords;
mod lines;
mod outline;
mod property;
mod section;
mod timestamp;

pub(crate) use args::{Arg, list, split_types};
pub(crate) use code::{Code, code};
pub(crate) use headline::cookies;
pub(crate) use keywords::Keywords;
pub(crate) use lines::{Line, Lines, Places};
pub(crate) use outline::Outline;
pub(crate) use property::Joined;
pub(crate) use section::{Section, SourceBlock};
pub(crate) use timestamp::{bad_repeater, planning};
