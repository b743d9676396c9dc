//! The verdict table: data, and the one place where a verdict, its reason and its recipe stand.
//!
//! `{name}`, `{language}` and `{lane}` in a text are filled in.

use crate::{Class, Finding, Kind, Lanes};
use Class::{Blocked, Convertible, Ready};
use std::sync::LazyLock;

/// A line of the table.
#[derive(Debug)]
pub struct Row {
    /// The role.
    pub kind: Kind,
    /// The names it speaks of; none means every name that no other row of the kind has.
    pub names: &'static [&'static str],
    /// The verdict, and with a lane for `language` in the build another one.
    pub verdict: Verdict,
    /// The language whose lane makes the difference.
    pub language: Option<&'static str>,
    /// The verdict once that lane ships.
    pub with_lane: Option<Verdict>,
}

/// A verdict, its reason, and what to do about it.
#[derive(Debug)]
pub struct Verdict {
    /// The class.
    pub class: Class,
    /// The reason.
    pub note: &'static str,
    /// The recipe.
    pub steps: &'static [&'static str],
}

const fn fixed(
    kind: Kind,
    names: &'static [&'static str],
    class: Class,
    note: &'static str,
    steps: &'static [&'static str],
) -> Row {
    Row {
        kind,
        names,
        verdict: Verdict { class, note, steps },
        language: None,
        with_lane: None,
    }
}

/// An interpreter that is blocked until a lane for its language ships.
const fn interpreter(names: &'static [&'static str], language: &'static str) -> Row {
    Row {
        language: Some(language),
        with_lane: Some(Verdict {
            class: Ready,
            note: "{lane}",
            steps: &[],
        }),
        ..fixed(
            Kind::Interpreter,
            names,
            Blocked,
            "no {language} lane today — rewrite in a covered lane or split the logic",
            &[
                "rewrite in JS for the quickjs lane — keep the script's CLI contract (same args in, same stdout out) so callers don't change",
                "or split the logic into org tasks with =sh= blocks — =wbx run= works them off in the WASM shell",
            ],
        )
    }
}

