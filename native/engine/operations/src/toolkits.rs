//! Toolkits.

use crate::Context;
use crate::row::{Here, ask};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Hit, Signed, View};
use toolkit_audit::{Lanes, Report};
use toolkit_build::{Built, Located, Ran, Shown, Verified};
use toolkit_import::{Imported, Order};

macro_rules! of_a_toolkit {
    ($($name:ident)*) => {$(
        /// A toolkit.
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// Its name.
            id: String,
        }
    )*};
}

of_a_toolkit!(Show Verify Sign Component Source);

/// Nothing to say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {}

ask!(List: "toolkit.list", Reads, Read => Vec<View>, [toolkit_build::Error], "Lists the toolkits.");

impl Here for List {
    fn answer(self, context: &Context) -> Result<Vec<View>, Failure> {
        let all = context.foundry()?.all()?;
        Ok(all.iter().map(|toolkit| toolkit.view()).collect())
    }
}

ask!(Show: "toolkit.show", Reads, Read => Shown, [toolkit_build::Error], "Shows a toolkit: its manifest, the index of its skills, its recipes.");

impl Here for Show {
    fn answer(self, context: &Context) -> Result<Shown, Failure> {
        Ok(context.foundry()?.show(&self.id)?)
    }
}

/// A skill of a toolkit.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Skill {
    /// The name of the toolkit.
    id: String,
    /// The name of the skill.
    skill: String,
}

/// A skill in full.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SkillText {
    /// The name of the toolkit.
    id: String,
    /// The name of the skill.
    skill: String,
    /// Its text.
    text: String,
}

ask!(Skill: "toolkit.skill", Reads, Read => SkillText, [toolkit_build::Error], "Gives the text of a skill.");

impl Here for Skill {
    fn answer(self, context: &Context) -> Result<SkillText, Failure> {
        let text = context.foundry()?.toolkit(&self.id)?.skill(&self.skill)?;
        Ok(SkillText {
            id: self.id,
            skill: self.skill,
            text,
        })
    }
}

/// Words to look for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    /// The words; a line has to have all of them.
    query: String,
}

ask!(Search: "toolkit.search", Reads, Read => Vec<Hit>, [toolkit_build::Error], "Finds the lines of manifests and skills that have all the words.");

impl Here for Search {
    fn answer(self, context: &Context) -> Result<Vec<Hit>, Failure> {
        Ok(toolkit::search(&context.foundry()?.all()?, &self.query))
    }
}

/// An agent of an Org text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inject {
    /// The text with its `:agent:` node.
    org: String,
    /// The id of the node.
    agent: String,
    /// How many skills to name for each toolkit; 8 by default.
    most: Option<usize>,
}

/// What an agent is told.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Injected {
    /// One line for each toolkit.
    text: String,
}

ask!(Inject: "toolkit.inject", Reads, Read => Injected, [toolkit_build::Error], "Says what an agent is told about the toolkits that its node names.");

impl Here for Inject {
    fn answer(self, context: &Context) -> Result<Injected, Failure> {
        let toolkits = context.foundry()?.for_agent(&self.org, &self.agent)?;
        Ok(Injected {
            text: toolkit::injection_text(&toolkits, self.most),
        })
    }
}

ask!(Verify: "toolkit.verify", Reads, Read => Verified, [toolkit_build::Error], "Says of each promise of a toolkit whether it is kept.");

impl Here for Verify {
    fn answer(self, context: &Context) -> Result<Verified, Failure> {
        Ok(context.foundry()?.verify(&self.id)?)
    }
}

ask!(Sign: "toolkit.sign", Writes, Admin => Signed, [toolkit_build::Error], "Signs every file of a toolkit with the user's key.");

impl Here for Sign {
    fn answer(self, context: &Context) -> Result<Signed, Failure> {
        Ok(context.foundry()?.sign(&self.id)?)
    }
}

/// A toolkit, and what it may do.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grant {
    /// The name of the toolkit.
    id: String,
    /// The capabilities.
    caps: Vec<String>,
}

ask!(Grant: "toolkit.grant", Writes, Admin => toolkit::Grant, [toolkit_build::Error], "Records that a third-party toolkit may use these capabilities, for its content as it is now.");

impl Here for Grant {
    fn answer(self, context: &Context) -> Result<toolkit::Grant, Failure> {
        Ok(context.foundry()?.grant(&self.id, &self.caps)?)
    }
}

/// A toolkit that somebody sends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Install {
    /// The name it is to have.
    id: String,
    /// Its files as a zip, in base64: at most 50 MiB of zip.
    zip: String,
}

ask!(Install: "toolkit.install", Writes, Write => toolkit_build::Installed, [toolkit_build::Error], long, "Installs a toolkit from a zip, all of it or nothing, as a third party's.");

impl Here for Install {
    fn answer(self, context: &Context) -> Result<toolkit_build::Installed, Failure> {
        let unreadable = |error: base64::DecodeError| {
            let hint = "encode the zip with the standard alphabet";
            Failure::new(
                failure::codes::BAD_OPTION,
                format!("`zip` is not base64: {error}"),
                hint,
            )
            .at("/zip")
        };
        let zip = BASE64_STANDARD.decode(&self.zip).map_err(unreadable)?;
        Ok(context.foundry()?.install(&self.id, &zip)?)
    }
}

