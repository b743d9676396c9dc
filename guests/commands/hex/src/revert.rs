//! `xxd -r`: a dump back to bytes.

use crate::input::reason;
use std::io::{BufRead, BufReader, Read, Write};

pub fn revert(input: impl Read, out: &mut impl Write, plain: bool) -> Result<(), String> {
    let mut at = 0;
    for line in BufReader::new(input).split(b'\n') {
        let line = line.map_err(|error| reason(&error))?;
        let line = String::from_utf8_lossy(&line).into_owned();
        let bytes = if plain {
            pairs(&line)
        } else {
            numbered(&line, &mut at, out)?
        };
        at += bytes.len() as u64;
        out.write_all(&bytes).map_err(|error| reason(&error))?;
    }
    Ok(())
}

/// The bytes of `00000000: 6162 63  abc`, after zeros up to its offset.
fn numbered(line: &str, at: &mut u64, out: &mut impl Write) -> Result<Vec<u8>, String> {
    let Some((offset, rest)) = line.split_once(':') else {
        return Ok(Vec::new());
    };
    let Ok(offset) = u64::from_str_radix(offset.trim(), 16) else {
        return Ok(Vec::new());
    };
    if offset < *at {
        return Err("a dump that goes back cannot be written".into());
    }
    std::io::copy(&mut std::io::repeat(0).take(offset - *at), out).map_err(|error| reason(&error))?;
    *at = offset;
    // Two blanks end the digits.
    let digits = rest.strip_prefix(' ').unwrap_or(rest);
    Ok(pairs(digits.split("  ").next().unwrap_or_default()))
}

fn pairs(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter_map(|char| char.to_digit(16))
        .map(|digit| digit as u8)
        .collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
