//! What must hold of the kernel for any text at all.
//!
//! Each oracle calls the kernel and panics where a promise is broken. The property tests beside it feed them generated
//! texts; the fuzz targets feed them bytes, and hold nothing else.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod html;
mod outline;
mod query;
mod set_state;
mod upgrade;

pub use html::assert_safe_html;

/// Holds every promise of every function against one text.
pub fn kernel(org: &str) {
    html::render(org);
    outline::answers_agree(org);
    set_state::changes_only_its_bytes(org);
    upgrade::a_plan_is_an_upgrade_of_itself(org);
    upgrade::a_new_workflow_breaks_nothing(org);
}

/// Holds the promises of `query` against one query over one text.
pub fn query(org: &str, query: &str) {
    query::selects_headlines(org, query);
}
