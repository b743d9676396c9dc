//! Compound commands.

use crate::ast::{CaseItem, Command, For, Function, Kind, List, Then, Word};
use crate::shell::{Condition, Defined, Exec, Frame, Shell, Stop};
use std::sync::Arc;

impl Shell {
    pub(super) async fn compound(&mut self, command: &Command) -> Exec {
        if command.redirects.is_empty() {
            return self.body(command).await;
        }
        let before = self.touched(&command.redirects);
        let flow = match self.redirect(&command.redirects).await {
            Ok(_held) => self.body(command).await,
            Err(trouble) => self.redirect_failed(trouble).await,
        };
        self.restore(before);
        flow
    }

    async fn body(&mut self, command: &Command) -> Exec {
        match &command.kind {
            Kind::Simple(_) => Ok(()),
            Kind::Group(list) => self.list(list).await,
            Kind::Subshell(list) => {
                self.status = self.subshell().only(list).await?;
                self.failed().await
            }
            Kind::If(branches, otherwise) => self.conditional(branches, otherwise.as_ref()).await,
            Kind::For(each) => self.for_loop(each).await,
            Kind::Case(subject, items) => self.case(subject, items).await,
            Kind::Loop { until, condition, body } => self.conditional_loop(*until, condition, body).await,
            Kind::Function(name, function) => self.define(name, function).await,
            Kind::Arithmetic(parts) => self.arithmetic_command(parts).await,
            Kind::Condition(condition) => self.condition_command(condition).await,
            Kind::ForArithmetic(looped) => self.arithmetic_loop(looped).await,
            Kind::Select(each) => self.select(each).await,
        }
    }

    async fn conditional(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> Exec {
        for (condition, body) in branches {
            self.condition(condition).await?;
            if self.status == 0 {
                return self.list(body).await;
            }
        }
        self.status = 0;
        match otherwise {
            Some(list) => self.list(list).await,
            None => Ok(()),
        }
    }

    /// A list whose failure is an answer.
    pub(super) async fn condition(&mut self, list: &List) -> Exec {
        let before = std::mem::replace(&mut self.tested, true);
        let flow = self.list(list).await;
        self.tested = before;
        flow
    }

    async fn conditional_loop(&mut self, until: bool, condition: &List, body: &List) -> Exec {
        self.loops += 1;
        let mut status = 0;
        let flow = loop {
            let round = self.loop_once(until, condition, body).await;
            match self.round(round, status) {
                Ok(Some(more)) => status = more,
                Ok(None) => break Ok(()),
                Err(stop) => break Err(stop),
            }
        };
        self.loops -= 1;
        flow
    }

    /// Whether the loop goes on.
    async fn loop_once(&mut self, until: bool, condition: &List, body: &List) -> Exec<bool> {
        self.condition(condition).await?;
        if (self.status == 0) == until {
            return Ok(false);
        }
        self.list(body).await?;
        Ok(true)
    }

    /// What one round of a loop means for the next: the status so far if there is one.
    pub(super) fn round(&mut self, round: Exec<bool>, before: u8) -> Exec<Option<u8>> {
        match round {
            Ok(true) => Ok(Some(self.status)),
            Ok(false) => {
                self.status = before;
                Ok(None)
            }
            Err(Stop::Break(1)) => Ok(None),
            Err(Stop::Break(more)) => Err(Stop::Break(more - 1)),
            Err(Stop::Continue(1)) => Ok(Some(self.status)),
            Err(Stop::Continue(more)) => Err(Stop::Continue(more - 1)),
            Err(stop) => Err(stop),
        }
    }

    async fn for_loop(&mut self, each: &For) -> Exec {
        let args = match &each.words {
            None => {
                let parameters = self.parameters();
                return self.for_each(each, parameters.args()).await;
            }
            Some(words) => self.fields(words).await,
        };
        match args {
            Ok(args) => self.for_each(each, &args.list).await,
            Err(trouble) => Err(self.give_up(trouble).await),
        }
    }

    async fn for_each(&mut self, each: &For, values: &[Vec<u8>]) -> Exec {
        self.loops += 1;
        self.status = 0;
        let mut flow = Ok(());
        for value in values {
            if let Err(trouble) = self.assign(&each.name, value.clone()) {
                flow = Err(self.give_up(trouble).await);
                break;
            }
            let round = self.list(&each.body).await.map(|()| true);
            match self.round(round, 0) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(stop) => {
                    flow = Err(stop);
                    break;
                }
            }
        }
        self.loops -= 1;
        flow
    }

