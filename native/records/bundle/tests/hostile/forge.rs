//! Zip files by hand: whatever a stranger could write.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use std::io::Write as _;
use std::sync::OnceLock;

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
    /// What its own header says its name is, if not what the list says.
    pub alias: Option<Vec<u8>>,
    /// What stands behind its data and counts as packed.
    pub tail: Vec<u8>,
    /// What stands before its header and belongs to nothing.
    pub gap: Vec<u8>,
    pub flags: u16,
}

pub fn entry(name: &str, content: &[u8]) -> Entry {
    Entry {
        name: name.into(),
        content: content.to_vec(),
        mode: 0o100_644,
        deflate: false,
        claims: None,
        extra: Vec::new(),
        alias: None,
        tail: Vec::new(),
        gap: Vec::new(),
        flags: 0,
    }
}

/// The page that belongs to [`PLAN`] in a bundle with the id and the time of [`manifest`].
pub fn page() -> Vec<u8> {
    static PAGE: OnceLock<Vec<u8>> = OnceLock::new();
    PAGE.get_or_init(make_page).clone()
}

fn make_page() -> Vec<u8> {
    let home = tempfile::tempdir().unwrap();
    let plan = home.path().join("plan.org");
    std::fs::write(&plan, PLAN).unwrap();
    let options = bundle::Options {
        id: Some("x".into()),
        created: Some(1_767_225_600),
        ..bundle::Options::default()
    };
    let made = bundle::assemble(&plan, &options).unwrap();
    bundle::open(&made.bytes).unwrap().files["workbook.html"].clone()
}

pub const PLAN: &[u8] = b"* Plan\n";

/// The entries of a sound bundle, with these added and named in the manifest.
pub fn with(more: &[Entry]) -> Vec<Entry> {
    let mut entries = vec![entry("workbook.org", PLAN), entry("workbook.html", &page())];
    entries.extend_from_slice(more);
    described(entries)
}

/// These entries, and the manifest that names them.
pub fn described(mut entries: Vec<Entry>) -> Vec<Entry> {
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
        let mut packed = if e.deflate {
            deflated(&e.content)
        } else {
            e.content.clone()
        };
        packed.extend(&e.tail);
        out.extend(&e.gap);
        let size = e.claims.unwrap_or(e.content.len() as u32);
        let mut common = Vec::new();
        common.extend(20u16.to_le_bytes());
        common.extend(e.flags.to_le_bytes());
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
        out.extend(e.alias.as_ref().unwrap_or(&e.name));
        out.extend(&packed);
    }
    finish(out, &list, entries.len())
}

/// The same zip behind other bytes, with every offset moved: as self-extracting archives have it.
pub fn behind(prefix: &[u8], sound: &[u8], entries: usize) -> Vec<u8> {
    let start = u32::from_le_bytes(sound[sound.len() - 6..sound.len() - 2].try_into().unwrap()) as usize;
    let mut list = sound[start..sound.len() - 22].to_vec();
    let mut at = 0;
    for _ in 0..entries {
        let offset = u32::from_le_bytes(list[at + 42..at + 46].try_into().unwrap()) + prefix.len() as u32;
        list[at + 42..at + 46].copy_from_slice(&offset.to_le_bytes());
        at += 46 + usize::from(u16::from_le_bytes([list[at + 28], list[at + 29]]));
    }
    finish([prefix, &sound[..start]].concat(), &list, entries)
}

fn finish(mut out: Vec<u8>, list: &[u8], entries: usize) -> Vec<u8> {
    let start = out.len() as u32;
    let count = (entries as u16).to_le_bytes();
    out.extend(list);
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
