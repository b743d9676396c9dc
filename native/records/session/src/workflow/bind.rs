//! Placeholders that the compiler fills: extension points and template arguments.

use std::collections::BTreeMap;

use super::json::ExtensionPointJson;
use super::{CompileError, Library};

/// `{{wr.bindings.slot}}` and `{{wb.bindings.slot}}` in a text.
pub(crate) struct Bindings(BTreeMap<String, String>);

impl Bindings {
    pub(crate) fn new(points: &[ExtensionPointJson], library: &Library) -> Self {
        let bound = |p: &ExtensionPointJson| {
            (
                p.slot_id.clone(),
                library.binding(&p.slot_id).unwrap_or(&p.default).to_owned(),
            )
        };
        Bindings(points.iter().map(bound).collect())
    }

    pub(crate) fn fill(&self, text: &str) -> Result<String, CompileError> {
        let mut filled = text.to_owned();
        for prefix in ["{{wr.bindings.", "{{wb.bindings."] {
            while let Some(at) = filled.find(prefix) {
                let rest = &filled[at + prefix.len()..];
                let slot = rest.split_once("}}").map_or(rest, |(slot, _)| slot).to_owned();
                let value = self.0.get(slot.trim()).ok_or_else(|| {
                    CompileError::new(
                        format!("the prompt uses the extension point `{}`", crate::text::clip(&slot, 64)),
                        "declare it in extensionPoints",
                    )
                })?;
                if value.contains("{{") {
                    return Err(CompileError::new(
                        format!("`{slot}` is bound to a placeholder"),
                        "bind it to a name",
                    ));
                }
                filled = filled.replacen(&format!("{prefix}{slot}}}}}"), value, 1);
            }
        }
        Ok(filled)
    }
}
