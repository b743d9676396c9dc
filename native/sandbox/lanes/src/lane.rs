//! The lanes, one file each, and what they have in common.

mod c;
mod js;
mod python;
mod ts;

use crate::project::Project;
use crate::toolbox::Site;
use crate::{Error, Order};

/// One build under way.
pub(crate) struct Build<'a> {
    pub order: &'a Order,
    pub project: &'a Project,
    pub site: Site<'a>,
}

/// What a source that is one text is called.
pub(crate) fn file_name(lang: &str) -> &'static str {
    match lang {
        "c" => "main.c",
        "js" => "main.js",
        "python" => "main.py",
        "ts" => "main.ts",
        _ => "main",
    }
}

/// The tools of a lane that run during a build.
pub(crate) fn compilers(lang: &str) -> &'static [&'static str] {
    match lang {
        "c" => &["clang.wasm"],
        "js" => &["qjs.wasm"],
        "python" => &["python.wasm"],
        "ts" => &["ts.wasm", "qjs.wasm"],
        _ => &[],
    }
}

/// Builds by the lane of that language.
pub(crate) fn build(lang: &str, build: &Build) -> Result<Vec<u8>, Error> {
    match lang {
        "c" => c::build(build),
        "js" => js::build(build),
        "python" => python::build(build),
        "ts" => ts::build(build),
        _ => Err(Error::Unavailable {
            lang: lang.to_owned(),
            what_to_do: lane_table::what_to_do(lang).to_owned(),
        }),
    }
}

/// The capabilities of an order that bring a Dock function, in the order of the engines' names.
pub(crate) fn uses(order: &Order) -> Vec<&'static str> {
    let named = |capability: &&str| order.uses.iter().any(|name| name == capability);
    ["vfs", "commands"].into_iter().filter(named).collect()
}
