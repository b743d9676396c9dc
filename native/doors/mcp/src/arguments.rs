//! From what an agent sent to the parameters of an operation.

use crate::Grant;
use crate::files::text;
use crate::table::{Action, Take, Tool};
use failure::Failure;
use failure::codes::BAD_OPTION;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// A call, understood.
pub(crate) struct Asked {
    pub tool: &'static Tool,
    pub action: &'static Action,
    pub params: Value,
    /// The directory that checks of a session see.
    pub workdir: Option<PathBuf>,
    /// How many seconds to wait.
    pub wait: Option<u64>,
}

/// Which action of a tool is meant. It has to be granted.
pub(crate) fn action(
    tool: &'static Tool,
    arguments: &mut Map<String, Value>,
    grant: &Grant,
) -> Result<&'static Action, Failure> {
    let action = match tool.actions {
        [only] => only,
        several => {
            let named = arguments.remove("action");
            let named = named.as_ref().and_then(Value::as_str);
            let names = || several.iter().map(|a| a.name).collect::<Vec<_>>().join(", ");
            let found = several.iter().find(|action| Some(action.name) == named);
            found.ok_or_else(|| {
                let message = format!("`{}` has no action `{}`", tool.name, named.unwrap_or_default());
                Failure::new(BAD_OPTION, message, format!("`action` is one of {}", names())).at("/action")
            })?
        }
    };
    grant.require(action.row())?;
    Ok(action)
}

/// The parameters of an action. An argument that nobody knows is refused.
pub(crate) fn read(
    tool: &'static Tool,
    action: &'static Action,
    mut arguments: Map<String, Value>,
    grant: &Grant,
) -> Result<Asked, Failure> {
    arguments.retain(|_, value| !value.is_null());
    let mut asked = Asked {
        tool,
        action,
        params: json!({}),
        workdir: None,
        wait: None,
    };
    for take in action.takes {
        let sent = arguments.remove(take.argument());
        asked.take(take, sent, grant)?;
    }
    match arguments.keys().next() {
        None => Ok(asked),
        Some(name) => {
            let known: Vec<&str> = action.takes.iter().map(Take::argument).collect();
            let message = format!("`{}` takes no `{name}` for {}", tool.name, action.name);
            Err(Failure::new(BAD_OPTION, message, format!("it takes {}", known.join(", "))).at(format!("/{name}")))
        }
    }
}

impl Asked {
    fn take(&mut self, take: &Take, sent: Option<Value>, grant: &Grant) -> Result<(), Failure> {
        let name = take.argument();
        let directories = &grant.directories;
        match (take, sent) {
            (Take::Field(field), Some(value)) => self.params[*field] = value,
            (Take::Field("intent"), None) => self.params["intent"] = json!("advance"),
            (Take::Text { field, .. }, Some(value)) => {
                self.params[*field] = text(directories, string(name, &value)?)?.1.into();
            }
            (Take::Read { field, .. }, Some(value)) => {
                let path = directories
                    .to_read(string(name, &value)?)
                    .map_err(|e| e.at(pointer(name)))?;
                self.params[*field] = utf8(name, path)?.into();
            }
            (Take::Work { field, .. }, Some(value)) => {
                let path = directories
                    .to_work(string(name, &value)?)
                    .map_err(|e| e.at(pointer(name)))?;
                self.params[*field] = utf8(name, path)?.into();
            }
            // Without a directory the shell would make an empty one; an agent means the one that it works in.
            (Take::Work { field, .. }, None) if self.action.operation == "shell.run" => {
                self.params[*field] = utf8(name, directories.to_work(".")?)?.into();
            }
            (Take::Workflow, Some(value)) => {
                let (reference, text) = text(directories, string(name, &value)?)?;
                self.params["workflow"] = json!({"text": text, "reference": reference});
            }
            (Take::Own("wait"), Some(value)) => {
                let seconds = value.as_u64().filter(|seconds| *seconds <= MOST_SECONDS);
                self.wait = Some(seconds.ok_or_else(|| {
                    let message = format!("`wait` is a number of seconds, at most {MOST_SECONDS}");
                    Failure::new(BAD_OPTION, message, "ask again after that").at("/wait")
                })?);
            }
            (Take::Own("workdir"), sent) => {
                let path = sent.as_ref().map_or(Ok("."), |value| string(name, value))?;
                self.workdir = Some(directories.to_work(path).map_err(|e| e.at(pointer(name)))?);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The longest that a call waits for a run.
const MOST_SECONDS: u64 = 600;

fn pointer(name: &str) -> String {
    format!("/{name}")
}

fn string<'v>(name: &str, value: &'v Value) -> Result<&'v str, Failure> {
    value.as_str().ok_or_else(|| {
        let message = format!("`{name}` is a text");
        Failure::new(BAD_OPTION, message, "send a string").at(pointer(name))
    })
}

fn utf8(name: &str, path: PathBuf) -> Result<String, Failure> {
    path.into_os_string().into_string().map_err(|_| {
        let message = format!("the path in `{name}` leads to a name that is no UTF-8");
        Failure::new(BAD_OPTION, message, "rename it").at(pointer(name))
    })
}
