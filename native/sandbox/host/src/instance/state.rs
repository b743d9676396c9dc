//! What stands beside a guest while it runs.

use super::call::Dock;
use super::grant::{Capability, Grant};
use crate::guest::Guest;
use fence::Fence;
use std::future::ready;
use std::sync::Arc;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

/// The data of a guest's store.
pub(crate) struct State {
    pub(crate) guest: Guest,
    /// A command has none.
    dock: Option<Dock>,
    /// Around the directory of a command.
    pub(crate) fence: Option<Arc<Fence>>,
    wasi: WasiCtx,
    table: ResourceTable,
}

impl State {
    /// For a command: there is no Dock.
    pub fn new(guest: Guest, wasi: WasiCtx) -> State {
        State {
            guest,
            dock: None,
            fence: None,
            wasi,
            table: ResourceTable::new(),
        }
    }

    /// For a guest of the Dock.
    pub(super) fn docked(guest: Guest, dock: Dock, wasi: WasiCtx) -> State {
        State {
            dock: Some(dock),
            ..State::new(guest, wasi)
        }
    }

    /// The Dock of this call. Dock functions are linked only into guests that have one.
    pub(super) fn dock(&self) -> &Dock {
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

/// WASI as this grant has it: no directory, no environment, no arguments, no stdio; sockets and names only where they
/// are granted.
pub(crate) fn wasi_context(grant: Grant) -> WasiCtxBuilder {
    let (tcp, udp) = (grant.has(Capability::Tcp), grant.has(Capability::Udp));
    let mut builder = WasiCtx::builder();
    builder.allow_tcp(tcp).allow_udp(udp).allow_ip_name_lookup(grant.web());
    if tcp || udp {
        builder.socket_addr_check(|_, _| Box::pin(ready(true)));
    }
    builder
}
