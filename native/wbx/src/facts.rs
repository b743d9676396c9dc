//! What the linter may assume to exist.

use crate::{
    engine,
    failure::{Code, Failure},
    source::Source,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The built-in policy table, as it was when wbx was built.
pub const POLICY: &str = include_str!(concat!(env!("OUT_DIR"), "/policy.json"));

#[derive(Deserialize)]
struct Policy {
    #[serde(default)]
    profiles: BTreeMap<String, Profile>,
    #[serde(default)]
    uses: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Profile {
    capabilities: Vec<String>,
}

/// The names that the policy table knows, and the words of the shell where its commands are found. Where they are not,
/// no rule judges them.
pub fn built_in() -> oql::Facts {
    let capabilities = from_policy(POLICY).expect("the built-in table is sound, as a test confirms");
    let registry = engine::registry().ok();
    oql::Facts {
        commands: registry.and_then(|registry| shell::words(&registry).ok()),
        ..capabilities
    }
}

fn from_policy(policy: &str) -> serde_json::Result<oql::Facts> {
    let policy: Policy = serde_json::from_str(policy)?;
    let granted = policy.profiles.into_values().flat_map(|p| p.capabilities);
    let names: BTreeSet<String> = policy.uses.into_keys().chain(granted).collect();
    Ok(oql::Facts {
        commands: None,
        capabilities: (!names.is_empty()).then(|| names.into_iter().collect()),
    })
}

/// Reads facts that the caller wrote down.
pub fn parse(source: &Source) -> Result<oql::Facts, Failure> {
    serde_json::from_str(&source.text).map_err(|error| {
        Failure::new(
            Code::Kernel(oql::Code::BadOption),
            format!("`{}` holds no facts: {error}", source.name),
            r#"write {"commands": ["grep"], "capabilities": ["workbook:fs"]}"#,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_sound() {
        from_policy(POLICY).unwrap();
    }

    #[test]
    fn names_come_from_the_uses_and_from_the_profiles() {
        let facts = from_policy(
            r#"{"profiles": {"compute": {"capabilities": ["vfs"]}, "network": {"capabilities": ["vfs", "net"]}},
                "uses": {"workbook:fs": "vfs", "workbook:net/*": "net"}}"#,
        );
        let names = ["net", "vfs", "workbook:fs", "workbook:net/*"].map(str::to_owned);
        assert_eq!(facts.unwrap().capabilities, Some(names.to_vec()));
    }

    #[test]
    fn without_a_table_no_capability_is_judged() {
        assert_eq!(from_policy("{}").unwrap(), oql::Facts::default());
    }
}
