//! A foundry with the real commands and a state of its own.

use foundry::{Error, Foundry, Lanes, NoLanes, Policy, wire};
use host::{Cancel, Registry, Sandbox};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;

static SANDBOX: LazyLock<Arc<Sandbox>> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap().keep();
    Arc::new(Sandbox::new(&dir.join("code")).unwrap())
});

/// The repository.
pub fn house() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

pub struct Yard {
    pub foundry: Foundry,
    dir: TempDir,
}

impl Yard {
    /// With the toolkits of the repository.
    pub fn first_party() -> Yard {
        Yard::over(house().join("toolkits"))
    }

    /// With toolkits of its own.
    pub fn own() -> Yard {
        let mut yard = Yard::over(PathBuf::new());
        let root = yard.path("toolkits");
        fs::create_dir(&root).unwrap();
        yard.foundry.root = Some(root);
        yard
    }

    fn over(root: PathBuf) -> Yard {
        let dir = tempfile::tempdir().unwrap();
        let batteries = house().join("priv/wasm/commands");
        assert!(
            batteries.join("commands.json").exists(),
            "the commands are not built: `make commands`"
        );
        let registry = Arc::new(Registry::open(&batteries, &dir.path().join("commands")).unwrap());
        let foundry = Foundry {
            root: Some(root),
            here: dir.path().to_owned(),
            state: dir.path().join("state"),
            history: Some(dir.path().join("history")),
            policy: Policy::read(&fs::read_to_string(house().join("priv/policy.json")).unwrap()).unwrap(),
            execute: true,
            posix: false,
            sandbox: Arc::new(|| Ok(SANDBOX.clone())),
            registry: Arc::new(move || Ok(registry.clone())),
            lanes: Arc::new(|| Ok(Arc::new(NoLanes))),
        };
        Yard { foundry, dir }
    }

    pub fn with_lanes(mut self, lanes: Arc<dyn Lanes>) -> Yard {
        self.foundry.lanes = Arc::new(move || Ok(lanes.clone()));
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A toolkit `it` with these keywords.
    pub fn toolkit(&self, keywords: &str) {
        self.write(
            "toolkits/it/manifest.org",
            format!(
                "#+TITLE: It\n#+TOOLKIT: it\n#+VERSION: 1.0.0\n#+STATUS: stable\n#+TAGLINE: When\n{keywords}\
                 * It :toolkit:\n:PROPERTIES:\n:ID: it\n:END:\n"
            ),
        );
        self.write("toolkits/it/skills/overview.org", "* Overview\n");
    }

    pub fn ask(&self, verb: &str, params: Value) -> Result<Value, Error> {
        wire::call(&self.foundry, verb, &params, &Cancel::default())
    }

    /// The code of a refusal.
    pub fn refusal(&self, verb: &str, params: Value) -> String {
        match self.ask(verb, params) {
            Err(error) => format!("{}: {error}", error.code()),
            Ok(answer) => panic!("{verb} gave {answer}"),
        }
    }
}
