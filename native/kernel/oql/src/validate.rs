//! Rung 1: does the plan cohere? Two checks for each component of a workflow, before anything runs.

use crate::answer::{Diagnostic, Level};
use crate::error::Error;
use crate::org::Outline;
use crate::workflow::{self, Component, Components, Value};
use std::collections::BTreeSet;

/// What rung 1 finds wrong with a component.
pub(crate) enum Flaw<'t> {
    /// There is nothing to run.
    NoSource,
    /// Nothing in the workflow makes this value.
    Dangling(Value<'t>),
}

impl Flaw<'_> {
    /// What the diagnostic says.
    pub fn message(&self) -> String {
        match self {
            Flaw::NoSource => "component has no source block / language".into(),
            Flaw::Dangling(input) => format!("input `{}` has no upstream producer", input.text),
        }
    }
}

/// Every flaw of a plan, in document order.
pub(crate) fn flaws<'c, 't>(
    outline: &Outline<'t>,
    components: &'c Components<'t>,
) -> Vec<(&'c Component<'t>, Flaw<'t>)> {
    let mut found = Vec::new();
    for w in workflow::outermost(outline) {
        let inside = components.under(outline, w);
        let produced: BTreeSet<&str> = inside.iter().filter_map(|c| Some(c.output?.text)).collect();
        for c in inside {
            if !c.runs() {
                found.push((c, Flaw::NoSource));
            }
            let dangling = c.inputs.iter().filter(|i| !produced.contains(i.text));
            found.extend(dangling.map(|i| (c, Flaw::Dangling(*i))));
        }
    }
    found
}

/// Does the plan cohere? An empty list says yes.
///
/// ```
/// let plan = "* W :workflow:\n** A :component:\n#+begin_src js :in x:list\n#+end_src\n";
/// let found = oql::validate(plan).unwrap();
/// assert_eq!(found[0].message, "input `x:list` has no upstream producer");
/// assert_eq!(found[0].scope, "A");
/// ```
pub fn validate(org: &str) -> Result<Vec<Diagnostic>, Error> {
    let outline = Outline::read(org)?;
    let components = Components::read(&outline);
    Ok(flaws(&outline, &components)
        .into_iter()
        .map(|(component, flaw)| Diagnostic {
            level: Level::Error,
            message: flaw.message(),
            scope: component.name.clone(),
            code: None,
            capability: None,
            explain: None,
        })
        .collect())
}
