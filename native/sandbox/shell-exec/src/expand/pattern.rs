//! Patterns: `*`, `?` and `[..]`.
//!
//! Matching never backtracks into more than one star, and trimming tracks all matches at once, so the time is at worst
//! the product of the two lengths; that much is counted as work.

use crate::Error;
use crate::meter::Meter;

/// What it counts as work to look at one character with one part of a pattern.
const WORK_PER_LOOK: u64 = 4;

/// A character, or a byte that is none.
pub(crate) type Char = u32;

const NOT_UTF8: Char = 0x11_0000;

/// The characters of a text.
pub(crate) fn chars(text: &[u8]) -> Vec<Char> {
    let mut chars = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        chars.extend(chunk.valid().chars().map(Char::from));
        chars.extend(chunk.invalid().iter().map(|byte| NOT_UTF8 + Char::from(*byte)));
    }
    chars
}

/// The text of characters.
pub(crate) fn text(chars: &[Char]) -> Vec<u8> {
    let mut text = Vec::with_capacity(chars.len());
    for code in chars {
        match char::from_u32(*code) {
            Some(char) => text.extend(char.encode_utf8(&mut [0; 4]).bytes()),
            None => text.push((code - NOT_UTF8) as u8),
        }
    }
    text
}

#[derive(Debug)]
pub(crate) struct Pattern {
    atoms: Vec<Atom>,
}

#[derive(Debug)]
enum Atom {
    Char(Char),
    Any,
    Star,
    Set { negated: bool, members: Vec<Member> },
}

#[derive(Debug)]
enum Member {
    Range(Char, Char),
    Class(fn(char) -> bool),
}

impl Pattern {
    /// `text`, where a character counts as itself when it is quoted.
    pub fn new(text: &[u8], quoted: &[bool]) -> Pattern {
        let mut source = Vec::with_capacity(text.len());
        let mut at = 0;
        for char in chars(text) {
            source.push((char, quoted[at]));
            at += char::from_u32(char).map_or(1, char::len_utf8);
        }
        let mut atoms = Vec::new();
        let mut at = 0;
        while let Some((char, quoted)) = source.get(at) {
            at += 1;
            let meta = char::from_u32(*char).filter(|_| !quoted);
            match meta {
                Some('*') if matches!(atoms.last(), Some(Atom::Star)) => {}
                Some('*') => atoms.push(Atom::Star),
                Some('?') => atoms.push(Atom::Any),
                Some('\\') if at < source.len() => {
                    atoms.push(Atom::Char(source[at].0));
                    at += 1;
                }
                Some('[') => match set(&source[at..]) {
                    Some((set, length)) => {
                        atoms.push(set);
                        at += length;
                    }
                    None => atoms.push(Atom::Char(*char)),
                },
                _ => atoms.push(Atom::Char(*char)),
            }
        }
        Pattern { atoms }
    }

    /// Whether it begins with this character itself.
    pub fn starts_with(&self, char: char) -> bool {
        matches!(self.atoms.first(), Some(Atom::Char(first)) if *first == Char::from(char))
    }

    pub fn matches(&self, text: &[u8], meter: &Meter) -> Result<bool, Error> {
        let text = chars(text);
        let (mut at, mut atom) = (0, 0);
        // Where to go on if what follows the last star does not fit.
        let mut retry: Option<(usize, usize)> = None;
        let mut work = 0u64;
        loop {
            work += WORK_PER_LOOK;
            if work >= 1 << 16 {
                meter.work(work)?;
                work = 0;
            }
            match self.atoms.get(atom) {
                Some(Atom::Star) => {
                    retry = Some((at, atom + 1));
                    atom += 1;
                    continue;
                }
                Some(single) if at < text.len() && single.accepts(text[at]) => {
                    at += 1;
                    atom += 1;
                    continue;
                }
                None if at == text.len() => return Ok(true),
                _ => {}
            }
            match retry {
                Some((from, after)) if from < text.len() => {
                    retry = Some((from + 1, after));
                    (at, atom) = (from + 1, after);
                }
                _ => return Ok(false),
            }
        }
    }

    /// How many characters at the beginning match: the shortest such beginning, or the longest.
    pub fn prefix(&self, text: &[Char], longest: bool, meter: &Meter) -> Result<Option<usize>, Error> {
        run(&self.atoms.iter().collect::<Vec<_>>(), text.iter(), longest, meter)
    }

    /// How many characters at the end match.
    pub fn suffix(&self, text: &[Char], longest: bool, meter: &Meter) -> Result<Option<usize>, Error> {
        run(
            &self.atoms.iter().rev().collect::<Vec<_>>(),
            text.iter().rev(),
            longest,
            meter,
        )
    }
}

