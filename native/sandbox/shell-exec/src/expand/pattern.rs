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

/// How a pattern is read and compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// bash's `@(a|b)` and its kin count.
    pub extended: bool,
    /// Upper and lower case are the same.
    pub any_case: bool,
}

/// How deeply groups nest; deeper ones stand for themselves.
const DEEPEST: usize = 40;

#[derive(Debug)]
pub(crate) struct Pattern {
    atoms: Vec<Atom>,
    /// There are groups, which take another way to match.
    grouped: bool,
    any_case: bool,
}

#[derive(Debug)]
enum Atom {
    Char(Char),
    Any,
    Star,
    Set {
        negated: bool,
        members: Vec<Member>,
    },
    /// `@(a|b)`: which of `?*+@!`, and what stands between the bars.
    Group(char, Vec<Vec<Atom>>),
}

#[derive(Debug)]
enum Member {
    Range(Char, Char),
    Class(fn(char) -> bool),
}

impl Pattern {
    /// `text`, where a character counts as itself when it is quoted.
    pub fn new(text: &[u8], quoted: &[bool], style: Style) -> Pattern {
        let mut source = Vec::with_capacity(text.len());
        let mut at = 0;
        for char in chars(text) {
            let folded = if style.any_case { fold(char) } else { char };
            source.push((folded, quoted[at]));
            at += char::from_u32(char).map_or(1, char::len_utf8);
        }
        let mut grouped = false;
        let atoms = atoms(&source, style, &mut grouped, 0);
        Pattern {
            atoms,
            grouped,
            any_case: style.any_case,
        }
    }

    /// Whether it begins with this character itself.
    pub fn starts_with(&self, char: char) -> bool {
        matches!(self.atoms.first(), Some(Atom::Char(first)) if *first == Char::from(char))
    }

    pub fn matches(&self, text: &[u8], meter: &Meter) -> Result<bool, Error> {
        let mut text = chars(text);
        if self.any_case {
            text.iter_mut().for_each(|char| *char = fold(*char));
        }
        if self.grouped {
            let mut starts = vec![false; text.len() + 1];
            starts[0] = true;
            return Ok(ends(&self.atoms, &text, starts, meter)?[text.len()]);
        }
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
        let folded = self.folded(text);
        let text = folded.as_deref().unwrap_or(text);
        if self.grouped {
            let mut starts = vec![false; text.len() + 1];
            starts[0] = true;
            let ends = ends(&self.atoms, text, starts, meter)?;
            return Ok(match longest {
                true => ends.iter().rposition(|end| *end),
                false => ends.iter().position(|end| *end),
            });
        }
        run(&self.atoms.iter().collect::<Vec<_>>(), text.iter(), longest, meter)
    }

    fn folded(&self, text: &[Char]) -> Option<Vec<Char>> {
        self.any_case.then(|| text.iter().map(|char| fold(*char)).collect())
    }

    /// How many characters at the end match.
    pub fn suffix(&self, text: &[Char], longest: bool, meter: &Meter) -> Result<Option<usize>, Error> {
        let folded = self.folded(text);
        let text = folded.as_deref().unwrap_or(text);
        if self.grouped {
            let lengths: &mut dyn Iterator<Item = usize> = match longest {
                true => &mut (0..=text.len()).rev(),
                false => &mut (0..=text.len()),
            };
            for length in lengths {
                let rest = &text[text.len() - length..];
                let mut starts = vec![false; rest.len() + 1];
                starts[0] = true;
                if ends(&self.atoms, rest, starts, meter)?[rest.len()] {
                    return Ok(Some(length));
                }
            }
            return Ok(None);
        }
        run(
            &self.atoms.iter().rev().collect::<Vec<_>>(),
            text.iter().rev(),
            longest,
            meter,
        )
    }
}

