//! Colour, where it is wanted.

use clap::builder::styling::{AnsiColor, Style};

/// Styles that do nothing when colour is off.
#[derive(Clone, Copy)]
pub struct Paint {
    on: bool,
}

impl Paint {
    pub fn new(on: bool) -> Self {
        Paint { on }
    }

    pub fn is_on(self) -> bool {
        self.on
    }

    pub fn strong(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    pub fn quiet(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// A keyword in the colour of what it means for the plan.
    pub fn state(self, keyword: &str) -> String {
        let colour = match keyword {
            "DONE" => AnsiColor::Green,
            "FAILED" => AnsiColor::Red,
            _ => AnsiColor::Yellow,
        };
        self.with(colour.on_default(), keyword)
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.on && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}
