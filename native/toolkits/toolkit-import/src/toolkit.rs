//! The scaffold: what an import makes of a source.

use crate::slug::Names;
use crate::{Kind, Skipped, org};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One document of the toolkit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// The name of its file, without `.org`.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// When to read it, in a sentence.
    pub summary: String,
    /// Org text.
    pub body: String,
}

/// A toolkit that is not on the disk yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolkit {
    /// The slug, which is also the name of its directory.
    pub id: String,
    /// The title, for people.
    pub title: String,
    /// One sentence: when to reach for it.
    pub tagline: String,
    /// What the source says about itself.
    pub about: String,
    /// What it was.
    pub kind: Kind,
    /// The name of the source, without the directories above it.
    pub from: String,
    /// The documents.
    pub skills: Vec<Skill>,
    /// Scripts by their path below `scripts/`, byte for byte.
    pub scripts: BTreeMap<String, Vec<u8>>,
    /// What was left behind.
    pub skipped: Vec<Skipped>,
}

impl Toolkit {
    /// Every file of the toolkit.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::from([
            ("manifest.org".to_owned(), self.manifest().into_bytes()),
            ("skills/overview.org".to_owned(), self.overview().into_bytes()),
        ]);
        for skill in &self.skills {
            let text = format!("#+TITLE: {}\n\n* {}\n\n{}", skill.title, skill.title, skill.body);
            files.insert(format!("skills/{}.org", skill.slug), text.into_bytes());
        }
        for (path, bytes) in &self.scripts {
            files.insert(format!("scripts/{path}"), bytes.clone());
        }
        files
    }

    /// Puts a skill in, under a name that no other has.
    pub(crate) fn named(skills: Vec<Skill>) -> Vec<Skill> {
        let mut names = Names::taken("overview");
        let skills = skills.into_iter().map(|skill| Skill {
            slug: names.claim(&skill.slug.replace('.', "-")),
            title: org::title(&skill.title),
            summary: org::short(&skill.summary),
            ..skill
        });
        skills.collect()
    }

    fn manifest(&self) -> String {
        let Toolkit {
            id,
            title,
            tagline,
            kind,
            from,
            ..
        } = self;
        let carried = match self.scripts.len() {
            0 => String::new(),
            _ => format!(
                "The scripts {} and not yet trusted to run in the sandbox.
",
                self.origin()
            ),
        };
        format!(
            "\
#+TITLE: {title}
#+TOOLKIT: {id}
#+VERSION: 0.1.0
#+STATUS: experimental
#+TAGLINE: {tagline}
#+IMPORTED_FROM: {kind} {from}

* {} :toolkit:
:PROPERTIES:
:ID: {id}
:STATUS: experimental
:SKILL_DIR: skills
:END:
{}
{carried}{}",
            org::title(title),
            org::begin(&self.about),
            toolkit_audit::section::BAIT,
        )
    }

    /// Where the scripts come from.
    fn origin(&self) -> &'static str {
        match self.kind {
            Kind::McpServer => "were written by the import",
            _ => "are carried verbatim",
        }
    }

    fn overview(&self) -> String {
        let mut text = format!(
            "#+TITLE: {}\n\n* {}\n\n{}\n",
            self.title,
            org::title(&self.title),
            org::begin(&self.about)
        );
        if !self.skills.is_empty() {
            text += "\n** Skills\n\n";
            for skill in &self.skills {
                let colon = if skill.summary.is_empty() { "" } else { ": " };
                let _ = writeln!(
                    text,
                    "- [[file:{}.org][{}]]{colon}{}",
                    skill.slug, skill.title, skill.summary
                );
            }
        }
        if !self.scripts.is_empty() {
            let _ = write!(
                text,
                "\n** Scripts\n\nThey {}. The audit in the manifest says which of them run in the sandbox.\n\n",
                self.origin()
            );
            for path in self.scripts.keys() {
                let _ = writeln!(text, "- =scripts/{}=", org::line(path));
            }
        }
        if !self.skipped.is_empty() {
            text += "\n** Not carried\n\n";
            for skipped in &self.skipped {
                let _ = writeln!(text, "- {}: {}", org::line(&skipped.file), skipped.why);
            }
        }
        text
    }
}
