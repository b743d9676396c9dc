//! Changing one task's state: its keyword, the cookies above it, and not one other byte.

use crate::States;
use crate::error::Error;

/// Changes the keyword of task `id` and recounts the statistics cookies of its ancestors. An empty `state` takes the
/// keyword away. [`States`] does the same for many changes of one text.
///
/// ```
/// let plan = "* TODO Ship [0/1]\n** TODO Test\r\n";
/// assert_eq!(oql::set_state(plan, "test", "DONE").unwrap(), "* TODO Ship [1/1]\n** DONE Test\r\n");
/// ```
pub fn set_state(org: &str, id: &str, state: &str) -> Result<String, Error> {
    let mut states = States::read(org)?;
    states.set(id, state)?;
    Ok(states.text())
}
