//! Where a component comes from, as the BEAM says it: `{:file, path}` or `{:bytes, binary}`.

use crate::failure::Failure;
use host::Source;
use rustler::{Binary, NifTaggedEnum};
use std::borrow::Cow;

/// A component in a job's arguments.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
pub(crate) enum Component<'a> {
    File(String),
    Bytes(Binary<'a>),
}

impl<'a> Component<'a> {
    /// The component for whoever keeps it.
    pub(crate) fn source(&self) -> Source {
        match self {
            Component::File(path) => Source::File(path.into()),
            Component::Bytes(bytes) => Source::Bytes(bytes.as_slice().into()),
        }
    }

    /// Its bytes, for a look.
    pub(crate) fn bytes(&self) -> Result<Cow<'_, [u8]>, Failure> {
        match self {
            Component::File(path) => Ok(host::read_component(path.as_ref())?.into()),
            Component::Bytes(bytes) => Ok(bytes.as_slice().into()),
        }
    }
}
