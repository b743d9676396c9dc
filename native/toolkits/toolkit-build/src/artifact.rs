//! Whether an artifact fits its shape. What does not fit is never registered.

use crate::{Error, Foundry};
use conformance::World;
use host::{Cancel, Command, Limits, Transform};
use sha2::{Digest, Sha256};
use std::time::Duration;
use toolkit::{Manifest, Shape};

/// What a kernel gets to show that it starts.
const KERNEL: Limits = Limits {
    memory: 64 << 20,
    time: Duration::from_secs(5),
};

pub(crate) fn hex(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

pub(crate) fn fits(foundry: &Foundry, manifest: &Manifest, shape: Shape, wasm: &[u8]) -> Result<(), Error> {
    match shape {
        Shape::Command => {
            Command::load(&*(foundry.sandbox)()?, wasm)?;
        }
        Shape::Kernel => {
            let mut kernel = Transform::load((foundry.sandbox)()?, wasm, KERNEL)?;
            start(&mut kernel)?;
        }
        Shape::Component => conforms(manifest, wasm).map_err(|findings| Error::Unfit(findings.join("; ")))?,
        other => return Err(Error::NothingToBuild(other.name().to_owned())),
    }
    Ok(())
}

/// A kernel that cannot even take nothing would fail its first caller.
fn start(kernel: &mut Transform) -> Result<(), Error> {
    let run = || kernel.process(&[], &Cancel::default());
    let ran = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(host::STACK);
        match thread.spawn_scoped(scope, run) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|_| Err(host::Error::Trap("the host panicked".into()))),
            Err(e) => Err(host::Error::Engine(e.to_string())),
        }
    });
    ran.map(drop).map_err(Error::from)
}

/// Holds a component against the world that its manifest names.
pub(crate) fn conforms(manifest: &Manifest, wasm: &[u8]) -> Result<(), Vec<String>> {
    let name = manifest.wit.as_deref().unwrap_or("engine");
    let world = World::from_name(name).ok_or_else(|| vec![format!("there is no world `{name}`")])?;
    conformance::check(wasm, world).map_err(|found| match found {
        conformance::Nonconformance::NotAComponent => vec!["it is not a component".to_owned()],
        conformance::Nonconformance::Findings(findings) => findings,
    })
}
