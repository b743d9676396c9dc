//! Sources that mean harm: nothing outside the source is read, nothing is half written, no secret gets through.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use toolkit_audit::Lanes;
use toolkit_import::{Audited, Error, Imported, Kind, Order};

const SECRET: &str = "the-secret-of-this-machine";

struct Scene {
    dir: TempDir,
}

impl Scene {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir_all(dir.path().join("source/scripts")).unwrap();
        fs::write(dir.path().join("outside.md"), SECRET).unwrap();
        fs::create_dir(dir.path().join("outside")).unwrap();
        fs::write(dir.path().join("outside/x.sh"), SECRET).unwrap();
        Scene { dir }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path("source").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn import(&self, kind: Option<Kind>) -> Result<Imported, Error> {
        toolkit_import::import(&Order {
            source: &self.path("source"),
            kind,
            target: Some(&self.path("made")),
            here: Path::new("."),
            lanes: &Lanes::none(),
        })
    }
}

/// Every byte below a directory, names included.
fn everything(dir: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        bytes.extend(path.file_name().unwrap().as_bytes());
        bytes.push(b'\n');
        match path.is_dir() {
            true => bytes.extend(everything(&path)),
            false => bytes.extend(fs::read(&path).unwrap()),
        }
    }
    bytes
}

fn holds(dir: &Path, secret: &str) -> bool {
    let bytes = everything(dir);
    bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
}

fn whys(imported: &Imported) -> Vec<(&str, &str)> {
    imported
        .skipped
        .iter()
        .map(|left| (left.file.as_str(), left.why))
        .collect()
}

#[test]
fn a_link_out_of_the_source_is_left_behind() {
    let scene = Scene::new();
    scene.write("SKILL.md", "---\nname: x\n---\n");
    symlink(scene.path("outside.md"), scene.path("source/absolute.md")).unwrap();
    symlink("../outside.md", scene.path("source/relative.md")).unwrap();
    symlink("../../outside/x.sh", scene.path("source/scripts/x.sh")).unwrap();
    symlink("../outside", scene.path("source/dir")).unwrap();
    symlink("loop", scene.path("source/loop")).unwrap();
    symlink("/dev/zero", scene.path("source/scripts/zero.sh")).unwrap();
    // One that stays inside is what it points to.
    symlink("SKILL.md", scene.path("source/inside.md")).unwrap();
    let imported = scene.import(None).unwrap();
    assert!(!holds(&scene.path("made"), SECRET));
    let out = "it is a link that leads out of the source, or nowhere";
    assert_eq!(
        whys(&imported),
        [
            ("absolute.md", out),
            ("dir", out),
            ("loop", out),
            ("relative.md", out),
            ("scripts/x.sh", out),
            ("scripts/zero.sh", out),
        ]
    );
    assert_eq!(imported.skills, ["overview", "x", "x-2"]);
}

#[test]
fn a_main_document_that_leads_out_is_not_read() {
    let scene = Scene::new();
    symlink("../outside.md", scene.path("source/SKILL.md")).unwrap();
    assert_eq!(scene.import(Some(Kind::ClaudeSkill)).unwrap_err().code(), "bad_option");
    assert!(!scene.path("made").exists());
}

#[test]
fn a_gigabyte_is_not_read() {
    let scene = Scene::new();
    scene.write("SKILL.md", "---\nname: x\n---\n");
    for file in ["scripts/huge.sh", "huge.md"] {
        scene.write(file, "");
        File::options()
            .write(true)
            .open(scene.path("source").join(file))
            .unwrap()
            .set_len(1 << 30)
            .unwrap();
    }
    let imported = scene.import(None).unwrap();
    let why = "it is larger than 16 MiB";
    assert_eq!(whys(&imported), [("huge.md", why), ("scripts/huge.sh", why)]);
    assert!(everything(&scene.path("made")).len() < 10_000);

    // The audit of a toolkit that has one does not read it either, and does not call it ready.
    fs::create_dir(scene.path("made/scripts")).unwrap();
    let huge = File::create(scene.path("made/scripts/huge.sh")).unwrap();
    huge.set_len(1 << 30).unwrap();
    let report = toolkit_import::audit(&scene.path("made"), false, &Lanes::none()).unwrap();
    assert_eq!(report.summary.blocked, 1);
}

