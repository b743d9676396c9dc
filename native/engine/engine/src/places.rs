//! Where things are: the rule, written once.

use crate::application;
use crate::place::{Lies, Place};
use crate::{Environment, Error};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Where things are, for one environment and one configuration. A place is worked out when it is asked for, so a user
/// without a HOME is refused only what needs one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    environment: Environment,
    given: BTreeMap<Place, PathBuf>,
    without: BTreeSet<Place>,
}

impl Places {
    /// The places of an environment.
    pub fn new(environment: Environment) -> Places {
        Places {
            environment,
            given: BTreeMap::new(),
            without: BTreeSet::new(),
        }
    }

    /// The places of this process.
    pub fn of_process() -> Places {
        Places::new(Environment::of_process())
    }

    /// The same, with one that a configuration gives.
    ///
    /// ```
    /// use engine::{Place, Places};
    ///
    /// let places = Places::default().give(Place::Data, "/srv/data");
    /// assert_eq!(places.get(Place::Cold)?.to_str(), Some("/srv/data/cold"));
    /// # Ok::<(), engine::Error>(())
    /// ```
    #[must_use]
    pub fn give(mut self, place: Place, path: impl Into<PathBuf>) -> Places {
        self.given.insert(place, path.into());
        self
    }

    /// The same without one, and without what would lie in it. What needs it is refused.
    ///
    /// ```
    /// use engine::{Place, Places};
    ///
    /// let places = Places::of_process().without(Place::Data);
    /// assert_eq!(places.get(Place::Data).unwrap_err().code(), "no_data_dir");
    /// assert_eq!(places.get(Place::Cold).unwrap_err().code(), "no_data_dir");
    /// ```
    #[must_use]
    pub fn without(mut self, place: Place) -> Places {
        self.without.insert(place);
        self
    }

    /// Where it is: where the configuration says, else where its own variable says, else where the table says.
    ///
    /// ```
    /// use engine::{Place, Places};
    ///
    /// let error = Places::default().get(Place::History).unwrap_err();
    /// assert_eq!(error.code(), "bad_option");
    /// assert!(error.hint().contains("history_dir"));
    /// ```
    pub fn get(&self, place: Place) -> Result<PathBuf, Error> {
        if self.without.contains(&place) {
            return Err(Error::Without(place));
        }
        let row = place.row();
        let named = || self.environment.path(row.variable?);
        if let Some(path) = self.given.get(&place).cloned().or_else(named) {
            return Ok(path);
        }
        match row.lies {
            Lies::In(other, name) => Ok(self.get(other)?.join(name)),
            Lies::InApplication(name) => Ok(self.application()?.join(name)),
            Lies::Below(base, name) => {
                let (variable, below_home) = base.rule();
                let below = || Some(self.environment.absolute("HOME")?.join(below_home));
                let base = self.environment.absolute(variable).or_else(below);
                base.map(|base| base.join(name))
                    .ok_or(Error::NoDirectory { place, variable })
            }
        }
    }

    /// The built application, which holds the BEAM's code and what came with it.
    pub fn application(&self) -> Result<PathBuf, Error> {
        application::find(&self.environment)
    }

    /// The directory of toolkits that the environment names; without one they are looked for near the work.
    pub fn toolkits_root(&self) -> Option<PathBuf> {
        self.environment.path("WB_TOOLKITS_ROOT")
    }
}
