//! A shell with the real commands, and a working directory. `make commands` builds them.
#![allow(dead_code, reason = "not every test file needs all of it")]

use acceptance::{Place, Task, Verdict};
use host::{Registry, Sandbox};
use shell::Shell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;

static SHELL: LazyLock<Shell> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap().keep();
    let batteries = house().join("priv/wasm/commands");
    assert!(
        batteries.join("commands.json").exists(),
        "the commands are not built: `make commands`"
    );
    Shell {
        sandbox: Arc::new(Sandbox::new(&dir.join("code")).unwrap()),
        registry: Arc::new(Registry::open(&batteries, &dir.join("commands")).unwrap()),
    }
});

pub fn house() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

pub struct Workshop(TempDir);

impl Workshop {
    /// A working directory with some files, below one with a secret.
    pub fn new() -> Workshop {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret"), "x").unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        let workshop = Workshop(dir);
        workshop.write("sentinels", &"__WB_CHECK_OK__\n".repeat(100));
        workshop.write("full", "x");
        workshop
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("work").join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn place(&self) -> Place {
        Place::at(self.0.path().join("work"))
    }

    pub fn ask(&self, check: &str) -> Verdict {
        ask(check, self.place())
    }
}

pub fn ask(check: &str, place: Place) -> Verdict {
    let task = Task {
        check: Some(("sh", check)),
        ..Task::default()
    };
    acceptance::ask(&SHELL, task, place)
}
