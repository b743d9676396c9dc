//! Who seals.

use crate::{Chain, Error, Seal, VERSION, did, seal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey};

/// An Ed25519 key that makes seals.
pub struct Signer(SigningKey);

impl Signer {
    /// The key that a secret seed stands for.
    pub fn from_seed(seed: &[u8; 32]) -> Signer {
        Signer(SigningKey::from_bytes(seed))
    }

    /// Its name for everybody.
    ///
    /// ```
    /// let did = ledger::Signer::from_seed(&[0; 32]).did();
    /// assert_eq!(did, "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp");
    /// ```
    pub fn did(&self) -> String {
        did::encode(&self.0.verifying_key())
    }

    /// Signs a message: the Ed25519 signature in base64.
    ///
    /// ```
    /// let signer = ledger::Signer::from_seed(&[7; 32]);
    /// let signature = signer.sign(b"words");
    /// assert!(ledger::is_signed_by(&signer.did(), b"words", &signature));
    /// assert!(!ledger::is_signed_by(&signer.did(), b"other words", &signature));
    /// ```
    pub fn sign(&self, message: &[u8]) -> String {
        seal::encode_signature(&self.0.sign(message))
    }

    /// Seals a run's chain at `ts`, in milliseconds since 1970.
    pub fn seal(&self, chain: &Chain, run_id: &str, ts: u64) -> Result<Seal, Error> {
        let mut seal = Seal {
            v: VERSION,
            did: self.did(),
            run_id: run_id.to_owned(),
            count: chain.count(),
            head: chain.head().to_owned(),
            ts,
            sig: String::new(),
        };
        seal.check_numbers()?;
        seal.sig = seal::encode_signature(&self.0.sign(&seal.signed()));
        Ok(seal)
    }
}

/// Whether a signature in base64 is the one of `did` over the message. A key or a signature with a second spelling is
/// refused.
pub fn is_signed_by(did: &str, message: &[u8], signature: &str) -> bool {
    let signature = STANDARD.decode(signature).ok();
    let signature = signature.and_then(|bytes| Signature::from_slice(&bytes).ok());
    did::decode(did)
        .zip(signature)
        .is_some_and(|(key, signature)| key.verify_strict(message, &signature).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    }

    /// RFC 8032, section 7.1, tests 1 to 3.
    #[test]
    fn signatures_are_those_of_the_standard() {
        for (secret, public, message, signature) in [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
                "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            ),
        ] {
            let signer = Signer::from_seed(&bytes(secret).try_into().unwrap());
            assert_eq!(signer.0.verifying_key().as_bytes()[..], bytes(public));
            assert_eq!(signer.0.sign(&bytes(message)).to_bytes()[..], bytes(signature));
        }
    }
}
