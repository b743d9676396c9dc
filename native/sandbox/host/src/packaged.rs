//! Packaged programs: an interpreter, and the arguments that go first.
//!
//! A script becomes a program of its own by a custom section at the end of its interpreter: `workbooks:argv`, a JSON array
//! of strings, the program's name first. Whoever runs the program puts them before the caller's own arguments. The
//! interpreter is compiled without the section, so a thousand scripts share its code.

use crate::Error;
use std::borrow::Cow;

/// The name of the custom section.
const SECTION: &str = "workbooks:argv";
/// Both a core module and a component begin with a magic number and a version.
const HEADER: usize = 8;
/// What a program may carry, in bytes.
const MAX_SECTION: usize = 16 << 20;

/// An interpreter with the arguments that go first, as a program of its own.
///
/// ```
/// let module = b"\0asm\x01\0\0\0";
/// let program = host::package(module, &["say".into(), "hello".into()])?;
/// assert!(program.ends_with(br#"["say","hello"]"#));
/// # Ok::<(), host::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Unfit`] when the interpreter is packaged already, or an argument has a NUL, which no argument can carry.
pub fn package(interpreter: &[u8], argv: &[String]) -> Result<Vec<u8>, Error> {
    let text = serde_json::to_vec(argv).expect("strings are JSON");
    arguments(&text)?;
    if unpackage(interpreter)?.1.is_some() {
        return Err(unfit("it is packaged already"));
    }
    let mut content = Vec::with_capacity(text.len() + SECTION.len() + 1);
    content.push(SECTION.len() as u8);
    content.extend_from_slice(SECTION.as_bytes());
    content.extend_from_slice(&text);
    let mut program = interpreter.to_vec();
    program.push(0);
    write_number(&mut program, content.len());
    program.extend_from_slice(&content);
    Ok(program)
}

/// The code, and the arguments it was packaged with.
pub(crate) type Unpackaged<'a> = (Cow<'a, [u8]>, Option<Vec<String>>);

/// The interpreter, and the arguments that it was packaged with. Bytes that are not wasm are returned as they are: it is
/// the compiler's to refuse them.
pub(crate) fn unpackage(wasm: &[u8]) -> Result<Unpackaged<'_>, Error> {
    let mut found = None;
    let mut at = HEADER;
    while let Some(section) = Section::read(wasm, at) {
        if section.is_ours(wasm) {
            if found.is_some() {
                return Err(unfit("it is packaged twice"));
            }
            found = Some(section);
        }
        at = section.end;
    }
    let Some(section) = found else {
        return Ok((Cow::Borrowed(wasm), None));
    };
    let argv = arguments(&wasm[section.content + 1 + SECTION.len()..section.end])?;
    let interpreter = [&wasm[..section.start], &wasm[section.end..]].concat();
    Ok((Cow::Owned(interpreter), Some(argv)))
}

fn arguments(text: &[u8]) -> Result<Vec<String>, Error> {
    if text.len() > MAX_SECTION {
        return Err(unfit(&format!("they have more than {MAX_SECTION} bytes")));
    }
    let argv: Vec<String> =
        serde_json::from_slice(text).map_err(|e| unfit(&format!("not a JSON array of strings: {e}")))?;
    match argv.as_slice() {
        [] => Err(unfit("there is no program name")),
        argv if argv.iter().any(|word| word.contains('\0')) => Err(unfit("one has a NUL")),
        _ => Ok(argv),
    }
}

fn unfit(why: &str) -> Error {
    Error::Unfit(format!("its packaged arguments cannot be used: {why}"))
}

/// A section of the outermost layer.
#[derive(Clone, Copy)]
struct Section {
    start: usize,
    custom: bool,
    content: usize,
    end: usize,
}

impl Section {
    /// The section at `start`; `None` at the end, or where there is no section.
    fn read(wasm: &[u8], start: usize) -> Option<Section> {
        let id = *wasm.get(start)?;
        let (length, content) = read_number(wasm, start + 1)?;
        let end = content.checked_add(length).filter(|end| *end <= wasm.len())?;
        let custom = id == 0;
        Some(Section {
            start,
            custom,
            content,
            end,
        })
    }

    fn is_ours(&self, wasm: &[u8]) -> bool {
        let name = wasm[self.content..self.end].split_first();
        self.custom
            && name
                .is_some_and(|(length, rest)| *length as usize == SECTION.len() && rest.starts_with(SECTION.as_bytes()))
    }
}

/// LEB128, as wasm writes the length of a section, and the place after it.
fn read_number(wasm: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let byte = *wasm.get(at)?;
        at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((number.try_into().ok()?, at));
        }
    }
    None
}

fn write_number(into: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MODULE: &[u8] = b"\0asm\x01\0\0\0";
    const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_was_packaged_comes_apart_again() {
        for interpreter in [MODULE, COMPONENT, b"\0asm\x01\0\0\0\0\x04\x03pad"] {
            for argv in [words(&["js"]), words(&["js", "-e", "print(\"\\u2028\u{1f600}\")", ""])] {
                let program = package(interpreter, &argv).unwrap();
                let (back, found) = unpackage(&program).unwrap();
                assert_eq!((&*back, found), (interpreter, Some(argv)));
            }
        }
    }

    #[test]
    fn what_follows_the_section_stays() {
        let mut program = package(MODULE, &words(&["js"])).unwrap();
        program.extend_from_slice(b"\0\x04\x03pad");
        let (back, _) = unpackage(&program).unwrap();
        assert_eq!(&*back, b"\0asm\x01\0\0\0\0\x04\x03pad");
    }

    #[test]
    fn a_section_inside_another_is_not_ours() {
        let inner = package(MODULE, &words(&["js"])).unwrap();
        let mut outer = COMPONENT.to_vec();
        outer.push(1);
        write_number(&mut outer, inner.len());
        outer.extend_from_slice(&inner);
        assert_eq!(unpackage(&outer).unwrap().1, None);
    }

    #[test]
    fn bad_arguments_are_refused() {
        assert!(package(MODULE, &[]).is_err());
        assert!(package(MODULE, &words(&["js", "a\0b"])).is_err());
        let program = package(MODULE, &words(&["js"])).unwrap();
        assert!(package(&program, &words(&["js"])).is_err(), "twice");
        for text in ["", "[]", "[1]", "{}", "[\"js\"", "[\"a\\u0000\"]", "\"js\""] {
            let mut content = vec![SECTION.len() as u8];
            content.extend_from_slice(SECTION.as_bytes());
            content.extend_from_slice(text.as_bytes());
            let mut program = MODULE.to_vec();
            program.push(0);
            write_number(&mut program, content.len());
            program.extend_from_slice(&content);
            assert!(unpackage(&program).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpackage(&bytes);
            let _ = unpackage(&[MODULE, &bytes].concat());
        }

        #[test]
        fn any_arguments_survive(argv in proptest::collection::vec("[^\u{0}]{0,40}", 1..5), pad in 0usize..300) {
            let mut interpreter = MODULE.to_vec();
            interpreter.push(0);
            write_number(&mut interpreter, pad + 2);
            interpreter.extend_from_slice(b"\x01x");
            interpreter.resize(interpreter.len() + pad, 0);
            let program = package(&interpreter, &argv).unwrap();
            let (back, found) = unpackage(&program).unwrap();
            prop_assert_eq!((&*back, found), (interpreter.as_slice(), Some(argv)));
        }
    }
}
