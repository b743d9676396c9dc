//! Which paths a caller may name.

use failure::Failure;
use failure::codes::{BAD_OPTION, NOT_FOUND, NOT_GRANTED};
use std::path::{Component, Path, PathBuf};

/// The directories that the operator listed, and the one that a server looks around in when none is.
///
/// Files may be read below all of them. Work (a script, a run, a check) is done below the listed ones alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    listed: Vec<PathBuf>,
    here: PathBuf,
}

impl Directories {
    /// Directories, each of which is there.
    pub fn new(listed: &[PathBuf], here: &Path) -> Result<Directories, Failure> {
        let resolve = |path: &PathBuf| match here.join(path).canonicalize() {
            Ok(path) if path.is_dir() => Ok(path),
            _ => Err(Failure::new(
                BAD_OPTION,
                format!("`{}` is no directory", path.display()),
                "list directories that are there",
            )),
        };
        Ok(Directories {
            listed: listed.iter().map(resolve).collect::<Result<_, _>>()?,
            here: here.canonicalize().unwrap_or_else(|_| here.to_owned()),
        })
    }

    /// Where relative paths begin.
    pub fn base(&self) -> &Path {
        self.listed.first().unwrap_or(&self.here)
    }

    /// Every directory that may be looked into.
    pub fn readable(&self) -> &[PathBuf] {
        match self.listed.is_empty() {
            true => std::slice::from_ref(&self.here),
            false => &self.listed,
        }
    }

    /// A path to read from.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # std::fs::write(dir.path().join("plan.org"), "* TODO Ship\n").unwrap();
    /// let directories = mcp::Directories::new(&[dir.path().to_owned()], dir.path())?;
    /// assert!(directories.to_read("plan.org").is_ok());
    /// assert_eq!(directories.to_read("../other.org").unwrap_err().code.name, "not_granted");
    /// assert_eq!(directories.to_read("gone.org").unwrap_err().code.name, "not_found");
    /// # Ok::<(), failure::Failure>(())
    /// ```
    pub fn to_read(&self, path: &str) -> Result<PathBuf, Failure> {
        self.below(path, self.readable())
    }

    /// A path to work in.
    pub fn to_work(&self, path: &str) -> Result<PathBuf, Failure> {
        if self.listed.is_empty() {
            return Err(Failure::new(
                NOT_GRANTED,
                "no directory was listed to work in",
                "the operator starts the server with `wbx mcp --allow run --dir DIR`",
            ));
        }
        self.below(path, &self.listed)
    }

    /// Whether a path that was resolved already may be read.
    pub fn holds(&self, path: &Path) -> bool {
        self.readable().iter().any(|root| path.starts_with(root))
    }

    /// Resolves links and dots first, so that nothing leads out.
    fn below(&self, path: &str, roots: &[PathBuf]) -> Result<PathBuf, Failure> {
        let path = self.base().join(path);
        let inside = |path: &Path| roots.iter().any(|root| path.starts_with(root));
        match path.canonicalize() {
            Ok(found) if inside(&found) => Ok(found),
            // What is outside is refused in the same words, whether it is there or not.
            Err(_) if inside(&nearest(&path)) => Err(Failure::new(
                NOT_FOUND,
                format!("there is no `{}`", path.display()),
                "check the path",
            )),
            _ => Err(Failure::new(
                NOT_GRANTED,
                format!("`{}` is outside of the directories that were listed", path.display()),
                "name a path below one of them; the operator lists more with `wbx mcp --dir DIR`",
            )),
        }
    }
}

/// The nearest directory above a path that is there, resolved. Dots that lead up count before anything is resolved.
fn nearest(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    let above = plain.ancestors().find_map(|above| above.canonicalize().ok());
    above.unwrap_or(plain)
}
