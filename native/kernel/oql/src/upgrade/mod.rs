//! The upgrade gate: does everything the old plan promised still hold?
//!
//! Exports may grow, never shrink; imports may shrink, never grow; an output's type may not move. The gate walks the
//! *old* workflows only, so what is new is invisible to it by construction.

mod callers;
mod explain;
mod signature;

use crate::answer::{Diagnostic, Level, Types, UpgradeOptions};
use crate::error::Error;
use crate::org::{Outline, Places};
use crate::types::{self, Verdict};
use crate::workflow::{Components, Value};
use signature::{Signature, Signatures};

/// Exports of one name that are compared by type; a workflow that has more of them names its values badly.
const MAX_NAMESAKES: usize = 64;

/// Does everything that `old` promised still hold in `new`? An empty list says yes.
///
/// ```
/// let v1 = "* Report :workflow:\n** Build :component:\n#+begin_src rust :out report:string\n#+end_src\n";
/// let v2 = v1.replace("report:string", "report:json");
/// let found = oql::check_upgrade(v1, &v2, &Default::default()).unwrap();
/// assert_eq!(found[0].message, "export `report:string` removed (breaking)");
/// assert_eq!(found[1].message, "component `Build` output type changed (breaking)");
/// ```
pub fn check_upgrade(old: &str, new: &str, opts: &UpgradeOptions) -> Result<Vec<Diagnostic>, Error> {
    let (old_outline, new_outline) = (Outline::read(old)?, Outline::read(new)?);
    let gate = Gate {
        old: &Side::new(&old_outline),
        new: &Side::new(&new_outline),
        opts,
    };
    let was = Signatures::read(gate.old, opts.identity);
    let now = Signatures::read(gate.new, opts.identity);
    let mut found = Vec::new();
    for (key, was) in was.iter() {
        match now.find(key, &was.title) {
            None => found.push(gate.removed(was)),
            Some(now) => {
                found.extend(gate.lost_exports(was, now));
                found.extend(gate.new_demands(was, now));
                found.extend(gate.moved_types(was, now));
            }
        }
    }
    if opts.callers {
        let more = callers::check(&gate, &found);
        found.extend(more);
    }
    Ok(found)
}

struct Gate<'a> {
    old: &'a Side<'a>,
    new: &'a Side<'a>,
    opts: &'a UpgradeOptions,
}

/// One of the two plans, and where things stand in it.
struct Side<'a> {
    outline: &'a Outline<'a>,
    components: Components<'a>,
    places: Places<'a>,
}

impl<'a> Side<'a> {
    fn new(outline: &'a Outline<'a>) -> Self {
        Side {
            outline,
            components: Components::read(outline),
            places: Places::new(outline.text),
        }
    }

    fn line(&self, offset: usize) -> usize {
        self.places.of(offset).0
    }
}

impl Gate<'_> {
    fn removed(&self, was: &Signature<'_>) -> Diagnostic {
        let explain = || explain::removed(self.old, was);
        let message = "workflow removed (breaking)".into();
        self.diagnostic(Level::Error, "workflow_removed", was, message, explain)
    }

    fn lost_exports(&self, was: &Signature<'_>, now: &Signature<'_>) -> Vec<Diagnostic> {
        let kept = |old: &str| {
            let mut namesakes = now.exports_named(old).iter().take(MAX_NAMESAKES);
            self.structural() && namesakes.any(|new| self.keeps(old, new.text))
        };
        was.exports
            .iter()
            .filter(|e| !(now.exports_exactly(e.text) || kept(e.text)))
            .map(|e| self.lost_export(was, now, e))
            .collect()
    }

    fn lost_export(&self, was: &Signature<'_>, now: &Signature<'_>, export: &Value<'_>) -> Diagnostic {
        let message = format!("export `{}` removed (breaking)", export.text);
        let explain = || explain::lost_export(self, now, export);
        self.diagnostic(Level::Error, "export_removed", was, message, explain)
    }

    fn new_demands(&self, was: &Signature<'_>, now: &Signature<'_>) -> Vec<Diagnostic> {
        now.imports
            .iter()
            .filter(|i| !was.imports_already(i.text))
            .map(|i| {
                let message = format!("new capability `{}` now required", i.text);
                let explain = || explain::new_demand(self.new, was, i);
                let mut found = self.diagnostic(Level::Warn, "capability_required", was, message, explain);
                found.capability = self.says_more().then(|| i.text.to_owned());
                found
            })
            .collect()
    }

    fn moved_types(&self, was: &Signature<'_>, now: &Signature<'_>) -> Vec<Diagnostic> {
        was.outputs
            .iter()
            .filter_map(|(name, old)| {
                let new = now.outputs.get(name)?;
                let (old_text, new_text) = (old.value.map(|v| v.text), new.value.map(|v| v.text));
                let same = old_text == new_text || old_text.zip(new_text).is_some_and(|(o, n)| self.keeps(o, n));
                (!same).then(|| {
                    let message = format!("component `{name}` output type changed (breaking)");
                    let explain = || explain::moved_type(self, name, old, new);
                    self.diagnostic(Level::Error, "output_changed", was, message, explain)
                })
            })
            .collect()
    }

    /// Whether findings carry more than the three keys of the plain gate.
    fn says_more(&self) -> bool {
        self.opts.explain || self.opts.callers
    }

    fn structural(&self) -> bool {
        self.opts.types == Types::Structural
    }

    /// Whether a consumer of `old` can read `new`: the same name, and a type that is a subtype.
    fn keeps(&self, old: &str, new: &str) -> bool {
        old == new || (self.structural() && matches!(compare(old, new), Some(Verdict::Compatible)))
    }

    fn diagnostic(
        &self,
        level: Level,
        code: &'static str,
        scope: &Signature<'_>,
        message: String,
        explain: impl FnOnce() -> crate::answer::Explanation,
    ) -> Diagnostic {
        Diagnostic {
            level,
            message,
            scope: scope.title.clone(),
            code: self.says_more().then_some(code),
            capability: None,
            explain: self.opts.explain.then(explain),
        }
    }
}

/// Compares two `name:type` values of one name; values of different names have nothing to compare.
fn compare(old: &str, new: &str) -> Option<Verdict> {
    let (old_name, old_type) = old.split_once(':')?;
    let (new_name, new_type) = new.split_once(':')?;
    (old_name.trim() == new_name.trim()).then(|| types::compare_output(old_type, new_type))
}
