//! Header arguments that a block inherits: `header-args` and `header-args:LANG` properties of its headline, of those
//! above, of the file. Emacs is the judge: `org-babel-params-from-properties` and `org-entry-get-with-inheritance`.

use super::property::Property;
use super::section::{Section, SourceBlock};
use super::{Arg, Lines, Outline, args};
use std::collections::BTreeMap;

/// Lines of one property, and arguments that a block inherits of it: more than anybody writes, few enough that many blocks
/// can inherit them.
const MOST: usize = 64;

/// Every `header-args` property of a text, by headline. Most plans have none, and pay for nothing.
#[derive(Default)]
pub(super) struct HeaderArgs<'a> {
    /// The drawer of each headline.
    headlines: Vec<Vec<Property<'a>>>,
    /// The drawer above the first headline.
    top: Vec<Property<'a>>,
    /// `#+PROPERTY:` lines by lower-cased key. Of several the last that sets it counts, and what is added after that.
    file: BTreeMap<String, Vec<Property<'a>>>,
}

impl<'a> HeaderArgs<'a> {
    /// Looks them up, where the text has the word at all.
    pub fn read(outline: &Outline<'a>) -> Option<HeaderArgs<'a>> {
        let has = |word: &[u8]| memchr::memmem::find(outline.text.as_bytes(), word).is_some();
        if !(has(b"eader-args") || has(b"EADER-ARGS") || has(b"eader-Args")) {
            return None;
        }
        let mut found = HeaderArgs {
            headlines: Vec::with_capacity(outline.headlines.len()),
            ..HeaderArgs::default()
        };
        let preamble = outline.preamble_section();
        found.top = ours(&preamble);
        found.lines(outline, &preamble, outline.preamble.start, outline.preamble.end, 1);
        for h in &outline.headlines {
            let section = Section::read(outline.text, h.section.clone(), h.line + 1);
            found.headlines.push(ours(&section));
            found.lines(outline, &section, h.section.start, h.section.end, h.line + 1);
        }
        Some(found)
    }

    fn lines(&mut self, outline: &Outline<'a>, section: &Section<'a>, from: usize, to: usize, number: usize) {
        for line in Lines::between(outline.text, from, to, number) {
            let Some(property) = keyword(line.text, line.start).filter(|_| !section.in_block(line.number)) else {
                continue;
            };
            let lines = self.file.entry(property.key.to_ascii_lowercase()).or_default();
            if !property.adds {
                lines.clear();
            }
            if lines.len() < MOST {
                lines.push(property);
            }
        }
    }

    /// Puts what headline `i` (or none: the text above the first) hands down in front of the own arguments of its blocks.
    /// A key that is set nearer replaces all that is said of it farther away.
    pub fn apply(&self, outline: &Outline<'a>, i: Option<usize>, blocks: &mut [SourceBlock<'a>]) {
        let mut by_lang: BTreeMap<Option<&'a str>, Vec<Arg<'a>>> = BTreeMap::new();
        for block in blocks {
            let inherited = by_lang.entry(block.lang).or_insert_with(|| {
                let mut all = self.inherited(outline, i, "header-args");
                if let Some(lang) = block.lang {
                    let key = format!("header-args:{}", lang.to_ascii_lowercase());
                    replace(&mut all, self.inherited(outline, i, &key));
                }
                all
            });
            let mut all = inherited.clone();
            replace(&mut all, std::mem::take(&mut block.args));
            block.args = all;
        }
    }

    fn inherited(&self, outline: &Outline<'a>, i: Option<usize>, key: &str) -> Vec<Arg<'a>> {
        // From the nearest up to the first that sets the property; those that only add to it come on top of that.
        let mut levels: Vec<Vec<Property<'a>>> = Vec::new();
        let mut at = i;
        loop {
            let lines = at.map_or(&self.top, |i| &self.headlines[i]);
            let own = lines.iter().filter(|p| p.key.eq_ignore_ascii_case(key)).copied();
            let base = own.clone().find(|p| !p.adds);
            levels.push(base.into_iter().chain(own.filter(|p| p.adds)).collect());
            match at {
                _ if base.is_some() => break,
                None => {
                    levels.extend(self.file.get(key).cloned());
                    break;
                }
                Some(i) => at = outline.headlines[i].parent,
            }
        }
        let pieces = levels.iter().rev().flatten();
        let all = pieces.flat_map(|p| args::header(p.value, p.offset).args);
        all.take(MOST).collect()
    }
}

fn ours<'a>(section: &Section<'a>) -> Vec<Property<'a>> {
    section
        .drawer
        .iter()
        .filter(|p| is_ours(p.key))
        .take(MOST)
        .copied()
        .collect()
}

fn is_ours(key: &str) -> bool {
    key.get(..11).is_some_and(|k| k.eq_ignore_ascii_case("header-args"))
}

fn replace<'a>(all: &mut Vec<Arg<'a>>, nearer: Vec<Arg<'a>>) {
    all.retain(|a| nearer.iter().all(|b| b.key != a.key));
    all.extend(nearer);
}

/// `#+PROPERTY: header-args :key value`.
fn keyword(line: &str, start: usize) -> Option<Property<'_>> {
    let at = |part: &str| start + (part.as_ptr() as usize - line.as_ptr() as usize);
    let rest = line.trim_start_matches([' ', '\t']).strip_prefix("#+")?;
    let (name, rest) = rest.split_once(':')?;
    if !name.eq_ignore_ascii_case("PROPERTY") {
        return None;
    }
    let rest = rest.trim_matches([' ', '\t']);
    let (key, value) = rest.split_once([' ', '\t'])?;
    let (key, adds) = key.strip_suffix('+').map_or((key, false), |key| (key, true));
    is_ours(key).then(|| Property {
        key,
        adds,
        value,
        offset: at(value),
    })
}
