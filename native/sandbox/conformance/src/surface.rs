//! What a component shows to the outside: its imports and its exports, with their types.

use std::panic::catch_unwind;

use wasmparser::component_types::{ComponentEntityType, ComponentTypeId};
use wasmparser::types::Types;
use wasmparser::{Parser, Payload, Validator};

use crate::{MAX_BYTES, Nonconformance, nesting};

pub(crate) struct Surface {
    pub(crate) types: Types,
    pub(crate) imports: Items,
    pub(crate) exports: Items,
}

/// Names and types, in the order of the component.
pub(crate) type Items = Vec<(String, ComponentEntityType)>;

impl Surface {
    /// Validates the bytes in full, then reads the surface.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Nonconformance> {
        if bytes.len() > MAX_BYTES {
            let finding = format!("component has {} bytes, more than {MAX_BYTES}", bytes.len());
            return Err(Nonconformance::Findings(vec![finding]));
        }
        // wasmparser asserts that types refer to each other at most 127 deep, and checks it for value types only.
        // This is the one place that turns such a panic into a verdict.
        match catch_unwind(|| Self::validate(bytes)) {
            Ok(Ok(Some(surface))) => Ok(surface),
            _ => Err(Nonconformance::NotAComponent),
        }
    }

    fn validate(bytes: &[u8]) -> wasmparser::Result<Option<Self>> {
        if !Parser::is_component(bytes) || !nesting::is_shallow(bytes)? {
            return Ok(None);
        }
        let types = Validator::new().validate_all(bytes)?;
        let (mut imports, mut exports) = (Items::new(), Items::new());
        let mut depth = 0;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::Version { .. } => depth += 1,
                Payload::End(_) => depth -= 1,
                Payload::ComponentImportSection(section) if depth == 1 => {
                    for import in section {
                        let name = import?.name.name;
                        let item = types.as_ref().component_item_for_import(name);
                        imports.extend(item.map(|item| (name.to_owned(), item.ty)));
                    }
                }
                Payload::ComponentExportSection(section) if depth == 1 => {
                    for export in section {
                        let name = export?.name.name;
                        let item = types.as_ref().component_item_for_export(name);
                        exports.extend(item.map(|item| (name.to_owned(), item.ty)));
                    }
                }
                _ => {}
            }
        }
        Ok(Some(Self {
            types,
            imports,
            exports,
        }))
    }

    /// The surface of a component type that this one declares, as a WIT package declares its worlds.
    pub(crate) fn declared(self, id: ComponentTypeId) -> Self {
        let ty = &self.types[id];
        let imports = ty.imports.iter().map(|(name, item)| (name.clone(), item.ty)).collect();
        let exports = ty.exports.iter().map(|(name, item)| (name.clone(), item.ty)).collect();
        Self {
            imports,
            exports,
            ..self
        }
    }
}
