//! What others published, and what another program computed.

use ledger::{Chain, Seal, Signer, verify};

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

fn seed(hex: &str) -> [u8; 32] {
    bytes(hex).try_into().unwrap()
}

/// Computed with sha256sum.
#[test]
fn the_chain_is_the_one_of_the_specification() {
    let mut chain = Chain::new();
    assert_eq!(
        chain.head(),
        "e456e5db2b77d3bf115d51c89eb34c3d5a092968c32a1646e584e1632068a821"
    );
    chain.append(br#"{"a":1}"#);
    assert_eq!(
        chain.head(),
        "5c8e35619e87c83aaa5356b5376426a5ddd27fb866451e8391b7ebe044869118"
    );
    chain.append(br#"{"b":2}"#);
    assert_eq!(
        chain.head(),
        "e0a62357d04945b41a68cc5e89c1402fd59ab40c65150227a8f913f6e8a6c746"
    );
    assert_eq!(chain.count(), 2);
}

/// The Ed25519 examples of the did:key method.
#[test]
fn seeds_have_their_published_names() {
    for (secret, did) in [
        (
            "0000000000000000000000000000000000000000000000000000000000000000",
            "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp",
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000001",
            "did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG",
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000002",
            "did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf",
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000003",
            "did:key:z6MkvqoYXQfDDJRv8L4wKzxYeuKyVZBfi9Qo6Ro8MiLH3kDQ",
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000005",
            "did:key:z6MkwYMhwTvsq376YBAcJHy3vyRWzBgn5vKfVqqDCgm7XVKU",
        ),
    ] {
        assert_eq!(Signer::from_seed(&seed(secret)).did(), did);
    }
}

/// The signature was checked with OpenSSL.
#[test]
fn a_seal_is_canonical_json_with_its_signature() {
    let mut chain = Chain::new();
    chain.append(br#"{"a":1}"#);
    let seal = Signer::from_seed(&seed(
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    ))
    .seal(&chain, "run-1", 1_700_000_000_000)
    .unwrap();
    assert_eq!(
        seal.to_json(),
        concat!(
            r#"{"count":1,"did":"did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw","#,
            r#""head":"5c8e35619e87c83aaa5356b5376426a5ddd27fb866451e8391b7ebe044869118","#,
            r#""run_id":"run-1","#,
            r#""sig":"Nx1b5C6qyqbu3ZMk7VXPR7cQ2Efl6S5icFqiapHLb78nE6/Ts1s3+aXxtfw6mLVhqK6Q13SmseJCCaehhetdBw==","#,
            r#""ts":1700000000000,"v":1}"#,
            "\n"
        )
    );
    assert_eq!(Seal::from_json(seal.to_json().as_bytes()), Ok(seal.clone()));
    let verdict = verify(b"{\"a\":1}\n", seal.to_json().as_bytes()).unwrap();
    assert!(verdict.is_sound());
}
