//! Where the built application is: in `WORKBOOKS_HOME`, or near this program (above `bin/wbx` or `target/release/wbx` in
//! a source tree, and in `lib/workbooks` of the prefix where `make install` put both).

use crate::{Environment, Error};
use std::path::{Path, PathBuf};

/// Where it lies in a source tree, as each kind of build leaves it, and in an installed one.
const BUILT: [&str; 3] = ["_build/prod/lib/workbooks", "_build/dev/lib/workbooks", "lib/workbooks"];

pub(crate) fn find(environment: &Environment) -> Result<PathBuf, Error> {
    let homes = match (environment.path("WORKBOOKS_HOME"), environment.program()) {
        (Some(home), _) => vec![home],
        (None, Some(program)) => near(program),
        (None, None) => vec![],
    };
    let built = |home: &PathBuf| {
        let mut places = BUILT.iter().map(|place| home.join(place));
        places.find(|app| app.join("ebin/workbooks.app").is_file())
    };
    homes.iter().find_map(built).ok_or(Error::NoApplication(homes))
}

/// Where an application may lie that came with this program.
fn near(program: &Path) -> Vec<PathBuf> {
    let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let above = program.ancestors().skip(2).take(2);
    above
        .flat_map(|dir| [dir.to_owned(), dir.join("lib/workbooks")])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn it_lies_above_the_program_or_in_the_lib_of_its_prefix() {
        let near = near(Path::new("/no/such/prefix/bin/wbx"));
        assert_eq!(near[0], Path::new("/no/such/prefix"));
        assert_eq!(near[1], Path::new("/no/such/prefix/lib/workbooks"));
        assert_eq!(near[2], Path::new("/no/such"));
    }

    #[test]
    fn it_is_there_when_its_code_is_and_nowhere_else_when_a_home_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let environment = Environment::from([("WORKBOOKS_HOME", dir.path())]);
        let missing = find(&environment).unwrap_err();
        assert_eq!(missing.code(), "engine_missing");
        assert!(missing.to_string().contains(dir.path().to_str().unwrap()), "{missing}");

        let app = dir.path().join("_build/dev/lib/workbooks");
        fs::create_dir_all(app.join("ebin")).unwrap();
        fs::write(app.join("ebin/workbooks.app"), "").unwrap();
        assert_eq!(find(&environment).unwrap(), app);
    }
}
