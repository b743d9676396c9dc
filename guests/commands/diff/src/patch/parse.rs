//! The text of a patch: unified diffs, or normal diffs of one file.

use std::path::PathBuf;

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Kept(Vec<u8>),
    Removed(Vec<u8>),
    Added(Vec<u8>),
}

/// Lines that belong together, and where the old ones begin, counted from zero.
#[derive(Clone, Debug)]
pub struct Hunk {
    pub old_start: usize,
    pub new_start: usize,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, Default)]
pub struct FilePatch {
    pub old: Option<PathBuf>,
    pub new: Option<PathBuf>,
    pub hunks: Vec<Hunk>,
}

impl Hunk {
    /// The lines before, or after.
    pub fn side(&self, after: bool) -> Vec<&[u8]> {
        self.lines
            .iter()
            .filter_map(|line| match line {
                Line::Removed(_) if after => None,
                Line::Added(_) if !after => None,
                Line::Kept(text) | Line::Removed(text) | Line::Added(text) => Some(text.as_slice()),
            })
            .collect()
    }
}

impl FilePatch {
    /// The file is new: nothing was there.
    pub fn creates(&self) -> bool {
        self.is_null(&self.old) || matches!(self.hunks.as_slice(), [only] if only.side(false).is_empty())
    }

    /// The file goes away.
    pub fn removes(&self) -> bool {
        self.is_null(&self.new)
    }

    fn is_null(&self, name: &Option<PathBuf>) -> bool {
        name.as_deref() == Some(std::path::Path::new("/dev/null"))
    }

    pub fn reversed(self) -> Self {
        let turn = |line| match line {
            Line::Removed(text) => Line::Added(text),
            Line::Added(text) => Line::Removed(text),
            kept => kept,
        };
        let hunks = self.hunks.into_iter().map(|hunk| Hunk {
            old_start: hunk.new_start,
            new_start: hunk.old_start,
            lines: hunk.lines.into_iter().map(turn).collect(),
        });
        Self {
            old: self.new,
            new: self.old,
            hunks: hunks.collect(),
        }
    }

    /// Hunks as a unified diff again, for the file of rejects.
    pub fn text_of(&self, hunks: &[usize]) -> Vec<u8> {
        let name = |name: &Option<PathBuf>| name.as_ref().map_or(String::new(), |name| name.display().to_string());
        let mut text = format!("--- {}\n+++ {}\n", name(&self.old), name(&self.new)).into_bytes();
        for hunk in hunks.iter().map(|at| &self.hunks[*at]) {
            let (old, new) = (hunk.side(false).len(), hunk.side(true).len());
            let place = |start: usize, length: usize| format!("{},{length}", start + usize::from(length > 0));
            text.extend(
                format!(
                    "@@ -{} +{} @@\n",
                    place(hunk.old_start, old),
                    place(hunk.new_start, new)
                )
                .bytes(),
            );
            for line in &hunk.lines {
                let (mark, line) = match line {
                    Line::Kept(line) => (b' ', line),
                    Line::Removed(line) => (b'-', line),
                    Line::Added(line) => (b'+', line),
                };
                text.push(mark);
                text.extend(line);
                if !line.ends_with(b"\n") {
                    text.extend(b"\n\\ No newline at end of file\n");
                }
            }
        }
        text
    }
}

/// Every file of a patch. What is no diff is skipped, as mail and commit messages are.
pub fn patches(text: &[u8]) -> Result<Vec<FilePatch>, String> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let mut patches: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if line.starts_with(b"--- ") && next.starts_with(b"+++ ") {
            patches.push(FilePatch {
                old: name(line),
                new: name(next),
                hunks: Vec::new(),
            });
            at += 2;
        } else if let Some((old, new)) = unified_place(line).filter(|_| !patches.is_empty()) {
            let (hunk, used) = unified(&lines[at + 1..], old, new).map_err(|error| malformed(at, &error))?;
            patches.last_mut().expect("there is one").hunks.push(hunk);
            at += 1 + used;
        } else if let Some(place) = normal_place(line) {
            if !matches!(patches.as_slice(), [.., FilePatch { old: None, .. }]) {
                patches.push(FilePatch::default());
            }
            let (hunk, used) = normal(&lines[at + 1..], &place).map_err(|error| malformed(at, &error))?;
            patches.last_mut().expect("there is one").hunks.push(hunk);
            at += 1 + used;
        } else {
            at += 1;
        }
    }
    patches.retain(|patch| !patch.hunks.is_empty());
    Ok(patches)
}

fn malformed(at: usize, error: &str) -> String {
    format!("malformed patch at line {}: {error}", at + 1)
}

/// The name behind `--- `, up to a tab or the end.
fn name(line: &[u8]) -> Option<PathBuf> {
    let name = String::from_utf8_lossy(&line[4..]);
    let name = name.split(['\t', '\n', '\r']).next()?.trim_end();
    (!name.is_empty()).then(|| name.into())
}

