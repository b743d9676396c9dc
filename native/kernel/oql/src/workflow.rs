//! The model behind `validate`, `tangle_plan`, `check_upgrade` and `lint`: workflows and the components in them.

use crate::error::{Code, Error};
use crate::org::{Arg, Outline, SourceBlock, list, split_types};
use std::collections::{BTreeMap, BTreeSet};

/// More wires than any plan a person wrote; a few thousand producers of one value make millions.
const MAX_EDGES: usize = 1_000_000;

/// A component headline and its source block.
pub(crate) struct Component<'a> {
    /// Index of its headline.
    pub headline: usize,
    /// Its title without cookies.
    pub name: String,
    /// The first source block of its own section.
    pub source: Option<SourceBlock<'a>>,
    /// `:in`, in order.
    pub inputs: Vec<Value<'a>>,
    /// `:out`; the last one counts.
    pub output: Option<Value<'a>>,
    /// `:uses`, in order.
    pub uses: Vec<Value<'a>>,
}

/// A word of the plan and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'a> {
    /// The word.
    pub text: &'a str,
    /// Byte offset.
    pub offset: usize,
}

impl<'a> Component<'a> {
    fn read(outline: &Outline<'a>, headline: usize) -> Component<'a> {
        let source = outline.section(headline).sources.into_iter().next();
        let args = source.as_ref().map_or(&[][..], |s| &s.args);
        let of = |key: &'static str| args.iter().filter(move |a| a.key == key && !a.value.is_empty());
        let placed = |a: &Arg<'a>, (at, text): (usize, &'a str)| Value {
            text,
            offset: a.offset + at,
        };
        let mut inputs: Vec<Value<'a>> = of("in")
            .flat_map(|a| split_types(a.value).into_iter().map(|v| placed(a, v)))
            .collect();
        let mut uses: Vec<Value<'a>> = of("uses").flat_map(|a| list(a.value).map(|v| placed(a, v))).collect();
        // `#+HEADER:` lines stand above the block and count after it; what repeats is listed as it is read.
        inputs.sort_by_key(|v| v.offset);
        uses.sort_by_key(|v| v.offset);
        Component {
            headline,
            name: outline.name(headline),
            inputs,
            output: of("out").next_back().map(|a| placed(a, (0, a.value))),
            uses,
            source,
        }
    }

    /// Whether there is something to run: a source block that names its language.
    pub fn runs(&self) -> bool {
        self.source.as_ref().is_some_and(|s| s.lang.is_some())
    }
}

/// The components of an outline, read once, in document order.
pub(crate) struct Components<'a>(Vec<Component<'a>>);

