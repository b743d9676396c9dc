//! MCP below `/mcp` of the server. Whoever holds a token may do there what its scopes say, in the directories that the
//! operator listed.

use crate::failure::Failure;
use ::server::http::Request;
use ::server::{Bearer, Body, Contexts, Router, Scope};
use mcp::{Caller, Directories, Grant, Http, Scopes};
use std::path::{Path, PathBuf};
use tower::ServiceExt;

/// The routes. The server in front of them has checked host, origin and token.
pub fn routes(contexts: Contexts, listed: &[String], here: &Path) -> Result<Router, Failure> {
    let listed: Vec<PathBuf> = listed.iter().map(PathBuf::from).collect();
    let directories = Directories::new(&listed, here)?;
    let nobody = Grant::new(Scopes::default(), directories.clone());
    let service = mcp::service(mcp::Server::new(contexts, nobody), Http::behind_a_door());
    let named = service.map_request(move |mut request: Request<Body>| {
        if let Some(bearer) = request.extensions().get::<Bearer>() {
            let caller = caller(bearer, directories.clone());
            request.extensions_mut().insert(caller);
        }
        request
    });
    Ok(Router::new().fallback_service(named))
}

fn caller(bearer: &Bearer, directories: Directories) -> Caller {
    let scopes = Scopes {
        write: bearer.may(Scope::Write),
        run: bearer.may(Scope::Run),
    };
    Caller {
        name: bearer.id.clone(),
        grant: Grant::new(scopes, directories),
    }
}
