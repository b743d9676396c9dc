use std::sync::LazyLock;

use wasmparser::component_types::{ComponentAnyTypeId, ComponentEntityType};
use wit_parser::Resolve;

use crate::read_type::TypeReader;
use crate::surface::{Items, Surface};
use crate::wit_type::Function;

const WIT: &str = include_str!("../../../../wit/engine.wit");

/// A world of `wit/engine.wit`: what a component may import, and what it must export.
///
/// ```
/// use conformance::World;
///
/// assert_eq!(World::from_name("engine-llm"), Some(World::EngineLlm));
/// assert_eq!(World::from_name("everything"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// What every component may count on.
    Engine,
    /// `engine` and `llm-complete`.
    EngineLlm,
    /// `engine` and `browse-fetch`.
    EngineBrowse,
    /// `engine` and `run-command-many`.
    EngineParallel,
    /// The widest: every Dock function there is.
    Dock,
}

impl World {
    /// Every world, the narrowest first.
    pub const ALL: [World; 5] = [
        World::Engine,
        World::EngineLlm,
        World::EngineBrowse,
        World::EngineParallel,
        World::Dock,
    ];

    /// The name of the world in `wit/engine.wit`.
    pub fn name(self) -> &'static str {
        match self {
            World::Engine => "engine",
            World::EngineLlm => "engine-llm",
            World::EngineBrowse => "engine-browse",
            World::EngineParallel => "engine-parallel",
            World::Dock => "dock",
        }
    }

    /// The world of that name.
    pub fn from_name(name: &str) -> Option<World> {
        World::ALL.into_iter().find(|world| world.name() == name)
    }

    /// How a finding names the world. What is outside `dock` is outside the whole package.
    pub(crate) fn label(self) -> String {
        match self {
            World::Engine | World::Dock => "workbooks:engine".to_owned(),
            other => format!("workbooks:engine/{}", other.name()),
        }
    }

    pub(crate) fn contract(self) -> &'static Contract {
        static CONTRACTS: LazyLock<Vec<Contract>> =
            LazyLock::new(|| World::ALL.iter().map(|world| Contract::of(world.name())).collect());
        &CONTRACTS[self as usize]
    }
}

/// The functions of a world, by name, in the order of the file.
pub(crate) struct Contract {
    pub(crate) imports: Vec<(String, Function)>,
    pub(crate) exports: Vec<(String, Function)>,
}

impl Contract {
    /// Encodes the WIT and reads it back, so that one reader sees both the contract and the component.
    fn of(world: &str) -> Self {
        let mut resolve = Resolve::default();
        let package = resolve.push_source("engine.wit", WIT).expect("wit/engine.wit parses");
        let bytes = wit_component::encode(&resolve, package).expect("wit/engine.wit encodes");
        let package = Surface::read(&bytes).expect("an encoded package is a component");
        let surface = open_world(package, world).expect("wit/engine.wit has the world");
        let reader = TypeReader::new(&surface);
        let functions = |items: &Items| {
            items
                .iter()
                .map(|(name, ty)| match ty {
                    ComponentEntityType::Func(id) => (name.clone(), reader.function(*id)),
                    _ => panic!("a world of wit/engine.wit has functions only"),
                })
                .collect()
        };
        Contract {
            imports: functions(&surface.imports),
            exports: functions(&surface.exports),
        }
    }
}

/// An encoded package exports each world as a component type that wraps the world's own.
fn open_world(package: Surface, world: &str) -> Option<Surface> {
    let (_, entity) = package.exports.iter().find(|(name, _)| name == world)?;
    let ComponentEntityType::Type {
        created: ComponentAnyTypeId::Component(wrapper),
        ..
    } = *entity
    else {
        return None;
    };
    let wrapped = package.types[wrapper].exports.values().next()?.ty;
    let ComponentEntityType::Component(id) = wrapped else {
        return None;
    };
    Some(package.declared(id))
}

#[cfg(test)]
mod tests {
    use super::{WIT, World};

    #[test]
    fn each_world_that_can_be_run_has_a_variant() {
        let mut of_the_file: Vec<&str> = WIT
            .lines()
            .filter_map(|line| line.strip_prefix("world ")?.strip_suffix(" {"))
            .collect();
        of_the_file.retain(|world| !["llm", "browse", "parallel"].contains(world));
        assert_eq!(of_the_file, World::ALL.map(World::name));
    }

    #[test]
    fn a_world_has_the_functions_of_the_specification() {
        const ENGINE: [&str; 3] = [
            "session-info: func() -> string",
            "vfs-query: func(sql: string) -> result<string, string>",
            "run-command: func(name: string, argv: list<string>, stdin: string) -> result<string, string>",
        ];
        const LLM: &str = "llm-complete: func(prompt: string) -> result<string, string>";
        const BROWSE: &str = "browse-fetch: func(url: string) -> result<string, string>";
        const PARALLEL: &str =
            "run-command-many: func(name: string, inputs: list<string>) -> list<result<string, string>>";
        for (world, more) in [
            (World::Engine, &[][..]),
            (World::EngineLlm, &[LLM]),
            (World::EngineBrowse, &[BROWSE]),
            (World::EngineParallel, &[PARALLEL]),
            (World::Dock, &[LLM, BROWSE, PARALLEL]),
        ] {
            let print = |functions: &[(String, super::Function)]| {
                let mut lines: Vec<_> = functions.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                lines.sort();
                lines
            };
            let mut expected = [&ENGINE[..], more].concat();
            expected.sort();
            assert_eq!(print(&world.contract().imports), expected, "{world:?}");
            assert_eq!(
                print(&world.contract().exports),
                ["run: func(input: string) -> string"],
                "{world:?}"
            );
        }
    }
}
