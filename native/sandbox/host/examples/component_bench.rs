//! The kernel as a component against the same kernel in native code, on the same text.
//!
//! `component_bench KERNEL CACHE_DIR` prints one line a figure, `name<TAB>value<TAB>unit`.

use host::{Cancel, Export, Kernel, Sandbox};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [wasm, cache] = args.as_slice() else {
        return Err("usage: component_bench KERNEL CACHE_DIR".into());
    };
    let sandbox = Arc::new(Sandbox::new(cache.as_ref())?);
    let (kernel, _) = Kernel::load(sandbox, &std::fs::read(wasm)?)?;
    let plan = plan(10_000_000);
    // Guests want a stack of their own size.
    let ratio = std::thread::Builder::new().stack_size(host::STACK).spawn(move || {
        let native = best(|| drop(black_box(oql::wire::validate(&plan))));
        let call = || kernel.call(Export::Validate, &[&plan], &Cancel::default());
        let component = best(|| drop(black_box(call().expect("an answer"))));
        println!("validate, 10 MB plan, native\t{:.1}\tms", millis(native));
        println!("validate, 10 MB plan, component\t{:.1}\tms", millis(component));
        millis(component) / millis(native)
    })?;
    let ratio = ratio.join().map_err(|_| "the bench panicked")?;
    println!("component / native (goal: at most 2.5)\t{ratio:.2}\tratio");
    Ok(())
}

fn plan(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    let mut n = 0;
    while text.len() < bytes {
        n += 1;
        text.push_str(&format!(
            "* Report {n} :workflow:\n:PROPERTIES:\n:ID: report-{n}\n:END:\nGather the numbers, /then/ write them up.\n\
             ** TODO Fetch :component:\n#+begin_src js :out rows{n}:list :uses workbook:net/http\nfetch({n});\n#+end_src\n\
             ** TODO Sum up :component:\n#+begin_src js :in rows{n}:list :out sum{n}:string\nrows.join();\n#+end_src\n"
        ));
    }
    text
}

fn best(mut f: impl FnMut()) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        f();
        start.elapsed()
    };
    (0..ROUNDS).map(timed).min().expect("some rounds")
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
