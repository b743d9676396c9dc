//! Does a toolkit keep its promises? A line for each, given what is known of the world.

use crate::finding::{Finding, Mark};
use crate::{BuildSrc, Error, Manifest, Shape, Toolkit, Trust, check_signature, recipes};
use std::collections::BTreeSet;

/// A profile of the policy and what it grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The capabilities.
    pub capabilities: Vec<String>,
}

/// What is known of the world. Whoever asks has looked; nothing is looked up here.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The profiles, the narrowest first.
    pub profiles: Vec<Profile>,
    /// Every word that a script in the shell may call.
    pub words: Vec<String>,
    /// The commands that are registered, not those that came with the program.
    pub commands: BTreeSet<String>,
    /// The kernels that are registered.
    pub kernels: BTreeSet<String>,
    /// Whether the built component of this toolkit conforms to its world; `None` when it was not built.
    pub component: Option<Result<(), Vec<String>>>,
    /// The names of the worlds.
    pub worlds: Vec<String>,
    /// Languages whose lane can build this shape now, and for the others what to do.
    pub lanes: BTreeSet<String>,
    /// Whether the operator allows native programs at all.
    pub posix: bool,
    /// The native program, where it was found.
    pub on_path: Option<String>,
}

/// Every promise, kept or not.
pub fn verify(toolkit: &Toolkit, facts: &Facts) -> Vec<Finding> {
    let manifest = toolkit.manifest();
    let mut found = Vec::new();
    fields(manifest, &mut found);
    mirrors(manifest, &mut found);
    found.push(skills(toolkit));
    exec(toolkit, facts, &mut found);
    caps(manifest, facts, &mut found);
    trust(toolkit, &mut found);
    found
}

fn fields(manifest: &Manifest, found: &mut Vec<Finding>) {
    // What EXEC says has a line of its own.
    let problems = manifest
        .problems
        .iter()
        .filter(|p| p.field != "EXEC" || manifest.unknown_exec.is_none());
    let before = found.len();
    found.extend(problems.map(|problem| Finding {
        line: problem.line,
        ..Finding::fail("manifest", problem.to_string())
    }));
    if found.len() == before {
        found.push(Finding::pass("manifest", "every field is valid"));
    }
}

fn mirrors(manifest: &Manifest, found: &mut Vec<Finding>) {
    found.extend(manifest.mirrors.iter().map(|problem| Finding {
        line: problem.line,
        ..Finding::fail("drawer", problem.to_string())
    }));
    if manifest.mirrors.is_empty() {
        found.push(Finding::pass("drawer", "it repeats what the keywords say"));
    }
}

fn skills(toolkit: &Toolkit) -> Finding {
    let overview = format!("{}/overview.org", toolkit.manifest().skill_dir);
    if let Err(error) = toolkit.tree().text(&overview) {
        return Finding::fail("skills", error.to_string());
    }
    match toolkit.slugs() {
        Err(error) => Finding::fail("skills", error.to_string()),
        Ok(slugs) => match slugs.iter().find_map(|slug| toolkit.skill(slug).err()) {
            Some(refused) => Finding::fail("skills", refused.to_string()),
            None => Finding::pass("skills", format!("{overview} and {} more", slugs.len() - 1)),
        },
    }
}

fn exec(toolkit: &Toolkit, facts: &Facts, found: &mut Vec<Finding>) {
    let manifest = toolkit.manifest();
    let recipes = match recipes(toolkit) {
        Ok(recipes) => recipes,
        Err(error) => return found.push(Finding::fail("exec", error.to_string())),
    };
    let shown = match (manifest.exec, &manifest.unknown_exec) {
        (_, Some(mode)) => Finding::fail("exec", format!("unknown mode \"{mode}\"")),
        (None, None) => Finding::pass("exec", "none declared (discovery-only toolkit)"),
        (Some(Shape::Command), _) => built(manifest, facts, facts.commands.contains(name(manifest))),
        (Some(Shape::Kernel), _) => built(manifest, facts, facts.kernels.contains(toolkit.id())),
        (Some(Shape::Component), _) => component(manifest, facts),
        (Some(Shape::Posix), _) => posix(manifest, facts),
        (Some(Shape::Federation), _) => federation(manifest),
        (Some(Shape::Task), _) => match recipes.iter().filter(|recipe| recipe.role == "task").count() {
            0 => Finding::fail("exec", "task: there is no block with `:role task`"),
            n => Finding::pass(
                "exec",
                format!("task: {n} {}", if n == 1 { "recipe" } else { "recipes" }),
            ),
        },
    };
    found.push(shown);
    let mut names = BTreeSet::new();
    for recipe in &recipes {
        if recipe.role == "pre" {
            let text = format!("{}:{} is DISABLED: such blocks are never run", recipe.file, recipe.line);
            found.push(Finding::note("pre", text));
            continue;
        }
        let faults = recipe.faults(&facts.words);
        let again = (!names.insert(recipe.name.as_str())).then(|| {
            format!(
                "{}:{}: a second task is called `{}`",
                recipe.file, recipe.line, recipe.name
            )
        });
        for fault in faults.into_iter().chain(again) {
            found.push(Finding::fail("task", fault));
        }
    }
}

