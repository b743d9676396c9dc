//! Running what `trap` asked for.

use crate::options::Flag;
use crate::shell::{Condition, Exec, Shell, Stop};
use crate::signal::Signal;
use std::sync::Arc;

impl Shell {
    /// The actions of signals that came since the last command.
    pub(super) async fn run_pending_traps(&mut self) -> Exec {
        if self.process.is_killed() {
            // Whoever keeps the process alive notices now.
            self.pause().await;
        }
        // One action at a time: what comes during an action waits for its end.
        if !self.owns_process || self.trapping {
            return Ok(());
        }
        while let Some(signal) = self.process.take_pending() {
            let action = self.traps.actions.get(&Condition::Signal(signal)).cloned();
            if let Some(action) = action.filter(|action| !action.is_empty()) {
                self.trapping = true;
                let flow = self.act(action).await;
                self.trapping = false;
                flow?;
            }
        }
        Ok(())
    }

    /// Runs an action; the status is as before, unless the action leaves.
    async fn act(&mut self, action: Arc<[u8]>) -> Exec {
        let status = self.status;
        self.enter()?;
        let before = self.acting.replace(status);
        let flow = Box::pin(self.script(action, self.line)).await;
        self.acting = before;
        self.leave();
        flow?;
        self.status = status;
        Ok(())
    }

    /// The action on DEBUG, before a command.
    pub(super) async fn run_debug_trap(&mut self) -> Exec {
        self.run_bash_trap(Condition::Debug, self.frames.is_empty() || self.is(Flag::FuncTrace))
            .await
    }

    /// The action on ERR, behind a command that failed.
    pub(super) async fn run_err_trap(&mut self) -> Exec {
        let counts = self.frames.len() <= self.traps.err_level || self.is(Flag::ErrTrace);
        self.run_bash_trap(Condition::Err, counts).await
    }

    /// The action on RETURN, behind a function or a file.
    pub(crate) async fn run_return_trap(&mut self) -> Exec {
        self.run_bash_trap(Condition::Return, true).await
    }

    async fn run_bash_trap(&mut self, condition: Condition, counts: bool) -> Exec {
        let action = self.traps.actions.get(&condition).cloned();
        let Some(action) = action.filter(|action| counts && !action.is_empty() && !self.bash_trapping) else {
            return Ok(());
        };
        self.bash_trapping = true;
        let (line, statuses, tested) = (self.line, self.statuses.clone(), self.tested);
        self.tested = true;
        let flow = self.act(action).await;
        self.tested = tested;
        self.statuses = statuses;
        self.line = line;
        self.bash_trapping = false;
        flow
    }

    /// `trap '' PIPE`: a broken pipe is a failure to write, and no more.
    pub(crate) fn ignores_broken_pipes(&self) -> bool {
        let action = self.traps.actions.get(&Condition::Signal(Signal::PIPE));
        action.is_some_and(|action| action.is_empty())
    }

    /// The action on EXIT, once.
    pub(super) async fn run_exit_trap(&mut self) -> Exec {
        let Some(action) = self.traps.actions.get(&Condition::Exit).cloned() else {
            return Ok(());
        };
        Arc::make_mut(&mut self.traps).actions.remove(&Condition::Exit);
        // An action that leaves early decides the status; otherwise it is what the shell ended with.
        match self.act(action).await {
            Err(Stop::Break(_) | Stop::Continue(_) | Stop::Return) => Ok(()),
            flow => flow,
        }
    }
}
