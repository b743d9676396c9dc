//! The few variables that say where things are, read once.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// Every variable that says where something is. The BEAM has an environment of its own (`System.put_env/2` changes no
/// other), so it hands over the values of these.
pub const VARIABLES: [&str; 7] = [
    "HOME",
    "WB_TOOLKITS_ROOT",
    "WORKBOOKS_HOME",
    "WORKBOOKS_SESSIONS",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// What [`VARIABLES`] were when it was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    values: BTreeMap<String, OsString>,
    /// The running program, which may lie near the application.
    program: Option<PathBuf>,
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Environment {
        let values = VARIABLES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), env::var_os(name)?)));
        Environment {
            values: values.collect(),
            program: env::current_exe().ok(),
        }
    }

    /// A value. An empty one counts as none.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let value = self.values.get(name).filter(|value| !value.is_empty())?;
        Some(PathBuf::from(value))
    }

    /// A value that is an absolute path; the freedesktop rules have every other ignored.
    pub(crate) fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.path(name).filter(|path| path.is_absolute())
    }

    pub(crate) fn program(&self) -> Option<&PathBuf> {
        self.program.as_ref()
    }
}

impl<K: Into<String>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(values: I) -> Self {
        Environment {
            values: values
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            program: None,
        }
    }
}

impl<K: Into<String>, V: Into<OsString>, const N: usize> From<[(K, V); N]> for Environment {
    fn from(values: [(K, V); N]) -> Self {
        values.into_iter().collect()
    }
}
