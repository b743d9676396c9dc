//! A foundry with the real commands and a state of its own.

use history::Home;
use host::{Cancel, Registry, Sandbox};
use policy::Policy;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;
use toolkit_build::{Error, Foundry, Lanes, NoLanes};

static SANDBOX: LazyLock<Arc<Sandbox>> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap().keep();
    Arc::new(Sandbox::new(&dir.join("code")).unwrap())
});

/// The repository.
pub fn house() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
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
        let history = dir.path().join("history");
        let foundry = Foundry {
            root: Some(root),
            here: dir.path().to_owned(),
            state: dir.path().join("state"),
            policy: Policy::built_in().clone(),
            execute: true,
            posix: false,
            signer: Box::new(move || Ok(Home::open(&history)?.signer()?)),
            sandbox: Arc::new(|| Ok(SANDBOX.clone())),
            registry: Arc::new(move || Ok(registry.clone())),
            lanes: Arc::new(|| Ok(Arc::new(NoLanes))),
            check: Arc::new(|_| unreachable!("no recipe here is a check")),
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
        let text = |key: &str| params[key].as_str().unwrap_or_default();
        let words = |key: &str| -> Vec<String> { serde_json::from_value(params[key].clone()).unwrap_or_default() };
        let (yard, id, never) = (&self.foundry, text("id"), Cancel::default());
        Ok(match verb {
            "list" => json!(
                yard.toolkits()?
                    .list()?
                    .iter()
                    .map(|toolkit| toolkit.view())
                    .collect::<Vec<_>>()
            ),
            "show" => json!(yard.show(id)?),
            "skill" => json!({"text": yard.toolkit(id)?.skill(text("skill"))?}),
            "verify" => json!(yard.verify(id)?),
            "sign" => json!(yard.sign(id)?),
            "grant" => json!(yard.grant(id, &words("caps"))?),
            "build" => {
                let from = params["from"].as_str().map(|file| yard.path(file));
                json!(yard.build(id, params["which"].as_str(), from.as_deref(), &never)?)
            }
            "run" => {
                let workdir = yard.path(params["workdir"].as_str().unwrap_or("."));
                json!(yard.run(
                    id,
                    text("task"),
                    &words("args"),
                    text("stdin").as_bytes(),
                    workdir,
                    &never
                )?)
            }
            "select" => json!(yard.select(id, text("answer"), text("sql"))?),
            "mirror" => json!(yard.mirror(id, text("answer"), text("org"))?),
            "component" => json!(yard.component(id)?),
            other => panic!("there is no verb {other}"),
        })
    }

    /// The code of a refusal.
    pub fn refusal(&self, verb: &str, params: Value) -> String {
        match self.ask(verb, params) {
            Err(error) => format!("{}: {error}", error.code()),
            Ok(answer) => panic!("{verb} gave {answer}"),
        }
    }
}
