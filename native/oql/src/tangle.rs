//! The plan compiled for running: worlds scoped to their direct components.

use crate::answer::{self, Edge, Plan, Schedule, World};
use crate::error::Error;
use crate::org::{Outline, SourceBlock, list, planning};
use crate::workflow::{self, Component, Components};

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
        .map(|w| world(&outline, &components, w))
        .collect::<Result<_, _>>()?;
    Ok(Plan { worlds })
}

fn world(outline: &Outline<'_>, components: &Components<'_>, w: usize) -> Result<World, Error> {
    let nested = nested(outline, w);
    let direct: Vec<&Component<'_>> = components
        .under(outline, w)
        .iter()
        .filter(|c| !inside(outline, &nested, c.headline))
        .collect();
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
        components: direct.map(|c| component(outline, c)).collect(),
        workflows: nested
            .iter()
            .map(|n| world(outline, components, *n))
            .collect::<Result<_, _>>()?,
    })
}

/// The workflows below `w` with no workflow between.
fn nested(outline: &Outline<'_>, w: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut i = w + 1;
    while i < outline.headlines[w].end {
        if workflow::is_workflow(outline, i) {
            found.push(i);
            i = outline.headlines[i].end;
        } else {
            i += 1;
        }
    }
    found
}

/// A nested workflow's own headline may be a component of its parent; what stands below it is not.
fn inside(outline: &Outline<'_>, nested: &[usize], headline: usize) -> bool {
    let before = nested.partition_point(|n| *n < headline);
    before > 0 && headline < outline.headlines[nested[before - 1]].end
}

fn schedule(outline: &Outline<'_>, w: usize) -> Option<Schedule> {
    let section = outline.section(w);
    if let Some(cron) = section.find(&["SCHEDULE"]).filter(|p| !p.value.is_empty()) {
        return Some(Schedule::Cron {
            cron: cron.value.into(),
        });
    }
    planning(section.planning?.text).0.map(Schedule::At)
}

fn component(outline: &Outline<'_>, c: &Component<'_>) -> answer::Component {
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
        persist: last("persist").is_some(),
        src: c.source.as_ref().map(|s| body(outline.text, s)),
        dir: last("dir").filter(|d| !d.is_empty()).map(String::from),
        args: args
            .iter()
            .filter(|a| !KNOWN.contains(&a.key))
            .map(|a| (a.key.to_owned(), a.value.to_owned()))
            .collect(),
    }
}

/// The text of a block as its language sees it: Org puts a comma before lines that would read as Org, and a plan with
/// `\r\n` line endings must not hand `\r` to a shell.
pub(crate) fn body(text: &str, block: &SourceBlock<'_>) -> String {
    let raw = &text[block.body.clone()];
    let mut out = String::with_capacity(raw.len());
    for line in raw.split_inclusive('\n') {
        let code = line.trim_start_matches([' ', '\t']);
        let commas = code.len() - code.trim_start_matches(',').len();
        let quoted = commas > 0 && (code[commas..].starts_with('*') || code[commas..].starts_with("#+"));
        if quoted {
            out.push_str(&line[..line.len() - code.len()]);
            out.push_str(&code[1..]);
        } else {
            out.push_str(line);
        }
        if out.ends_with("\r\n") {
            out.truncate(out.len() - 2);
            out.push('\n');
        }
    }
    out
}
