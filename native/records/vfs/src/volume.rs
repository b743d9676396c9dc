//! The three volumes of a disk.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// A part of the disk with its own names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Volume {
    /// What the workbook is working on.
    #[default]
    Workspace,
    /// What a component wants to find again after an upgrade.
    Memory,
    /// What may vanish when the workbook resumes.
    Tmp,
}

impl Volume {
    /// Every volume, in the order of the documentation.
    pub const ALL: [Volume; 3] = [Volume::Workspace, Volume::Memory, Volume::Tmp];

    /// The name in the `volume` column.
    pub const fn name(self) -> &'static str {
        match self {
            Volume::Workspace => "workspace",
            Volume::Memory => "memory",
            Volume::Tmp => "tmp",
        }
    }
}

impl fmt::Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Volume {
    type Err = Error;

    /// ```
    /// use vfs::Volume;
    /// assert_eq!("memory".parse::<Volume>(), Ok(Volume::Memory));
    /// assert_eq!("Memory".parse::<Volume>().unwrap_err().code(), "unknown_volume");
    /// ```
    fn from_str(name: &str) -> Result<Self, Error> {
        Volume::ALL
            .into_iter()
            .find(|volume| volume.name() == name)
            .ok_or_else(|| Error::UnknownVolume {
                name: crate::error::shorten(name),
            })
    }
}
