//! The lanes of this machine.

use crate::kept::Kept;
use crate::lane::{self, Build};
use crate::project::Project;
use crate::toolbox::{Site, Toolbox};
use crate::{Artifact, Error, Order, Shape, fit};
use host::{Cancel, Sandbox};
use lane_table::{LANES, Lane};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Goes up when the same order would give another artifact.
const RECIPE: u32 = 1;

/// The compilers, and what they have built.
pub struct Lanes {
    toolbox: Toolbox,
    kept: Kept,
}

/// A language and whether it can be built now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The lane.
    pub lane: &'static Lane,
    /// Whether its compilers are there.
    pub state: State,
}

/// Whether a lane can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Yes.
    Ready,
    /// Its compilers are not installed; the lane's hint says what to do.
    Absent,
}

impl Lanes {
    /// The compilers in `tools`, run in `sandbox`; artifacts are kept in `builds`.
    ///
    /// # Errors
    ///
    /// [`Error::Tampered`] when the list of compilers cannot be read.
    pub fn open(tools: &Path, builds: &Path, sandbox: Arc<Sandbox>) -> Result<Lanes, Error> {
        Ok(Lanes {
            toolbox: Toolbox::open(tools, sandbox)?,
            kept: Kept::open(builds),
        })
    }

    /// Every lane there could be.
    pub fn list(&self) -> Vec<Status> {
        let status = |lane| Status {
            lane,
            state: self.state(lane),
        };
        LANES.iter().map(status).collect()
    }

    /// Builds, or finds what was built from the same. This takes seconds at times: it belongs on a thread that can wait.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn build(&self, order: &Order, cancel: &Cancel) -> Result<Artifact, Error> {
        let lane = self.lane(order)?;
        if !order.deps.is_empty() {
            let named = order.deps.join(", ");
            return Err(Error::Source(format!(
                "no lane fetches packages: put the source of {named} into the project"
            )));
        }
        let project = Project::read(&order.source, lane::file_name(lane.lang))?;
        let key = self.key(order, lane, &project);
        if let Some(artifact) = self.kept.find(&key, lane.compiler, order.shape) {
            return Ok(artifact);
        }
        order.say(&format!("building {} with {}", order.shape.name(), lane.compiler));
        for tool in lane::compilers(lane.lang) {
            // The first time on a machine this compiles the compiler, whose time is not the source's.
            self.toolbox.command(tool)?;
        }
        let build = Build {
            order,
            project: &project,
            site: Site {
                toolbox: &self.toolbox,
                bounds: order.bounds,
                deadline: Instant::now() + order.bounds.time,
                cancel,
            },
        };
        let wasm = lane::build(lane.lang, &build)?;
        fit::check(&wasm, order.shape)?;
        self.kept.keep(&key, &wasm, lane.compiler, order.shape)
    }

    fn lane(&self, order: &Order) -> Result<&'static Lane, Error> {
        let unavailable = |what: &str| Error::Unavailable {
            lang: order.lang.clone(),
            what_to_do: what.to_owned(),
        };
        let lane = lane_table::lane(&order.lang).ok_or_else(|| unavailable(lane_table::what_to_do(&order.lang)))?;
        if !lane.shapes.contains(&order.shape) {
            return Err(Error::Shape {
                lang: lane.lang,
                shape: order.shape,
                shapes: lane.shapes,
            });
        }
        match self.state(lane) {
            State::Ready => Ok(lane),
            State::Absent => Err(unavailable(lane.hint)),
        }
    }

    fn state(&self, lane: &Lane) -> State {
        match lane.tools.iter().all(|tool| self.toolbox.has(tool)) {
            true => State::Ready,
            false => State::Absent,
        }
    }

    /// What an artifact is built from, as a hash: language, source, options, and the exact compilers.
    fn key(&self, order: &Order, lane: &Lane, project: &Project) -> String {
        let mut hash = Sha256::new();
        let mut add = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        add(&RECIPE.to_le_bytes());
        for text in [lane.lang, lane.compiler, order.shape.name()] {
            add(text.as_bytes());
        }
        if order.shape == Shape::Component {
            add(order.input.name().as_bytes());
            add(order.output.name().as_bytes());
            add(lane::uses(order).join(" ").as_bytes());
        }
        for tool in lane.tools {
            add(self.toolbox.version(tool).as_bytes());
        }
        for (path, bytes) in &project.files {
            add(path.as_bytes());
            add(bytes);
        }
        format!("{:x}", hash.finalize())
    }
}