impl<'a> Components<'a> {
    /// Reads every component that stands in a workflow.
    pub fn read(outline: &Outline<'a>) -> Components<'a> {
        let inside = outermost(outline).flat_map(|w| w + 1..outline.headlines[w].end);
        Components(
            inside
                .filter(|i| outline.has_tag(*i, "component"))
                .map(|i| Component::read(outline, i))
                .collect(),
        )
    }

    /// Every component descendant of headline `w`, however deep.
    pub fn under(&self, outline: &Outline<'a>, w: usize) -> &[Component<'a>] {
        let from = self.0.partition_point(|c| c.headline <= w);
        let to = self.0.partition_point(|c| c.headline < outline.headlines[w].end);
        &self.0[from..to]
    }
}

/// The workflows that stand in no other workflow.
pub(crate) fn outermost<'o>(outline: &'o Outline<'_>) -> impl Iterator<Item = usize> + 'o {
    let mut next = 0;
    std::iter::from_fn(move || {
        while next < outline.headlines.len() {
            let i = next;
            if is_workflow(outline, i) {
                next = outline.headlines[i].end;
                return Some(i);
            }
            next += 1;
        }
        None
    })
}

/// Every workflow, nested ones too.
pub(crate) fn all<'o>(outline: &'o Outline<'_>) -> impl Iterator<Item = usize> + 'o {
    (0..outline.headlines.len()).filter(|i| is_workflow(outline, *i))
}

/// Whether headline `i` is tagged `:workflow:`.
pub(crate) fn is_workflow(outline: &Outline<'_>, i: usize) -> bool {
    outline.has_tag(i, "workflow")
}

/// Who feeds whom: pairs of indices into `components`, by consumer and then by input.
pub(crate) fn edges<'c, 't: 'c>(
    components: impl Iterator<Item = &'c Component<'t>> + Clone,
) -> Result<Vec<(usize, usize)>, Error> {
    let mut producers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, c) in components.clone().enumerate() {
        if let Some(out) = &c.output {
            producers.entry(out.text).or_default().push(i);
        }
    }
    let mut found = Vec::new();
    for (to, c) in components.enumerate() {
        // An input named twice is still one wire.
        let mut seen = BTreeSet::new();
        for input in &c.inputs {
            for &producer in producers.get(input.text).map_or(&[][..], |p| p) {
                if seen.insert(producer) {
                    found.push((producer, to));
                }
                if found.len() > MAX_EDGES {
                    return Err(Error::new(
                        Code::TooComplex,
                        format!("the plan has more than {MAX_EDGES} data edges"),
                        "give each value one producer",
                    ));
                }
            }
        }
    }
    Ok(found)
}

/// The outputs that nobody else among `components` consumes, sorted, each once.
pub(crate) fn exports<'c, 't: 'c>(components: impl Iterator<Item = &'c Component<'t>> + Clone) -> Vec<Value<'t>> {
    let mut found = unconsumed(components.clone(), components);
    found.sort_by_key(|v| v.text);
    found.dedup_by_key(|v| v.text);
    found
}

/// What `makers` make and nobody else among `consumers` consumes.
pub(crate) fn unconsumed<'c, 't: 'c>(
    makers: impl Iterator<Item = &'c Component<'t>>,
    consumers: impl Iterator<Item = &'c Component<'t>>,
) -> Vec<Value<'t>> {
    let mut consumed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for c in consumers {
        for input in &c.inputs {
            consumed.entry(input.text).or_default().push(c.headline);
        }
    }
    makers
        .filter_map(|c| {
            let out = c.output?;
            let by = consumed.get(out.text);
            let others = by.is_some_and(|by| by.iter().any(|h| *h != c.headline));
            (!others).then_some(out)
        })
        .collect()
}

/// The workflows below `w` with no workflow between.
pub(crate) fn nested(outline: &Outline<'_>, w: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut i = w + 1;
    while i < outline.headlines[w].end {
        if is_workflow(outline, i) {
            found.push(i);
            i = outline.headlines[i].end;
        } else {
            i += 1;
        }
    }
    found
}

/// The components below `w`: its own, and those of the workflows nested in it. A nested workflow's own headline may be a
/// component of its parent; what stands below it is not.
pub(crate) fn direct<'c, 'a>(
    outline: &Outline<'a>,
    components: &'c Components<'a>,
    w: usize,
) -> (Vec<&'c Component<'a>>, Vec<&'c Component<'a>>) {
    let nested = nested(outline, w);
    let inside = |c: &&Component<'_>| {
        let before = nested.partition_point(|n| *n < c.headline);
        before > 0 && c.headline < outline.headlines[nested[before - 1]].end
    };
    let (inside, direct) = components.under(outline, w).iter().partition(inside);
    (direct, inside)
}

/// The capabilities that `components` ask for, sorted, each once.
pub(crate) fn imports<'c, 't: 'c>(components: impl Iterator<Item = &'c Component<'t>>) -> Vec<Value<'t>> {
    let mut found: Vec<Value<'t>> = components.flat_map(|c| c.uses.iter().copied()).collect();
    found.sort_by_key(|v| v.text);
    found.dedup_by_key(|v| v.text);
    found
}
