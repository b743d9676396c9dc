//! The words of a command line that are surely no secret.
//!
//! Keys stand in arguments as often as in the environment: after `--token`, in an address, in `-e KEY=value`. So nothing
//! is kept for not looking like a key. Kept are the program, plain flags, and the one word that names the package, the
//! script or the image. Every other word becomes a variable.

use std::collections::{BTreeMap, BTreeSet};

/// Programs whose first word is what they start.
const LAUNCHERS: [&str; 19] = [
    "npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "uvx", "uv", "pipx", "node", "deno", "tsx", "python",
    "python3", "docker", "podman", "go", "java",
];
/// Words between the program and what it starts.
const ON_THE_WAY: [&str; 5] = ["run", "exec", "dlx", "x", "tool"];
/// Flags after which what is started stands.
const STARTERS: [&str; 5] = ["-m", "-jar", "--package", "--from", "--with"];
/// Long flags without a value.
const SWITCHES: [&str; 9] = [
    "--yes",
    "--rm",
    "--interactive",
    "--quiet",
    "--silent",
    "--no-install",
    "--init",
    "--tty",
    "--stdio",
];
/// How keys begin.
const KEYS: [&str; 14] = [
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xox",
    "akia",
    "npm_",
    "hf_",
    "eyj",
];

/// Reads one word after the other.
pub(super) struct Words<'a> {
    pub line: String,
    /// The variables that took a word's place, with what they stand for.
    pub needs: BTreeMap<String, String>,
    prefix: &'a str,
    secrets: BTreeSet<&'a str>,
    /// Names of environment variables, which may be shown.
    names: BTreeSet<String>,
    /// Whether the word that names what is started is still to come.
    awaited: bool,
    before: String,
    count: usize,
}

impl<'a> Words<'a> {
    pub fn new(prefix: &'a str, secrets: BTreeSet<&'a str>) -> Self {
        Words {
            line: String::new(),
            needs: BTreeMap::new(),
            prefix,
            secrets,
            names: BTreeSet::new(),
            awaited: false,
            before: String::new(),
            count: 0,
        }
    }

    pub fn name(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }

    pub fn command(&mut self, command: &str) {
        let program = command.rsplit(['/', '\\']).next().unwrap_or(command);
        let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
        let tidy =
            !program.is_empty() && program.len() <= 64 && program.chars().all(plain) && !program.starts_with('-');
        // A path may hold anything; a program's name is short and says what it is.
        if tidy && !self.is_suspect(program) {
            self.line.push_str(program);
            self.awaited = LAUNCHERS.contains(&program);
        } else {
            self.variable("COMMAND".to_owned(), "the program");
        }
    }

    pub fn argument(&mut self, word: &str) {
        self.count += 1;
        self.line.push(' ');
        let before = std::mem::replace(&mut self.before, word.to_owned());
        let starter = STARTERS.contains(&before.as_str());
        let valued = before.starts_with("--") && !before.contains('=') && !SWITCHES.contains(&before.as_str());
        if is_flag(word) && !self.is_suspect(word) {
            self.line.push_str(word);
        } else if let Some((flag, _)) = word
            .split_once('=')
            .filter(|(flag, _)| is_flag(flag) && !self.is_suspect(flag))
        {
            let flag = flag.to_owned();
            self.line += &format!("{flag}=");
            self.variable(variable(&flag), &format!("the value of {flag}"));
        } else if let Some((name, _)) = word
            .split_once('=')
            .filter(|(name, value)| is_upper(name) && !self.is_suspect(name) && !value.contains(char::is_whitespace))
        {
            let name = name.to_owned();
            self.line += &format!("{name}=\"${name}\"");
            self.needs
                .insert(name, "an environment variable of the server".to_owned());
        } else if self.names.contains(word) {
            self.line.push_str(word);
        } else if valued && !starter {
            let flag = if is_flag(&before) { before } else { "a flag".to_owned() };
            self.variable(variable(&flag), &format!("the value of {flag}"));
        } else if self.awaited && ON_THE_WAY.contains(&word) {
            self.line.push_str(word);
        } else if self.awaited && is_startable(word) && !self.is_suspect(word) {
            self.line.push_str(word);
            self.awaited = starter && before != "-m" && before != "-jar";
        } else {
            self.variable(format!("ARG_{}", self.count), &format!("argument {}", self.count));
        }
    }

