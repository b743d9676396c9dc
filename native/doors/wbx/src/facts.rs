//! What the linter may assume to exist.

use crate::{
    failure::{Code, Failure},
    root,
    source::Source,
};

/// The names that the policy table knows, and the words of the shell where its commands are found. Where they are
/// not, no rule judges them.
pub fn built_in() -> oql::Facts {
    let registry = root::engine().registry().ok();
    oql::Facts {
        commands: registry.and_then(|registry| shell::words(&registry).ok()),
        capabilities: Some(root::engine().policy().names()),
    }
}

/// Reads facts that the caller wrote down.
pub fn parse(source: &Source) -> Result<oql::Facts, Failure> {
    serde_json::from_str(&source.text).map_err(|error| {
        Failure::new(
            Code::Of(failure::codes::BAD_OPTION),
            format!("`{}` holds no facts: {error}", source.name),
            r#"write {"commands": ["grep"], "capabilities": ["workbook:fs"]}"#,
        )
    })
}
