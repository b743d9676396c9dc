//! The kernel as a WebAssembly component: each export hands its text to `oql` and nothing else.
#![deny(missing_docs)]

#[cfg(target_family = "wasm")]
mod heap;

mod bindings {
    #![allow(missing_docs, reason = "generated; wit/oql.wit has the documentation")]
    wit_bindgen::generate!({ world: "oql", path: "../../../wit/oql.wit" });
}

use oql::wire;

struct Kernel;

impl bindings::Guest for Kernel {
    fn parse_headlines(org: String) -> Result<String, String> {
        wire::parse_headlines(&org)
    }

    fn query(org: String, query: String) -> Result<String, String> {
        wire::query(&org, &query)
    }

    fn lint(org: String, facts: String) -> Result<String, String> {
        wire::lint(&org, &facts)
    }

    fn tangle_plan(org: String) -> Result<String, String> {
        wire::tangle_plan(&org)
    }

    fn validate(org: String) -> Result<String, String> {
        wire::validate(&org)
    }

    fn check_upgrade(old: String, new: String, opts: String) -> Result<String, String> {
        wire::check_upgrade(&old, &new, &opts)
    }

    fn render(org: String) -> Result<String, String> {
        wire::render(&org)
    }

    fn tasks(org: String) -> Result<String, String> {
        wire::tasks(&org)
    }

    fn set_state(org: String, task: String, state: String) -> Result<String, String> {
        wire::set_state(&org, &task, &state)
    }
}

bindings::export!(Kernel with_types_in bindings);
