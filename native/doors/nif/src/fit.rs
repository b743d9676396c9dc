//! Conformance: does a component fit, and does a new build keep the promises of the old one?

use crate::component::Component;
use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::runtime::Runtime;
use conformance::{Level, UpgradeFinding, World};
use rustler::{Encoder, Env, Error, NifMap, NifResult, ResourceArc, Term};

mod atoms {
    rustler::atoms! { error, warning }
}

/// Holds a component against a world. Replies `:ok`.
#[rustler::nif]
fn conformance_check<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    component: Term<'a>,
    world: &str,
) -> NifResult<Term<'a>> {
    let world = World::from_name(world).ok_or(Error::BadArg)?;
    jobs::spawn(env, &runtime.workers, tag, component, move |component, _| {
        let component: Component = failure::given(component)?;
        Ok::<_, Failure>(conformance::check(&component.bytes()?, world)?)
    })
}

/// Holds a new build against the old one. Replies with what changed for users, a list of maps.
#[rustler::nif]
fn conformance_upgrade<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    builds: Term<'a>,
) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, builds, |builds, _| {
        let (old, new): (Component, Component) = failure::given(builds)?;
        Ok(Changes(conformance::check_upgrade(&old.bytes()?, &new.bytes()?)?))
    })
}

struct Changes(Vec<UpgradeFinding>);

#[derive(NifMap)]
#[rustler(encode)]
struct Change {
    level: rustler::Atom,
    path: String,
    was: Option<String>,
    now: Option<String>,
    why: String,
}

impl Answer for Changes {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let change = |finding: UpgradeFinding| Change {
            level: match finding.level {
                Level::Error => atoms::error(),
                Level::Warning => atoms::warning(),
            },
            path: finding.path,
            was: finding.was,
            now: finding.now,
            why: finding.why,
        };
        Ok(self.0.into_iter().map(change).collect::<Vec<_>>().encode(env))
    }
}
