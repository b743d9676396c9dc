//! `$(..)`: what commands print, as text.

use crate::Error;
use crate::ast::{Bytes, Kind, List, Open, RedirectKind, Word};
use crate::meter::Held;
use crate::options::Flag;
use crate::shell::{Shell, Trouble};
use crate::shopt::Opt;
use futures_util::future::try_join;
use pipe::Stream;

impl Shell {
    /// The output of a list without its last newlines, and the memory it takes.
    pub(crate) async fn substitute(&mut self, list: &List) -> Result<(Bytes, Held), Trouble> {
        self.enter()?;
        self.world.meter.step()?;
        let mut held = self.world.meter.memory(0)?;
        let (mut text, status) = match file_of(list) {
            Some(word) => {
                let (path, _held) = self.text(word).await?;
                let stream = self.open(&path, Open::Read)?;
                (collect(&stream, &mut held).await?, 0)
            }
            None => {
                let _pipe = self.world.meter.pipes(1)?;
                let (reader, writer) = pipe::pipe();
                let mut shell = self.subshell();
                // In bash `set -e` does not reach into a substitution, unless it is asked to.
                if self.is_bash() && !self.shopt.is(Opt::InheritErrExit) {
                    shell.options.set(Flag::ErrExit, false);
                }
                shell.set_descriptor(1, Some(writer));
                try_join(collect(&reader, &mut held), shell.only(list)).await?
            }
        };
        self.leave();
        self.substituted = Some(status);
        let end = text.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
        text.truncate(end);
        Ok((text, held))
    }
}

/// All there is to read, without zero bytes, which no word can hold.
async fn collect(stream: &Stream, held: &mut Held) -> Result<Bytes, Error> {
    let mut text = Bytes::new();
    let mut chunk = vec![0; 8 << 10];
    loop {
        // What cannot be read, such as a directory, reads as empty.
        let count = stream.read(&mut chunk).await.unwrap_or(0);
        if count == 0 {
            return Ok(text);
        }
        held.grow(count)?;
        text.extend(chunk[..count].iter().filter(|byte| **byte != 0));
    }
}

/// `$(<file)`.
fn file_of(list: &List) -> Option<&Word> {
    let [item] = &list.items[..] else { return None };
    let pipeline = &item.and_or.first;
    let [command] = &pipeline.commands[..] else { return None };
    let alone = item.background.is_none() && item.and_or.rest.is_empty() && !pipeline.negated;
    match (&command.kind, &command.redirects[..]) {
        (Kind::Simple(simple), [redirect]) if alone && simple.words.is_empty() && simple.assigns.is_empty() => {
            match (&redirect.kind, redirect.fd) {
                (RedirectKind::File(Open::Read, word), None | Some(0)) => Some(word),
                _ => None,
            }
        }
        _ => None,
    }
}
