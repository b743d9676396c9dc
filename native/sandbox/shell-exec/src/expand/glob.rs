//! Pathname expansion: patterns replaced by the files they match.

use super::Args;
use super::field::{Field, Mark};
use crate::ast::Bytes;
use crate::options::Flag;
use crate::shell::{Shell, Trouble};

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
        if paths.is_empty() {
            args.list.push(field.into_text());
            return Ok(());
        }
        paths.sort();
        args.list.append(&mut paths);
        Ok(())
    }

    fn matching(&self, field: &Field, args: &mut Args) -> Result<Vec<Bytes>, Trouble> {
        let files = self.files();
        let mut paths = vec![Bytes::new()];
        let parts = components(field);
        let last = parts.len() - 1;
        for (index, (component, slashes)) in parts.into_iter().enumerate() {
            let mut next = Vec::new();
            for path in paths {
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
                let pattern = component.pattern();
                self.world.meter.work(WORK_PER_NAME)?;
                let names = files
                    .names(if path.is_empty() { b"." } else { &path })
                    .unwrap_or_default();
                self.world.meter.work(names.len() as u64 * WORK_PER_NAME)?;
                let hidden = pattern.starts_with('.');
                let dots: &[Bytes] = if hidden { &[b".".to_vec(), b"..".to_vec()] } else { &[] };
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
