//! Where the work is done: on a thread whose stack is deep enough for any plan, and whose panic is an error.

use crate::failure::{Code, Failure};
use indicatif::ProgressBar;
use std::{
    any::Any,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

const STACK: usize = 64 * 1024 * 1024;
/// Work that is over sooner shows no progress.
const PATIENCE: Duration = Duration::from_millis(300);

/// Does the work. `progress` is what to show while it lasts.
pub fn run<T: Send + 'static>(
    progress: Option<&'static str>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let (send, receive) = mpsc::channel();
    let thread = thread::Builder::new()
        .name("work".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            // The receiver waits for as long as this thread lives.
            let _ = send.send(work());
        })
        .map_err(|error| internal(&error.to_string()))?;
    match wait(&receive, progress) {
        Some(done) => Ok(done),
        None => Err(match thread.join() {
            Err(panic) => internal(panic_message(&*panic)),
            Ok(()) => internal("the work gave no answer"),
        }),
    }
}

fn wait<T>(receive: &Receiver<T>, progress: Option<&'static str>) -> Option<T> {
    let Some(message) = progress else {
        return receive.recv().ok();
    };
    match receive.recv_timeout(PATIENCE) {
        Ok(done) => Some(done),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => {
            // It draws on standard error, and only when that is a terminal.
            let spinner = ProgressBar::new_spinner().with_message(message);
            spinner.enable_steady_tick(Duration::from_millis(100));
            let done = receive.recv().ok();
            spinner.finish_and_clear();
            done
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

fn internal(what: &str) -> Failure {
    Failure::new(
        Code::Internal,
        format!("wbx stopped unexpectedly: {what}"),
        "this is a bug in wbx; please report it with the plan that shows it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn a_panic_is_an_internal_error() {
        let failure = run(None, || -> () { panic!("boom") }).unwrap_err();
        assert_eq!(failure.code, Code::Internal);
        assert_eq!(failure.code.exit(), Exit::Other);
        assert_eq!(failure.message, "wbx stopped unexpectedly: boom");
    }

    #[test]
    fn the_stack_holds_what_the_main_thread_could_not() {
        fn deep(n: usize) -> usize {
            let frame = std::hint::black_box([n as u8; 1024]);
            if n == 0 {
                0
            } else {
                deep(n - 1) + usize::from(frame[7] == n as u8)
            }
        }
        assert_eq!(run(None, || deep(16_000)).unwrap(), 16_000);
    }

    #[test]
    fn work_that_outlasts_patience_still_answers() {
        let slow = || {
            thread::sleep(PATIENCE * 2);
            7
        };
        assert_eq!(run(Some("waiting"), slow).unwrap(), 7);
    }
}
