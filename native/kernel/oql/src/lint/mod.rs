//! `validate`, and a wider net, located.
//!
//! One file for each family of rules; every rule is a function from the plan to its findings.

mod checks;
pub(crate) mod circular;
mod dataflow;
mod names;
mod order;
mod schedules;

use crate::answer::{Facts, Finding, Level};
use crate::error::Error;
use crate::org::{Outline, Places};
use crate::validate::{Flaw, flaws};
use crate::workflow::{Component, Components};

/// Everything a rule may look at.
struct Plan<'a> {
    outline: &'a Outline<'a>,
    components: &'a Components<'a>,
    places: Places<'a>,
    facts: &'a Facts,
}

/// `validate`'s findings first, then the wider net in the order of the text.
///
/// ```
/// let plan = "* TODO Same\n* TODO Same\n";
/// let found = oql::lint(plan, &Default::default()).unwrap();
/// assert_eq!((found[0].code, found[0].line), ("WB005", 2));
/// ```
pub fn lint(org: &str, facts: &Facts) -> Result<Vec<Finding>, Error> {
    let outline = Outline::read(org)?;
    let components = Components::read(&outline);
    let plan = Plan {
        outline: &outline,
        components: &components,
        places: Places::new(org),
        facts,
    };
    let mut found: Vec<Finding> = flaws(&outline, &components)
        .iter()
        .map(|(component, flaw)| plan.flaw(component, flaw))
        .collect();
    let mut net = Vec::new();
    names::shared_titles(&plan, &mut net);
    dataflow::two_producers(&plan, &mut net);
    dataflow::unknown_capabilities(&plan, &mut net);
    dataflow::cycles(&plan, &mut net);
    schedules::unreadable(&plan, &mut net);
    order::done_on_unfinished(&plan, &mut net);
    order::unknown_blockers(&plan, &mut net);
    checks::unrunnable(&plan, &mut net);
    checks::doubled(&plan, &mut net);
    circular::circular(&plan, &mut net);
    net.sort_by_key(|f| (f.line, f.column, f.code));
    found.extend(net);
    Ok(found)
}

impl Plan<'_> {
    fn flaw(&self, component: &Component<'_>, flaw: &Flaw<'_>) -> Finding {
        let (offset, code, hint) = match flaw {
            Flaw::NoSource => (
                component
                    .source
                    .as_ref()
                    .map_or(self.title(component.headline), |s| s.start),
                "WB001",
                "add a source block with a language: #+begin_src js".to_owned(),
            ),
            Flaw::Dangling(input) => (
                input.offset,
                "WB002",
                format!(
                    "give a component of this workflow `:out {}`, or drop the input",
                    input.text
                ),
            ),
        };
        self.finding(code, Level::Error, &component.name, offset, flaw.message(), hint)
    }

    fn finding(
        &self,
        code: &'static str,
        level: Level,
        scope: &str,
        offset: usize,
        message: String,
        hint: String,
    ) -> Finding {
        let (line, column) = self.places.of(offset);
        Finding {
            level,
            scope: scope.into(),
            message,
            code,
            line,
            column,
            hint,
        }
    }

    /// Where headline `i`'s title stands.
    fn title(&self, i: usize) -> usize {
        self.outline.headlines[i].title.start
    }
}