/// First line and length of both sides.
type Span = (usize, usize);

/// `@@ -1,2 +3 @@`.
fn unified_place(line: &[u8]) -> Option<(Span, Span)> {
    let line = std::str::from_utf8(line).ok()?.strip_prefix("@@ -")?;
    let (old, rest) = line.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    Some((span(old)?, span(new)?))
}

fn span(text: &str) -> Option<Span> {
    let (start, length) = match text.split_once(',') {
        Some((start, length)) => (start.parse().ok()?, length.parse().ok()?),
        None => (text.parse().ok()?, 1),
    };
    Some((start, length))
}

fn unified(lines: &[&[u8]], old: Span, new: Span) -> Result<(Hunk, usize), String> {
    let (mut left_old, mut left_new) = (old.1, new.1);
    let mut hunk = Hunk {
        old_start: first(old),
        new_start: first(new),
        lines: Vec::new(),
    };
    let mut used = 0;
    while left_old > 0 || left_new > 0 {
        let line = lines.get(used).ok_or("the hunk is cut off")?;
        used += 1;
        let body = || line[1..].to_vec();
        let short = || "a hunk is longer than it says".to_owned();
        match line.first() {
            Some(b' ') => {
                left_old = left_old.checked_sub(1).ok_or_else(short)?;
                left_new = left_new.checked_sub(1).ok_or_else(short)?;
                hunk.lines.push(Line::Kept(body()));
            }
            // Some mailers remove the blank of an empty line.
            Some(b'\n') => {
                left_old = left_old.checked_sub(1).ok_or_else(short)?;
                left_new = left_new.checked_sub(1).ok_or_else(short)?;
                hunk.lines.push(Line::Kept(b"\n".to_vec()));
            }
            Some(b'-') => {
                left_old = left_old.checked_sub(1).ok_or_else(short)?;
                hunk.lines.push(Line::Removed(body()));
            }
            Some(b'+') => {
                left_new = left_new.checked_sub(1).ok_or_else(short)?;
                hunk.lines.push(Line::Added(body()));
            }
            Some(b'\\') => chop(hunk.lines.last_mut()),
            _ => return Err("a line of a hunk begins with none of blank, -, +".into()),
        }
    }
    if lines.get(used).is_some_and(|line| line.starts_with(b"\\")) {
        chop(hunk.lines.last_mut());
        used += 1;
    }
    Ok((hunk, used))
}

/// Counted from zero; an empty side names the line before it.
fn first((start, length): Span) -> usize {
    if length == 0 { start } else { start.saturating_sub(1) }
}

/// `\ No newline at end of file`.
fn chop(line: Option<&mut Line>) {
    if let Some(Line::Kept(text) | Line::Removed(text) | Line::Added(text)) = line
        && text.last() == Some(&b'\n')
    {
        text.pop();
    }
}

/// `5c7,8` and its like.
struct Normal {
    letter: char,
    old: Span,
    new: Span,
}

fn normal_place(line: &[u8]) -> Option<Normal> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let at = line.find(['a', 'c', 'd'])?;
    let range = |text: &str| -> Option<Span> {
        match text.split_once(',') {
            Some((start, end)) => {
                let (start, end): (usize, usize) = (start.parse().ok()?, end.parse().ok()?);
                Some((start, end.checked_sub(start)? + 1))
            }
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let (mut old, mut new) = (range(&line[..at])?, range(&line[at + 1..])?);
    let letter = line.as_bytes()[at] as char;
    match letter {
        'a' => old.1 = 0,
        'd' => new.1 = 0,
        _ => {}
    }
    Some(Normal { letter, old, new })
}

fn normal(lines: &[&[u8]], place: &Normal) -> Result<(Hunk, usize), String> {
    let mut hunk = Hunk {
        old_start: first(place.old),
        new_start: first(place.new),
        lines: Vec::new(),
    };
    let mut used = 0;
    let mut take = |mark: &[u8], count: usize, make: fn(Vec<u8>) -> Line, hunk: &mut Hunk| {
        for _ in 0..count {
            let line = lines
                .get(used)
                .and_then(|line| line.strip_prefix(mark))
                .ok_or("a line is missing")?;
            hunk.lines.push(make(line.to_vec()));
            used += 1;
        }
        if lines.get(used).is_some_and(|line| line.starts_with(b"\\")) {
            chop(hunk.lines.last_mut());
            used += 1;
        }
        if mark == b"< " && place.letter == 'c' {
            if lines.get(used).is_none_or(|line| !line.starts_with(b"---")) {
                return Err("--- is missing".to_owned());
            }
            used += 1;
        }
        Ok::<(), String>(())
    };
    take(b"< ", place.old.1, Line::Removed, &mut hunk)?;
    take(b"> ", place.new.1, Line::Added, &mut hunk)?;
    Ok((hunk, used))
}
