//! The one wasmtime engine: what every guest has in common.

use crate::Error;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// How many guests can be alive at once.
pub const MAX_INSTANCES: u32 = 2_000;
/// The most memory any guest can ever be given, in bytes. Each call sets its own limit below this.
pub const MAX_MEMORY: usize = 512 << 20;

/// Wasm frames live on the worker's own stack; [`crate::Workers`] leaves ample room below.
const MAX_WASM_STACK: usize = 8 << 20;
/// A guest that waits for the host runs on a stack of its own, with room for the host's frames on top.
const ASYNC_STACK: usize = MAX_WASM_STACK + (1 << 20);
/// A component made from one Rust crate holds the module, a shim and an adapter.
const CORE_INSTANCES_EACH: u32 = 4;
/// Enough for a compiler: clang calls 37,000 functions by pointer. Only address space is set aside for it.
const MAX_TABLE: usize = 64 << 10;
const MAX_INSTANCE: usize = 16 << 20;
/// Wiping this much by hand is cheaper than giving the pages back and faulting them in again.
const KEEP_RESIDENT: usize = 1 << 20;

pub(crate) fn new() -> Result<Engine, Error> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(MAX_INSTANCES)
        .total_core_instances(MAX_INSTANCES * CORE_INSTANCES_EACH)
        .total_memories(MAX_INSTANCES)
        .total_tables(MAX_INSTANCES * CORE_INSTANCES_EACH)
        .total_stacks(MAX_INSTANCES)
        .max_memory_size(MAX_MEMORY)
        .max_core_instance_size(MAX_INSTANCE)
        .table_elements(MAX_TABLE)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(KEEP_RESIDENT)
        .pagemap_scan(Enabled::Auto);

    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .memory_init_cow(true)
        // Every command ends by an error that unwinds it; finding its frames for nobody would cost more than most of them.
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false)
        .max_wasm_stack(MAX_WASM_STACK)
        .async_stack_size(ASYNC_STACK)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));

    Engine::new(&config).map_err(|e| Error::Engine(format!("{e:#}")))
}