    async fn case(&mut self, subject: &Word, items: &[CaseItem]) -> Exec {
        let (text, _held) = match self.text(subject).await {
            Ok(text) => text,
            Err(trouble) => return Err(self.give_up(trouble).await),
        };
        let mut taken = false;
        let mut falls = false;
        for item in items {
            if !falls && !self.any_matches(&item.patterns, &text).await? {
                continue;
            }
            taken = true;
            if item.body.items.is_empty() {
                self.status = 0;
            }
            self.list(&item.body).await?;
            match item.then {
                Then::Ends => return Ok(()),
                Then::FallsThrough => falls = true,
                Then::GoesOn => falls = false,
            }
        }
        if !taken {
            self.status = 0;
        }
        Ok(())
    }

    async fn any_matches(&mut self, patterns: &[Word], text: &[u8]) -> Exec<bool> {
        for word in patterns {
            let style = self.matching_style();
            let pattern = match self.pattern_in(word, style).await {
                Ok(pattern) => pattern,
                Err(trouble) => return Err(self.give_up(trouble).await),
            };
            if pattern.matches(text, &self.world.meter)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn define(&mut self, name: &[u8], function: &Arc<Function>) -> Exec {
        if self.readonly_functions.contains(name) {
            self.say(&format!("{}: readonly function", crate::shell::lossy(name)))
                .await;
            self.status = 1;
            return self.failed().await;
        }
        let held = self.world.meter.memory(name.len() + function.size)?;
        let defined = Defined {
            function: function.clone(),
            source: self.source(),
            exported: false,
            _held: Arc::new(held),
        };
        Arc::make_mut(&mut self.functions).insert(name.to_vec(), defined);
        self.status = 0;
        Ok(())
    }

    /// What was local is what it was before.
    pub(crate) fn leave_scope(&mut self) {
        // Innermost first, so that the oldest value wins.
        for (name, variable) in self.scopes.pop().into_iter().flatten().rev() {
            self.variables.restore(name, variable);
        }
    }

    /// The file that is being read.
    pub(crate) fn source(&self) -> Arc<[u8]> {
        match self.frames.last() {
            Some(frame) => frame.source.clone(),
            None if self.from_file => self.name.clone(),
            None => Arc::from(&b"environment"[..]),
        }
    }

    /// Calls a function with arguments.
    pub(super) async fn call(&mut self, defined: Defined, name: &[u8], args: Vec<Vec<u8>>) -> Exec {
        self.enter()?;
        let line = self.line;
        self.frames.push(Frame {
            name: name.into(),
            source: defined.source.clone(),
            line,
        });
        let parameters = self.parameters();
        let loops = std::mem::take(&mut self.loops);
        self.set_positional(args)?;
        self.scopes.push(Vec::new());
        self.returns += 1;
        let mut flow = self.command(&defined.function.body, false).await;
        self.returns -= 1;
        if matches!(flow, Ok(()) | Err(Stop::Return)) && self.traps.actions.contains_key(&Condition::Return) {
            flow = self.run_return_trap().await.and(flow);
        }
        self.frames.pop();
        if self.is_bash() {
            self.line = line;
        }
        self.leave_scope();
        self.loops = loops;
        self.restore_parameters(parameters);
        self.leave();
        match flow {
            Err(Stop::Return) => Ok(()),
            flow => flow,
        }
    }
}
