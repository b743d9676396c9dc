//! Components for tests: a world in WIT, and a module behind it that traps when called.

use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{LiftLowerAbi, ManglingAndAbi, Resolve};

/// A component of the only world in `wit`.
pub fn component(wit: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_source("test.wit", wit).expect("the WIT parses");
    let world = resolve.select_world(&[package], None).expect("the WIT has one world");
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync));
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("metadata fits");
    ComponentEncoder::default()
        .module(&module)
        .and_then(|encoder| encoder.validate(true).encode())
        .expect("the module is a component of its world")
}

/// A component whose world has these items, and these packages beside it.
pub fn with_packages(items: &str, packages: &str) -> Vec<u8> {
    component(&format!("package test:guest;\n{packages}\nworld guest {{ {items} }}"))
}

/// A component whose world has these items.
pub fn world(items: &str) -> Vec<u8> {
    with_packages(items, "")
}
