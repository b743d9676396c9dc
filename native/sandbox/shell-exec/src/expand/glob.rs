//! Pathname expansion: patterns replaced by the files they match.

use super::Args;
use super::field::{Field, Mark};
use super::pattern::{Pattern, Style};
use crate::ast::Bytes;
use crate::options::Flag;
use crate::shell::{Shell, Trouble, lossy};
use crate::shopt::Opt;

/// What reading one name of a directory counts as work.
const WORK_PER_NAME: u64 = 256;

impl Shell {
    /// Adds the files that a field matches, or the field itself if there are none.
    pub(super) fn glob(&self, field: Field, args: &mut Args) -> Result<(), Trouble> {
        if self.is(Flag::NoGlob) || !field.has_wildcard() {
            args.list.push(field.into_text());
            return Ok(());
        }
        let mut paths = self.matching(&field, args)?;
        self.leave_out_ignored(&mut paths)?;
        if paths.is_empty() {
            if self.is_bash() && self.shopt.is(Opt::FailGlob) {
                return Err(format!("no match: {}", lossy(&field.into_text())).into());
            }
            if !self.is_bash() || !self.shopt.is(Opt::NullGlob) {
                args.list.push(field.into_text());
            }
            return Ok(());
        }
        paths.sort();
        args.list.append(&mut paths);
        Ok(())
    }

    /// `GLOBIGNORE`.
    fn leave_out_ignored(&self, paths: &mut Vec<Bytes>) -> Result<(), Trouble> {
        let ignored = self
            .variables
            .get(b"GLOBIGNORE")
            .filter(|text| self.is_bash() && !text.is_empty());
        let Some(ignored) = ignored else { return Ok(()) };
        for pattern in patterns(ignored) {
            let deep = pattern.contains(&b'/');
            let pattern = Pattern::new(pattern, &vec![false; pattern.len()], self.style());
            let mut kept = Vec::new();
            for path in paths.drain(..) {
                let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
                let ignored = path.contains(&b'/') == deep && pattern.matches(&path, &self.world.meter)?;
                if !matches!(name, b"." | b"..") && !ignored {
                    kept.push(path);
                }
            }
            *paths = kept;
        }
        Ok(())
    }

    /// All directories below one, itself first, for `**`. Links are not followed.
    fn below(&self, path: &[u8], deep: &mut Vec<Bytes>, args: &mut Args) -> Result<(), Trouble> {
        let mut waiting = vec![path.to_vec()];
        while let Some(directory) = waiting.pop() {
            let files = self.files();
            self.world.meter.work(WORK_PER_NAME)?;
            let names = files.names(if directory.is_empty() { b"." } else { &directory });
            for name in names.unwrap_or_default() {
                self.world.meter.work(WORK_PER_NAME)?;
                let mut whole = directory.clone();
                whole.extend(&name);
                let hidden = name.starts_with(b".") && !self.shopt.is(Opt::DotGlob);
                if !hidden && files.symlink_metadata(&whole).is_ok_and(|found| found.is_dir()) {
                    whole.push(b'/');
                    args.held.grow(whole.len() + size_of::<Bytes>())?;
                    waiting.push(whole);
                }
            }
            deep.push(directory);
        }
        Ok(())
    }

