//! A folder: documents become skills, scripts are carried, the rest stays where it is.

use super::{Parts, documents};
use crate::kind::is_document;
use crate::slug::Names;
use crate::{Error, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Scripts by these endings, wherever they lie.
const ENDINGS: [&str; 9] = [".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".py", ".rb", ".pl"];

/// All that is carried together.
const MAX_CARRIED: usize = 64 << 20;

/// Files that are known to hold secrets, by the end of their name.
const SECRET: [&str; 7] = [".pem", ".key", ".p12", ".pfx", ".keystore", "id_rsa", "id_ed25519"];

/// Scripts by their new path, each with its old one.
pub(super) type Scripts = BTreeMap<String, (String, Vec<u8>)>;

pub(super) fn parts(source: &Source<'_>) -> Result<Parts, Error> {
    let documents: Vec<&str> = source
        .visible()
        .filter(|path| is_document(path) && !in_scripts(path))
        .collect();
    let skills: Vec<_> = documents
        .iter()
        .filter_map(|path| documents::skill(source, path))
        .collect();
    let scripts = scripts(source);
    leave_the_rest(source, &scripts);
    let readme = documents.iter().position(|path| path.eq_ignore_ascii_case("readme.md"));
    let about = skills.get(readme.unwrap_or(0));
    Ok(Parts {
        name: source.only().map_or(source.name(), super::stem).to_owned(),
        title: readme.and(about).map(|skill| skill.title.clone()),
        tagline: about.map(|skill| skill.summary.clone()).unwrap_or_default(),
        scripts: scripts.into_iter().map(|(path, (_, bytes))| (path, bytes)).collect(),
        skills,
    })
}

pub(super) fn in_scripts(path: &str) -> bool {
    path.starts_with("scripts/")
}

/// Everything in `scripts/` under its own path, and scripts from elsewhere by their name.
pub(super) fn scripts(source: &Source<'_>) -> Scripts {
    let mut carried = Scripts::new();
    let mut names = Names::default();
    let mut total = 0;
    let (inside, outside): (Vec<&str>, Vec<&str>) = source.visible().partition(|path| in_scripts(path));
    for path in inside.into_iter().chain(outside) {
        let wanted = in_scripts(path) || is_script(source, path);
        if !wanted || is_secret(source, path) {
            continue;
        }
        let Some(bytes) = source.bytes(path) else { continue };
        total += bytes.len();
        if total > MAX_CARRIED {
            let _: Option<()> = source.skip(path, "the scripts together are larger than 64 MiB");
            continue;
        }
        let name = match path.strip_prefix("scripts/") {
            Some(inside) => inside,
            None => path.rsplit('/').next().unwrap_or(path),
        };
        carried.insert(names.claim(name), (path.to_owned(), bytes));
    }
    carried
}

fn is_script(source: &Source<'_>, path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    if is_document(path) {
        return false;
    }
    ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || !lower.rsplit('/').next().unwrap_or_default().contains('.') && has_shebang(source, path)
}

fn has_shebang(source: &Source<'_>, path: &str) -> bool {
    source.bytes(path).is_some_and(|bytes| bytes.starts_with(b"#!"))
}

/// Whether a file must stay behind whatever its place: keys, and the configuration of MCP servers.
fn is_secret(source: &Source<'_>, path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let secret = SECRET.iter().any(|ending| lower.ends_with(ending))
        || lower.ends_with(".json") && super::mcp::is_config(source, path);
    if secret {
        let _: Option<()> = source.skip(path, "it may hold secrets");
    }
    secret
}

/// Says of every file that became nothing that it did.
pub(super) fn leave_the_rest(source: &Source<'_>, scripts: &Scripts) {
    let carried: BTreeSet<&str> = scripts.values().map(|(from, _)| from.as_str()).collect();
    let skipped: BTreeSet<String> = source.skipped().into_iter().map(|skipped| skipped.file).collect();
    let visible: BTreeSet<&str> = source.visible().collect();
    for path in source
        .paths()
        .filter(|path| !carried.contains(path) && !skipped.contains(*path))
    {
        let why = match () {
            () if !visible.contains(path) => "it is hidden",
            () if is_document(path) && !in_scripts(path) => continue,
            () => "it is neither a document nor a script",
        };
        let _: Option<()> = source.skip(path, why);
    }
}
