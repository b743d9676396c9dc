//! Org plans as workflows. A plan is turned into the JSON form, so that there is one compiler and one meaning.

use std::collections::BTreeMap;

use oql::Task;
use serde_json::{Value, json};

use super::{CompileError, Condition, Confirm, Criteria, Source};
use crate::event::{Autonomy, Risk};

pub(crate) fn read(text: &str) -> Result<Source, CompileError> {
    let tasks = oql::tasks(text).map_err(|e| CompileError::new(e.message, e.hint))?;
    let header = Header::read(text, tasks.first().map_or(usize::MAX, |t| t.line))?;
    let plan = Plan {
        children: children(&tasks),
        tasks: &tasks,
    };
    let roots = plan.children.get(&None).cloned().unwrap_or_default();
    let mut workflow = json!({
        "id": header.id,
        "version": header.version,
        "name": header.title,
        "description": header.description,
        "steps": plan.steps(&roots)?,
        "recommendedPreferences": {},
        "tags": header.tags,
    });
    if let Some(autonomy) = header.autonomy {
        workflow["recommendedPreferences"]["recommendedAutonomy"] = json!(autonomy);
    }
    if let Some(risk) = header.risk {
        workflow["recommendedPreferences"]["recommendedRiskPolicy"] = json!(risk);
    }
    let workflow = serde_json::from_value(workflow)
        .map_err(|e| CompileError::new(format!("the plan cannot be read: {e}"), "see docs/sessions.md"))?;
    let lines = tasks.iter().map(|task| (task.id.clone(), task.line)).collect();
    Ok(Source { workflow, lines })
}

/// The `#+KEY: value` lines above the first headline.
struct Header {
    id: String,
    version: String,
    title: String,
    description: String,
    autonomy: Option<Autonomy>,
    risk: Option<Risk>,
    tags: Vec<String>,
}

impl Header {
    fn read(text: &str, before: usize) -> Result<Self, CompileError> {
        let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for (i, line) in text.lines().enumerate().take(before.saturating_sub(1)) {
            let Some((key, value)) = line.trim_start().strip_prefix("#+").and_then(|l| l.split_once(':')) else {
                continue;
            };
            let (_, known) = found.entry(key.to_ascii_uppercase()).or_insert((i + 1, String::new()));
            if !known.is_empty() {
                known.push(' ');
            }
            known.push_str(value.trim());
        }
        let (line, workflow) = found.get("WORKFLOW").ok_or_else(|| {
            CompileError::new(
                "the plan has no #+WORKFLOW: line",
                "begin it with #+WORKFLOW: project.name 1.0.0",
            )
        })?;
        let mut words = workflow.split_whitespace();
        let (Some(id), Some(version), None) = (words.next(), words.next(), words.next()) else {
            let error = CompileError::new(
                "#+WORKFLOW: takes an id and a version",
                "#+WORKFLOW: project.name 1.0.0",
            );
            return Err(error.at(*line));
        };
        Ok(Header {
            id: id.to_owned(),
            version: version.to_owned(),
            title: found
                .get("TITLE")
                .map_or_else(|| id.to_owned(), |(_, title)| title.clone()),
            description: found
                .get("DESCRIPTION")
                .map_or_else(String::new, |(_, text)| text.clone()),
            autonomy: word(
                &found,
                "AUTONOMY",
                "guided, full_auto_stop_on_user_deps or full_auto_never_stop",
            )?,
            risk: word(&found, "RISK", "conservative, balanced or aggressive")?,
            tags: found.get("FILETAGS").map_or_else(Vec::new, |(_, tags)| {
                tags.split([':', ' '])
                    .filter(|tag| !tag.is_empty())
                    .map(str::to_owned)
                    .collect()
            }),
        })
    }
}

fn word<T: serde::de::DeserializeOwned>(
    found: &BTreeMap<String, (usize, String)>,
    key: &str,
    words: &str,
) -> Result<Option<T>, CompileError> {
    let Some((line, value)) = found.get(key) else {
        return Ok(None);
    };
    serde_json::from_value(json!(value))
        .map(Some)
        .map_err(|_| CompileError::new(format!("`{value}` is no value of #+{key}:"), format!("use {words}")).at(*line))
}

fn children(tasks: &[Task]) -> BTreeMap<Option<&str>, Vec<usize>> {
    let mut children: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (i, task) in tasks.iter().enumerate() {
        children.entry(task.parent.as_deref()).or_default().push(i);
    }
    children
}

struct Plan<'t> {
    tasks: &'t [Task],
    children: BTreeMap<Option<&'t str>, Vec<usize>>,
}

