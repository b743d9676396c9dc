//! Redirections.

use crate::ast::{Bytes, Open, Redirect, RedirectKind, Word};
use crate::meter::Held;
use crate::options::Flag;
use crate::shell::{Exec, MOST_DESCRIPTORS, Shell, Trouble, lossy};
use pipe::Stream;

/// Why a redirection was not made.
pub(super) enum Refusal {
    Expansion(Trouble),
    Opening(Trouble),
}

impl<T: Into<Trouble>> From<T> for Refusal {
    fn from(trouble: T) -> Refusal {
        Refusal::Expansion(trouble.into())
    }
}

impl Refusal {
    pub fn into_trouble(self) -> Trouble {
        match self {
            Refusal::Expansion(trouble) | Refusal::Opening(trouble) => trouble,
        }
    }
}

impl Shell {
    /// Opens and closes descriptors, in order. What here-documents hold is held by the answer.
    ///
    /// A file that cannot be opened is the command's failure; a word that cannot be expanded is the shell's.
    pub(super) async fn redirect(&mut self, redirects: &[Redirect]) -> Result<Held, Refusal> {
        let mut held = self.world.meter.memory(0)?;
        for redirect in redirects {
            let chosen = match &redirect.name {
                Some(name) => Some(self.choose(name, &redirect.kind).await?),
                None => redirect.fd,
            };
            let fd = |default| chosen.unwrap_or(default);
            match &redirect.kind {
                RedirectKind::File(how, word) => {
                    let path = self.target(word).await?;
                    let default = match how {
                        Open::Read | Open::ReadWrite => 0,
                        _ => 1,
                    };
                    let stream = self.open(&path, *how).map_err(Refusal::Opening)?;
                    self.point(fd(default), Some(stream))?;
                }
                RedirectKind::Duplicate { input, target } => {
                    let (target, _held) = self.text(target).await?;
                    // bash's `>& file` is `&> file`.
                    let number = target.strip_suffix(b"-").unwrap_or(&target);
                    if self.is_bash() && !input && chosen.is_none() && !number.iter().all(u8::is_ascii_digit) {
                        let stream = self.open(&target, Open::Write).map_err(Refusal::Opening)?;
                        self.point(1, Some(stream.clone()))?;
                        self.point(2, Some(stream))?;
                        continue;
                    }
                    // `n>&m-` moves a descriptor.
                    let moved = (self.is_bash() && target.len() > 1 && target.ends_with(b"-")).then_some(number);
                    let target = moved.unwrap_or(&target).to_vec();
                    let moved = moved.and_then(|text| std::str::from_utf8(text).ok()?.parse::<usize>().ok());
                    let stream = self.duplicate(&target).map_err(Refusal::Opening)?;
                    let into = fd(usize::from(!input));
                    self.point(into, stream)?;
                    if let Some(moved) = moved.filter(|moved| *moved != into) {
                        self.point(moved, None)?;
                    }
                }
                RedirectKind::Both(how, word) => {
                    let path = self.target(word).await?;
                    let stream = self.open(&path, *how).map_err(Refusal::Opening)?;
                    self.point(1, Some(stream.clone()))?;
                    self.point(2, Some(stream))?;
                }
                RedirectKind::Here(body) => {
                    let (text, body_held) = match body.get() {
                        Some(word) => self.text(word).await?,
                        None => (Bytes::new(), self.world.meter.memory(0)?),
                    };
                    held.absorb(body_held);
                    self.point(fd(0), Some(Stream::bytes(text)))?;
                }
                RedirectKind::HereString(word) => {
                    let (mut text, text_held) = self.text(word).await?;
                    held.absorb(text_held);
                    text.push(b'\n');
                    self.point(fd(0), Some(Stream::bytes(text)))?;
                }
            }
        }
        Ok(held)
    }

    /// The file that a word names. In bash a pattern or a list that stands for one file will do.
    async fn target(&mut self, word: &Word) -> Result<Bytes, Refusal> {
        if !self.is_bash() {
            return Ok(self.text(word).await?.0);
        }
        let mut paths = self.fields(std::slice::from_ref(word)).await?.list;
        match paths.len() {
            1 => Ok(paths.remove(0)),
            _ => Err(Refusal::Opening("ambiguous redirect".to_owned().into())),
        }
    }

