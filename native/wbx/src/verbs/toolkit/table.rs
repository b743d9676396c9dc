//! The entries of `toolkit`.

use super::audit_table::{AUDIT, IMPORT};
use crate::verb::Verb;

pub const VERBS: &[Verb] = &[IMPORT, AUDIT];
