//! The one table of places: what is where, and who may say otherwise.

use Lies::{Below, In, InApplication};

/// Something that has a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Compiled WebAssembly.
    Cache,
    /// What the build lanes made.
    Builds,
    /// Workbooks: their states, disks and versions.
    Data,
    /// Disks of frozen and archived workbooks.
    Cold,
    /// What runs leave, and the user's key.
    History,
    /// Agent sessions.
    Sessions,
    /// Commands that the user registered.
    Commands,
    /// Grants, kernels and components of toolkits.
    Toolkits,
    /// Where a running engine says how it is reached.
    Runtime,
    /// Who may ask a running engine.
    Tokens,
    /// The kernel component.
    Kernel,
    /// The commands that come with Workbooks.
    Batteries,
    /// The compilers of the build lanes.
    Lanes,
}

/// A directory of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Cache,
    Data,
    State,
}

impl Base {
    /// The variable that names it, and where it is below HOME when nothing does.
    pub fn rule(self) -> (&'static str, &'static str) {
        match self {
            Base::Cache => ("XDG_CACHE_HOME", ".cache"),
            Base::Data => ("XDG_DATA_HOME", ".local/share"),
            Base::State => ("XDG_STATE_HOME", ".local/state"),
        }
    }
}

/// Where something is when nobody says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lies {
    Below(Base, &'static str),
    In(Place, &'static str),
    InApplication(&'static str),
}

/// A row of the table.
pub(crate) struct Row {
    pub place: Place,
    /// In the words of the documentation.
    pub what: &'static str,
    pub lies: Lies,
    /// The key of `config :workbooks` that gives it.
    pub key: Option<&'static str>,
    /// A variable of its own that gives it.
    pub variable: Option<&'static str>,
}

macro_rules! row {
    ($place:ident, $what:literal, $lies:expr, $key:expr, $variable:expr) => {
        Row {
            place: Place::$place,
            what: $what,
            lies: $lies,
            key: $key,
            variable: $variable,
        }
    };
}

#[rustfmt::skip]
pub(crate) const TABLE: [Row; 13] = [
    row!(Cache, "compiled WebAssembly", Below(Base::Cache, "workbooks"), Some("cache_dir"), None),
    row!(Builds, "what the build lanes made", In(Place::Cache, "builds"), None, None),
    row!(Data, "workbooks: states, disks, versions, schedules", Below(Base::Data, "workbooks"), Some("data_dir"), None),
    row!(Cold, "disks of frozen and archived workbooks", In(Place::Data, "cold"), Some("cold_dir"), None),
    row!(History, "what runs leave, and the user's key", Below(Base::State, "workbooks/history"), Some("history_dir"), None),
    row!(Sessions, "agent sessions", Below(Base::State, "workbooks/sessions"), Some("sessions_dir"), Some("WORKBOOKS_SESSIONS")),
    row!(Commands, "registered commands", Below(Base::State, "workbooks/commands"), Some("registry_dir"), None),
    row!(Toolkits, "grants, kernels and components of toolkits", Below(Base::State, "workbooks/toolkits"), Some("toolkits_dir"), None),
    row!(Runtime, "the address of a running engine", Below(Base::State, "workbooks/runtime.json"), None, None),
    row!(Tokens, "tokens, as hashes", Below(Base::State, "workbooks/tokens.json"), None, None),
    row!(Kernel, "the kernel component", InApplication("priv/wasm/oql.wasm"), Some("kernel"), None),
    row!(Batteries, "the commands that come with Workbooks", InApplication("priv/wasm/commands"), Some("batteries"), None),
    row!(Lanes, "the compilers of the build lanes", InApplication("priv/wasm/lanes"), Some("lanes"), None),
];

impl Place {
    /// Every place, in the order of the table.
    pub const ALL: [Place; 13] = {
        let mut all = [Place::Cache; 13];
        let mut n = 0;
        while n < TABLE.len() {
            all[n] = TABLE[n].place;
            n += 1;
        }
        all
    };

    pub(crate) fn row(self) -> &'static Row {
        TABLE
            .iter()
            .find(|row| row.place == self)
            .expect("every place has a row")
    }

    /// What it is, in words.
    pub fn what(self) -> &'static str {
        self.row().what
    }

    /// The key of `config :workbooks` that gives it.
    ///
    /// ```
    /// assert_eq!(engine::Place::History.key(), Some("history_dir"));
    /// ```
    pub fn key(self) -> Option<&'static str> {
        self.row().key
    }

    /// Where it is when nobody says otherwise, as the documentation writes it.
    ///
    /// ```
    /// assert_eq!(engine::Place::History.default_in_words(), "`~/.local/state/workbooks/history`");
    /// assert_eq!(engine::Place::Cold.default_in_words(), "`cold` in `data_dir`");
    /// ```
    pub fn default_in_words(self) -> String {
        match self.row().lies {
            Below(base, name) => format!("`~/{}/{name}`", base.rule().1),
            In(other, name) => format!("`{name}` in `{}`", other.key().unwrap_or(other.what())),
            InApplication(name) => format!("`{name}` in the application"),
        }
    }

    /// The variables that move it, the strongest first.
    ///
    /// ```
    /// assert_eq!(engine::Place::Sessions.variables(), ["WORKBOOKS_SESSIONS", "XDG_STATE_HOME"]);
    /// ```
    pub fn variables(self) -> Vec<&'static str> {
        let row = self.row();
        let general = match row.lies {
            Below(base, _) => vec![base.rule().0],
            In(other, _) => other.variables(),
            InApplication(_) => vec!["WORKBOOKS_HOME"],
        };
        row.variable.into_iter().chain(general).collect()
    }
}
