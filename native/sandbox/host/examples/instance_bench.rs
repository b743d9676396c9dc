//! How long one call of a component takes in plain wasmtime: a fresh instance from the pool, one `run`, the answer.
//! Nothing of this crate is in it, so the difference is what isolation, limits and the BEAM cost.
//!
//! `instance_bench COMPONENT [CALLS]` prints the median and the mean in nanoseconds.

use std::time::Instant;
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

struct State {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = args.first().ok_or("usage: instance_bench COMPONENT [CALLS]")?;
    let calls: usize = args.get(1).map_or(Ok(10_000), |n| n.parse())?;

    let mut config = Config::new();
    config.allocation_strategy(InstanceAllocationStrategy::pooling());
    let engine = Engine::new(&config)?;
    let component = Component::from_file(&engine, path)?;
    let mut linker = Linker::<State>::new(&engine);
    wasmtime_wasi::p2::add_to_linker_sync(&mut linker)?;
    let ready = linker.instantiate_pre(&component)?;

    let call = || -> wasmtime::Result<String> {
        let state = State {
            wasi: WasiCtx::builder().build(),
            table: ResourceTable::new(),
        };
        let mut store = Store::new(&engine, state);
        let instance = ready.instantiate(&mut store)?;
        let run = instance.get_typed_func::<(&str,), (String,)>(&mut store, "run")?;
        Ok(run.call(&mut store, ("hello",))?.0)
    };
    for _ in 0..calls / 10 {
        assert_eq!(call()?, "hello");
    }
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let start = Instant::now();
        call()?;
        times.push(start.elapsed().as_nanos());
    }
    times.sort_unstable();
    println!(
        "median {} mean {}",
        times[calls / 2],
        times.iter().sum::<u128>() / calls as u128
    );
    Ok(())
}