/// Properties that only a step or a loop understands.
const STEP_ONLY: [&str; 5] = ["CONFIRM", "CONTRACT", "CRITERIA", "DONE-WHEN", "NOTES"];

impl Plan<'_> {
    fn steps(&self, tasks: &[usize]) -> Result<Vec<Value>, CompileError> {
        let mut steps = Vec::new();
        for &i in tasks {
            let task = &self.tasks[i];
            let inside = self.children.get(&Some(task.id.as_str()));
            let at = |error: CompileError| error.at(task.line).in_step(&task.id);
            match (inside, task.props.get("LOOP")) {
                (Some(inside), Some(words)) => {
                    steps.push(looped(task, words, self.steps(inside)?).map_err(at)?);
                }
                (Some(inside), None) => {
                    structure(task).map_err(at)?;
                    steps.extend(self.steps(inside)?);
                }
                (None, Some(_)) => {
                    return Err(at(CompileError::new(
                        "a loop has no steps",
                        "put TODO headlines below it",
                    )));
                }
                (None, None) if task.state.is_some() => steps.push(step(task).map_err(at)?),
                (None, None) => {}
            }
        }
        Ok(steps)
    }
}

/// A headline around steps says nothing else: what it said would be lost.
fn structure(task: &Task) -> Result<(), CompileError> {
    let lost = ["WHEN", "MAX"]
        .iter()
        .chain(&STEP_ONLY)
        .find(|key| task.props.contains_key(**key));
    match lost {
        Some(key) => Err(CompileError::new(
            format!(":{key}: stands on a headline that is neither a step nor a loop"),
            "move it to the steps, or add :LOOP:",
        )),
        None => Ok(()),
    }
}

fn step(task: &Task) -> Result<Value, CompileError> {
    if task.props.contains_key("MAX") {
        return Err(CompileError::new(
            ":MAX: stands on a step",
            "only a loop has iterations",
        ));
    }
    let mut step = json!({"id": task.id, "title": title(task), "prompt": prompt(&task.body)});
    if let Some(when) = task.props.get("WHEN") {
        step["runCondition"] = json!(value("WHEN", Condition::from_org(when))?);
    }
    if let Some(confirm) = task.props.get("CONFIRM") {
        step["requireConfirmation"] = match value("CONFIRM", Confirm::from_org(confirm))? {
            Confirm::Never => json!(false),
            Confirm::Always => json!(true),
            Confirm::When(condition) => json!(condition),
        };
    }
    if let Some(contract) = task.props.get("CONTRACT") {
        step["outputContract"] = json!({"contractRef": contract});
    }
    if let Some(criteria) = task.props.get("CRITERIA") {
        let read = serde_json::from_str(criteria).map_err(|e| format!("`{criteria}` is not JSON: {e}"));
        step["validationCriteria"] = json!(value("CRITERIA", read.and_then(|v| Criteria::from_json(&v)))?);
    }
    match task.props.get("NOTES").map(|word| word.trim()) {
        None | Some("optional") => {}
        Some("required") => step["notes"] = json!("required"),
        Some(_) => {
            return Err(CompileError::new(
                ":NOTES: is required or optional",
                "write :NOTES: required",
            ));
        }
    }
    if let Some(error) = &task.check_error {
        return Err(CompileError::new(error, "write `:done-when+:` on the second line"));
    }
    // An open `:done-when:` must not read as "no check": the compiler refuses an empty one.
    if let Some(command) = &task.done_when {
        step["check"] = json!({"command": command});
    } else if let Some(check) = &task.check {
        step["check"] = json!({"lang": check.lang, "body": check.body});
    }
    Ok(step)
}

