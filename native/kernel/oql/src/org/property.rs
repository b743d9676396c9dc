//! Properties: `:key: value` lines, and what `:key+: more` lines add to them.

use super::Line;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One line, and where its value stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Property<'a> {
    /// Without a trailing `+`.
    pub key: &'a str,
    /// `:key+:`: the value goes behind what the key has already.
    pub adds: bool,
    /// Trimmed.
    pub value: &'a str,
    /// Byte offset of the value.
    pub offset: usize,
}

/// A property as it counts: its own line first, then every line that adds to it, joined by a space. That is Org's rule,
/// and it does not matter which of the lines comes first.
#[derive(Debug, Clone)]
pub(crate) struct Joined<'a> {
    /// The whole value.
    pub value: Cow<'a, str>,
    /// Where each line's part begins: in the value, and in the text.
    parts: Vec<(usize, usize)>,
}

impl<'a> Joined<'a> {
    /// Joins lines that are in order of precedence; of several that do not add the first counts.
    pub fn of(lines: impl Iterator<Item = Property<'a>> + Clone) -> Option<Joined<'a>> {
        let own = lines.clone().find(|p| !p.adds);
        let all = own.into_iter().chain(lines.filter(|p| p.adds));
        let mut joined: Option<Joined<'a>> = None;
        for p in all {
            match &mut joined {
                None => {
                    joined = Some(Joined {
                        value: p.value.into(),
                        parts: vec![(0, p.offset)],
                    });
                }
                Some(_) if p.value.is_empty() => {}
                Some(j) if j.value.is_empty() => {
                    j.value = p.value.into();
                    j.parts = vec![(0, p.offset)];
                }
                Some(j) => {
                    let value = j.value.to_mut();
                    value.push(' ');
                    j.parts.push((value.len(), p.offset));
                    value.push_str(p.value);
                }
            }
        }
        joined
    }

    /// The byte offset in the text of byte `at` of the value.
    pub fn place(&self, at: usize) -> usize {
        let part = self.parts.partition_point(|(from, _)| *from <= at).saturating_sub(1);
        let (from, offset) = self.parts[part];
        // Between two parts stands a space that is in no line.
        let end = self.parts.get(part + 1).map_or(self.value.len(), |(next, _)| next - 1);
        offset + at.min(end) - from
    }

    /// Where the value begins in the text.
    pub fn offset(&self) -> usize {
        self.parts[0].1
    }
}

/// Every property of some lines by upper-cased key.
pub(crate) fn by_key<'a>(lines: impl Iterator<Item = Property<'a>>) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, (Option<&str>, Vec<&str>)> = BTreeMap::new();
    for p in lines {
        let (own, more) = found.entry(p.key.to_uppercase()).or_default();
        if p.adds {
            more.push(p.value);
        } else if own.is_none() {
            *own = Some(p.value);
        }
    }
    found
        .into_iter()
        .map(|(key, (own, more))| {
            let mut value = own.unwrap_or_default().to_owned();
            for part in more.into_iter().filter(|part| !part.is_empty()) {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(part);
            }
            (key, value)
        })
        .collect()
}

/// `:key: value`, `:key+: value` or `:key:`.
pub(super) fn property<'a>(line: &Line<'a>) -> Option<Property<'a>> {
    let from = line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
    let rest = line.text[from..].strip_prefix(':')?;
    let word = rest.split([' ', '\t']).next()?;
    let key = word.strip_suffix(':').filter(|k| !k.is_empty())?;
    let (key, adds) = match key.strip_suffix('+').filter(|k| !k.is_empty()) {
        Some(key) => (key, true),
        None => (key, false),
    };
    let after = &rest[word.len()..];
    let value = after.trim_matches([' ', '\t']);
    let skipped = after.len() - after.trim_start_matches([' ', '\t']).len();
    Some(Property {
        key,
        adds,
        value,
        offset: line.start + from + 1 + word.len() + if value.is_empty() { 0 } else { skipped },
    })
}

/// A bare line counts when it has a value; an empty one is a drawer's border, but for `:done-when:`, which an author
/// left open and which must not read as "no check".
pub(super) fn bare_property<'a>(line: &Line<'a>) -> Option<Property<'a>> {
    let p = property(line)?;
    let named = p.key.starts_with(|c: char| c.is_alphabetic())
        && p.key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let open_check = ["done-when", "done_when"].iter().any(|k| p.key.eq_ignore_ascii_case(k));
    (named && (!p.value.is_empty() || open_check)).then_some(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(lines: &[(&'static str, bool, &'static str)]) -> Option<Joined<'static>> {
        let all: Vec<_> = lines
            .iter()
            .enumerate()
            .map(|(i, (key, adds, value))| Property {
                key,
                adds: *adds,
                value,
                offset: 100 * (i + 1),
            })
            .collect();
        Joined::of(all.iter().copied())
    }

    #[test]
    fn a_value_is_its_own_line_and_then_what_is_added() {
        for (lines, want) in [
            (&[("a", false, "x"), ("a", true, "y")][..], "x y"),
            (&[("a", true, "y"), ("a", false, "x"), ("a", true, "z")], "x y z"),
            (&[("a", true, "y"), ("a", true, "z")], "y z"),
            (&[("a", false, ""), ("a", true, "z")], "z"),
            (&[("a", false, "x"), ("a", true, ""), ("a", false, "other")], "x"),
        ] {
            assert_eq!(joined(lines).unwrap().value, want, "{lines:?}");
            let all: Vec<_> = lines
                .iter()
                .map(|(key, adds, value)| Property {
                    key,
                    adds: *adds,
                    value,
                    offset: 0,
                })
                .collect();
            assert_eq!(by_key(all.into_iter())["A"], want, "{lines:?}");
        }
        assert!(joined(&[]).is_none());
    }

    #[test]
    fn each_byte_knows_the_line_it_came_from() {
        let j = joined(&[("a", true, "yz"), ("a", false, "x")]).unwrap();
        assert_eq!(j.value, "x yz");
        assert_eq!([0, 1, 2, 3, 4].map(|at| j.place(at)), [200, 201, 100, 101, 102]);
        assert_eq!(j.offset(), 200);
    }
}
