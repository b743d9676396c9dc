//! The guest's memory, read and written within its bounds.

use crate::command::module::Process;
use wasmtime::{Caller, Memory, Result, format_err};

/// How many strings there are, and how long they are together with their NULs.
pub(super) fn sizes(bytes: &mut [u8], strings: &[Vec<u8>], count: i32, size: i32) -> Result<i32> {
    let total: usize = strings.iter().map(|string| string.len() + 1).sum();
    put(bytes, count, &(strings.len() as u32).to_le_bytes())?;
    put(bytes, size, &(total as u32).to_le_bytes())
}

/// The strings, and a list of where each is.
pub(super) fn copy(bytes: &mut [u8], strings: &[Vec<u8>], list: i32, text: i32) -> Result<i32> {
    let (mut list, mut text) = (list, text);
    for string in strings {
        put(bytes, list, &text.to_le_bytes())?;
        put(bytes, text, string)?;
        put(bytes, text.wrapping_add(string.len() as i32), &[0])?;
        list = list.wrapping_add(4);
        text = text.wrapping_add(string.len() as i32 + 1);
    }
    Ok(0)
}

/// The guest's memory and what stands beside it.
pub(super) fn split<'a>(caller: &'a mut Caller<'_, Process>) -> Result<(&'a mut [u8], &'a mut Process)> {
    let memory: Memory = caller
        .data()
        .memory
        .ok_or_else(|| format_err!("called before the start"))?;
    Ok(memory.data_and_store_mut(caller))
}

/// The `n`th of a list of pieces: where it is, and how long.
pub(super) fn piece(bytes: &[u8], list: i32, n: i32) -> Result<(i32, i32)> {
    let at = slice(bytes, list.wrapping_add(n.wrapping_mul(8)), 8)?;
    let number = |from: usize| i32::from_le_bytes([at[from], at[from + 1], at[from + 2], at[from + 3]]);
    Ok((number(0), number(4)))
}

pub(super) fn slice(bytes: &[u8], at: i32, length: i32) -> Result<&[u8]> {
    let (at, length) = (at as u32 as usize, length as u32 as usize);
    bytes.get(at..at + length).ok_or_else(outside)
}

pub(super) fn slice_mut(bytes: &mut [u8], at: i32, length: i32) -> Result<&mut [u8]> {
    let (at, length) = (at as u32 as usize, length as u32 as usize);
    bytes.get_mut(at..at + length).ok_or_else(outside)
}

pub(super) fn put(bytes: &mut [u8], at: i32, value: &[u8]) -> Result<i32> {
    slice_mut(bytes, at, value.len() as i32)?.copy_from_slice(value);
    Ok(0)
}

fn outside() -> wasmtime::Error {
    wasmtime::Trap::MemoryOutOfBounds.into()
}
