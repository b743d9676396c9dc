//! A run while it goes on: lines that stay for what is over, lines that move for what is at work.

use super::{paint::Paint, visible};
use crate::mode::Mode;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use operations::events::Event;
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
        match event {
            Event::RunStarted(run) => self
                .levels
                .extend(run.tasks.iter().map(|task| (task.id.clone(), task.level))),
            Event::TaskFinished(_) => self.over += 1,
            _ => {}
        }
        self.line(line);
        match &mut self.watcher {
            Watcher::Line(bar) => bar.set_message(format!("{} of {} tasks", self.over, self.levels.len())),
            Watcher::Tree { screen, at_work, paint } => tree(screen, at_work, *paint, &self.levels, event),
            Watcher::Program | Watcher::Nobody => {}
        }
    }

    /// A line that is for programs alone.
    pub fn line(&self, line: &str) {
        if matches!(self.watcher, Watcher::Program) {
            // A reader that went away does not end the run.
            let _ = writeln!(io::stdout().lock(), "{line}");
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
    let shown = |task: &str, title: &str| {
        let indent = "  ".repeat(levels.get(task).map_or(0, |level| level.saturating_sub(1).min(40)));
        (indent, visible::line(title))
    };
    let mut begin = |task: &str, what: &str| {
        let bar = at_work
            .entry(task.to_owned())
            .or_insert_with(|| spinner(screen.add(ProgressBar::new_spinner())));
        bar.set_message(what.to_owned());
    };
    match event {
        Event::TaskStarted(event) => {
            let (indent, title) = shown(&event.id, &event.title);
            begin(&event.id, &format!("{indent}{title}"));
        }
        Event::CheckStarted(event) => {
            let (indent, title) = shown(&event.id, &event.title);
            begin(&event.id, &format!("{indent}checking {title}"));
        }
        Event::TaskOutput(event) => {
            let (indent, title) = shown(&event.id, &event.title);
            let last = event.text.trim_end().lines().last();
            if let (Some(bar), Some(last)) = (at_work.get(&event.id), last) {
                bar.set_message(format!("{indent}{title} {}", paint.quiet(&visible::line(last))));
            }
        }
        Event::TaskFinished(event) => {
            let (indent, title) = shown(&event.id, &event.title);
            if let Some(bar) = at_work.remove(&event.id) {
                bar.finish_and_clear();
                screen.remove(&bar);
            }
            let state = paint.state(&event.state.to_uppercase());
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