fn looped(task: &Task, words: &str, body: Vec<Value>) -> Result<Value, CompileError> {
    if let Some(key) = STEP_ONLY.iter().find(|key| task.props.contains_key(**key)) {
        return Err(CompileError::new(
            format!(":{key}: stands on a loop"),
            "move it to a step of the loop",
        ));
    }
    let max = task.props.get("MAX").and_then(|max| max.parse::<u32>().ok());
    let max =
        max.ok_or_else(|| CompileError::new("a loop needs :MAX:, a number", "say how often it may run at most"))?;
    let decided = |word: &str| {
        json!({"type": word, "maxIterations": max,
            "conditionSource": {"kind": "artifact_contract", "contractRef": "wr.contracts.loop_control", "loopId": task.id}})
    };
    let config = match words.split_whitespace().collect::<Vec<_>>()[..] {
        ["while"] => decided("while"),
        ["until"] => decided("until"),
        ["for", count] => {
            let count = count.parse::<u32>().map_or_else(|_| json!(count), |n| json!(n));
            json!({"type": "for", "maxIterations": max, "count": count})
        }
        ["forEach", key, "as", item] => {
            json!({"type": "forEach", "maxIterations": max, "items": key, "itemVar": item})
        }
        _ => {
            return Err(CompileError::new(
                format!("`{}` is no value of :LOOP:", crate::text::clip(words, 64)),
                "use while, until, for 3, for KEY, or forEach KEY as ITEM",
            ));
        }
    };
    let mut step = json!({"id": task.id, "title": title(task), "type": "loop", "loop": config, "body": body});
    if let Some(when) = task.props.get("WHEN") {
        step["runCondition"] = json!(value("WHEN", Condition::from_org(when))?);
    }
    Ok(step)
}

/// The title without statistics cookies, which change as work goes on.
fn title(task: &Task) -> String {
    let cookie = |word: &&str| {
        let inside = word
            .strip_prefix('[')
            .and_then(|w| w.strip_suffix(']'))
            .unwrap_or_default();
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        inside.split_once('/').is_some_and(|(a, b)| digits(a) && digits(b))
            || inside.strip_suffix('%').is_some_and(digits)
    };
    task.title
        .split_whitespace()
        .filter(|word| !cookie(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn value<T>(key: &str, read: Result<T, String>) -> Result<T, CompileError> {
    read.map_err(|why| CompileError::new(format!(":{key}: {why}"), "docs/sessions.md says what it takes"))
}

/// A section's text without drawers, property lines and the check block.
fn prompt(body: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut checked = false;
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        let bare = line.trim();
        if let Some(name) = block(bare, "#+begin_") {
            let end = format!("#+end_{name}");
            let is_check = name == "src" && !checked && bare.split_whitespace().any(|w| w == ":check");
            checked |= is_check;
            let mut inside = vec![line];
            let closed = |line: &str| line.trim().eq_ignore_ascii_case(&end);
            for line in lines.by_ref() {
                inside.push(line);
                if closed(line) {
                    break;
                }
            }
            if !is_check {
                kept.extend(inside);
            }
        } else if is_drawer(bare) {
            // Up to and including `:END:`.
            lines.by_ref().find(|line| line.trim().eq_ignore_ascii_case(":END:"));
        } else if !is_property(bare) {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

fn block(line: &str, prefix: &str) -> Option<String> {
    let head = line
        .get(..prefix.len())
        .filter(|head| head.eq_ignore_ascii_case(prefix))?;
    let name = line[head.len()..].split_whitespace().next()?;
    Some(name.to_ascii_lowercase())
}

fn property_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix(':')?.split_once(':')?;
    let named = key.starts_with(|c: char| c.is_alphabetic())
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    (named && (value.is_empty() || value.starts_with([' ', '\t']))).then_some((key, value.trim()))
}

fn is_property(line: &str) -> bool {
    property_key(line).is_some_and(|(key, value)| {
        !value.is_empty() || ["done-when", "done_when"].iter().any(|k| key.eq_ignore_ascii_case(k))
    })
}

fn is_drawer(line: &str) -> bool {
    property_key(line).is_some_and(|(key, value)| {
        let check = ["done-when", "done_when"].iter().any(|k| key.eq_ignore_ascii_case(k));
        value.is_empty() && !key.eq_ignore_ascii_case("END") && !check
    })
}

#[cfg(test)]
mod tests {
    use super::prompt;

    #[test]
    fn the_prompt_is_the_body_without_drawers_properties_and_the_check_block() {
        for (body, want) in [
            ("Do it.\n", "Do it."),
            (":done-when: true\nDo it.\n:WHEN: a = 1\n", "Do it."),
            (":LOGBOOK:\n- a note\n:END:\nDo it.\n", "Do it."),
            ("a\n#+begin_src sh :check\ntrue\n#+end_src\nb\n", "a\nb"),
            (
                "#+begin_src sh\n:x: kept\n#+end_src\n",
                "#+begin_src sh\n:x: kept\n#+end_src",
            ),
            (
                "#+BEGIN_SRC sh :check\ntrue\n#+END_SRC\n#+begin_src sh :check\nfalse\n#+end_src",
                "#+begin_src sh :check\nfalse\n#+end_src",
            ),
            ("a: b\n:not a property\n", "a: b\n:not a property"),
            ("", ""),
        ] {
            assert_eq!(prompt(body), want, "{body:?}");
        }
    }
}
