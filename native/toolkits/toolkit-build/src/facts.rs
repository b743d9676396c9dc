//! A look at the world, for a verification.

use crate::artifact::conforms;
use crate::{Error, Foundry};
use conformance::World;
use std::collections::BTreeSet;
use std::env;
use toolkit::{Facts, Shape, Toolkit};

impl Foundry {
    /// What is known of the world that concerns this toolkit.
    pub(crate) fn facts(&self, toolkit: &Toolkit) -> Result<Facts, Error> {
        let manifest = toolkit.manifest();
        // Without the engine's commands there is no word that the shell carries: recipes fail then, and rightly.
        let registry = (self.registry)().ok();
        let words = registry.as_ref().and_then(|registry| shell::words(registry).ok());
        let commands = registry.as_ref().and_then(|registry| registry.registered().ok());
        let lanes = match manifest.exec.filter(|shape| shape.is_built()) {
            Some(shape) => (self.lanes)().map(|lanes| lanes.ready(shape)).unwrap_or_default(),
            None => Vec::new(),
        };
        let component = match manifest.exec {
            Some(Shape::Component) => match self.components().get(toolkit.id()) {
                Ok((_, wasm)) => Some(conforms(manifest, &wasm)),
                Err(Error::NotRegistered { .. }) => None,
                Err(error) => Some(Err(vec![error.to_string()])),
            },
            _ => None,
        };
        Ok(Facts {
            profiles: self.profiles(),
            words: words.unwrap_or_default(),
            commands: commands.unwrap_or_default(),
            kernels: self.sound_kernels()?,
            component,
            worlds: World::ALL.iter().map(|world| world.name().to_owned()).collect(),
            lanes: BTreeSet::from_iter(lanes),
            posix: self.posix,
            on_path: manifest.cli_bin.as_deref().and_then(on_path),
        })
    }

    /// A kernel whose artifact is not what was registered counts for nothing.
    fn sound_kernels(&self) -> Result<BTreeSet<String>, Error> {
        let shelf = self.kernels();
        let names = shelf.entries()?.into_keys();
        Ok(names.filter(|name| shelf.get(name).is_ok()).collect())
    }
}

fn on_path(name: &str) -> Option<String> {
    let path = env::var_os("PATH")?;
    let mut places = env::split_paths(&path).map(|dir| dir.join(name));
    places
        .find(|file| file.is_file())
        .map(|file| file.display().to_string())
}
