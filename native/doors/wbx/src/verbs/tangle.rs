//! `wbx tangle`: the plan compiled to worlds.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
};
use oql::{Component, Schedule, World};

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let source = call.source("FILE")?;
    let plan = oql::tangle_plan(&source.text)?;
    Ok(Answer::new(plan, Exit::Ok, |plan| {
        let mut items = Vec::new();
        for world in &plan.worlds {
            outline(world, 0, &mut items);
        }
        Ok(View::Outline(items, count(plan.worlds.len(), "world")))
    }))
}

fn outline(world: &World, depth: usize, items: &mut Vec<Item>) {
    items.push(Item {
        depth,
        text: world.name.clone(),
        aside: world.schedule.as_ref().map(when).unwrap_or_default(),
        ..Item::default()
    });
    let mut fact = |text: String| {
        items.push(Item {
            depth: depth + 1,
            text,
            ..Item::default()
        });
    };
    for (label, names) in [("imports", &world.imports), ("exports", &world.exports)] {
        if !names.is_empty() {
            fact(format!("{label} {}", names.join(", ")));
        }
    }
    world.components.iter().for_each(|component| fact(signature(component)));
    for edge in &world.edges {
        fact(format!("{} -> {}", edge.from, edge.to));
    }
    for nested in &world.workflows {
        outline(nested, depth + 1, items);
    }
}

fn when(schedule: &Schedule) -> String {
    match schedule {
        Schedule::Cron { cron } => format!("at {cron}"),
        Schedule::At(timestamp) => format!("at {}", timestamp.at),
    }
}

/// `Summarize [js] events:list -> summary:string`.
fn signature(component: &Component) -> String {
    let lang = component.lang.as_ref().map(|lang| format!(" [{lang}]"));
    let inputs = (!component.inputs.is_empty()).then(|| format!(" {}", component.inputs.join(", ")));
    let output = component.output.as_ref().map(|output| format!(" -> {output}"));
    let persist = component.persist.then(|| " (persists)".to_owned());
    let parts = [lang, inputs, output, persist];
    component.name.clone() + &parts.into_iter().flatten().collect::<String>()
}
