//! The upgrade gate: does everything the old plan promised still hold?
//!
//! Exports may grow, never shrink; imports may shrink, never grow; an output's type may not move. The gate walks the
//! *old* workflows only, so what is new is invisible to it by construction.

mod explain;
mod signature;

use crate::answer::{Diagnostic, Level, Types, UpgradeOptions};
use crate::error::Error;
use crate::org::{Outline, Places};
use crate::types::{self, Verdict};
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
    let was = Signatures::read(&old_outline, opts.identity);
    let now = Signatures::read(&new_outline, opts.identity);
    let gate = Gate {
        old: &Side::new(&old_outline),
        new: &Side::new(&new_outline),
        opts,
    };
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
    places: Places<'a>,
}

impl<'a> Side<'a> {
    fn new(outline: &'a Outline<'a>) -> Self {
        let places = Places::new(outline.text);
        Side { outline, places }
    }

    fn line(&self, offset: usize) -> usize {
        self.places.of(offset).0
    }
}

impl Gate<'_> {
    fn removed(&self, was: &Signature<'_>) -> Diagnostic {
        let explain = || explain::removed(self.old, was);
        self.diagnostic(Level::Error, was, "workflow removed (breaking)".into(), explain)
    }

    fn lost_exports(&self, was: &Signature<'_>, now: &Signature<'_>) -> Vec<Diagnostic> {
        let kept = |old: &str| {
            let mut namesakes = now.exports_named(old).iter().take(MAX_NAMESAKES);
            self.structural() && namesakes.any(|new| self.keeps(old, new.text))
        };
        was.exports
            .iter()
            .filter(|e| !(now.exports_exactly(e.text) || kept(e.text)))
            .map(|e| {
                let message = format!("export `{}` removed (breaking)", e.text);
                self.diagnostic(Level::Error, was, message, || explain::lost_export(self, now, e))
            })
            .collect()
    }

    fn new_demands(&self, was: &Signature<'_>, now: &Signature<'_>) -> Vec<Diagnostic> {
        now.imports
            .iter()
            .filter(|i| !was.imports_already(i.text))
            .map(|i| {
                let message = format!("new capability `{}` now required", i.text);
                self.diagnostic(Level::Warn, was, message, || explain::new_demand(self.new, was, i))
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
                    self.diagnostic(Level::Error, was, message, || explain::moved_type(self, name, old, new))
                })
            })
            .collect()
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
        scope: &Signature<'_>,
        message: String,
        explain: impl FnOnce() -> crate::answer::Explanation,
    ) -> Diagnostic {
        Diagnostic {
            level,
            message,
            scope: scope.title.clone(),
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
