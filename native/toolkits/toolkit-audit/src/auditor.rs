//! One pass over a script.

use crate::imports::{modules, specifiers};
use crate::interpreter::{self, Language};
use crate::table::{self, Row};
use crate::{Class, Finding, Kind, Lanes, Report, Script, commands};
use std::collections::HashSet;

/// A larger script is not read.
pub const MAX_SCRIPT: usize = 16 << 20;

/// So many packages of one kind are named; the others are counted.
const MAX_NAMES: usize = 200;

/// Why a script was not read. It is blocked then: what nobody has read is not known to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is larger than [`MAX_SCRIPT`].
    TooLarge,
    /// It is a link that leads out of the toolkit, or nowhere.
    LeadsOut,
    /// It is a pipe, a device or a socket.
    NotAFile,
    /// The machine refused.
    Unreadable,
}

impl Unread {
    fn note(self) -> &'static str {
        match self {
            Unread::TooLarge => "larger than 16 MiB — not read, so nothing is known about it",
            Unread::LeadsOut => "a link that leads out of the toolkit, or nowhere — not read",
            Unread::NotAFile => "neither a file nor a link to one — not read",
            Unread::Unreadable => "cannot be read — nothing is known about it",
        }
    }

    fn step(self) -> &'static str {
        match self {
            Unread::TooLarge => "split it, or take the data out of it — a script has at most 16 MiB",
            Unread::LeadsOut => "carry the file itself in place of the link",
            Unread::NotAFile => "take it out — only files are carried",
            Unread::Unreadable => "make it readable",
        }
    }
}

/// Audits scripts one at a time; it keeps nothing of their text.
pub struct Auditor<'a> {
    lanes: &'a Lanes,
    carried: HashSet<String>,
}

/// Audits scripts that are in memory: pairs of a name and a text, in the order of the report.
pub fn audit<N: AsRef<str>, T: AsRef<[u8]>>(scripts: &[(N, T)], lanes: &Lanes) -> Report {
    let auditor = Auditor::new(lanes).carrying(scripts.iter().map(|(name, _)| name));
    scripts
        .iter()
        .map(|(name, text)| auditor.script(name.as_ref(), text.as_ref()))
        .collect()
}

impl<'a> Auditor<'a> {
    /// An auditor for a build with these lanes.
    pub fn new(lanes: &'a Lanes) -> Self {
        Auditor {
            lanes,
            carried: HashSet::new(),
        }
    }

    /// Names what else is in `scripts/`: a Python module that is carried is no dependency.
    pub fn carrying<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            let top = name.as_ref().split('/').next().unwrap_or_default();
            self.carried.insert(top.strip_suffix(".py").unwrap_or(top).to_owned());
        }
        self
    }

    /// The verdict on a script.
    pub fn script(&self, file: &str, text: &[u8]) -> Script {
        if text.len() > MAX_SCRIPT {
            return self.unread(file, Unread::TooLarge);
        }
        let interpreter = interpreter::of(file, text);
        let mut found = Found::default();
        self.lines(text, interpreter.language, &mut found);
        let mut findings = vec![interpreter.finding(self.lanes)];
        findings.extend(found.binaries.iter().map(|(name, row)| row.finding(name, self.lanes)));
        for (kind, names) in [(Kind::Npm, &found.npm), (Kind::Pip, &found.pip)] {
            findings.extend(names.findings(kind, self.lanes));
        }
        script(file, &interpreter.name, findings)
    }

    /// The verdict on a script that could not be read.
    pub fn unread(&self, file: &str, why: Unread) -> Script {
        let finding = Finding {
            name: "content".to_owned(),
            kind: Kind::File,
            class: Class::Blocked,
            note: why.note().to_owned(),
            steps: vec![why.step().to_owned()],
        };
        script(file, interpreter::UNKNOWN, vec![finding])
    }

    fn lines<'t>(&self, text: &'t [u8], language: Language, found: &mut Found<'t>) {
        let mut rest = text;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest[..end].trim_ascii();
            rest = &rest[(end + 1).min(rest.len())..];
            if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"//") {
                continue;
            }
            commands::each(line, language, |word| found.command(word));
            match language {
                Language::Python => modules(line, |name| {
                    if !self.carried.contains(name) {
                        found.pip.add(name);
                    }
                }),
                Language::NotJavaScript => {}
                _ => specifiers(line, |name| found.npm.add(name)),
            }
        }
    }
}

fn script(file: &str, interpreter: &str, findings: Vec<Finding>) -> Script {
    Script {
        file: file.to_owned(),
        interpreter: interpreter.to_owned(),
        class: findings
            .iter()
            .map(|finding| finding.class)
            .max()
            .unwrap_or(Class::Ready),
        findings,
    }
}

#[derive(Default)]
struct Found<'t> {
    binaries: Vec<(&'static str, &'static Row)>,
    npm: Names<'t>,
    pip: Names<'t>,
}

impl Found<'_> {
    fn command(&mut self, word: &[u8]) {
        if let Some((name, row)) = table::binary(word)
            && !self.binaries.iter().any(|(known, _)| *known == name)
        {
            self.binaries.push((name, row));
        }
    }
}

/// Names in the order of their appearance, each once.
#[derive(Default)]
struct Names<'t> {
    seen: HashSet<&'t str>,
    named: Vec<&'t str>,
}

impl<'t> Names<'t> {
    fn add(&mut self, name: &'t str) {
        if self.seen.insert(name) && self.named.len() < MAX_NAMES {
            self.named.push(name);
        }
    }

    fn findings(&self, kind: Kind, lanes: &Lanes) -> Vec<Finding> {
        let finding = |name: &str| table::row(kind, name).map(|row| row.finding(name, lanes));
        let more = self.seen.len() - self.named.len();
        let more = (more > 0).then(|| format!("and {more} more"));
        let names = self.named.iter().copied().chain(more.as_deref());
        names.filter_map(finding).collect()
    }
}
