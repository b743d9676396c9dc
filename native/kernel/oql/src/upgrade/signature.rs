//! What a workflow promises and demands, over every component below it, however deep.

use super::Side;
use crate::org::Outline;
use crate::workflow::{self, Components, Value};
use std::collections::BTreeMap;

/// A workflow's surface.
pub(super) struct Signature<'a> {
    /// The workflow's title.
    pub title: String,
    /// Index of its headline.
    pub headline: usize,
    /// Capabilities it asks for, sorted.
    pub imports: Vec<Value<'a>>,
    /// Values it promises, sorted.
    pub exports: Vec<Value<'a>>,
    /// What each component gives, by title.
    pub outputs: BTreeMap<String, Output<'a>>,
}

/// What a component gives.
pub(super) struct Output<'a> {
    /// `:out`, where there is one.
    pub value: Option<Value<'a>>,
    /// Index of the component's headline.
    pub headline: usize,
}

impl Signature<'_> {
    pub fn exports_exactly(&self, value: &str) -> bool {
        self.exports.binary_search_by_key(&value, |v| v.text).is_ok()
    }

    /// The exports that carry the name of `value`, whatever their type.
    pub fn exports_named(&self, value: &str) -> &[Value<'_>] {
        let name = value.split_inclusive(':').next().unwrap_or(value);
        let from = self.exports.partition_point(|v| v.text < name);
        let named = self.exports[from..].iter().take_while(|v| v.text.starts_with(name));
        &self.exports[from..from + named.count()]
    }

    pub fn imports_already(&self, capability: &str) -> bool {
        self.imports.binary_search_by_key(&capability, |v| v.text).is_ok()
    }
}

/// What identifies a workflow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// `:WB_ID:`, when the caller asked for identity.
    Id(String),
    /// The title.
    Title(String),
}

/// The signatures of a plan.
pub(super) struct Signatures<'a> {
    all: BTreeMap<Key, Signature<'a>>,
    by_title: BTreeMap<String, Key>,
}

impl<'a> Signatures<'a> {
    /// Computes them all. Of two workflows with one key the last wins.
    pub fn read(side: &Side<'a>, identity: bool) -> Signatures<'a> {
        let (mut all, mut by_title) = (BTreeMap::new(), BTreeMap::new());
        for w in workflow::all(side.outline) {
            let key = key(side.outline, w, identity);
            by_title.insert(side.outline.name(w), key.clone());
            all.insert(key, signature(side.outline, &side.components, w));
        }
        Signatures { all, by_title }
    }

    /// All of them, in title order.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Signature<'a>)> {
        let mut all: Vec<_> = self.all.iter().collect();
        all.sort_by(|a, b| a.1.title.cmp(&b.1.title));
        all.into_iter()
    }

    /// The workflow that `key` names. A title also finds a workflow that has since been given an id, so that adding
    /// ids breaks nothing.
    pub fn find(&self, key: &Key, title: &str) -> Option<&Signature<'a>> {
        self.all.get(key).or_else(|| match key {
            Key::Id(_) => None,
            Key::Title(_) => self.all.get(self.by_title.get(title)?),
        })
    }
}

/// What identifies workflow `w`.
pub(super) fn key(outline: &Outline<'_>, w: usize, identity: bool) -> Key {
    let id = if identity { wb_id(outline, w) } else { None };
    id.map_or_else(|| Key::Title(outline.name(w)), Key::Id)
}

fn wb_id(outline: &Outline<'_>, w: usize) -> Option<String> {
    let id = outline.section(w).find(&["WB_ID"])?.value;
    (!id.is_empty()).then(|| id.into_owned())
}

/// The surface of workflow `w`.
pub(super) fn signature<'a>(outline: &Outline<'a>, components: &Components<'a>, w: usize) -> Signature<'a> {
    let inside = components.under(outline, w);
    Signature {
        title: outline.name(w),
        headline: w,
        imports: workflow::imports(inside.iter()),
        exports: workflow::exports(inside.iter()),
        outputs: inside
            .iter()
            .map(|c| {
                let output = Output {
                    value: c.output,
                    headline: c.headline,
                };
                (c.name.clone(), output)
            })
            .collect(),
    }
}
