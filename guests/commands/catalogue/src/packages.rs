//! Where cargo keeps the sources of the crates this workspace builds.

use serde_json::Value;
use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The source directories of the packages that `wanted` picks.
pub fn roots(wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    let root = |package: &Value| {
        let manifest = PathBuf::from(package["manifest_path"].as_str()?);
        manifest.parent().map(PathBuf::from)
    };
    packages
        .iter()
        .filter(|package| package["name"].as_str().is_some_and(&wanted))
        .filter_map(root)
        .collect()
}

fn metadata() -> Value {
    let output = Command::new(env::var_os("CARGO").expect("cargo names itself"))
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform=wasm32-wasip1",
        ])
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}
