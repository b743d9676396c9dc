use wasmparser::component_types::ComponentEntityType;

use crate::read_type::TypeReader;
use crate::surface::Surface;
use crate::wit_type::Function;
use crate::{Nonconformance, World};

/// Whether the component fits the world `engine`.
///
/// It must export `run` and may import the Dock functions of that world, each with the right type, and any interface
/// of `wasi:*`. The findings come all at once: a missing export, undeclared imports, wrong types.
///
/// ```
/// use conformance::Nonconformance;
///
/// let empty_component = b"\0asm\x0d\0\x01\0";
/// let verdict = conformance::engine(empty_component);
/// assert_eq!(verdict, Err(Nonconformance::Findings(vec!["missing required export `run`".into()])));
/// ```
pub fn engine(bytes: &[u8]) -> Result<(), Nonconformance> {
    check(bytes, World::Engine)
}

/// Whether the component fits a world. Loading uses the widest, [`World::Dock`].
///
/// ```
/// use conformance::{Nonconformance, World};
///
/// let core_module = b"\0asm\x01\0\0\0";
/// assert_eq!(conformance::check(core_module, World::Dock), Err(Nonconformance::NotAComponent));
/// ```
pub fn check(bytes: &[u8], world: World) -> Result<(), Nonconformance> {
    let surface = Surface::read(bytes)?;
    let reader = TypeReader::new(&surface);
    let contract = world.contract();

    let missing = contract
        .exports
        .iter()
        .filter(|(name, _)| find(&surface.exports, name).is_none())
        .map(|(name, _)| format!("missing required export `{name}`"));
    let undeclared = dock_imports(&reader)
        .filter(|(name, _)| find(&contract.imports, name).is_none())
        .map(|(name, _)| format!("undeclared Dock import `{name}` (not in {})", world.label()));
    let wrong = |kind, name: &str, found: &ComponentEntityType, expected: &Function| {
        let fits = matches!(found, ComponentEntityType::Func(id) if reader.function(*id) == *expected);
        (!fits).then(|| {
            format!(
                "{kind} `{name}` has type {}, expected {expected}",
                reader.describe(found)
            )
        })
    };
    let wrong_exports = contract.exports.iter().filter_map(|(name, expected)| {
        let found = find(&surface.exports, name)?;
        wrong("export", name, found, expected)
    });
    let wrong_imports = dock_imports(&reader).filter_map(|(name, found)| {
        let expected = find(&contract.imports, name)?;
        wrong("import", name, found, expected)
    });

    let findings: Vec<String> = missing
        .chain(undeclared)
        .chain(wrong_exports)
        .chain(wrong_imports)
        .collect();
    if findings.is_empty() {
        Ok(())
    } else {
        Err(Nonconformance::Findings(findings))
    }
}

/// What the component asks of the Dock, by name, in its own order: everything it imports that is not `wasi:*`.
///
/// ```
/// let empty_component = b"\0asm\x0d\0\x01\0";
/// assert_eq!(conformance::imports(empty_component), Ok(vec![]));
/// ```
pub fn imports(bytes: &[u8]) -> Result<Vec<String>, Nonconformance> {
    let surface = Surface::read(bytes)?;
    let reader = TypeReader::new(&surface);
    Ok(dock_imports(&reader).map(|(name, _)| name.to_owned()).collect())
}

fn dock_imports<'a>(reader: &TypeReader<'a>) -> impl Iterator<Item = &'a (String, ComponentEntityType)> {
    let is_wasi = |name: &str, ty: &_| matches!(ty, ComponentEntityType::Instance(_)) && name.starts_with("wasi:");
    reader.demands().filter(move |(name, ty)| !is_wasi(name, ty))
}

fn find<'a, T>(items: &'a [(String, T)], name: &str) -> Option<&'a T> {
    items.iter().find(|(key, _)| key == name).map(|(_, item)| item)
}
