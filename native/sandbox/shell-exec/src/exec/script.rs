//! Reading and running, line by line.

use crate::ast::{Bytes, List};
use crate::options::Flag;
use crate::parse::{Fault, Parser};
use crate::shell::{Exec, Shell, Stop};
use pipe::Stream;
use std::sync::Arc;

impl Shell {
    /// Runs a text, each line as soon as it is read.
    pub(crate) async fn script(&mut self, text: Arc<[u8]>, line: u32) -> Exec {
        let limits = self.world.limits;
        self.world.meter.work(text.len() as u64)?;
        let parser = Parser::new(text.clone(), line, &limits.grammar());
        let mut parser = match parser {
            Ok(parser) => parser,
            Err(fault) => return self.unreadable(fault).await,
        };
        loop {
            let start = parser.position();
            match parser.next(&self.aliases) {
                Ok(Some(list)) => {
                    let _held = self.world.meter.memory(parser.take_size())?;
                    self.echo_input(&text[start..parser.position()]).await;
                    self.list(&list).await?;
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
            let read = parser.and_then(|mut parser| Ok((parser.next(&self.aliases)?, parser)));
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
                    self.unreadable(fault).await
                }
            };
            match flow {
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
            list = match parser.next(&self.aliases) {
                Ok(Some(next)) => next,
                Ok(None) => return Ok(()),
                Err(fault) => return self.unreadable(fault).await,
            };
        }
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
