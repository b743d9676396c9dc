//! Toolkits that exist for one test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use toolkit::{Facts, Profile, Toolkit};

/// A directory of toolkits that is gone afterwards.
pub struct Scratch {
    dir: TempDir,
}

/// A manifest with nothing wrong, to which tests add.
pub const PLAIN: &str = "\
#+TITLE: Dates
#+TOOLKIT: dates
#+VERSION: 1.2.0
#+STATUS: stable
#+TAGLINE: Reach for it when a date is in doubt
";

pub const NODE: &str = "\
* Dates :toolkit:
:PROPERTIES:
:ID: dates
:STATUS: stable
:END:
";

pub const OVERVIEW: &str = "#+TITLE: What it does\n* Overview\nDates, and how to doubt them.\n";

impl Scratch {
    pub fn new() -> Scratch {
        Scratch {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("toolkits")
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A toolkit `dates` with these keywords beside the plain ones.
    pub fn dates(&self, keywords: &str) -> Toolkit {
        self.write("dates/manifest.org", format!("{PLAIN}{keywords}{NODE}"));
        self.write("dates/skills/overview.org", OVERVIEW);
        self.open("dates")
    }

    pub fn open(&self, id: &str) -> Toolkit {
        Toolkit::open(&self.root().join(id)).unwrap()
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// A world with the built-in profiles, a few words of the shell, and a js lane.
pub fn facts() -> Facts {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let profile = |name: &str, caps: &str| Profile {
        name: name.to_owned(),
        capabilities: words(caps),
    };
    Facts {
        profiles: vec![
            profile("compute", "vfs"),
            profile("minimal", "vfs commands exec kv"),
            profile("network", "vfs commands exec kv net llm browse"),
            profile("posix", "vfs commands exec kv net llm browse posix parallel"),
        ],
        words: words("cat cut echo grep printf sh sort test tr wc"),
        commands: BTreeSet::from(["cal".to_owned()]),
        kernels: BTreeSet::from(["levels".to_owned()]),
        worlds: words("engine engine-llm dock"),
        lanes: BTreeSet::from(["js".to_owned()]),
        ..Facts::default()
    }
}
