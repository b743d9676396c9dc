//! did:key identities: `did:key:z`, then base58btc of 0xED 0x01 and the public key.

use ed25519_dalek::VerifyingKey;

const PREFIX: &str = "did:key:z";
/// The multicodec of an Ed25519 public key.
const ED25519: [u8; 2] = [0xED, 0x01];
/// 34 bytes never take more digits, and decoding takes time in the square of them.
const MAX_DIGITS: usize = 47;

pub(crate) fn encode(key: &VerifyingKey) -> String {
    let bytes = [&ED25519[..], key.as_bytes()].concat();
    format!("{PREFIX}{}", bs58::encode(bytes).into_string())
}

/// The key that a DID stands for; `None` for any other text.
pub(crate) fn decode(did: &str) -> Option<VerifyingKey> {
    let digits = did.strip_prefix(PREFIX).filter(|digits| digits.len() <= MAX_DIGITS)?;
    let bytes = bs58::decode(digits).into_vec().ok()?;
    let key = bytes.strip_prefix(&ED25519)?.try_into().ok()?;
    VerifyingKey::from_bytes(key).ok()
}

/// Whether a text names an Ed25519 key.
///
/// ```
/// assert!(ledger::is_did("did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"));
/// assert!(!ledger::is_did("did:web:example.org"));
/// ```
pub fn is_did(text: &str) -> bool {
    decode(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_ed25519_key_is_read() {
        for did in [
            "",
            "did:key:",
            "did:key:z",
            "did:web:example.org",
            "did:key:f6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp",
            // X25519.
            "did:key:z6LShs9GGnqk85isEBzzshkuVWrVKsRp24GnDuHk8QWkARMW",
            // A digit is missing, and one is no digit.
            "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooW",
            "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDoo0p",
        ] {
            assert!(decode(did).is_none(), "{did}");
        }
        assert!(decode(&format!("did:key:z{}", "6".repeat(10_000))).is_none());
    }
}
