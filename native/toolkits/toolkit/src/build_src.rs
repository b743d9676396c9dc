//! Where an artifact comes from: the value of `#+BUILD_SRC:`.

use serde::Serialize;

/// The prefixes that mean something.
pub const PREFIXES: [&str; 6] = ["crate:", "path:", "wasm:", "archive:", "gobuild:", "zigbuild:"];

/// A source that a build can start from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase", tag = "kind", content = "of")]
pub enum BuildSrc {
    /// A crate by name.
    Crate(String),
    /// A directory of the toolkit.
    Path(String),
    /// A module that is built already: a URL, or a file of the toolkit. Its hash is pinned.
    Wasm(String),
    /// An archive with a module in it: a URL, or a file of the toolkit. Its hash is pinned.
    Archive(String),
    /// A Go package of the toolkit.
    Gobuild(String),
    /// A Zig root of the toolkit.
    Zigbuild(String),
}

impl BuildSrc {
    /// Reads a value, or says what is wrong with it.
    ///
    /// ```
    /// use toolkit::BuildSrc;
    ///
    /// assert_eq!(BuildSrc::read("path:src"), Ok(BuildSrc::Path("src".into())));
    /// assert!(BuildSrc::read("git+https://example.org/x").unwrap_err().contains("use crate: or path:"));
    /// assert!(BuildSrc::read("svn:x").unwrap_err().contains("crate: path: wasm: archive:"));
    /// ```
    pub fn read(text: &str) -> Result<BuildSrc, String> {
        if text.starts_with("git+") {
            return Err(format!("`{text}`: use crate: or path:"));
        }
        if text.starts_with("script:") {
            return Err(format!("`{text}` is refused: there are no native build scripts"));
        }
        let (prefix, rest) = text.split_once(':').unwrap_or((text, ""));
        let make = match prefix {
            "crate" => BuildSrc::Crate,
            "path" => BuildSrc::Path,
            "wasm" => BuildSrc::Wasm,
            "archive" => BuildSrc::Archive,
            "gobuild" => BuildSrc::Gobuild,
            "zigbuild" => BuildSrc::Zigbuild,
            _ => {
                let known = PREFIXES.join(" ");
                return Err(format!("`{text}` has no known prefix; known are {known}"));
            }
        };
        if rest.is_empty() || rest.chars().any(char::is_whitespace) {
            return Err(format!("`{text}` names nothing"));
        }
        let source = make(rest.to_owned());
        match &source {
            BuildSrc::Path(path) | BuildSrc::Gobuild(path) | BuildSrc::Zigbuild(path)
                if !crate::place::is_inside(path) =>
            {
                Err(format!("`{text}` leads out of the toolkit"))
            }
            BuildSrc::Wasm(at) | BuildSrc::Archive(at) if !is_address(at) => Err(format!(
                "`{text}` is neither an http, https or file address nor a file of the toolkit"
            )),
            BuildSrc::Crate(name) if !is_crate(name) => Err(format!("`{name}` is not the name of a crate")),
            _ => Ok(source),
        }
    }

    /// Whether the bytes are fetched and have to be those of `#+SHA256:`.
    pub fn is_pinned(&self) -> bool {
        matches!(self, BuildSrc::Wasm(_) | BuildSrc::Archive(_))
    }

    /// The value as it stands in a manifest.
    pub fn text(&self) -> String {
        match self {
            BuildSrc::Crate(of) => format!("crate:{of}"),
            BuildSrc::Path(of) => format!("path:{of}"),
            BuildSrc::Wasm(of) => format!("wasm:{of}"),
            BuildSrc::Archive(of) => format!("archive:{of}"),
            BuildSrc::Gobuild(of) => format!("gobuild:{of}"),
            BuildSrc::Zigbuild(of) => format!("zigbuild:{of}"),
        }
    }
}

fn is_address(at: &str) -> bool {
    match url::Url::parse(at) {
        Ok(url) => matches!(url.scheme(), "http" | "https" | "file"),
        Err(_) => crate::place::is_inside(at),
    }
}

fn is_crate(name: &str) -> bool {
    let (name, version) = name.split_once('@').map_or((name, None), |(n, v)| (n, Some(v)));
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(fits)
        && version.is_none_or(|v| semver::Version::parse(v).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_is_read_and_every_other_refused() {
        for (text, want) in [
            ("crate:ripgrep", Ok("crate:ripgrep")),
            ("crate:ripgrep@15.2.0", Ok("crate:ripgrep@15.2.0")),
            ("path:src", Ok("path:src")),
            ("wasm:https://example.org/a.wasm", Ok("wasm:https://example.org/a.wasm")),
            ("wasm:dist/a.wasm", Ok("wasm:dist/a.wasm")),
            ("archive:file:///tmp/a.tar.gz", Ok("archive:file:///tmp/a.tar.gz")),
            ("gobuild:cmd/x", Ok("gobuild:cmd/x")),
            ("zigbuild:src/main.zig", Ok("zigbuild:src/main.zig")),
            ("git+https://example.org/x", Err("use crate: or path:")),
            ("script:build.sh", Err("no native build scripts")),
            ("npm:x", Err("known are crate: path: wasm: archive: gobuild: zigbuild:")),
            ("src", Err("no known prefix")),
            ("", Err("no known prefix")),
            ("path:", Err("names nothing")),
            ("path:../x", Err("leads out")),
            ("path:/etc", Err("leads out")),
            ("path:a/../../b", Err("leads out")),
            ("wasm:ftp://example.org/a", Err("neither")),
            ("wasm:../a.wasm", Err("neither")),
            ("crate:../x", Err("not the name of a crate")),
            ("crate:a b", Err("names nothing")),
        ] {
            match (BuildSrc::read(text), want) {
                (Ok(read), Ok(want)) => assert_eq!(read.text(), want),
                (Err(why), Err(want)) => assert!(why.contains(want), "{text}: {why}"),
                (read, want) => panic!("{text}: {read:?}, wanted {want:?}"),
            }
        }
    }
}
