//! What a path stands for.

use std::fs;
use std::io;
use std::path::Path;

/// The files of one path, and what lies beside them.
pub struct Given {
    /// How a file is shown, and where it is.
    pub files: Vec<(String, String)>,
    pub carried: Vec<String>,
}

impl Given {
    /// A file is itself; a directory is the files in it, sorted, as `wbx toolkit audit` has them.
    pub fn list(path: &str, deep: bool) -> Result<Self, String> {
        let failed = |error: io::Error| format!("{path}: {}", reason(&error));
        if !fs::metadata(path).map_err(failed)?.is_dir() {
            let parent = Path::new(path).parent().filter(|parent| *parent != Path::new(""));
            let carried = names(parent.unwrap_or(Path::new("."))).unwrap_or_default();
            return Ok(Given {
                files: vec![(path.to_owned(), path.to_owned())],
                carried,
            });
        }
        let mut files = Vec::new();
        let mut waiting = vec![String::new()];
        while let Some(above) = waiting.pop() {
            for name in names(Path::new(&format!("{path}/{above}"))).map_err(failed)? {
                let shown = format!("{above}{name}");
                let at = format!("{path}/{shown}");
                match fs::symlink_metadata(&at).map_err(failed)?.is_dir() {
                    true if deep => waiting.push(shown + "/"),
                    true => {}
                    false => files.push((shown, at)),
                }
            }
        }
        files.sort();
        Ok(Given {
            files,
            carried: names(Path::new(path)).map_err(failed)?,
        })
    }
}

fn names(directory: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(directory)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

/// An error without the number that Rust adds.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
