//! What stands beside a guest while it runs.

use super::call::Dock;
use super::grant::{Capability, Grant};
use super::output::Output;
use crate::guest::Guest;
use std::future::ready;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

/// The data of a guest's store.
pub(crate) struct State {
    pub(super) guest: Guest,
    /// A command has none.
    dock: Option<Dock>,
    wasi: WasiCtx,
    table: ResourceTable,
}

impl State {
    pub fn new(guest: Guest, dock: Option<Dock>, wasi: WasiCtx) -> State {
        State {
            guest,
            dock,
            wasi,
            table: ResourceTable::new(),
        }
    }
}

impl State {
    /// The Dock of this call. Dock functions are linked only into guests that have one.
    pub fn dock(&self) -> &Dock {
        self.dock.as_ref().expect("linked with a dock")
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// WASI as this grant has it: no directory, no environment, no arguments, stdio of its own; sockets and names only
/// where they are granted.
pub(super) fn builder(grant: Grant, stdout: Output, stderr: Output) -> WasiCtxBuilder {
    let (tcp, udp) = (grant.has(Capability::Tcp), grant.has(Capability::Udp));
    let mut builder = WasiCtx::builder();
    builder
        .stdout(stdout)
        .stderr(stderr)
        .allow_tcp(tcp)
        .allow_udp(udp)
        .allow_ip_name_lookup(grant.web());
    if tcp || udp {
        builder.socket_addr_check(|_, _| Box::pin(ready(true)));
    }
    builder
}
