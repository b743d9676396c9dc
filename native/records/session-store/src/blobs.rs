//! Snapshots and compiled workflows, by content. A file is checked against its name whenever it is read.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use durable::Target;
use session::{Code, Compiled, Error, Snapshot, SnapshotRef, WorkflowHash};

use crate::io_error::io;
use crate::layout::Layout;
use crate::probe::Step;

/// Puts a file in place unless it is there. Whether its directory has to be flushed is for the caller to know.
///
/// A file that is there may be damaged; what is written here is what its name says, so it is written again.
pub(crate) fn put(path: &Path, bytes: &[u8], unique: &str, probe: &dyn Fn(Step)) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let temporary = path.with_extension(format!("{unique}.tmp"));
    let temporary = temporary.file_name().unwrap_or_default().to_string_lossy();
    let staged = Target::at(path)
        .and_then(|target| target.temporary_name(&temporary).stage(|file| file.write_all(bytes)))
        .map_err(io("write a snapshot"))?;
    probe(Step::BlobWritten);
    staged.place().map_err(io("name a snapshot"))?;
    probe(Step::BlobRenamed);
    Ok(())
}

pub(crate) fn flush(dir: &Path) -> Result<(), Error> {
    durable::sync_directory(dir).map_err(io("flush a directory"))
}

pub(crate) fn snapshot(layout: &Layout, name: SnapshotRef) -> Result<Snapshot, Error> {
    let bad = |why: String| {
        let suggestion = "the node cannot be used; go on from another one, or import the session again";
        Error::new(Code::StoreBadSnapshot, format!("the snapshot {name} {why}"), suggestion)
    };
    let bytes = fs::read(layout.snapshot(name)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => bad("is missing".into()),
        _ => io("read a snapshot")(error),
    })?;
    Snapshot::decode(name, &bytes).map_err(|why| bad(format!("cannot be used: {why}")))
}

pub(crate) fn workflow(layout: &Layout, hash: WorkflowHash) -> Result<Compiled, Error> {
    let bad = |why: String| {
        let suggestion = "import the session again from a bundle, which carries its workflow";
        Error::new(
            Code::StoreBadWorkflow,
            format!("the compiled workflow {hash} {why}"),
            suggestion,
        )
    };
    let bytes = fs::read(layout.workflow(hash)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => bad("is missing".into()),
        _ => io("read a workflow")(error),
    })?;
    Compiled::decode(hash, &bytes).map_err(|why| bad(format!("cannot be used: {why}")))
}
