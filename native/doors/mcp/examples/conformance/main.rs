//! The server with the tools, resources and prompts that the protocol's conformance suite asks for, for tests alone.
//!
//! Everything that is not a fixture is answered by the product's own [`mcp::Server`], through its own HTTP service.
//! `script/conformance` runs the suite against it. It prints its address and serves until its input ends.

mod fixtures;
mod server;
mod tasks;

use mcp::{Directories, Grant, Http, Scopes, Server};
use operations::{Context, EngineParts, NoEngine};
use std::io::Read;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = std::env::current_dir()?;
    let engine = Arc::new(engine::Engine::new(engine::Places::of_process()));
    let contexts = {
        let here = here.clone();
        move || {
            let parts = EngineParts {
                engine: engine.clone(),
                toolkits_root: None,
                toolkits_dir: None,
                execute: false,
                posix: false,
            };
            Context::new(Arc::new(parts), Arc::new(NoEngine), here.clone())
        }
    };
    let directories = Directories::new(&[], &here).map_err(|failure| failure.message)?;
    let product = Server::new(Arc::new(contexts), Grant::new(Scopes::default(), directories));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let service = mcp::over_http(server::Fixtured::new(product), Http::default());
        let router = axum::Router::new().nest_service("/mcp", service);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("http://{}/mcp", listener.local_addr()?);
        tokio::spawn(async move { axum::serve(listener, router).await });
        let input = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        input.await??;
        Ok::<_, Box<dyn std::error::Error>>(())
    })?;
    runtime.shutdown_background();
    Ok(())
}
