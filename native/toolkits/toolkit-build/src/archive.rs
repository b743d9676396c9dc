//! A module out of an archive: tar, or tar with gzip. Nothing is unpacked to the disk.

use crate::Error;
use flate2::read::GzDecoder;
use std::io::Read;
use tar::Archive;

/// The most that an archive may hold when it is unpacked; a bomb ends here.
const MAX_UNPACKED: u64 = 256 << 20;
/// The largest module.
const MAX_MODULE: u64 = 64 << 20;
/// The most entries that are looked at.
const MAX_ENTRIES: usize = 100_000;

/// The module at `wasm_path`, or the only `.wasm` there is.
pub(crate) fn module(archive: &[u8], wasm_path: Option<&str>) -> Result<Vec<u8>, Error> {
    match archive.starts_with(&[0x1f, 0x8b]) {
        true => find(GzDecoder::new(archive).take(MAX_UNPACKED), wasm_path),
        false => find(archive.take(MAX_UNPACKED), wasm_path),
    }
}

fn find(reader: impl Read, wasm_path: Option<&str>) -> Result<Vec<u8>, Error> {
    let wrong = |e: std::io::Error| Error::Archive(e.to_string());
    let mut found: Option<Vec<u8>> = None;
    for (n, entry) in Archive::new(reader).entries().map_err(wrong)?.enumerate() {
        let mut entry = entry.map_err(wrong)?;
        if n == MAX_ENTRIES {
            return Err(Error::Archive(format!("it has more than {MAX_ENTRIES} entries")));
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = name.strip_prefix("./").unwrap_or(&name);
        let wanted = match wasm_path {
            Some(path) => name == path,
            None => name.ends_with(".wasm"),
        };
        if !wanted || !entry.header().entry_type().is_file() {
            continue;
        }
        if found.is_some() {
            return Err(Error::Archive(
                "it holds several modules, and #+WASM_PATH: names none".into(),
            ));
        }
        let mut module = Vec::new();
        entry
            .by_ref()
            .take(MAX_MODULE + 1)
            .read_to_end(&mut module)
            .map_err(wrong)?;
        if module.len() as u64 > MAX_MODULE {
            return Err(Error::Archive(format!("`{name}` has more than {MAX_MODULE} bytes")));
        }
        found = Some(module);
    }
    found.ok_or_else(|| Error::Archive(format!("it does not hold {}", wasm_path.unwrap_or("any `.wasm`"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn pack(files: &[(&str, &[u8])], gzip: bool) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            tar.append_data(&mut header, name, *bytes).unwrap();
        }
        let tar = tar.into_inner().unwrap();
        if !gzip {
            return tar;
        }
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gz.write_all(&tar).unwrap();
        gz.finish().unwrap()
    }

    #[test]
    fn the_module_is_found_by_its_path_or_as_the_only_one() {
        for gzip in [false, true] {
            let two = pack(&[("bin/a.wasm", b"A"), ("b.wasm", b"B"), ("c.txt", b"C")], gzip);
            assert_eq!(module(&two, Some("bin/a.wasm")).unwrap(), b"A");
            assert!(module(&two, None).unwrap_err().to_string().contains("several"));
            assert!(module(&two, Some("d.wasm")).unwrap_err().to_string().contains("d.wasm"));
            assert_eq!(module(&pack(&[("x/a.wasm", b"A")], gzip), None).unwrap(), b"A");
        }
        assert!(module(b"nonsense", None).is_err());
        assert!(module(&[0x1f, 0x8b, 1, 2], None).is_err());
    }

    #[test]
    fn a_bomb_ends_at_the_bound() {
        let zeros = vec![0; (MAX_MODULE + 1) as usize];
        let bomb = pack(&[("a.wasm", &zeros)], true);
        assert!(bomb.len() < 1 << 20);
        assert!(module(&bomb, None).unwrap_err().to_string().contains("more than"));
    }
}
