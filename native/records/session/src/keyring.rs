//! The keys that sign tokens: a current one, and the one before it.

use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::ports::Random;

/// The version of the key ring's file.
const VERSION: u64 = 1;

/// One key. Its text never gets into a message.
#[derive(Clone, PartialEq, Eq)]
struct Key([u8; 32]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

/// The keys that count. Tokens of the previous key hold until the next rotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyring {
    current: Key,
    previous: Option<Key>,
}

/// Why bytes are not a key ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKeyring {
    /// They cannot be read.
    #[error("the key ring cannot be read")]
    Unreadable,
    /// A newer program wrote them.
    #[error("the key ring has version {0}, and this program knows version {VERSION}")]
    UnknownVersion(u64),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    v: u64,
    current: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    previous: Option<String>,
}

impl Keyring {
    /// A ring with one fresh key.
    pub fn new(random: &dyn Random) -> Self {
        Keyring {
            current: fresh(random),
            previous: None,
        }
    }

    /// The ring after a rotation.
    pub fn rotated(&self, random: &dyn Random) -> Self {
        Keyring {
            current: fresh(random),
            previous: Some(self.current.clone()),
        }
    }

    /// The signature of the current key.
    pub(crate) fn sign(&self, bytes: &[u8]) -> [u8; 32] {
        mac(&self.current, bytes).finalize().into_bytes().into()
    }

    /// Whether a key of the ring made this signature, or the one that this begins. Compared in constant time.
    pub(crate) fn verify(&self, bytes: &[u8], signature: &[u8]) -> bool {
        let made = |key: &Key| mac(key, bytes).verify_truncated_left(signature).is_ok();
        made(&self.current) || self.previous.as_ref().is_some_and(made)
    }

    /// The ring as the bytes of its file.
    pub fn encode(&self) -> Vec<u8> {
        let text = |key: &Key| data_encoding::BASE64URL_NOPAD.encode(&key.0);
        let file = File {
            v: VERSION,
            current: text(&self.current),
            previous: self.previous.as_ref().map(text),
        };
        crate::canonical(&file)
    }

    /// Reads the bytes of its file.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadKeyring> {
        let file: File = serde_json::from_slice(bytes).map_err(|_| BadKeyring::Unreadable)?;
        if file.v != VERSION {
            return Err(BadKeyring::UnknownVersion(file.v));
        }
        let key = |text: &str| {
            let bytes = data_encoding::BASE64URL_NOPAD.decode(text.as_bytes()).ok();
            bytes
                .and_then(|bytes| bytes.try_into().ok())
                .map(Key)
                .ok_or(BadKeyring::Unreadable)
        };
        Ok(Keyring {
            current: key(&file.current)?,
            previous: file.previous.as_deref().map(key).transpose()?,
        })
    }
}

fn fresh(random: &dyn Random) -> Key {
    let mut key = [0; 32];
    random.fill(&mut key);
    Key(key)
}

fn mac(key: &Key, bytes: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&key.0).expect("any length of key will do");
    mac.update(bytes);
    mac
}
