//! How long one kernel call takes in Rust alone: a fresh instance, one `validate`, the answer.
//!
//! `kernel_bench KERNEL CACHE_DIR PLAN [CALLS]` prints the median and the mean in nanoseconds.

use host::{Cancel, Export, Kernel, Sandbox};
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (kernel, cache, plan) = match args.as_slice() {
        [kernel, cache, plan, ..] => (kernel, cache, plan),
        _ => return Err("usage: kernel_bench KERNEL CACHE_DIR PLAN [CALLS]".into()),
    };
    let calls: usize = args.get(3).map_or(Ok(10_000), |n| n.parse())?;
    let plan = std::fs::read_to_string(plan)?;
    let sandbox = Arc::new(Sandbox::new(cache.as_ref())?);
    let (kernel, _) = Kernel::load(sandbox, &std::fs::read(kernel)?)?;

    let call = || kernel.call(Export::Validate, &[&plan], &Cancel::default());
    for _ in 0..calls / 10 {
        call()??;
    }
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let start = Instant::now();
        call()??;
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
