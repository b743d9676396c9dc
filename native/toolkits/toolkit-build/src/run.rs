//! Recipes, in the WASM shell.

use crate::{Asked, Checked, Error, Foundry};
use host::Cancel;
use pipe::Stream;
use serde::Serialize;
use shell::{Job, Shell};
use std::path::PathBuf;
use toolkit::{Recipe, recipes};

/// What a recipe may print when it is kept.
const OUTPUT: usize = 16 << 20;
/// The profile of recipes: the widest that grants commands. It is the shell's, which has no network whatever it grants.
const PROFILE: &str = "posix";

/// What came of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Ran {
    /// The toolkit.
    pub toolkit: String,
    /// The recipe.
    pub task: String,
    /// Its exit status.
    pub status: u8,
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// The names that are no commands.
    pub missing: Vec<String>,
}

/// What came of a recipe that is a check: its status is 0 only if it passed, and the reason is the last that it says.
fn ran(id: &str, task: &str, checked: Checked) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut stderr = text(&checked.stderr);
    let status = match &checked.reason {
        None => 0,
        Some(reason) => {
            stderr.push_str(&format!("{reason}\n"));
            checked.status.filter(|status| *status != 0).unwrap_or(1)
        }
    };
    Ran {
        toolkit: id.to_owned(),
        task: task.to_owned(),
        status,
        stdout: text(&checked.stdout),
        stderr,
        missing: Vec::new(),
    }
}

impl Foundry {
    /// Whether a recipe may run now, and which one it is.
    pub fn recipe(&self, id: &str, task: &str) -> Result<Recipe, Error> {
        if !self.execute {
            return Err(Error::ExecutionIsOff);
        }
        let toolkit = self.toolkit(id)?;
        self.grants().consent(&toolkit)?;
        let all: Vec<Recipe> = recipes(&toolkit)?
            .into_iter()
            .filter(|recipe| recipe.role == "task")
            .collect();
        let known: Vec<String> = all.iter().map(|recipe| format!("`{}`", recipe.name)).collect();
        let found = all.into_iter().find(|recipe| recipe.name == task);
        let found = found.ok_or_else(|| toolkit::Error::NoTask {
            toolkit: id.to_owned(),
            task: task.to_owned(),
            known: if known.is_empty() {
                "none".into()
            } else {
                known.join(", ")
            },
        })?;
        let words = shell::words(&*(self.registry)()?)?;
        match found.faults(&words).first() {
            None => Ok(found),
            Some(fault) => Err(Error::BadOption(fault.clone())),
        }
    }

    /// Runs a recipe to its end: arguments as `$1` and on, `workdir` as `/`, nothing of the environment.
    ///
    /// # Errors
    ///
    /// See [`Error`]. A recipe that fails is no error: its status says so.
    pub fn run(
        &self,
        id: &str,
        task: &str,
        args: &[String],
        stdin: &[u8],
        workdir: PathBuf,
        cancel: &Cancel,
    ) -> Result<Ran, Error> {
        let recipe = self.recipe(id, task)?;
        let shell = Shell {
            sandbox: (self.sandbox)()?,
            registry: (self.registry)()?,
        };
        let args = args.iter().map(|word| word.clone().into_bytes()).collect();
        if recipe.check {
            let checked = (self.check)(Asked {
                shell,
                lang: recipe.lang,
                script: recipe.script,
                args,
                workdir,
                cancel: cancel.clone(),
            });
            return Ok(ran(id, task, checked));
        }
        let job = Job {
            script: recipe.script.into_bytes(),
            name: task.to_owned(),
            args,
            env: Vec::new(),
            workdir: Some(workdir),
            dialect: shell::Dialect::Sh,
            own_tmp: false,
            read_only: Vec::new(),
            listener: None,
            seal: None,
            cwd: "/".into(),
            streams: [Stream::bytes(stdin), Stream::null(), Stream::null()],
            commands: None,
            each: self.limits(PROFILE),
            limits: shell::Limits::default(),
            cancel: cancel.clone(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| host::Error::Engine(e.to_string()))?;
        let (finished, stdout, stderr) = runtime.block_on(shell.capture(job, OUTPUT, None))?;
        Ok(Ran {
            toolkit: id.to_owned(),
            task: task.to_owned(),
            status: finished.status,
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
            missing: finished.missing,
        })
    }
}