#[test]
fn what_is_no_file_does_not_hold_anybody() {
    let scene = Scene::new();
    scene.write("SKILL.md", "---\nname: x\n---\n");
    let pipe = |path: &str| {
        let made = std::process::Command::new("mkfifo")
            .arg(scene.path(path))
            .status()
            .unwrap();
        assert!(made.success());
    };
    pipe("source/scripts/pipe.sh");
    let imported = scene.import(None).unwrap();
    assert_eq!(whys(&imported), [("scripts/pipe.sh", "it is no file")]);
    fs::create_dir(scene.path("made/scripts")).unwrap();
    pipe("made/scripts/pipe.sh");
    let report = toolkit_import::audit(&scene.path("made"), false, &Lanes::none()).unwrap();
    assert_eq!(report.summary.blocked, 1);
}

#[test]
fn bytes_that_are_no_text_are_carried_as_they_are() {
    let scene = Scene::new();
    scene.write("SKILL.md", b"---\r\nname: x\r\n---\r\n# T\r\n\r\nWords\r\n");
    let binary: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    scene.write("scripts/tool", &binary);
    scene.write("scripts/dos.sh", "curl x\r\nsudo y\r\n");
    scene.write("latin1.md", b"# caf\xe9\n");
    let imported = scene.import(None).unwrap();
    assert_eq!(fs::read(scene.path("made/scripts/tool")).unwrap(), binary);
    assert_eq!(
        fs::read(scene.path("made/scripts/dos.sh")).unwrap(),
        b"curl x\r\nsudo y\r\n"
    );
    assert_eq!(whys(&imported), [("latin1.md", "it is not UTF-8")]);
    let Audited::Audit(report) = imported.audited else {
        panic!("{:?}", imported.audited)
    };
    let classes: Vec<_> = report
        .scripts
        .iter()
        .map(|script| (script.file.as_str(), script.class.word()))
        .collect();
    assert_eq!(classes, [("dos.sh", "blocked"), ("tool", "convertible")]);
    assert!(
        !fs::read_to_string(scene.path("made/skills/x.org"))
            .unwrap()
            .contains('\r')
    );
}

#[test]
fn names_that_are_no_names_stay_behind() {
    let scene = Scene::new();
    scene.write("SKILL.md", "---\nname: ../../evil\n---\n");
    scene.write("scripts/a\n* Evil :toolkit:", "x");
    let latin1 = std::ffi::OsStr::from_bytes(b"scripts/caf\xe9.sh");
    fs::write(scene.path("source").join(latin1), "x").unwrap();
    let imported = scene.import(None).unwrap();
    assert_eq!(imported.skipped.len(), 2);
    assert!(imported.scripts.is_empty());
    assert!(scene.path("made/skills/evil.org").exists());
}

#[test]
fn no_secret_of_an_mcp_config_is_anywhere_in_the_output() {
    let secrets = [
        "s3cr3t-env",
        "hunter2",
        "Bearer-abc",
        "pw-in-url",
        "key-in-path",
        "flag-value",
        "eq-value",
        "my-home",
    ];
    let config = r#"{"mcpServers": {"srv": {
        "command": "/home/my-home/bin/npx",
        "args": ["-y", "pkg", "--api-key", "flag-value", "--url=eq-value", "hunter2", "postgres://u:pw-in-url@h/d", "TOKEN=s3cr3t-env"],
        "env": {"API_KEY": "s3cr3t-env"},
        "cwd": "/home/my-home", "envFile": "/home/my-home/.env", "comment": "hunter2"
    }, "far": {"url": "https://h/key-in-path/sse?t=hunter2", "headers": {"Authorization": "Bearer-abc"}}},
    "inputs": [{"default": "hunter2"}]}"#;
    for (file, kind) in [
        ("mcp.json", None),
        (".mcp.json", None),
        ("mcp.json", Some(Kind::Folder)),
        ("scripts/conf.json", Some(Kind::Folder)),
    ] {
        let scene = Scene::new();
        scene.write(file, config);
        scene.write("README.md", "# Docs\n");
        let imported = scene.import(kind).unwrap();
        for secret in secrets {
            assert!(!holds(&scene.path("made"), secret), "{secret} of {file} as {kind:?}");
            let answer = format!("{imported:?}");
            assert!(!answer.contains(secret), "{secret}: {answer}");
        }
        if kind.is_none() {
            assert!(holds(&scene.path("made"), "API_KEY"), "names are kept");
            assert_eq!(imported.kind, Kind::McpServer);
        }
    }
}