/// The parts of a pattern.
fn atoms(source: &[(Char, bool)], style: Style, grouped: &mut bool, depth: usize) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let mut at = 0;
    while let Some((char, quoted)) = source.get(at) {
        at += 1;
        let meta = char::from_u32(*char).filter(|_| !quoted);
        let opens = source.get(at) == Some(&(Char::from('('), false));
        match meta {
            Some(kind @ ('?' | '*' | '+' | '@' | '!')) if style.extended && opens && depth < DEEPEST => {
                if let Some((choices, length)) = choices(&source[at + 1..]) {
                    let choices = choices
                        .into_iter()
                        .map(|choice| self::atoms(choice, style, grouped, depth + 1))
                        .collect();
                    *grouped = true;
                    atoms.push(Atom::Group(kind, choices));
                    at += 1 + length;
                    continue;
                }
                atoms.push(match kind {
                    '*' => Atom::Star,
                    '?' => Atom::Any,
                    _ => Atom::Char(*char),
                });
            }
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
    atoms
}

/// One choice of a group.
type Choice<'a> = &'a [(Char, bool)];

/// Behind the parenthesis of a group: its choices, and how long it is with the closing one.
fn choices(source: Choice<'_>) -> Option<(Vec<Choice<'_>>, usize)> {
    let mut choices = Vec::new();
    let mut start = 0;
    let mut open = 0usize;
    let mut at = 0;
    while let Some((char, quoted)) = source.get(at) {
        match char::from_u32(*char).filter(|_| !quoted) {
            Some('\\') => at += 1,
            Some('[') => {
                // A bracket expression may have any of these in it.
                if let Some((_, length)) = set(&source[at + 1..]) {
                    at += length;
                }
            }
            Some('(') => open += 1,
            Some(')') if open > 0 => open -= 1,
            Some(')') => {
                choices.push(&source[start..at]);
                return Some((choices, at + 1));
            }
            Some('|') if open == 0 => {
                choices.push(&source[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where a match of all atoms can end that begins at one of the starts. All ways are followed at once, so the time is a
/// power of the lengths at worst, and it is counted.
fn ends(atoms: &[Atom], text: &[Char], starts: Vec<bool>, meter: &Meter) -> Result<Vec<bool>, Error> {
    let mut places = starts;
    for atom in atoms {
        meter.work(WORK_PER_LOOK * text.len() as u64 + 1)?;
        places = match atom {
            Atom::Star => {
                let first = places.iter().position(|place| *place).unwrap_or(places.len());
                places.iter().enumerate().map(|(at, _)| at >= first).collect()
            }
            Atom::Group(kind, choices) => group(*kind, choices, text, &places, meter)?,
            single => {
                let mut next = vec![false; places.len()];
                for (at, char) in text.iter().enumerate() {
                    next[at + 1] = places[at] && single.accepts(*char);
                }
                next
            }
        };
    }
    Ok(places)
}

fn group(kind: char, choices: &[Vec<Atom>], text: &[Char], starts: &[bool], meter: &Meter) -> Result<Vec<bool>, Error> {
    let once = |from: &[bool]| -> Result<Vec<bool>, Error> {
        let mut all = vec![false; from.len()];
        for choice in choices {
            let found = ends(choice, text, from.to_vec(), meter)?;
            all.iter_mut().zip(found).for_each(|(place, found)| *place |= found);
        }
        Ok(all)
    };
    match kind {
        '@' => once(starts),
        '?' => {
            let mut all = once(starts)?;
            all.iter_mut().zip(starts).for_each(|(place, start)| *place |= start);
            Ok(all)
        }
        '*' | '+' => {
            let mut all = match kind {
                '*' => starts.to_vec(),
                _ => once(starts)?,
            };
            let mut fresh = all.clone();
            while fresh.contains(&true) {
                meter.work(8 * WORK_PER_LOOK * starts.len() as u64)?;
                let found = once(&fresh)?;
                for (at, place) in all.iter_mut().enumerate() {
                    fresh[at] = found[at] && !*place;
                    *place |= found[at];
                }
            }
            Ok(all)
        }
        _ => {
            let mut all = vec![false; starts.len()];
            for start in (0..starts.len()).filter(|at| starts[*at]) {
                let mut from = vec![false; starts.len()];
                from[start] = true;
                let found = once(&from)?;
                for (at, place) in all.iter_mut().enumerate().skip(start) {
                    *place |= !found[at];
                }
            }
            Ok(all)
        }
    }
}

/// Lower case, where case does not matter.
fn fold(char: Char) -> Char {
    char::from_u32(char).map_or(char, |char| {
        let mut lower = char.to_lowercase();
        lower.next().filter(|_| lower.next().is_none()).unwrap_or(char).into()
    })
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
            Atom::Star | Atom::Group(..) => false,
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
