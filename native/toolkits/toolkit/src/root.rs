//! Finding toolkits: one directory, one query.

use crate::{Error, Manifest, Status, Tree, place};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A directory of toolkits. Strangers may write to it: reading is open, executing is gated elsewhere.
pub struct Root {
    path: PathBuf,
    tree: Tree,
}

/// One toolkit.
pub struct Toolkit {
    id: String,
    path: PathBuf,
    tree: Tree,
    text: String,
    manifest: Manifest,
}

/// What discovery shows: exactly this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct View {
    /// The directory's name.
    pub id: String,
    /// `#+TITLE:`.
    pub title: Option<String>,
    /// `#+CLI_BIN:`.
    pub cli: Option<String>,
    /// `#+STATUS:`.
    pub status: Option<Status>,
    /// Where its skills are.
    pub skill_dir: String,
}

/// The directory of toolkits: what `WB_TOOLKITS_ROOT` names, but only if that is a directory; else the first of
/// `toolkits` and `../toolkits`, seen from `here`.
pub fn find_root(named: Option<&Path>, here: &Path) -> Result<PathBuf, Error> {
    let near = [here.join("toolkits"), here.join("../toolkits")];
    // An empty name would be the directory here.
    let named = named.filter(|named| !named.as_os_str().is_empty());
    let mut places = named.map(|named| here.join(named)).into_iter().chain(near);
    places.find(|place| place.is_dir()).ok_or(Error::NoRoot)
}

impl Root {
    /// Opens a directory of toolkits.
    pub fn open(path: &Path) -> Result<Root, Error> {
        let tree = Tree::open(path).map_err(Error::io("open", path.display().to_string()))?;
        let path = path
            .canonicalize()
            .map_err(Error::io("open", path.display().to_string()))?;
        Ok(Root { path, tree })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every toolkit, by name: directories whose manifest has a headline that `(tags :toolkit:)` selects. What cannot be
    /// read is no toolkit here; [`Root::toolkit`] says why.
    pub fn list(&self) -> Result<Vec<Toolkit>, Error> {
        let names = self.tree.directories()?;
        Ok(names.iter().filter_map(|name| self.toolkit(name).ok()).collect())
    }

    /// The toolkit of that name.
    pub fn toolkit(&self, id: &str) -> Result<Toolkit, Error> {
        if !place::is_name(id) {
            return Err(Error::BadName(id.to_owned()));
        }
        if !self.tree.exists(id) {
            return Err(Error::NotFound(id.to_owned()));
        }
        let found = Toolkit::within(id, self.path.join(id), self.tree.below(id)?)?;
        match oql::query(&found.text, "(tags :toolkit:)") {
            Ok(nodes) if nodes.is_empty() => Err(Error::NotFound(id.to_owned())),
            _ => Ok(found),
        }
    }

    /// The toolkits that an `:agent:` node names in its `:TOOLKITS:`, in that order; names that nobody has are dropped.
    pub fn for_agent(&self, org: &str, agent: &str) -> Result<Vec<Toolkit>, Error> {
        let names = names_for_agent(org, agent)?;
        Ok(names.iter().filter_map(|name| self.toolkit(name).ok()).collect())
    }
}

/// The names in the `:TOOLKITS:` of an `:agent:` node, each once, in that order.
pub fn names_for_agent(org: &str, agent: &str) -> Result<Vec<String>, Error> {
    let failed = |error| Error::Org {
        path: "agent".into(),
        error,
    };
    let nodes = oql::query(org, "(tags :agent:)").map_err(failed)?;
    let is = |row: &&oql::Row| row.id.as_deref() == Some(agent) || row.title == agent;
    let named = nodes.iter().find(is).and_then(|row| row.props.get("TOOLKITS"));
    let mut seen: Vec<String> = Vec::new();
    for name in named.map(String::as_str).unwrap_or_default().split([' ', '\t', ',']) {
        if !name.is_empty() && !seen.iter().any(|one| one == name) {
            seen.push(name.to_owned());
        }
    }
    Ok(seen)
}

impl Toolkit {
    /// The toolkit in a directory, whatever is in its manifest.
    pub fn open(path: &Path) -> Result<Toolkit, Error> {
        let shown = path.display().to_string();
        let path = path.canonicalize().map_err(Error::io("open", shown.clone()))?;
        let id = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let tree = Tree::open(&path).map_err(Error::io("open", shown))?;
        Toolkit::within(&id.unwrap_or_default(), path, tree)
    }

    fn within(id: &str, path: PathBuf, tree: Tree) -> Result<Toolkit, Error> {
        if !tree.exists("manifest.org") {
            return Err(Error::NotFound(id.to_owned()));
        }
        let text = tree.text("manifest.org")?;
        let manifest = Manifest::read(&text, id).map_err(|error| Error::Org {
            path: "manifest.org".into(),
            error,
        })?;
        Ok(Toolkit {
            id: id.to_owned(),
            path,
            tree,
            text,
            manifest,
        })
    }

    /// The same as a stranger's, whatever its manifest says of itself: somebody sent it.
    #[must_use]
    pub fn as_third_party(mut self) -> Toolkit {
        self.manifest.distrust();
        self
    }

    /// Its name: that of its directory.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its files.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The text of its manifest.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What its manifest says.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub(crate) fn skill_dir(&self) -> &str {
        &self.manifest.skill_dir
    }

    /// What discovery shows of it.
    pub fn view(&self) -> View {
        View {
            id: self.id.clone(),
            title: self.manifest.title.clone(),
            cli: self.manifest.cli_bin.clone(),
            status: self.manifest.status,
            skill_dir: self.manifest.skill_dir.clone(),
        }
    }
}
