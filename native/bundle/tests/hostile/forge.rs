//! Zip files by hand: whatever a stranger could write.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use std::io::Write as _;

/// An entry of a forged zip.
#[derive(Clone)]
pub struct Entry {
    pub name: Vec<u8>,
    pub content: Vec<u8>,
    pub mode: u32,
    pub deflate: bool,
    /// The size that it claims, if not its own.
    pub claims: Option<u32>,
    pub extra: Vec<u8>,
}

pub fn entry(name: &str, content: &[u8]) -> Entry {
    Entry {
        name: name.into(),
        content: content.to_vec(),
        mode: 0o100_644,
        deflate: false,
        claims: None,
        extra: Vec::new(),
    }
}

/// The entries of a sound bundle, with these added and named in the manifest.
pub fn with(more: &[Entry]) -> Vec<Entry> {
    let mut entries = vec![
        entry("workbook.org", b"* Plan\n"),
        entry("workbook.html", b"<p>Plan</p>"),
    ];
    entries.extend_from_slice(more);
    let files: Vec<String> = entries
        .iter()
        .map(|e| {
            let name = serde_json::to_string(&String::from_utf8_lossy(&e.name)).unwrap();
            format!("{name}:\"{:x}\"", Sha256::digest(&e.content))
        })
        .collect();
    let manifest = manifest(&format!("{{{}}}", files.join(",")));
    entries.insert(0, entry("manifest.json", manifest.as_bytes()));
    entries
}

pub fn manifest(files: &str) -> String {
    format!(
        r#"{{"format":"wbundle/1","id":"x","volumes":[],"private_included":false,"created":"2026-01-01T00:00:00Z","files":{files}}}"#
    )
}

pub fn zip(entries: &[Entry]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut list = Vec::new();
    for e in entries {
        let packed = if e.deflate {
            deflated(&e.content)
        } else {
            e.content.clone()
        };
        let size = e.claims.unwrap_or(e.content.len() as u32);
        let mut common = Vec::new();
        common.extend(20u16.to_le_bytes());
        common.extend(0u16.to_le_bytes());
        common.extend((if e.deflate { 8u16 } else { 0 }).to_le_bytes());
        common.extend([0, 0, 0x21, 0]);
        common.extend(crc32(&e.content).to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend(size.to_le_bytes());
        common.extend((e.name.len() as u16).to_le_bytes());

        list.extend(b"PK\x01\x02");
        list.extend(0x031Eu16.to_le_bytes());
        list.extend(&common);
        list.extend((e.extra.len() as u16).to_le_bytes());
        // No comment, the first disk, no internal attributes.
        list.extend([0; 6]);
        list.extend((e.mode << 16).to_le_bytes());
        list.extend((out.len() as u32).to_le_bytes());
        list.extend(&e.name);
        list.extend(&e.extra);

        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(0u16.to_le_bytes());
        out.extend(&e.name);
        out.extend(&packed);
    }
    let start = out.len() as u32;
    let count = (entries.len() as u16).to_le_bytes();
    out.extend(&list);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend((list.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    })
}