/// Follows all ways through the atoms at once.
fn run<'a>(
    atoms: &[&Atom],
    text: impl Iterator<Item = &'a Char>,
    longest: bool,
    meter: &Meter,
) -> Result<Option<usize>, Error> {
    let mut found = None;
    let mut states = vec![0];
    let mut work = 0u64;
    let mut text = text.copied();
    let mut length = 0;
    loop {
        // A star may stand for nothing.
        let mut at = 0;
        while at < states.len() {
            let state: usize = states[at];
            if matches!(atoms.get(state), Some(Atom::Star)) && states.get(at + 1) != Some(&(state + 1)) {
                states.insert(at + 1, state + 1);
            }
            at += 1;
        }
        if states.last() == Some(&atoms.len()) {
            found = Some(length);
            if !longest {
                return Ok(found);
            }
        }
        work += states.len() as u64 * WORK_PER_LOOK;
        if work >= 1 << 16 {
            meter.work(work)?;
            work = 0;
        }
        let Some(char) = text.next() else { break };
        length += 1;
        let mut next = Vec::with_capacity(states.len());
        for state in states {
            let to = match atoms.get(state) {
                Some(Atom::Star) => state,
                Some(single) if single.accepts(char) => state + 1,
                _ => continue,
            };
            if next.last() != Some(&to) {
                next.push(to);
            }
        }
        if next.is_empty() {
            break;
        }
        states = next;
    }
    meter.work(work)?;
    Ok(found)
}

impl Atom {
    fn accepts(&self, char: Char) -> bool {
        match self {
            Atom::Char(own) => *own == char,
            Atom::Any => true,
            Atom::Star => false,
            Atom::Set { negated, members } => members.iter().any(|member| member.accepts(char)) != *negated,
        }
    }
}

impl Member {
    fn accepts(&self, char: Char) -> bool {
        match self {
            Member::Range(from, to) => (*from..=*to).contains(&char),
            Member::Class(is) => char::from_u32(char).is_some_and(is),
        }
    }
}

/// Behind `[`: the set and its length, or nothing when it is not closed.
fn set(source: &[(Char, bool)]) -> Option<(Atom, usize)> {
    let plain = |at: usize| {
        source
            .get(at)
            .filter(|(_, quoted)| !quoted)
            .and_then(|(c, _)| char::from_u32(*c))
    };
    let negated = matches!(plain(0), Some('!' | '^'));
    let start = usize::from(negated);
    let mut at = start;
    let mut members = Vec::new();
    loop {
        if plain(at) == Some(']') && at > start {
            return Some((Atom::Set { negated, members }, at + 1));
        }
        let from = match (plain(at), plain(at + 1)) {
            (Some('['), Some(kind @ (':' | '.' | '='))) => match named(source, at, kind) {
                Some((Named::Class(class), length)) => {
                    members.push(Member::Class(class));
                    at += length;
                    continue;
                }
                Some((Named::Char(char), length)) => {
                    at += length;
                    char
                }
                Some((Named::Nothing, length)) => {
                    at += length;
                    continue;
                }
                None => member(source, &mut at)?,
            },
            _ => member(source, &mut at)?,
        };
        let is_range = plain(at) == Some('-') && plain(at + 1) != Some(']') && source.get(at + 1).is_some();
        if !is_range {
            members.push(Member::Range(from, from));
            continue;
        }
        at += 1;
        let to = match (plain(at), plain(at + 1)) {
            (Some('['), Some(kind @ ('.' | '='))) => match named(source, at, kind) {
                Some((Named::Char(char), length)) => {
                    at += length;
                    char
                }
                _ => member(source, &mut at)?,
            },
            _ => member(source, &mut at)?,
        };
        members.push(Member::Range(from, to));
    }
}

/// One character of a set, behind a backslash if there is one.
fn member(source: &[(Char, bool)], at: &mut usize) -> Option<Char> {
    let (char, quoted) = source.get(*at)?;
    *at += 1;
    if *char == Char::from('\\') && !quoted {
        let escaped = source.get(*at)?.0;
        *at += 1;
        return Some(escaped);
    }
    Some(*char)
}

enum Named {
    Class(fn(char) -> bool),
    Char(Char),
    Nothing,
}

/// `[:class:]`, `[.x.]` or `[=x=]`, and its length.
fn named(source: &[(Char, bool)], at: usize, kind: char) -> Option<(Named, usize)> {
    let body = &source[at + 2..];
    let end = body
        .windows(2)
        .position(|pair| pair[0].0 == Char::from(kind) && pair[1].0 == Char::from(']'))?;
    let name: Vec<Char> = body[..end].iter().map(|(char, _)| *char).collect();
    let named = match (kind, &name[..]) {
        (':', _) => class(&text(&name)).map_or(Named::Nothing, Named::Class),
        (_, [char]) => Named::Char(*char),
        _ => Named::Nothing,
    };
    Some((named, end + 4))
}

fn class(name: &[u8]) -> Option<fn(char) -> bool> {
    Some(match name {
        b"alpha" => char::is_alphabetic,
        b"digit" => |c| c.is_ascii_digit(),
        b"alnum" => |c| c.is_alphabetic() || c.is_ascii_digit(),
        b"upper" => char::is_uppercase,
        b"lower" => char::is_lowercase,
        b"space" => |c| c.is_whitespace(),
        b"blank" => |c| c == ' ' || c == '\t',
        b"punct" => |c| c.is_ascii_punctuation(),
        b"cntrl" => char::is_control,
        b"print" => |c| !c.is_control(),
        b"graph" => |c| !c.is_control() && !c.is_whitespace(),
        b"xdigit" => |c| c.is_ascii_hexdigit(),
        _ => return None,
    })
}
