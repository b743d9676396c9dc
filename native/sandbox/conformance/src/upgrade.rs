use std::collections::HashMap;

use wasmparser::component_types::{ComponentAnyTypeId, ComponentEntityType, ComponentInstanceTypeId};

use crate::read_type::TypeReader;
use crate::subtype::{Mismatch, mismatches};
use crate::surface::{Items, Surface};
use crate::version::track;
use crate::wit_type::{Function, Type};
use crate::{Level, Nonconformance, UpgradeFinding};

/// What breaks for those who use `old` when `new` takes its place. An empty list means that nothing does.
///
/// Exports may grow, never shrink; imports may shrink, never grow. A function keeps its parameters by name and order.
/// What a caller sends must still be readable, and what it reads must still be sent, by WIT subtyping. Versions of an
/// interface that semver calls compatible are the same interface.
///
/// ```
/// let empty_component = b"\0asm\x0d\0\x01\0";
/// assert_eq!(conformance::check_upgrade(empty_component, empty_component), Ok(vec![]));
/// ```
pub fn check_upgrade(old: &[u8], new: &[u8]) -> Result<Vec<UpgradeFinding>, Nonconformance> {
    let old_surface = Surface::read(old)?;
    let new_surface = Surface::read(new)?;
    if old == new {
        return Ok(Vec::new());
    }
    let (old, new) = (TypeReader::new(&old_surface), TypeReader::new(&new_surface));
    let mut exports = Comparison::new(&old, &new, Side::Giver);
    exports.all(old_surface.exports.iter(), &new_surface.exports);
    let mut imports = Comparison::new(&new, &old, Side::Taker);
    imports.all(new.demands(), &old_surface.imports);
    Ok([exports.findings, imports.findings].concat())
}

const BYTES_OF_PATHS: usize = 16 * 1024 * 1024;

/// Which part the new component plays: it gives its exports, and takes its imports.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Giver,
    Taker,
}

/// One walk serves both ways. Callers count on what an old export promised; a new component counts on its imports,
/// and its host gives what the old component asked for.
struct Comparison<'a> {
    promised: &'a TypeReader<'a>,
    given: &'a TypeReader<'a>,
    new_is: Side,
    findings: Vec<UpgradeFinding>,
    left_for_paths: Option<usize>,
}

impl<'a> Comparison<'a> {
    fn new(promised: &'a TypeReader<'a>, given: &'a TypeReader<'a>, new_is: Side) -> Self {
        Self {
            promised,
            given,
            new_is,
            findings: Vec::new(),
            left_for_paths: Some(BYTES_OF_PATHS),
        }
    }

    fn all(&mut self, promised: impl Iterator<Item = &'a (String, ComponentEntityType)>, given: &Items) {
        let mut index: HashMap<&str, &ComponentEntityType> = HashMap::new();
        for (name, ty) in given {
            index.entry(track(name)).or_insert(ty);
        }
        index.extend(given.iter().map(|(name, ty)| (name.as_str(), ty)));
        for (name, promised) in promised {
            let given = index.get(name.as_str()).or_else(|| index.get(track(name))).copied();
            self.item(name, promised, given);
        }
    }

    fn item(&mut self, path: &str, promised: &ComponentEntityType, given: Option<&ComponentEntityType>) {
        use ComponentEntityType::{Func, Instance, Type};
        let Some(given) = given else {
            if self.new_is == Side::Giver || !is_only_a_name(promised) {
                self.missing(path, promised);
            }
            return;
        };
        match (promised, given) {
            (Func(promised), Func(given)) => {
                let (promised, given) = (self.promised.function(*promised), self.given.function(*given));
                self.function(path, &promised, &given);
            }
            (Instance(promised), Instance(given)) => self.interface(path, *promised, *given),
            // The functions that use a type speak for it.
            (Type { .. }, Type { .. }) if is_only_a_name(promised) == is_only_a_name(given) => {}
            _ => {
                let why = "what it is cannot be compared, or is no longer the same".to_owned();
                let (promised, given) = (self.promised.describe(promised), self.given.describe(given));
                self.report(path, Some(promised), Some(given), why);
            }
        }
    }

    fn interface(&mut self, path: &str, promised: ComponentInstanceTypeId, given: ComponentInstanceTypeId) {
        let (promised, given) = (self.promised.interface(promised), self.given.interface(given));
        for (name, item) in promised {
            let given = given.get(name).map(|item| &item.ty);
            if self.pay(path.len()) {
                self.item(&format!("{path}.{name}"), &item.ty, given);
            }
        }
    }

