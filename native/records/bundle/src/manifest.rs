//! What is in a bundle.

use crate::Error;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;

/// The name of the format.
pub const FORMAT: &str = "wbundle/1";
/// The name of the manifest in the bundle.
pub(crate) const MANIFEST: &str = "manifest.json";

/// What is in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// The workbook's name.
    pub id: String,
    /// The volumes of the disk that come along.
    pub volumes: Vec<String>,
    /// Whether the private volumes are among them.
    pub private_included: bool,
    /// The time of the newest input, in UTC.
    pub created: String,
    /// The SHA-256 of each file, in hexadecimal.
    #[serde(deserialize_with = "each_once")]
    pub files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Format {
    format: String,
}

impl Manifest {
    /// Reads `manifest.json`. Another format is an error, and so is a field too many or too few.
    pub(crate) fn read(json: &[u8]) -> Result<Manifest, Error> {
        let unreadable = |e: serde_json::Error| Error::NotABundle(format!("its manifest cannot be read: {e}"));
        let Format { format } = serde_json::from_slice(json).map_err(unreadable)?;
        if format != FORMAT {
            let found = format.escape_debug().take(40).collect();
            return Err(Error::UnknownFormat { found });
        }
        let manifest: Manifest = serde_json::from_slice(json).map_err(unreadable)?;
        check_id(&manifest.id).map_err(|_| Error::NotABundle("its id is none".into()))?;
        Ok(manifest)
    }

    /// The text of `manifest.json`.
    pub(crate) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest is plain data");
        text.push('\n');
        text
    }
}

/// An id is a name for a directory, an URL and a person.
pub(crate) fn check_id(id: &str) -> Result<(), Error> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    match !id.is_empty() && id.len() <= 128 && id.chars().all(plain) && !id.starts_with('.') {
        true => Ok(()),
        false => Err(Error::BadOption(format!(
            "`{}` is no id of a workbook",
            id.escape_debug().take(130).collect::<String>()
        ))),
    }
}

/// The hash of a file, as the manifest has it.
pub(crate) fn hash(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// A map in which a key stands once. Of two, one reader of JSON would take the first and another the last.
fn each_once<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    struct Files;

    impl<'de> Visitor<'de> for Files {
        type Value = BTreeMap<String, String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the hash of each file, by its name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut files = BTreeMap::new();
            while let Some((name, hash)) = map.next_entry::<String, String>()? {
                if files.insert(name, hash).is_some() {
                    return Err(A::Error::custom("a file is named twice"));
                }
            }
            Ok(files)
        }
    }

    from.deserialize_map(Files)
}
