//! A guard in front of the validator.
//!
//! wasmparser reads nested type declarations by recursion without a limit, so a few kilobytes can overflow the stack,
//! and a stack overflow takes the whole process down. This walk reads the same declarations with a limit.

use wasmparser::{BinaryReader, ComponentType, ComponentTypeDeclaration, Parser, Payload, Result};

/// WIT needs four levels. A level costs the validator some two kilobytes of stack.
const MAX_DEPTH: usize = 32;

/// Whether components, and type declarations inside type declarations, nest no deeper than the limit.
pub(crate) fn is_shallow(bytes: &[u8]) -> Result<bool> {
    let mut components = 0;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::Version { .. } => components += 1,
            Payload::End(_) => components -= 1,
            Payload::ComponentTypeSection(section) => {
                let range = section.range();
                let mut reader = BinaryReader::new(&bytes[range.clone()], range.start);
                for _ in 0..reader.read_var_u32()? {
                    if !type_is_shallow(&mut reader, 0)? {
                        return Ok(false);
                    }
                }
            }
            _ => {}
        }
        if components > MAX_DEPTH {
            return Ok(false);
        }
    }
    Ok(true)
}

fn type_is_shallow(reader: &mut BinaryReader, depth: usize) -> Result<bool> {
    const COMPONENT: u8 = 0x41;
    const INSTANCE: u8 = 0x42;
    if !matches!(peek(reader)?, COMPONENT | INSTANCE) {
        reader.read::<ComponentType>()?;
        return Ok(true);
    }
    if depth == MAX_DEPTH {
        return Ok(false);
    }
    reader.read_u8()?;
    for _ in 0..reader.read_var_u32()? {
        if !declaration_is_shallow(reader, depth + 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn declaration_is_shallow(reader: &mut BinaryReader, depth: usize) -> Result<bool> {
    const TYPE: u8 = 0x01;
    if peek(reader)? != TYPE {
        reader.read::<ComponentTypeDeclaration>()?;
        return Ok(true);
    }
    reader.read_u8()?;
    type_is_shallow(reader, depth)
}

fn peek(reader: &BinaryReader) -> Result<u8> {
    reader.clone().read_u8()
}