#[test]
fn an_existing_target_is_refused_and_untouched() {
    let scene = Scene::new();
    scene.write("SKILL.md", "---\nname: x\n---\n");
    for make in [
        |path: &Path| fs::create_dir(path).unwrap(),
        |path: &Path| fs::write(path, "mine").unwrap(),
        |path: &Path| symlink("nowhere", path).unwrap(),
    ] {
        let made = scene.path("made");
        make(&made);
        assert_eq!(scene.import(None).unwrap_err().code(), "exists");
        let kind = made.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            assert_eq!(fs::read_dir(&made).unwrap().count(), 0);
            fs::remove_dir(&made).unwrap();
        } else {
            fs::remove_file(&made).unwrap();
        }
    }
    let left: Vec<_> = fs::read_dir(scene.dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        left.iter().all(|name| !name.to_string_lossy().starts_with(".made")),
        "{left:?}"
    );
}

#[test]
fn a_missing_source_is_not_found() {
    let scene = Scene::new();
    for source in ["nowhere", "outside.md/below", "https://example.org/skill"] {
        let order = Order {
            source: &scene.path(source),
            kind: None,
            target: None,
            here: scene.dir.path(),
            lanes: &Lanes::none(),
        };
        assert_eq!(
            toolkit_import::import(&order).unwrap_err().code(),
            "not_found",
            "{source}"
        );
    }
}

#[test]
fn an_audit_stays_inside_the_toolkit() {
    let scene = Scene::new();
    scene.write("manifest.org", "* X :toolkit:\n");
    symlink("../../outside/x.sh", scene.path("source/scripts/x.sh")).unwrap();
    let report = toolkit_import::audit(&scene.path("source"), false, &Lanes::none()).unwrap();
    assert_eq!(report.summary.blocked, 1);
    assert_eq!(
        report.scripts[0].findings[0].note,
        "a link that leads out of the toolkit, or nowhere — not read"
    );

    fs::remove_dir_all(scene.path("source/scripts")).unwrap();
    symlink("../outside", scene.path("source/scripts")).unwrap();
    let error = toolkit_import::audit(&scene.path("source"), false, &Lanes::none()).unwrap_err();
    assert_eq!(error.to_string(), "`scripts` is a link that leads out of the toolkit");

    fs::remove_file(scene.path("source/scripts")).unwrap();
    fs::remove_file(scene.path("source/manifest.org")).unwrap();
    symlink("../outside.md", scene.path("source/manifest.org")).unwrap();
    let error = toolkit_import::audit(&scene.path("source"), false, &Lanes::none()).unwrap_err();
    assert_eq!(error.code(), "invalid_path");
    assert_eq!(fs::read_to_string(scene.path("outside.md")).unwrap(), SECRET);
}

#[test]
fn an_audit_goes_below_only_when_told() {
    let scene = Scene::new();
    scene.write("manifest.org", "#+TOOLKIT: demo\n* X :toolkit:\n");
    scene.write("scripts/b.sh", "echo\n");
    scene.write("scripts/a/deep.sh", "sudo x\n");
    let files = |deep| -> Vec<String> {
        let report = toolkit_import::audit(&scene.path("source"), deep, &Lanes::none()).unwrap();
        report.scripts.into_iter().map(|script| script.file).collect()
    };
    assert_eq!(files(false), ["b.sh"]);
    assert_eq!(files(true), ["a/deep.sh", "b.sh"]);
    let manifest = fs::read_to_string(scene.path("source/manifest.org")).unwrap();
    assert!(
        manifest.contains("audit scripts/a/deep.sh --expect ready"),
        "{manifest}"
    );
    assert!(manifest.contains("audit scripts --deep --expect ready"), "{manifest}");
    let before = fs::metadata(scene.path("source/manifest.org"))
        .unwrap()
        .modified()
        .unwrap();
    files(true);
    let after = fs::metadata(scene.path("source/manifest.org"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(before, after, "what does not change is not written");
}
