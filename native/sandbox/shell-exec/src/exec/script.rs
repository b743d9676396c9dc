//! Reading and running, line by line.

use crate::ast::{Bytes, List};
use crate::options::Flag;
use crate::parse::{Fault, Parser};
use crate::shell::{Exec, Shell, Stop};
use crate::shopt::Opt;
use pipe::Stream;
use std::sync::Arc;

impl Shell {
    /// Runs a text that is all this shell does. An error in bash ends the line it is on; the next line is read.
    pub(crate) async fn whole_script(&mut self, text: Arc<[u8]>) -> Exec {
        self.lines(text, 1, self.is_bash()).await
    }

    /// Runs a text, each line as soon as it is read.
    pub(crate) async fn script(&mut self, text: Arc<[u8]>, line: u32) -> Exec {
        self.lines(text, line, false).await
    }

    /// The aliases that count: in bash they have to be turned on.
    fn known_aliases(&self) -> Arc<crate::parse::Aliases> {
        match self.is_bash() && !self.is(Flag::Interactive) && !self.shopt.is(Opt::ExpandAliases) {
            true => Arc::default(),
            false => self.aliases.clone(),
        }
    }

    async fn lines(&mut self, text: Arc<[u8]>, line: u32, goes_on: bool) -> Exec {
        let depth = self.depth;
        let limits = self.world.limits;
        self.world.meter.work(text.len() as u64)?;
        let parser = Parser::new(text.clone(), line, &limits.grammar());
        let mut parser = match parser {
            Ok(parser) => parser.in_dialect(self.dialect),
            Err(fault) => return self.unreadable(fault).await,
        };
        loop {
            let start = parser.position();
            match parser.next(&self.known_aliases()) {
                Ok(Some(list)) => {
                    let _held = self.world.meter.memory(parser.take_size())?;
                    self.echo_input(&text[start..parser.position()]).await;
                    match self.list(&list).await {
                        Err(Stop::Error) if goes_on && !self.is(Flag::ErrExit) => self.forget_around(depth),
                        flow => flow?,
                    }
                }
                Ok(None) => {
                    self.echo_input(&text[start..]).await;
                    return Ok(());
                }
                Err(fault) => return self.unreadable(fault).await,
            }
        }
    }

    /// Runs what a stream has to say, and reads no further than the command at hand, for commands may read the rest.
    pub(crate) async fn script_from(&mut self, stream: &Stream) -> Exec {
        let limits = self.world.limits;
        let depth = self.depth;
        let mut text = Bytes::new();
        let mut line = 1;
        let mut more = true;
        loop {
            if more {
                self.prompt(if text.is_empty() { b"PS1" } else { b"PS2" }).await;
                let next = stream.read_until(b'\n', limits.script).await;
                let next = next.map_err(|_| crate::Error::ScriptTooLong)?;
                self.echo_input(&next).await;
                more = !next.is_empty();
                text.extend(next.into_iter().filter(|byte| *byte != 0));
            }
            if more && continues(&text) {
                continue;
            }
            self.world.meter.work(text.len() as u64)?;
            let parser = match more {
                true => Parser::partial(text.clone().into(), line, &limits.grammar()),
                false => Parser::new(text.clone().into(), line, &limits.grammar()),
            };
            let dialect = self.dialect;
            let read = parser.map(|parser| parser.in_dialect(dialect));
            let read = read.and_then(|mut parser| Ok((parser.next(&self.known_aliases())?, parser)));
            let flow = match read {
                Ok((None, _)) if !more => return Ok(()),
                Ok((None, parser)) => {
                    line = parser.line();
                    text.clear();
                    Ok(())
                }
                Ok((Some(list), mut parser)) => {
                    line = parser.line();
                    text.drain(..parser.position());
                    self.line_of(list, &mut parser).await
                }
                Err(Fault::Syntax { unfinished: true, .. }) if more => Ok(()),
                Err(fault) => {
                    text.clear();
                    let flow = self.unreadable(fault).await;
                    match (self.is(Flag::Interactive), flow) {
                        (false, Err(Stop::Error)) => Err(Stop::Exit),
                        (_, flow) => flow,
                    }
                }
            };
            match flow {
                Err(Stop::Error) if self.is_bash() && !self.is(Flag::ErrExit) => self.forget_around(depth),
                Err(Stop::Error) if self.is(Flag::Interactive) => {}
                flow => flow?,
            }
        }
    }

    /// Runs one line, and the further lines of an alias in it.
    async fn line_of(&mut self, mut list: List, parser: &mut Parser) -> Exec {
        loop {
            let _held = self.world.meter.memory(parser.take_size())?;
            self.list(&list).await?;
            if !parser.in_alias() {
                return Ok(());
            }
            list = match parser.next(&self.known_aliases()) {
                Ok(Some(next)) => next,
                Ok(None) => return Ok(()),
                Err(fault) => return self.unreadable(fault).await,
            };
        }
    }

    /// What was around a command that an error ended is over too.
    fn forget_around(&mut self, depth: usize) {
        self.depth = depth;
        self.loops = 0;
        self.tested = false;
        while !self.scopes.is_empty() {
            self.leave_scope();
        }
        self.frames.clear();
        self.returns = 0;
    }

    /// What an interactive shell shows before it reads.
    async fn prompt(&mut self, name: &[u8]) {
        if self.is(Flag::Interactive) {
            let prompt = self.expand_prompt(name).await;
            self.tell(&prompt).await;
        }
    }

    /// `set -v`.
    async fn echo_input(&self, text: &[u8]) {
        if self.is(Flag::Verbose) {
            self.tell(text).await;
        }
    }

    async fn unreadable(&mut self, fault: Fault) -> Exec {
        match fault {
            Fault::Bound(bound) => Err(crate::Error::from(bound).into()),
            Fault::Syntax { line, what, .. } => {
                self.line = line;
                self.say(&format!("syntax error: {what}")).await;
                self.status = 2;
                Err(Stop::Error)
            }
        }
    }
}

/// Whether the last line goes on: a backslash ends it.
fn continues(text: &[u8]) -> bool {
    let Some(line) = text.strip_suffix(b"\n") else {
        return false;
    };
    line.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