/// A toolkit to build.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Build {
    /// The name of the toolkit.
    id: String,
    /// The artifact; a toolkit has one.
    which: Option<String>,
    /// A file that was fetched for it already.
    from: Option<String>,
    /// Capabilities to grant it first.
    grant: Option<Vec<String>>,
}

ask!(Build: "toolkit.build", Runs, Admin => Built, [toolkit_build::Error], long, "Builds what a toolkit declares, inside WASM, and registers it.");

impl Here for Build {
    fn answer(self, context: &Context) -> Result<Built, Failure> {
        let foundry = context.foundry()?;
        if let Some(caps) = &self.grant {
            foundry.grant(&self.id, caps)?;
        }
        let from = self.from.map(|file| context.path(&file));
        Ok(foundry.build(&self.id, self.which.as_deref(), from.as_deref(), &context.cancel)?)
    }
}

/// A recipe to run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// The name of the toolkit.
    id: String,
    /// The name of the recipe.
    task: String,
    /// `$1` and on.
    #[serde(default)]
    args: Vec<String>,
    /// Its input.
    #[serde(default)]
    stdin: String,
    /// The directory that becomes `/`; the current one by default.
    workdir: Option<String>,
    /// Capabilities to grant the toolkit first.
    grant: Option<Vec<String>>,
}

ask!(Run: "toolkit.run", Runs, Run => Ran, [toolkit_build::Error], long, "Runs a recipe of a toolkit in the WASM shell.");

impl Here for Run {
    fn answer(self, context: &Context) -> Result<Ran, Failure> {
        let foundry = context.foundry()?;
        if let Some(caps) = &self.grant {
            foundry.grant(&self.id, caps)?;
        }
        let workdir = context.path(self.workdir.as_deref().unwrap_or("."));
        Ok(foundry.run(
            &self.id,
            &self.task,
            &self.args,
            self.stdin.as_bytes(),
            workdir,
            &context.cancel,
        )?)
    }
}

ask!(Component: "toolkit.component", Reads, Read => Located, [toolkit_build::Error], "Says where the component of a toolkit is, and what was granted to it.");

impl Here for Component {
    fn answer(self, context: &Context) -> Result<Located, Failure> {
        Ok(context.foundry()?.component(&self.id)?)
    }
}

ask!(Source: "toolkit.source", Reads, Read => toolkit::Source, [toolkit_build::Error], "Says where the rows of a federation come from.");

impl Here for Source {
    fn answer(self, context: &Context) -> Result<toolkit::Source, Failure> {
        Ok(context.foundry()?.source(&self.id)?)
    }
}

/// What a source answered, and a question about it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Select {
    /// The name of the toolkit.
    id: String,
    /// What its source answered.
    answer: String,
    /// One SELECT over its entity.
    sql: String,
}

ask!(Select: "toolkit.select", Reads, Read => toolkit_build::Answer, [toolkit_build::Error], "Asks in SQL what the source of a federation answered.");

impl Here for Select {
    fn answer(self, context: &Context) -> Result<toolkit_build::Answer, Failure> {
        Ok(context.foundry()?.select(&self.id, &self.answer, &self.sql)?)
    }
}

/// What a source answered, and an Org text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mirror {
    /// The name of the toolkit.
    id: String,
    /// What its source answered.
    answer: String,
    /// The text to mirror it in.
    org: String,
}

/// An Org text with its nodes.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Mirrored {
    /// The text.
    org: String,
}

ask!(Mirror: "toolkit.mirror", Reads, Read => Mirrored, [toolkit_build::Error], "Gives an Org text in which the rows of a federation have their nodes.");

impl Here for Mirror {
    fn answer(self, context: &Context) -> Result<Mirrored, Failure> {
        Ok(Mirrored {
            org: context.foundry()?.mirror(&self.id, &self.answer, &self.org)?,
        })
    }
}

/// An existing tool.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Import {
    /// The path of a directory or a file.
    source: String,
    /// What it is; detected when it is not said.
    kind: Option<String>,
    /// The directory to make; by default the toolkit's id, here.
    output: Option<String>,
}

ask!(Import: "toolkit.import", Writes, Write => Imported, [toolkit_import::Error], "Makes a toolkit of an existing tool: a skill, a package, a folder.");

impl Here for Import {
    fn answer(self, context: &Context) -> Result<Imported, Failure> {
        let target = self.output.map(|dir| context.path(&dir));
        Ok(toolkit_import::import(&Order {
            source: &context.path(&self.source),
            kind: self.kind.as_deref().map(str::parse).transpose()?,
            target: target.as_deref(),
            here: &context.here,
            lanes: &Lanes::shipped(),
        })?)
    }
}

/// A toolkit's directory.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Audit {
    /// Its path.
    dir: String,
    /// Whether to go below `scripts/`.
    #[serde(default)]
    deep: bool,
}

ask!(Audit: "toolkit.audit", Writes, Write => Report, [toolkit_import::Error], "Says which scripts of a toolkit run in the sandbox, and writes the findings into its manifest.");

impl Here for Audit {
    fn answer(self, context: &Context) -> Result<Report, Failure> {
        Ok(toolkit_import::audit(
            &context.path(&self.dir),
            self.deep,
            &Lanes::shipped(),
        )?)
    }
}
