//! From the validator's types to WIT's.

use std::cell::Cell;
use std::collections::HashMap;

use wasmparser::collections::IndexMap;
use wasmparser::component_types::{
    AliasableResourceId, ComponentAnyTypeId, ComponentDefinedType, ComponentEntityType, ComponentFuncTypeId,
    ComponentInstanceTypeId, ComponentItem, ComponentValType, ResourceId,
};

use crate::surface::Surface;
use crate::version::track;
use crate::wit_type::{Function, Payload, Resource, Type};

/// A component's types share their parts, and written out they can be far larger than the component. One unit pays for
/// one type or one byte of a name.
const BUDGET_OF_A_FUNCTION: usize = 32 * 1024;
const BUDGET_OF_A_COMPONENT: usize = 8 * 1024 * 1024;

pub(crate) struct TypeReader<'a> {
    surface: &'a Surface,
    resources: HashMap<ResourceId, Resource>,
    left_of_component: Cell<usize>,
    left_of_function: Cell<usize>,
}

impl<'a> TypeReader<'a> {
    pub(crate) fn new(surface: &'a Surface) -> Self {
        Self {
            surface,
            resources: resources(surface),
            left_of_component: Cell::new(BUDGET_OF_A_COMPONENT),
            left_of_function: Cell::new(0),
        }
    }

    /// The imports that a host must provide. A type that the root only names is none; a resource of its own is.
    pub(crate) fn demands(&self) -> impl Iterator<Item = &'a (String, ComponentEntityType)> {
        self.surface.imports.iter().filter(|(_, ty)| match ty {
            ComponentEntityType::Type {
                created: ComponentAnyTypeId::Resource(id),
                ..
            } => {
                let home = self.resources.get(&id.resource());
                home.is_none_or(|resource| resource.interface.is_empty())
            }
            ComponentEntityType::Type { .. } => false,
            _ => true,
        })
    }

    pub(crate) fn function(&self, id: ComponentFuncTypeId) -> Function {
        let granted = BUDGET_OF_A_FUNCTION.min(self.left_of_component.get());
        self.left_of_function.set(granted);
        let ty = &self.surface.types[id];
        let params = ty
            .params
            .iter()
            .map(|(name, ty)| (self.name(name), self.value(ty)))
            .collect();
        let result = ty.result.as_ref().map(|ty| self.value(ty));
        let spent = granted - self.left_of_function.get();
        self.left_of_component.set(self.left_of_component.get() - spent);
        Function {
            is_async: ty.async_,
            params,
            result,
        }
    }

    /// The members of an interface.
    pub(crate) fn interface(&self, id: ComponentInstanceTypeId) -> &'a IndexMap<String, ComponentItem> {
        &self.surface.types[id].exports
    }

    /// An item's type in a word or, for a function, in full.
    pub(crate) fn describe(&self, ty: &ComponentEntityType) -> String {
        match ty {
            ComponentEntityType::Func(id) => self.function(*id).to_string(),
            ComponentEntityType::Instance(_) => "interface".to_owned(),
            ComponentEntityType::Type {
                created: ComponentAnyTypeId::Resource(_),
                ..
            } => "resource".to_owned(),
            ComponentEntityType::Type { .. } => "type".to_owned(),
            ComponentEntityType::Module(_) => "core module".to_owned(),
            ComponentEntityType::Component(_) => "component".to_owned(),
            ComponentEntityType::Value(_) => "value".to_owned(),
        }
    }

    fn value(&self, ty: &ComponentValType) -> Type {
        if !self.pay(1) {
            return Type::Unreadable;
        }
        let ty = match ty {
            ComponentValType::Primitive(primitive) => Type::Primitive(*primitive),
            ComponentValType::Type(id) => self.defined(&self.surface.types[*id]),
        };
        // What was read with an empty purse has holes.
        if self.left_of_function.get() == 0 {
            Type::Unreadable
        } else {
            ty
        }
    }

    fn defined(&self, ty: &ComponentDefinedType) -> Type {
        match ty {
            ComponentDefinedType::Primitive(primitive) => Type::Primitive(*primitive),
            ComponentDefinedType::List { element, .. } => Type::List(Box::new(self.value(element))),
            ComponentDefinedType::Option { ty, .. } => Type::Option(Box::new(self.value(ty))),
            ComponentDefinedType::Result { ok, err, .. } => Type::Result(self.payload(ok), self.payload(err)),
            ComponentDefinedType::Tuple(tuple) => Type::Tuple(tuple.types.iter().map(|ty| self.value(ty)).collect()),
            ComponentDefinedType::Record(record) => Type::Record(
                record
                    .fields
                    .iter()
                    .map(|(name, ty)| (self.name(name), self.value(ty)))
                    .collect(),
            ),
            ComponentDefinedType::Variant(variant) => Type::Variant(
                variant
                    .cases
                    .iter()
                    .map(|(name, case)| (self.name(name), self.payload(&case.ty)))
                    .collect(),
            ),
            ComponentDefinedType::Enum(names) => Type::Enum(names.iter().map(|name| self.name(name)).collect()),
            ComponentDefinedType::Flags(names) => Type::Flags(names.iter().map(|name| self.name(name)).collect()),
            ComponentDefinedType::Own(id) => self.resource(id).map_or(Type::Unreadable, Type::Own),
            ComponentDefinedType::Borrow(id) => self.resource(id).map_or(Type::Unreadable, Type::Borrow),
            ComponentDefinedType::Stream { ty, .. } => Type::Stream(self.payload(ty)),
            ComponentDefinedType::Future { ty, .. } => Type::Future(self.payload(ty)),
            ComponentDefinedType::Map { .. } | ComponentDefinedType::FixedLengthList { .. } => Type::Unreadable,
        }
    }

    fn payload(&self, ty: &Option<ComponentValType>) -> Payload {
        ty.as_ref().map(|ty| Box::new(self.value(ty)))
    }

    fn resource(&self, id: &AliasableResourceId) -> Option<Resource> {
        let resource = self.resources.get(&id.resource())?;
        self.pay(resource.interface.len() + resource.name.len())
            .then(|| resource.clone())
    }

    fn name(&self, name: &str) -> String {
        if self.pay(name.len()) {
            name.to_owned()
        } else {
            String::new()
        }
    }

    fn pay(&self, units: usize) -> bool {
        let left = self.left_of_function.get().checked_sub(units);
        self.left_of_function.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Where each resource is named first: imports come in the order of their dependencies, so that is its home.
fn resources(surface: &Surface) -> HashMap<ResourceId, Resource> {
    let mut resources = HashMap::new();
    let mut note = |interface: &str, name: &str, ty: &ComponentEntityType| {
        if let ComponentEntityType::Type {
            created: ComponentAnyTypeId::Resource(id),
            ..
        } = ty
        {
            resources.entry(id.resource()).or_insert_with(|| Resource {
                interface: track(interface).to_owned(),
                name: name.to_owned(),
            });
        }
    };
    for (name, ty) in surface.imports.iter().chain(&surface.exports) {
        note("", name, ty);
        if let ComponentEntityType::Instance(id) = ty {
            for (member, item) in &surface.types[*id].exports {
                note(name, member, &item.ty);
            }
        }
    }
    resources
}
