//! Redirections.

use crate::ast::{Bytes, Open, Redirect, RedirectKind};
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
            let fd = |default| redirect.fd.unwrap_or(default);
            match &redirect.kind {
                RedirectKind::File(how, word) => {
                    let (path, _held) = self.text(word).await?;
                    let default = match how {
                        Open::Read | Open::ReadWrite => 0,
                        _ => 1,
                    };
                    let stream = self.open(&path, *how).map_err(Refusal::Opening)?;
                    self.point(fd(default), Some(stream))?;
                }
                RedirectKind::Duplicate { input, target } => {
                    let (target, _held) = self.text(target).await?;
                    let stream = self.duplicate(&target).map_err(Refusal::Opening)?;
                    self.point(fd(usize::from(!input)), stream)?;
                }
                RedirectKind::Both(how, word) => {
                    let (path, _held) = self.text(word).await?;
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

    /// The descriptors that redirections change, as they are now.
    pub(super) fn touched(&self, redirects: &[Redirect]) -> Vec<(usize, Option<Stream>)> {
        let mut touched = Vec::new();
        for redirect in redirects {
            let fds: &[usize] = match &redirect.kind {
                RedirectKind::Both(..) => &[1, 2],
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
            Ok(file) => Ok(Stream::open(file)),
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
            Refusal::Opening(Trouble::Say(message)) => {
                self.say(&message).await;
                self.status = 1;
                self.check_errexit()
            }
        }
    }
}
