//! The plan compiled for running: worlds scoped to their direct components.

use crate::answer::{self, Edge, Plan, Schedule, World};
use crate::error::Error;
use crate::org::{Outline, code, list, planning};
use crate::tasks::Names;
use crate::waves::Order;
use crate::workflow::{self, Component, Components};
use std::collections::BTreeMap;

/// Header arguments that have a field of their own in the plan.
const KNOWN: [&str; 7] = ["in", "out", "uses", "deps", "dir", "persist", "check"];

/// Compiles the plan.
///
/// ```
/// let plan = "* Agent :workflow:\n** Remember :component:\n#+begin_src rust :persist :out memory:json\n#+end_src\n";
/// let world = &oql::tangle_plan(plan).unwrap().worlds[0];
/// assert!(world.components[0].persist);
/// assert_eq!(world.exports, ["memory:json"]);
/// ```
pub fn tangle_plan(org: &str) -> Result<Plan, Error> {
    let outline = Outline::read(org)?;
    let components = Components::read(&outline);
    let worlds = workflow::outermost(&outline)
        .map(|w| outermost(&outline, &components, w))
        .collect::<Result<_, _>>()?;
    Ok(Plan { worlds })
}

/// An outermost workflow and everything nested in it, built from the inside out: workflows nest as deep as headlines do.
fn outermost(outline: &Outline<'_>, components: &Components<'_>, w: usize) -> Result<World, Error> {
    let whole = Whole::read(outline, components, w);
    let mut built: BTreeMap<usize, World> = BTreeMap::new();
    let below = (w + 1..outline.headlines[w].end).filter(|i| workflow::is_workflow(outline, *i));
    for i in below.collect::<Vec<_>>().into_iter().rev() {
        let nested = world(outline, components, &whole, i, &mut built)?;
        built.insert(i, nested);
    }
    let mut outermost = world(outline, components, &whole, w, &mut built)?;
    (outermost.waves, outermost.cycles) = (whole.waves, whole.cycles);
    Ok(outermost)
}

/// What holds for all components of an outermost workflow together.
struct Whole {
    /// What each is called among all of them, and the wave that it is in, by headline.
    components: BTreeMap<usize, (String, Option<usize>)>,
    waves: Vec<Vec<String>>,
    cycles: Vec<Vec<String>>,
}

impl Whole {
    fn read(outline: &Outline<'_>, components: &Components<'_>, w: usize) -> Whole {
        let all: Vec<&Component<'_>> = components.under(outline, w).iter().collect();
        let mut names = Names::default();
        let keys: Vec<String> = all.iter().map(|c| names.claim(&c.name)).collect();
        let order = Order::of(&all);
        let mut placed = vec![None; all.len()];
        for (wave, members) in order.waves.iter().enumerate() {
            members.iter().for_each(|i| placed[*i] = Some(wave));
        }
        let named = |groups: &[Vec<usize>]| {
            let name = |group: &Vec<usize>| group.iter().map(|i| keys[*i].clone()).collect();
            groups.iter().map(name).collect()
        };
        Whole {
            waves: named(&order.waves),
            cycles: named(&order.cycles),
            components: all
                .iter()
                .map(|c| c.headline)
                .zip(keys.into_iter().zip(placed))
                .collect(),
        }
    }

    /// The waves of some of them.
    fn waves_of<'c, 'a: 'c>(&self, some: impl Iterator<Item = &'c Component<'a>>) -> Vec<Vec<String>> {
        let mut waves: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for c in some {
            let (key, wave) = &self.components[&c.headline];
            if let Some(wave) = wave {
                waves.entry(*wave).or_default().push(key.clone());
            }
        }
        waves.into_values().collect()
    }
}

/// One workflow; the worlds nested in it are taken out of `built`.
fn world(
    outline: &Outline<'_>,
    components: &Components<'_>,
    whole: &Whole,
    w: usize,
    built: &mut BTreeMap<usize, World>,
) -> Result<World, Error> {
    let (direct, _) = workflow::direct(outline, components, w);
    let direct = direct.iter().copied();
    let names: Vec<&str> = direct.clone().map(|c| c.name.as_str()).collect();
    let owned = |values: Vec<workflow::Value<'_>>| values.iter().map(|v| v.text.to_owned()).collect();
    Ok(World {
        name: outline.name(w),
        schedule: schedule(outline, w),
        imports: owned(workflow::imports(direct.clone())),
        exports: owned(workflow::exports(direct.clone())),
        edges: workflow::edges(direct.clone())?
            .into_iter()
            .map(|(from, to)| Edge {
                from: names[from].to_owned(),
                to: names[to].to_owned(),
            })
            .collect(),
        waves: whole.waves_of(direct.clone()),
        cycles: Vec::new(),
        components: direct
            .map(|c| component(outline, &whole.components[&c.headline].0, c))
            .collect(),
        workflows: workflow::nested(outline, w)
            .iter()
            .filter_map(|n| built.remove(n))
            .collect(),
    })
}

fn schedule(outline: &Outline<'_>, w: usize) -> Option<Schedule> {
    let section = outline.section(w);
    if let Some(cron) = section.find(&["SCHEDULE"]).filter(|p| !p.value.is_empty()) {
        return Some(Schedule::Cron {
            cron: cron.value.into_owned(),
        });
    }
    planning(section.planning?.text).0.map(Schedule::At)
}

fn component(outline: &Outline<'_>, key: &str, c: &Component<'_>) -> answer::Component {
    let args = c.source.as_ref().map_or(&[][..], |s| &s.args);
    let last = |key: &str| args.iter().rfind(|a| a.key == key).map(|a| a.value);
    answer::Component {
        name: c.name.clone(),
        lang: c.source.as_ref().and_then(|s| s.lang).map(String::from),
        deps: args
            .iter()
            .filter(|a| a.key == "deps")
            .flat_map(|a| list(a.value).map(|(_, name)| name.to_owned()))
            .collect(),
        uses: c.uses.iter().map(|v| v.text.to_owned()).collect(),
        inputs: c.inputs.iter().map(|v| v.text.to_owned()).collect(),
        output: c.output.map(|v| v.text.to_owned()),
        persist: c.source.as_ref().is_some_and(|s| s.has("persist")),
        src: c.source.as_ref().map(|s| code(outline.text, s)),
        dir: last("dir").filter(|d| !d.is_empty()).map(String::from),
        args: args
            .iter()
            .filter(|a| !KNOWN.contains(&a.key))
            .map(|a| (a.key.to_owned(), a.value.to_owned()))
            .collect(),
        key: key.to_owned(),
        line: outline.headlines[c.headline].line,
    }
}
