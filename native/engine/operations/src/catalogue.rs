//! Which workflows there are: bundled ones, the project's and the user's; and which one a caller means.

use crate::Context;
use failure::Failure;
use schemars::JsonSchema;
use serde::Serialize;
use session::Error;
use session::ports::Store;
use session::workflow::{
    BUNDLED, Compiled, IdStatus, Library, Need, SentWorkflow, Source, SourceKind, Warning, WorkflowId, compile,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// How deep a library's directories are looked through.
const DEPTH: usize = 4;

/// A workflow as the catalogue shows it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueRow {
    /// Its id, to start it by.
    pub id: String,
    /// For people.
    name: String,
    /// The author's version.
    version: String,
    /// For people, the beginning of it.
    description: String,
    /// The author's tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// Where it comes from.
    source_kind: SourceKind,
    /// The file; absent for one that is in the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// `namespaced` or `legacy`.
    id_status: &'static str,
    /// The bundled workflow that a legacy id stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical_id: Option<String>,
    /// What to call one with a legacy id.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_id: Option<String>,
    /// What its loops want of the context.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needs: Vec<Need>,
    /// Why it cannot be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl CatalogueRow {
    /// Whether its author gave it this tag.
    pub(crate) fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }
}

/// A workflow that was found.
struct Found {
    text: String,
    kind: SourceKind,
    reference: Option<PathBuf>,
    source: Result<Source, String>,
}

impl Found {
    fn new(text: String, kind: SourceKind, reference: Option<PathBuf>) -> Self {
        Found {
            source: Source::read(&text).map_err(|error| error.to_string()),
            text,
            kind,
            reference,
        }
    }

    fn id(&self) -> Option<&str> {
        self.source.as_ref().ok().map(Source::id)
    }
}

/// Everything that can be named, bundled ones first: an id of theirs cannot be taken over.
pub(crate) struct Catalogue {
    found: Vec<Found>,
    library: Library,
}

impl Catalogue {
    /// Looks through the program, the operator's libraries, the project and the user's own directory.
    pub(crate) fn of(context: &Context) -> Result<Self, Failure> {
        let sessions = context.sessions()?;
        let mut found: Vec<Found> = BUNDLED
            .iter()
            .map(|(_, text)| Found::new((*text).to_owned(), SourceKind::Bundled, None))
            .collect();
        let policy = sessions.store().policy()?;
        let libraries = context.libraries.iter().cloned();
        for dir in libraries.chain(policy.libraries.iter().map(PathBuf::from)) {
            if !dir.is_dir() {
                return Err(Error::validation(
                    format!("the library {} is no directory", dir.display()),
                    "name a directory of workflows",
                )
                .into());
            }
            gather(&dir, SourceKind::Bundled, DEPTH, &mut found);
        }
        gather(&context.here.join("workflows"), SourceKind::Project, 1, &mut found);
        gather(&sessions.store().own_workflows(), SourceKind::User, 1, &mut found);
        let mut library = Library::default();
        for source in found.iter().filter_map(|found| found.source.as_ref().ok()) {
            library.add(source);
        }
        Ok(Catalogue { found, library })
    }

    /// The rows, in the order of the ids.
    pub(crate) fn rows(&self) -> Vec<CatalogueRow> {
        let mut taken: BTreeSet<String> = self.found.iter().filter_map(Found::id).map(str::to_owned).collect();
        let mut rows: Vec<CatalogueRow> = self.found.iter().map(|found| self.row(found, &mut taken)).collect();
        rows.sort_by(|a, b| (&a.id, &a.reference).cmp(&(&b.id, &b.reference)));
        rows
    }

    fn row(&self, found: &Found, taken: &mut BTreeSet<String>) -> CatalogueRow {
        let reference = found.reference.as_ref().map(|path| path.display().to_string());
        let source = match &found.source {
            Ok(source) => source,
            Err(error) => {
                return CatalogueRow {
                    id: reference.clone().unwrap_or_default(),
                    name: String::new(),
                    version: String::new(),
                    description: String::new(),
                    tags: Vec::new(),
                    source_kind: found.kind,
                    reference,
                    id_status: "legacy",
                    canonical_id: None,
                    suggested_id: None,
                    needs: Vec::new(),
                    error: Some(error.clone()),
                };
            }
        };
        let id = WorkflowId::read(source.id(), found.kind);
        let compiled = compile(source, found.kind, &self.library);
        let (id_status, suggested_id) = match id.map(|id| id.status) {
            Ok(IdStatus::Legacy(suggested)) => ("legacy", Some(free(suggested, &found.text, taken))),
            Ok(IdStatus::Namespaced) => ("namespaced", None),
            Err(_) => ("namespaced", None),
        };
        let [name, description, version] = source.about();
        CatalogueRow {
            id: source.id().to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            description: description.chars().take(200).collect(),
            tags: source.tags(),
            source_kind: found.kind,
            reference,
            id_status,
            canonical_id: self.canonical(source.id()).map(str::to_owned),
            suggested_id,
            needs: compiled
                .as_ref()
                .map(|(workflow, _)| workflow.needs(&serde_json::Map::new()))
                .unwrap_or_default(),
            error: compiled.err().map(|error| error.to_string()),
        }
    }