    fn variable(&mut self, name: String, meaning: &str) {
        let name = format!("{}_{name}", self.prefix);
        self.line += &format!("\"${name}\"");
        self.needs.insert(name, meaning.to_owned());
    }

    /// Whether a word is a value that was given as a secret, or looks made by a machine.
    fn is_suspect(&self, word: &str) -> bool {
        let given = self
            .secrets
            .iter()
            .any(|secret| !secret.is_empty() && word.contains(secret));
        let lower = word.trim_start_matches('-').to_ascii_lowercase();
        given
            || KEYS.iter().any(|key| lower.starts_with(key))
            || word.split(|c: char| !c.is_ascii_alphanumeric()).any(is_random)
    }
}

fn is_random(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let letters = run.len() - digits;
    run.len() >= 12 && digits >= 3 && letters >= 3 || run.len() > 32 || digits > 12
}

/// `-y`, `--read-only`.
fn is_flag(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    let dashes = word.len() - name.len();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (1..=2).contains(&dashes) && !name.is_empty() && name.len() <= 32 && name.chars().all(plain)
}

fn is_upper(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty()
        && name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(plain)
}

/// `@scope/package@1.2`, `server.js`, `org/image:tag`: letters, digits, and what joins them.
fn is_startable(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@/._:-".contains(c);
    word.len() <= 128 && !word.contains("://") && !word.starts_with('-') && word.chars().all(plain)
}

/// A name for a variable.
pub(super) fn variable(text: &str) -> String {
    let name: String = text
        .trim_start_matches('-')
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect();
    match name.chars().next() {
        Some(c) if c.is_ascii_alphabetic() => name,
        _ => format!("MCP_{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_are_surely_no_secret_are_kept() {
        for (command, args, want) in [
            ("npx", &["-y", "@scope/server@1.2"][..], "npx -y @scope/server@1.2"),
            ("/home/me/bin/npx", &["pkg", "hunter2"], "npx pkg \"$S_ARG_2\""),
            ("npx", &["pkg", "--token", "hunter2"], "npx pkg --token \"$S_TOKEN\""),
            ("npx", &["--token", "hunter2", "pkg"], "npx --token \"$S_TOKEN\" pkg"),
            (
                "npx",
                &["pkg", "--token=hunter2", "--read-only"],
                "npx pkg --token=\"$S_TOKEN\" --read-only",
            ),
            ("npx", &["sk-abcdef"], "npx \"$S_ARG_1\""),
            ("npx", &["pkg-a1b2c3d4e5f6g7"], "npx \"$S_ARG_1\""),
            (
                "uvx",
                &["--from", "pkg", "server", "x"],
                "uvx --from pkg server \"$S_ARG_4\"",
            ),
            ("python3", &["-m", "server", "x"], "python3 -m server \"$S_ARG_3\""),
            (
                "docker",
                &["run", "-i", "--rm", "-e", "TOKEN", "-e", "KEY=hunter2", "org/image:1"],
                "docker run -i --rm -e TOKEN -e KEY=\"$KEY\" org/image:1",
            ),
            ("my-server", &["hunter2"], "my-server \"$S_ARG_1\""),
            ("sh", &["-c", "KEY=hunter2 server"], "sh -c \"$S_ARG_2\""),
            ("psql", &["postgres://u:hunter2@h/db"], "psql \"$S_ARG_1\""),
            ("npx pkg --key hunter2", &[], "\"$S_COMMAND\""),
            ("npx", &["pkg$(hunter2)"], "npx \"$S_ARG_1\""),
        ] {
            let mut words = Words::new("S", BTreeSet::from(["value"]));
            words.name("TOKEN");
            words.command(command);
            args.iter().for_each(|word| words.argument(word));
            assert_eq!(words.line, want, "{command} {args:?}");
            assert!(!format!("{}{:?}", words.line, words.needs).contains("hunter2"));
        }
    }
}
