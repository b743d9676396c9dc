//! Loops of bash: `for ((..))` and `select`.

use crate::ast::{Bytes, For, ForArithmetic, Part};
use crate::shell::{Exec, Shell, Stop};

/// Whether an expression is left out.
fn is_blank(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Quoted(text) | Part::Literal(text) => text.trim_ascii().is_empty(),
        _ => false,
    })
}

impl Shell {
    pub(super) async fn arithmetic_loop(&mut self, looped: &ForArithmetic) -> Exec {
        let [first, condition, step] = &looped.expressions;
        self.loops += 1;
        let mut flow = self.evaluated(first).await.map(|_| ());
        self.status = 0;
        while flow.is_ok() {
            self.world.step()?;
            match self.evaluated(condition).await {
                Ok(0) if !is_blank(condition) => break,
                Ok(_) => {}
                Err(stop) => {
                    flow = Err(stop);
                    break;
                }
            }
            let round = self.list(&looped.body).await.map(|()| true);
            match self.round(round, 0) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(stop) => flow = Err(stop),
            }
            if flow.is_ok() {
                let status = self.status;
                flow = self.evaluated(step).await.map(|_| ());
                if flow.is_ok() {
                    self.status = status;
                }
            }
        }
        self.loops -= 1;
        match flow {
            // An expression that makes no sense ends the loop, and no more.
            Err(Stop::Continue(0)) => self.failed().await,
            flow => flow,
        }
    }

    async fn evaluated(&mut self, parts: &[Part]) -> Exec<i64> {
        match self.arithmetic(parts).await {
            Ok(value) => Ok(value),
            Err(crate::shell::Trouble::Say(message)) => {
                self.say(&message).await;
                self.status = 1;
                Err(Stop::Continue(0))
            }
            Err(trouble) => Err(self.give_up(trouble).await),
        }
    }

    pub(super) async fn select(&mut self, each: &For) -> Exec {
        let values = match &each.words {
            None => self.args().to_vec(),
            Some(words) => match self.fields(words).await {
                Ok(args) => args.list,
                Err(trouble) => return Err(self.give_up(trouble).await),
            },
        };
        self.status = 0;
        if values.is_empty() {
            return Ok(());
        }
        self.loops += 1;
        let flow = self.select_rounds(each, &values).await;
        self.loops -= 1;
        flow
    }

    async fn select_rounds(&mut self, each: &For, values: &[Bytes]) -> Exec {
        let mut shows = true;
        loop {
            self.world.step()?;
            if shows {
                let width = values.len().to_string().len();
                for (at, value) in values.iter().enumerate() {
                    let mut line = format!("{:>width$}) ", at + 1).into_bytes();
                    line.extend(value);
                    line.push(b'\n');
                    self.tell(&line).await;
                }
            }
            let prompt = self.variables.get(b"PS3").unwrap_or(b"#? ").to_vec();
            self.tell(&prompt).await;
            let Some(stdin) = self.descriptor(0).cloned() else {
                self.status = 1;
                return Ok(());
            };
            let longest = self.world.limits.memory / 16;
            let mut reply = match stdin.read_until(b'\n', longest).await {
                Ok(line) if !line.is_empty() => line,
                _ => {
                    self.tell(b"\n").await;
                    self.status = 1;
                    return Ok(());
                }
            };
            if reply.last() == Some(&b'\n') {
                reply.pop();
            }
            shows = reply.is_empty();
            if shows {
                continue;
            }
            let number = std::str::from_utf8(&reply)
                .ok()
                .and_then(|text| text.trim().parse::<usize>().ok());
            let chosen = number
                .and_then(|number| values.get(number.wrapping_sub(1)))
                .cloned()
                .unwrap_or_default();
            let assigned = self
                .assign(b"REPLY", reply)
                .and_then(|()| self.assign(&each.name, chosen));
            if let Err(trouble) = assigned {
                return Err(self.give_up(trouble).await);
            }
            let round = self.list(&each.body).await.map(|()| true);
            match self.round(round, 0)? {
                Some(_) => {}
                None => return Ok(()),
            }
        }
    }
}