    /// The bundled workflow that an id without a namespace stands for.
    fn canonical(&self, id: &str) -> Option<&str> {
        let plain = |name: &str| name.to_ascii_lowercase().replace('-', "_");
        let stands = |full: &&str| full.split_once('.').is_some_and(|(_, name)| plain(name) == plain(id));
        (!id.contains('.')).then(|| {
            let bundled = self.found.iter().filter(|found| found.kind == SourceKind::Bundled);
            bundled.filter_map(Found::id).find(stands)
        })?
    }

    /// The workflow that a caller means, compiled.
    pub(crate) fn compile(&self, sent: &SentWorkflow) -> Result<(Compiled, Vec<Warning>, SourceKind, String), Failure> {
        let (text, kind, reference) = self.text(sent)?;
        let mut library = self.library.clone();
        for more in &sent.library {
            library.add(&Source::read(more).map_err(Error::from)?);
        }
        let source = Source::read(&text).map_err(Error::from)?;
        let (workflow, warnings) = compile(&source, kind, &library).map_err(Error::from)?;
        Ok((workflow, warnings, kind, reference))
    }

    fn text(&self, sent: &SentWorkflow) -> Result<(String, SourceKind, String), Failure> {
        let is_bundled = |found: &&Found| found.kind == SourceKind::Bundled;
        let place = |found: &Found| match &found.reference {
            Some(path) => path.display().to_string(),
            None => found.id().unwrap_or_default().to_owned(),
        };
        if let Some(id) = &sent.id {
            let exact = self.found.iter().find(|found| found.id() == Some(id));
            let by_alias = || {
                let canonical = self.canonical(id)?;
                self.found.iter().find(|found| found.id() == Some(canonical))
            };
            return match exact.or_else(by_alias) {
                Some(found) => Ok((found.text.clone(), found.kind, place(found))),
                None => Err(Error::validation(
                    format!("there is no workflow `{id}`"),
                    "`wbx session workflows` lists those that can be named",
                )
                .into()),
            };
        }
        // The very text of a bundled workflow is bundled wherever it was read; nothing else can say so.
        if let Some(found) = self
            .found
            .iter()
            .filter(is_bundled)
            .find(|found| found.text == sent.text)
        {
            return Ok((sent.text.clone(), SourceKind::Bundled, place(found)));
        }
        if sent.kind == SourceKind::Bundled {
            return Err(Error::validation(
                "a caller cannot say that a workflow is bundled",
                "name the library that has it: `--library DIR`, or the operator's policy",
            )
            .into());
        }
        let claimed = Source::read(&sent.text).ok().map(|source| source.id().to_owned());
        let taken = |found: &&Found| found.id().is_some() && found.id() == claimed.as_deref();
        // A twin of a bundled workflow in the other form is the same workflow: its hash tells.
        if let Some(bundled) = self.found.iter().filter(is_bundled).find(taken) {
            let hash = |source: &Source| {
                compile(source, SourceKind::Bundled, &self.library)
                    .ok()
                    .map(|(workflow, _)| workflow.hash())
            };
            let ours = bundled.source.as_ref().ok().and_then(hash);
            let theirs = Source::read(&sent.text).ok().as_ref().and_then(hash);
            if ours.is_none() || ours != theirs {
                let id = claimed.unwrap_or_default();
                let name = id.split_once('.').map_or(id.as_str(), |(_, name)| name);
                return Err(Error::validation(
                    format!("the id `{id}` belongs to a bundled workflow, and this is another one"),
                    format!("call it project.{name}, or start the bundled one by its id"),
                )
                .into());
            }
            return Ok((sent.text.clone(), SourceKind::Bundled, sent.reference.clone()));
        }
        Ok((sent.text.clone(), sent.kind, sent.reference.clone()))
    }
}

/// A suggestion that nobody has: with a suffix of the text's own digest where it is taken.
fn free(suggested: String, text: &str, taken: &mut BTreeSet<String>) -> String {
    let name = if taken.contains(&suggested) {
        format!("{suggested}_{}", &session::Digest::of(text.as_bytes()).hex()[..4])
    } else {
        suggested
    };
    taken.insert(name.clone());
    name
}

/// The workflows in a directory, in the order of their paths. A directory that is not there has none.
fn gather(dir: &Path, kind: SourceKind, depth: usize, found: &mut Vec<Found>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if depth > 1 {
                gather(&path, kind, depth - 1, found);
            }
        } else if path.extension().is_some_and(|ext| ext == "json" || ext == "org")
            && let Ok(text) = fs::read_to_string(&path)
        {
            found.push(Found::new(text, kind, Some(path)));
        }
    }
}