    fn function(&mut self, path: &str, promised: &Function, given: &Function) {
        if promised.is_async != given.is_async {
            let why = "a function cannot become async, or cease to be".to_owned();
            self.report(path, Some(promised.to_string()), Some(given.to_string()), why);
            return;
        }
        let count = promised.params.len().max(given.params.len());
        for position in 0..count {
            self.param(path, promised.params.get(position), given.params.get(position));
        }
        let path = format!("{path}.result");
        match (&given.result, &promised.result) {
            (None, None) => {}
            (Some(sent), Some(read)) => self.values(&path, sent, read, Sender::Given),
            (sent, read) => {
                let why = if read.is_some() {
                    "a result is read and none is sent"
                } else {
                    "a result is sent and none is read"
                };
                self.report(&path, text(read), text(sent), why.to_owned());
            }
        }
    }

    /// Parameters are positional: at one position both sides must name the same.
    fn param(&mut self, path: &str, promised: Option<&(String, Type)>, given: Option<&(String, Type)>) {
        match (promised, given) {
            (Some((sent_name, sent)), Some((read_name, read))) if sent_name == read_name => {
                let path = format!("{path}.param.{sent_name}");
                self.values(&path, sent, read, Sender::Promised);
            }
            (promised, given) => {
                if let Some((name, ty)) = promised {
                    let why = "callers pass it here and it is not taken here".to_owned();
                    self.report(&format!("{path}.param.{name}"), Some(ty.to_string()), None, why);
                }
                if let Some((name, ty)) = given {
                    let why = "it is taken here and callers do not pass it here".to_owned();
                    self.report(&format!("{path}.param.{name}"), None, Some(ty.to_string()), why);
                }
            }
        }
    }

    fn missing(&mut self, path: &str, promised: &ComponentEntityType) {
        let why = match self.new_is {
            Side::Giver => "exports may grow, never shrink: its users lose it",
            Side::Taker => "imports may shrink, never grow: a host of the old component need not provide it",
        };
        let promised = self.promised.describe(promised);
        self.report(path, Some(promised), None, why.to_owned());
    }

    fn values(&mut self, path: &str, sent: &Type, read: &Type, sender: Sender) {
        for Mismatch {
            within,
            sent,
            read,
            why,
        } in mismatches(sent, read)
        {
            let (promised, given) = match sender {
                Sender::Promised => (sent, read),
                Sender::Given => (read, sent),
            };
            self.report(&format!("{path}{within}"), promised, given, why);
        }
    }

    fn report(&mut self, path: &str, promised: Option<String>, given: Option<String>, why: String) {
        if !self.pay(path.len()) {
            return;
        }
        let (was, now) = match self.new_is {
            Side::Giver => (promised, given),
            Side::Taker => (given, promised),
        };
        let level = if self.new_is == Side::Taker && path.starts_with("wasi:") {
            Level::Warning
        } else {
            Level::Error
        };
        let path = path.to_owned();
        self.findings.push(UpgradeFinding {
            path,
            was,
            now,
            why,
            level,
        });
    }

    /// Long names over many members would fill the memory with paths. The last finding says that they did not.
    fn pay(&mut self, bytes: usize) -> bool {
        let Some(left) = self.left_for_paths else {
            return false;
        };
        self.left_for_paths = left.checked_sub(bytes);
        if self.left_for_paths.is_none() {
            self.findings.push(UpgradeFinding {
                path: "..".to_owned(),
                was: None,
                now: None,
                why: "there is more here than can be compared".to_owned(),
                level: Level::Error,
            });
        }
        self.left_for_paths.is_some()
    }
}

/// Who sends the value that is compared: the side of the caller's promise, or the side of what is given.
enum Sender {
    Promised,
    Given,
}

/// A type that is no resource: it gives a name to a shape and asks nothing of the host.
fn is_only_a_name(ty: &ComponentEntityType) -> bool {
    match ty {
        ComponentEntityType::Type { created, .. } => !matches!(created, ComponentAnyTypeId::Resource(_)),
        _ => false,
    }
}

fn text(ty: &Option<Type>) -> Option<String> {
    ty.as_ref().map(ToString::to_string)
}
