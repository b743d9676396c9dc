//! `wbx render`: the plan as a page.

use crate::{answer::Answer, call::Call, failure::Failure, replace::replace};
use serde::Serialize;
use std::path::Path;

/// Where the page went.
#[derive(Serialize)]
struct Written {
    path: String,
    bytes: usize,
}

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let html = oql::render(&call.source("FILE")?.text)?;
    match call.path("output") {
        Some(path) if path != "-" => {
            let path = Path::new(path);
            replace(path, &html)?;
            let (path, bytes) = (path.display().to_string(), html.len());
            let told = format!("{path}: {bytes} bytes\n");
            Ok(Answer::told(&Written { path, bytes }, told))
        }
        _ => Ok(Answer::text(html)),
    }
}
