//! Compound commands.

use crate::ast::{CaseItem, Command, For, Function, Kind, List, Word};
use crate::shell::{Defined, Exec, Shell, Stop};
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
                self.check_errexit()
            }
            Kind::If(branches, otherwise) => self.conditional(branches, otherwise.as_ref()).await,
            Kind::For(each) => self.for_loop(each).await,
            Kind::Case(subject, items) => self.case(subject, items).await,
            Kind::Loop { until, condition, body } => self.conditional_loop(*until, condition, body).await,
            Kind::Function(name, function) => self.define(name, function),
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
    async fn condition(&mut self, list: &List) -> Exec {
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
    fn round(&mut self, round: Exec<bool>, before: u8) -> Exec<Option<u8>> {
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
        let mut items = items.iter();
        while let Some(item) = items.next() {
            if !self.any_matches(&item.patterns, &text).await? {
                continue;
            }
            if item.body.items.is_empty() {
                self.status = 0;
            }
            self.list(&item.body).await?;
            let mut falls = item.falls_through;
            while let Some(next) = items.next().filter(|_| falls) {
                self.list(&next.body).await?;
                falls = next.falls_through;
            }
            return Ok(());
        }
        self.status = 0;
        Ok(())
    }

    async fn any_matches(&mut self, patterns: &[Word], text: &[u8]) -> Exec<bool> {
        for word in patterns {
            let pattern = match self.pattern(word).await {
                Ok(pattern) => pattern,
                Err(trouble) => return Err(self.give_up(trouble).await),
            };
            if pattern.matches(text, &self.world.meter)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn define(&mut self, name: &[u8], function: &Arc<Function>) -> Exec {
        let held = self.world.meter.memory(name.len() + function.size)?;
        let defined = Defined {
            function: function.clone(),
            _held: Arc::new(held),
        };
        Arc::make_mut(&mut self.functions).insert(name.to_vec(), defined);
        self.status = 0;
        Ok(())
    }

    /// Calls a function with arguments.
    pub(super) async fn call(&mut self, defined: Defined, args: Vec<Vec<u8>>) -> Exec {
        self.enter()?;
        let parameters = self.parameters();
        let loops = std::mem::take(&mut self.loops);
        self.set_positional(args)?;
        self.scopes.push(Vec::new());
        self.returns += 1;
        let flow = self.command(&defined.function.body, false).await;
        self.returns -= 1;
        // Innermost first, so that the oldest value wins.
        for (name, variable) in self.scopes.pop().into_iter().flatten().rev() {
            self.variables.restore(name, variable);
        }
        self.loops = loops;
        self.restore_parameters(parameters);
        self.leave();
        match flow {
            Err(Stop::Return) => Ok(()),
            flow => flow,
        }
    }
}