/// What the audit knows.
pub static TABLE: &[Row] = &[
    fixed(
        Kind::Interpreter,
        &["sh", "bash", "zsh"],
        Ready,
        "posix shape — shell runs in the sandbox",
        &[],
    ),
    fixed(
        Kind::Interpreter,
        &["node", "js"],
        Ready,
        "quickjs lane — most of Node's surface; full-Node APIs may need shims",
        &[],
    ),
    interpreter(&["python", "python3"], "python"),
    interpreter(&["python2"], "python2"),
    interpreter(&["ruby"], "ruby"),
    interpreter(&["perl"], "perl"),
    fixed(
        Kind::Interpreter,
        &[],
        Convertible,
        "unknown: identify it, declare a build",
        &[
            "identify the language; if it's in a compile lane (js/ts/python/c) declare a build recipe, then wbx toolkit build produces the wasm — else build it elsewhere and declare the artifact as =wasm:=",
        ],
    ),
    fixed(
        Kind::Binary,
        &["jq"],
        Ready,
        "c lane — jq compiles to wasm cleanly",
        &[],
    ),
    fixed(
        Kind::Binary,
        &["ffmpeg"],
        Ready,
        "already a shipped toolkit — depend on it instead of bundling",
        &[],
    ),
    fixed(
        Kind::Binary,
        &["curl", "wget"],
        Convertible,
        "network is engine-brokered — route through the Dock, not raw sockets",
        &[
            "route HTTP through the Dock — a component with the capability =browse= calls =browse-fetch=; a script has no network, so let its caller hand the data in",
        ],
    ),
    fixed(
        Kind::Binary,
        &["git"],
        Convertible,
        "git exists engine-side — call through the engine, not a local binary",
        &["take =git= out — the sandbox has none; let the caller hand the files in, before the script runs"],
    ),
    fixed(
        Kind::Binary,
        &["npm", "npx", "bun", "node"],
        Convertible,
        "npm lane exists — resolve/bundle at build time, not install at runtime",
        &["resolve and bundle at build time — declare what ={name}= installs or starts as a build, and drop the call"],
    ),
    fixed(
        Kind::Binary,
        &["docker", "podman"],
        Blocked,
        "container runtimes can't nest in the sandbox — engine territory",
        &["take ={name}= out — what runs in the container becomes a toolkit of its own, or stays on the engine's side"],
    ),
    fixed(
        Kind::Binary,
        &["sudo", "systemctl", "launchctl"],
        Blocked,
        "host administration — has no sandbox meaning",
        &["take ={name}= out — there is no host to administer; leave that step to whoever runs the engine"],
    ),
    fixed(
        Kind::Binary,
        &["osascript", "open", "xdg-open"],
        Blocked,
        "host-desktop integration — no sandbox equivalent",
        &["take ={name}= out — print the result and let the caller show it"],
    ),
    fixed(
        Kind::Binary,
        &["brew", "apt", "apt-get", "yum"],
        Blocked,
        "host package managers — dependencies must compile into the toolkit",
        &["take ={name}= out — compile what it installs into the toolkit"],
    ),
    Row {
        language: Some("python"),
        with_lane: Some(Verdict {
            class: Convertible,
            note: "{lane} — carry modules with the toolkit, not install at runtime",
            steps: &[
                "take ={name}= out — carry the modules it installs beside the script, as source without native code",
            ],
        }),
        ..fixed(
            Kind::Binary,
            &["pip", "pip3"],
            Blocked,
            "no python lane",
            &["={name}= goes away with the python rewrite"],
        )
    },
    fixed(
        Kind::Npm,
        &[],
        Convertible,
        "npm lane — resolve + bundle at toolkit build time",
        &[
            "bundle ={name}= into the script before =wbx toolkit build= — the js lane takes one file, and nothing is installed",
        ],
    ),
    Row {
        language: Some("python"),
        with_lane: Some(Verdict {
            class: Convertible,
            note: "{lane} — not in its standard library, carry the module with the toolkit",
            steps: &[
                "carry ={name}= beside the script, as source without native code — or rewrite the part that needs it",
            ],
        }),
        ..fixed(
            Kind::Pip,
            &[],
            Blocked,
            "no python lane",
            &["={name}= goes away with the python rewrite (see the interpreter item)"],
        )
    },
];

impl Row {
    /// The finding for a name.
    pub fn finding(&self, name: &str, lanes: &Lanes) -> Finding {
        let lane = self.language.and_then(|language| lanes.lane(language));
        let verdict = match (&self.with_lane, lane) {
            (Some(verdict), Some(_)) => verdict,
            _ => &self.verdict,
        };
        let filled = |text: &str| {
            text.replace("{name}", name)
                .replace("{language}", self.language.unwrap_or(name))
                .replace("{lane}", lane.unwrap_or_default())
        };
        Finding {
            name: name.to_owned(),
            kind: self.kind,
            class: verdict.class,
            note: filled(verdict.note),
            steps: verdict.steps.iter().map(|step| filled(step)).collect(),
        }
    }
}

/// The row for a name in a role. Most binaries have none.
pub fn row(kind: Kind, name: &str) -> Option<&'static Row> {
    let rows = || TABLE.iter().filter(move |row| row.kind == kind);
    rows()
        .find(|row| row.names.contains(&name))
        .or_else(|| rows().find(|row| row.names.is_empty()))
}

/// The binaries that the table knows, by their first letter: the scan asks for every word at command position.
static BINARIES: LazyLock<Vec<Vec<(&'static str, &'static Row)>>> = LazyLock::new(|| {
    let mut by_letter = vec![Vec::new(); usize::from(u8::MAX) + 1];
    for row in TABLE.iter().filter(|row| row.kind == Kind::Binary) {
        for name in row.names {
            by_letter[usize::from(name.as_bytes()[0])].push((*name, row));
        }
    }
    by_letter
});

/// The row of a binary, from the bytes of a word.
pub(crate) fn binary(word: &[u8]) -> Option<(&'static str, &'static Row)> {
    let candidates = &BINARIES[usize::from(*word.first()?)];
    candidates.iter().find(|(name, _)| name.as_bytes() == word).copied()
}
