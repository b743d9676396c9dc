//! What can be seen of the workspace without running anything: enough to find a session again.

use serde_json::{Value, json};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The branch, the commit and the root of the repository here; what cannot be read is left out.
pub fn observed() -> Value {
    let Some((root, git)) = env::current_dir().ok().and_then(|here| repository(&here)) else {
        return json!({});
    };
    let head = fs::read_to_string(git.join("HEAD")).unwrap_or_default();
    let branch = head
        .trim()
        .strip_prefix("ref: refs/heads/")
        .filter(|name| name.chars().count() <= 80);
    let sha = match head.trim().strip_prefix("ref: ") {
        Some(name) => resolve(&git, name),
        None => Some(head.trim().to_owned()),
    };
    let sha =
        sha.filter(|sha| sha.len() == 40 && sha.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
    let root = root.to_str().filter(|root| root.len() <= 512);
    json!({"git_branch": branch, "git_head_sha": sha, "repo_root": root})
}

/// The root of the repository, and its git directory: `.git` may be a file that says where that is.
fn repository(here: &Path) -> Option<(PathBuf, PathBuf)> {
    let root = here.ancestors().find(|dir| dir.join(".git").exists())?;
    let git = root.join(".git");
    if git.is_dir() {
        return Some((root.to_owned(), git));
    }
    let text = fs::read_to_string(&git).ok()?;
    Some((root.to_owned(), root.join(text.trim().strip_prefix("gitdir: ")?)))
}

fn resolve(git: &Path, name: &str) -> Option<String> {
    // A linked work tree keeps its branches in the main one.
    let common = fs::read_to_string(git.join("commondir")).map_or_else(|_| git.to_owned(), |dir| git.join(dir.trim()));
    let loose = fs::read_to_string(common.join(name))
        .ok()
        .map(|sha| sha.trim().to_owned());
    loose.or_else(|| {
        let packed = fs::read_to_string(common.join("packed-refs")).ok()?;
        packed
            .lines()
            .find_map(|line| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned))
    })
}
