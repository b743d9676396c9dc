//! A run while it goes on: lines that stay for what is over, lines that move for what is at work.

use super::{paint::Paint, visible};
use crate::mode::Mode;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use operations::runs::Event;
use std::{
    collections::HashMap,
    env,
    io::{self, IsTerminal, Write},
    time::Duration,
};

/// Who watches, and what is on the screen.
pub struct Live {
    watcher: Watcher,
    levels: HashMap<String, usize>,
    over: usize,
}

enum Watcher {
    /// A program that wants each event as a line.
    Program,
    /// A person who wants to see the tasks.
    Tree {
        screen: MultiProgress,
        at_work: HashMap<String, ProgressBar>,
        paint: Paint,
    },
    /// A person who only wants to know that something goes on.
    Line(ProgressBar),
    Nobody,
}

impl Live {
    /// Begins to show a run.
    pub fn new(mode: Mode, follow: bool) -> Self {
        let terminal = io::stderr().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb");
        let watcher = match (mode, follow) {
            (Mode::Human, true) => Watcher::Tree {
                screen: MultiProgress::new(),
                at_work: HashMap::new(),
                paint: Paint::new(terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())),
            },
            (Mode::Human, false) => Watcher::Line(spinner(ProgressBar::new_spinner())),
            (_, true) => Watcher::Program,
            (_, false) => Watcher::Nobody,
        };
        Live {
            watcher,
            levels: HashMap::new(),
            over: 0,
        }
    }

    /// Shows an event: `line` is how the engine said it.
    pub fn show(&mut self, line: &str, event: &Event) {
        self.levels
            .extend(event.tasks.iter().map(|task| (task.id.clone(), task.level)));
        if event.event == "task_finished" {
            self.over += 1;
        }
        match &mut self.watcher {
            Watcher::Program => {
                // A reader that went away does not end the run.
                let _ = writeln!(io::stdout().lock(), "{line}");
            }
            Watcher::Line(bar) => bar.set_message(format!("{} of {} tasks", self.over, self.levels.len())),
            Watcher::Tree { screen, at_work, paint } => tree(screen, at_work, *paint, &self.levels, event),
            Watcher::Nobody => {}
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Watcher::Line(bar) = &self.watcher {
            bar.finish_and_clear();
        }
    }
}

fn tree(
    screen: &MultiProgress,
    at_work: &mut HashMap<String, ProgressBar>,
    paint: Paint,
    levels: &HashMap<String, usize>,
    event: &Event,
) {
    let (Some(task), Some(title)) = (&event.id, &event.title) else {
        return;
    };
    let indent = "  ".repeat(levels.get(task).map_or(0, |level| level.saturating_sub(1).min(40)));
    let title = visible::line(title);
    match event.event.as_str() {
        "task_started" | "check_started" => {
            let bar = at_work
                .entry(task.clone())
                .or_insert_with(|| spinner(screen.add(ProgressBar::new_spinner())));
            let what = if event.event == "check_started" {
                "checking "
            } else {
                ""
            };
            bar.set_message(format!("{indent}{what}{title}"));
        }
        "task_output" => {
            let last = event.text.as_deref().unwrap_or_default().trim_end().lines().last();
            if let (Some(bar), Some(last)) = (at_work.get(task), last) {
                bar.set_message(format!("{indent}{title} {}", paint.quiet(&visible::line(last))));
            }
        }
        "task_finished" => {
            if let Some(bar) = at_work.remove(task) {
                bar.finish_and_clear();
                screen.remove(&bar);
            }
            let state = paint.state(&event.state.as_deref().unwrap_or_default().to_uppercase());
            let reason = match event.reason.as_deref() {
                None | Some("") => String::new(),
                Some(reason) => paint.quiet(&format!(" ({})", visible::line(reason))),
            };
            // Without a terminal there is nothing to draw on.
            let _ = screen.println(format!("{indent}{state} {title}{reason}"));
        }
        _ => {}
    }
}

fn spinner(bar: ProgressBar) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    bar.set_style(style);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