    /// The descriptor for `{name}>`: a free one, whose number is assigned, or the one that is to be closed.
    async fn choose(&mut self, name: &[u8], kind: &RedirectKind) -> Result<usize, Refusal> {
        let closes = match kind {
            RedirectKind::Duplicate { target, .. } => target.literal() == Some(b"-"),
            _ => false,
        };
        if closes {
            let number = self
                .variable(name)
                .and_then(|text| std::str::from_utf8(&text).ok()?.parse().ok());
            let bad = || Refusal::Opening(format!("{}: Bad file descriptor", lossy(name)).into());
            return number.ok_or_else(bad);
        }
        let free = (10..MOST_DESCRIPTORS).find(|number| self.descriptor(*number).is_none());
        let number = free.ok_or_else(|| Refusal::Opening("too many descriptors".to_owned().into()))?;
        self.assign(name, number.to_string().into())?;
        Ok(number)
    }

    /// The descriptors that redirections change, as they are now.
    pub(super) fn touched(&self, redirects: &[Redirect]) -> Vec<(usize, Option<Stream>)> {
        let mut touched = Vec::new();
        for redirect in redirects {
            // What has a name outlives the command.
            if redirect.name.is_some() {
                continue;
            }
            let fds: &[usize] = match &redirect.kind {
                RedirectKind::Both(..) => &[1, 2],
                RedirectKind::Duplicate { input: false, .. } if redirect.fd.is_none() && self.is_bash() => &[1, 2],
                RedirectKind::File(Open::Read | Open::ReadWrite, _)
                | RedirectKind::Duplicate { input: true, .. }
                | RedirectKind::Here(_)
                | RedirectKind::HereString(_) => &[redirect.fd.unwrap_or(0)],
                _ => &[redirect.fd.unwrap_or(1)],
            };
            touched.extend(fds.iter().map(|fd| (*fd, self.descriptor(*fd).cloned())));
        }
        touched
    }

    /// Puts descriptors back, the first that was noted last.
    pub(super) fn restore(&mut self, touched: Vec<(usize, Option<Stream>)>) {
        for (fd, stream) in touched.into_iter().rev() {
            if fd < MOST_DESCRIPTORS {
                self.set_descriptor(fd, stream);
            }
        }
    }

    fn point(&mut self, fd: usize, stream: Option<Stream>) -> Result<(), Refusal> {
        if fd >= MOST_DESCRIPTORS {
            return Err(Refusal::Opening(format!("{fd}: Bad file descriptor").into()));
        }
        self.set_descriptor(fd, stream);
        Ok(())
    }

    /// A file, or one of the names that stand for none.
    pub(crate) fn open(&self, path: &[u8], how: Open) -> Result<Stream, Trouble> {
        if let Some(device) = pipe::device(path) {
            return Ok(device);
        }
        let standard: Option<&[u8]> = match path {
            b"/dev/stdin" => Some(b"0"),
            b"/dev/stdout" => Some(b"1"),
            b"/dev/stderr" => Some(b"2"),
            _ => path.strip_prefix(b"/dev/fd/"),
        };
        if let Some(number) = standard {
            return Ok(self.duplicate(number)?.unwrap_or_else(Stream::null));
        }
        let noclobber = self.is(Flag::NoClobber);
        let opened = self.files().open(path, how, noclobber, 0o666 & !self.umask);
        match opened.map_err(Trouble::from) {
            Ok(file) => Ok(Stream::open_within(file, self.world.written.clone())),
            Err(Trouble::Say(reason)) => Err(format!("{}: {reason}", lossy(path)).into()),
            Err(fatal) => Err(fatal),
        }
    }

    /// What another descriptor is, or nothing for `-`.
    fn duplicate(&self, target: &[u8]) -> Result<Option<Stream>, Trouble> {
        if target == b"-" {
            return Ok(None);
        }
        let number = std::str::from_utf8(target).ok().and_then(|text| text.parse().ok());
        match number.and_then(|number| self.descriptor(number)) {
            Some(stream) => Ok(Some(stream.clone())),
            None => Err(format!("{}: Bad file descriptor", lossy(target)).into()),
        }
    }

    /// A command whose redirection failed does not run; that is its failure.
    pub(super) async fn redirect_failed(&mut self, refusal: Refusal) -> Exec {
        match refusal {
            Refusal::Expansion(trouble) => Err(self.give_up(trouble).await),
            Refusal::Opening(Trouble::Fatal(error)) => Err(error.into()),
            Refusal::Opening(Trouble::Say(message) | Trouble::End(message)) => {
                self.say(&message).await;
                self.status = 1;
                self.failed().await
            }
        }
    }
}
