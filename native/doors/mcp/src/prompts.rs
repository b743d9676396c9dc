//! A prompt for each workflow that a session can work off.

use crate::{Directories, files};
use rmcp::model::{Prompt, PromptArgument};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// A workflow, as far as a prompt needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Workflow {
    /// `wb.code_review`: the name of the prompt.
    pub id: String,
    pub name: String,
    pub description: String,
    pub path: PathBuf,
}

/// The workflows below the directories. An Org plan and its JSON twin have one id, and one prompt.
pub(crate) fn list(directories: &Directories) -> Vec<Workflow> {
    let mut found: Vec<Workflow> = Vec::new();
    let mut files = files::list(directories, &["org", "json"]);
    // Org first: it is what people edit.
    files.sort_by_key(|path| path.extension().is_none_or(|extension| extension != "org"));
    for path in files {
        let Ok(text) = files::contents(&path) else { continue };
        let workflow = match path.extension().is_some_and(|extension| extension == "org") {
            true => of_org(&text, &path),
            false => of_json(&text, &path),
        };
        found.extend(workflow.filter(|new| !found.iter().any(|old| old.id == new.id)));
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

fn of_org(text: &str, path: &Path) -> Option<Workflow> {
    let head = |key: &str| {
        let mut lines = text.lines().take_while(|line| !line.starts_with('*'));
        lines.find_map(|line| {
            let (name, value) = line.strip_prefix("#+")?.split_once(':')?;
            name.eq_ignore_ascii_case(key).then(|| value.trim().to_owned())
        })
    };
    let id = head("WORKFLOW")?.split_whitespace().next()?.to_owned();
    Some(Workflow {
        name: head("TITLE").unwrap_or_else(|| id.clone()),
        description: head("DESCRIPTION").unwrap_or_default(),
        id,
        path: path.to_owned(),
    })
}

fn of_json(text: &str, path: &Path) -> Option<Workflow> {
    let value: Value = serde_json::from_str(text).ok()?;
    let field = |key: &str| value[key].as_str().map(str::to_owned);
    let id = field("id").filter(|id| id.contains('.') && value["steps"].is_array())?;
    Some(Workflow {
        name: field("name").unwrap_or_else(|| id.clone()),
        description: field("description").unwrap_or_default(),
        id,
        path: path.to_owned(),
    })
}

impl Workflow {
    pub fn prompt(&self) -> Prompt {
        let goal = PromptArgument::new("goal")
            .with_description("What it is to be done for")
            .with_required(false);
        let about = Some(self.description.as_str()).filter(|about| !about.is_empty());
        Prompt::new(&self.id, about, Some(vec![goal])).with_title(&self.name)
    }

    /// What an agent is told.
    pub fn text(&self, arguments: Option<&Map<String, Value>>) -> String {
        let goal = arguments.and_then(|all| all.get("goal")).and_then(Value::as_str);
        let goal = goal.filter(|goal| !goal.trim().is_empty());
        let context = goal.map(|goal| format!(", \"context\": {}", serde_json::json!({"goal": goal})));
        format!(
            "Work off the workflow {} ({}). Call the tool `session` with {{\"action\": \"start\", \"workflow\": {}{}}}. \
             Then do what `pending.prompt` of the answer says, and only that, and call `session` with \
             {{\"action\": \"continue\", \"token\": .., \"output\": {{\"notes\": ..}}}} and the token of the last answer. A \
             step counts when it is accepted: when the answer has blockers, mend what they name and continue with the token \
             of that answer. Go on until `nextIntent` is `complete`. If you lose your way, continue with \
             {{\"intent\": \"rehydrate\"}} and your last token, or ask `find_session`.",
            self.id,
            self.name,
            Value::from(self.path.to_string_lossy()),
            context.unwrap_or_default(),
        )
    }
}
