//! The entries of these verbs in the table.

use super::{local, serve, status, stop};
use crate::{
    exit::Exit,
    verb::{Does::Work, Example, Flag, Verb},
};

const PORT: Flag = Flag::new("port", "The port; without it a free one").taking_text("N");

const STARTING: &[Exit] = &[Exit::Ok, Exit::Other, Exit::Usage, Exit::Unreachable, Exit::Conflict];

pub const SERVE: Verb = Verb {
    name: "serve",
    summary: "Start an engine that answers over HTTP and WebSocket",
    details: "\
It owns the data directory, runs schedules, and answers on this machine until ^C. Its
address and its own token are in runtime.json, where wbx finds them. An address beyond
this machine needs TLS or a proxy, and so the configuration of an application:
docs/server.md.",
    arguments: &[],
    flags: &[
        PORT,
        Flag::new("bind", "The IP address; 127.0.0.1 by default").taking_text("IP"),
        Flag::new("detach", "Start it in the background, as `deploy local` does"),
    ],
    exits: STARTING,
    examples: &[
        Example::new("wbx serve --port 123456", Exit::Usage),
        Example::new("wbx serve --detach --bind 192.0.2.1", Exit::Usage),
    ],
    does: Work(serve),
};

pub const LOCAL: Verb = Verb {
    name: "deploy local",
    summary: "Start an engine in the background, and wait until it answers",
    details: "One that runs already is left as it is, and shown.",
    arguments: &[],
    flags: &[PORT],
    exits: STARTING,
    examples: &[Example::new("wbx deploy local", Exit::Ok)],
    does: Work(local),
};

pub const STATUS: Verb = Verb {
    name: "deploy status",
    summary: "Say where the engine of this machine is",
    details: "",
    arguments: &[],
    flags: &[],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::Unreachable],
    examples: &[Example::new("wbx deploy status", Exit::Ok)],
    does: Work(status),
};

pub const STOP: Verb = Verb {
    name: "deploy stop",
    summary: "Stop the engine of this machine, when it has answered what is under way",
    details: "",
    arguments: &[],
    flags: &[],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::Unreachable],
    examples: &[
        Example::new("wbx deploy stop", Exit::Ok),
        Example::new("wbx deploy stop", Exit::Unreachable),
    ],
    does: Work(stop),
};