fn name(manifest: &Manifest) -> &str {
    manifest.cli_bin.as_deref().unwrap_or_default()
}

/// Registered, or something that can be built here and now.
fn built(manifest: &Manifest, facts: &Facts, registered: bool) -> Finding {
    let shape = manifest.exec.map_or("", Shape::name);
    if registered {
        return Finding::pass("exec", format!("{shape}: registered"));
    }
    match buildable(manifest, facts) {
        Ok(how) => Finding::pass("exec", format!("{shape}: not registered yet; {how}")),
        Err(why) => Finding::fail("exec", format!("{shape}: not registered, and {why}")),
    }
}

fn buildable(manifest: &Manifest, facts: &Facts) -> Result<String, String> {
    let lang = manifest.build_lang.as_deref().unwrap_or_default();
    match &manifest.build_src {
        None => Err("there is no #+BUILD_SRC: to build it from".into()),
        Some(source @ (BuildSrc::Wasm(_) | BuildSrc::Archive(_))) => {
            Ok(format!("`{}` is pinned by its hash", source.text()))
        }
        Some(source) if facts.lanes.contains(lang) => Ok(format!("the {lang} lane builds `{}`", source.text())),
        Some(_) => Err(format!("there is no {lang} lane here to build it")),
    }
}

fn component(manifest: &Manifest, facts: &Facts) -> Finding {
    let world = manifest.wit.as_deref().unwrap_or("engine");
    if !facts.worlds.iter().any(|known| known == world) {
        let known = facts.worlds.join(" ");
        return Finding::fail(
            "exec",
            format!("component: there is no world `{world}`; known are {known}"),
        );
    }
    match &facts.component {
        Some(Ok(())) => Finding::pass("exec", format!("component: it conforms to `{world}`")),
        Some(Err(why)) => Finding::fail("exec", format!("component: {}", why.join("; "))),
        None => built(manifest, facts, false),
    }
}

fn posix(manifest: &Manifest, facts: &Facts) -> Finding {
    let name = name(manifest);
    match (&facts.on_path, facts.posix) {
        (_, false) => Finding::fail("exec", "posix: native programs are off; the operator has not opted in"),
        (None, true) => Finding::fail("exec", format!("posix: `{name}` is not on the PATH")),
        (Some(path), true) => Finding::pass("exec", format!("posix: `{name}` is {path}")),
    }
}

fn federation(manifest: &Manifest) -> Finding {
    match &manifest.source {
        Some(source) => {
            let keys = match &source.env_keys[..] {
                [] => String::new(),
                keys => format!(", with {}", keys.join(" ")),
            };
            let text = format!("federation: `{}` from {}{keys}", source.entity, source.url);
            Finding::pass("exec", text)
        }
        None => Finding::fail("exec", "federation: its source does not parse"),
    }
}

fn caps(manifest: &Manifest, facts: &Facts, found: &mut Vec<Finding>) {
    if manifest.caps.is_empty() {
        return found.push(Finding::pass("caps", "none needed"));
    }
    let grants = |profile: &Profile, cap: &String| profile.capabilities.contains(cap);
    let before = found.len();
    for cap in &manifest.caps {
        if !facts.profiles.iter().any(|profile| grants(profile, cap)) {
            found.push(Finding::fail("caps", format!("`{cap}` is granted by no profile")));
        }
    }
    if found.len() > before {
        return;
    }
    let whole = |profile: &&Profile| manifest.caps.iter().all(|cap| grants(profile, cap));
    let names: Vec<&str> = facts.profiles.iter().filter(whole).map(|p| p.name.as_str()).collect();
    let caps = manifest.caps.join(" ");
    found.push(match names[..] {
        [] => Finding::fail("caps", format!("no one profile grants all of {caps}")),
        _ => Finding::pass("caps", format!("{caps} granted by {}", names.join(", "))),
    });
}

fn trust(toolkit: &Toolkit, found: &mut Vec<Finding>) {
    let manifest = toolkit.manifest();
    if manifest.trust == Trust::FirstParty && manifest.signature.is_none() {
        return found.push(Finding::pass("trust", "first-party, not signed"));
    }
    let whose = match manifest.trust {
        Trust::FirstParty => "first-party",
        Trust::ThirdParty => "third-party",
    };
    match check_signature(toolkit) {
        Ok(signed) => {
            let text = format!("{whose}, all {} files as signed by {}", signed.files, signed.did);
            found.push(Finding::pass("trust", text));
        }
        Err(faults) => found.extend(faults.into_iter().map(|fault| Finding::fail("trust", fault))),
    }
}

/// What a toolkit that cannot even be opened has to say for itself.
impl From<&Error> for Finding {
    fn from(error: &Error) -> Finding {
        Finding {
            mark: Mark::Fail,
            ..Finding::fail("manifest", error.to_string())
        }
    }
}