    fn matching(&self, field: &Field, args: &mut Args) -> Result<Vec<Bytes>, Trouble> {
        let files = self.files();
        let mut paths = vec![Bytes::new()];
        let parts = components(field);
        let last = parts.len() - 1;
        let bash = self.is_bash();
        let any_case = bash && self.shopt.is(Opt::NoCaseGlob);
        let style = Style {
            any_case,
            ..self.style()
        };
        let dots_count = bash
            && (self.shopt.is(Opt::DotGlob) || self.variables.get(b"GLOBIGNORE").is_some_and(|text| !text.is_empty()));
        for (index, (component, slashes)) in parts.into_iter().enumerate() {
            let mut next = Vec::new();
            let stars = bash && self.shopt.is(Opt::GlobStar) && is_globstar(&component);
            if stars && slashes > 0 {
                for path in &paths {
                    self.below(path, &mut next, args)?;
                }
                // Two of them in a row find every directory more than once.
                next.sort();
                next.dedup();
                if index == last {
                    next.retain(|path| !path.is_empty());
                }
                paths = next;
                continue;
            }
            let mut begins = Vec::new();
            if stars {
                for path in &paths {
                    self.below(path, &mut begins, args)?;
                }
                // The directory itself counts, but for the one that everything is in.
                next.extend(paths.iter().filter(|path| !path.is_empty()).cloned());
            } else {
                begins = paths;
            }
            for path in begins {
                let mut add = |name: &[u8]| -> Result<(), Trouble> {
                    let mut whole = path.clone();
                    whole.extend(name);
                    whole.extend(std::iter::repeat_n(b'/', slashes));
                    args.held.grow(whole.len() + size_of::<Bytes>())?;
                    next.push(whole);
                    Ok(())
                };
                if !component.has_wildcard() {
                    add(&unescaped(&component))?;
                    continue;
                }
                let pattern = component.pattern(style);
                self.world.meter.work(WORK_PER_NAME)?;
                let names = files
                    .names(if path.is_empty() { b"." } else { &path })
                    .unwrap_or_default();
                self.world.meter.work(names.len() as u64 * WORK_PER_NAME)?;
                let dotted = pattern.starts_with('.');
                // bash leaves `.` and `..` out.
                let dots: &[Bytes] = match dotted && !bash {
                    true => &[b".".to_vec(), b"..".to_vec()],
                    false => &[],
                };
                let hidden = dotted || dots_count;
                for name in names.iter().chain(dots) {
                    if (hidden || !name.starts_with(b".")) && pattern.matches(name, &self.world.meter)? {
                        add(name)?;
                    }
                }
            }
            let to_check = index == last || slashes > 0;
            paths = next;
            if to_check {
                // A slash at the end, or a name without a pattern: it has to be there.
                paths.retain(|path| match path.ends_with(b"/") {
                    true => files.metadata(path).is_ok_and(|found| found.is_dir()),
                    false => files.symlink_metadata(path).is_ok(),
                });
            }
        }
        Ok(paths)
    }
}

/// The patterns of `GLOBIGNORE`: a colon inside brackets belongs to a class.
fn patterns(text: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let (mut start, mut open) = (0, 0usize);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'[' => open += 1,
            b']' => open = open.saturating_sub(1),
            b':' if open == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

/// Whether a component is `**`.
fn is_globstar(component: &Field) -> bool {
    let mut stars = 0;
    component.bytes().all(|(byte, mark)| {
        stars += 1;
        byte == b'*' && mark != Mark::Quoted
    }) && stars == 2
}

/// The parts between slashes, and how many slashes follow each.
fn components(field: &Field) -> Vec<(Field, usize)> {
    let mut parts: Vec<(Field, usize)> = vec![(Field::default(), 0)];
    for (byte, mark) in field.bytes() {
        match parts.last_mut() {
            Some((_, slashes)) if byte == b'/' => *slashes += 1,
            Some((component, 0)) => component.push(byte, mark),
            _ => {
                let mut component = Field::default();
                component.push(byte, mark);
                parts.push((component, 0));
            }
        }
    }
    parts
}

/// Text without a pattern, where a backslash that was expanded still protects.
fn unescaped(component: &Field) -> Bytes {
    let mut text = Bytes::new();
    let mut bytes = component.bytes().peekable();
    while let Some((byte, mark)) = bytes.next() {
        match bytes.peek() {
            Some((protected, _)) if byte == b'\\' && mark != Mark::Quoted => {
                text.push(*protected);
                bytes.next();
            }
            _ => text.push(byte),
        }
    }
    text
}
