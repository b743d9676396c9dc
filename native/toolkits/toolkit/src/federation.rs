//! A source of rows: where it is, where its rows are, and which secrets it takes.
//!
//! `{NAME}` in the URL stands for the value of an environment variable that `#+ENV_KEYS:` names; one that the URL does
//! not mention is sent as `Authorization: Bearer`. Values go into the request and nowhere else.

use crate::Error;
use crate::field;
use crate::manifest::Fields;
use serde::Serialize;
use serde_json::{Map, Value};

/// The most rows that one answer may have.
const MAX_ROWS: usize = 100_000;

/// Rows as a source gives them.
pub type Rows = Vec<Map<String, Value>>;

/// An HTTP source of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Source {
    /// Where the rows come from, with `{NAME}` for secrets.
    pub url: String,
    /// The way from the top of the answer to the array of rows; empty when the answer is the array.
    pub rows_path: Vec<String>,
    /// The environment variables that the request needs.
    pub env_keys: Vec<String>,
    /// What `SELECT .. FROM` calls it.
    pub entity: String,
    /// The column that tells rows apart.
    pub key: String,
}

impl Source {
    pub(crate) fn read(fields: &mut Fields, needed: bool, slug: Option<&str>) -> Option<Source> {
        if !needed {
            for key in ["URL", "ROWS_PATH", "ENV_KEYS", "ENTITY", "KEY"] {
                if fields.given(key) {
                    fields.wrong(key, "it is only for a federation".into());
                }
            }
            return None;
        }
        if !fields.given("URL") {
            fields.missing("URL", "a federation names its source");
        }
        let env_keys = fields.optional("ENV_KEYS", field::env_keys).unwrap_or_default();
        let url = fields.optional("URL", |url| address(url, &env_keys));
        let rows_path = fields.optional("ROWS_PATH", rows_path).unwrap_or_default();
        let entity = fields.optional("ENTITY", identifier);
        let key = fields.optional("KEY", identifier).unwrap_or_else(|| "id".into());
        Some(Source {
            url: url?,
            rows_path,
            env_keys,
            entity: entity.unwrap_or_else(|| slug.unwrap_or("rows").replace(['-', '.'], "_")),
            key,
        })
    }
}

fn address(text: &str, env_keys: &[String]) -> Result<String, String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after
            .split_once('}')
            .ok_or_else(|| "a `{` is never closed".to_owned())?;
        if !env_keys.iter().any(|key| key == name) {
            return Err(format!("`{{{name}}}` is not among #+ENV_KEYS:"));
        }
        plain.push_str(before);
        plain.push('x');
        rest = tail;
    }
    plain.push_str(rest);
    let url = url::Url::parse(&plain).map_err(|why| format!("`{text}` is not a URL: {why}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(format!("`{text}` is neither an http nor an https address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it holds a user name or a password: use #+ENV_KEYS:".into());
    }
    // A secret that chooses the host could send the others anywhere.
    let host = text
        .split("://")
        .nth(1)
        .and_then(|rest| rest.split(['/', '?', '#']).next());
    match host.is_some_and(|host| host.contains('{')) {
        true => Err("the host cannot come from the environment".into()),
        false => Ok(text.to_owned()),
    }
}

fn rows_path(text: &str) -> Result<Vec<String>, String> {
    if text.is_empty() || text == "." {
        return Ok(Vec::new());
    }
    let steps: Vec<String> = text.split('.').map(str::to_owned).collect();
    match steps
        .iter()
        .any(|step| step.is_empty() || step.chars().any(char::is_whitespace))
    {
        true => Err(format!("`{text}` is not a path: `data.items`")),
        false => Ok(steps),
    }
}

fn identifier(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(fits) && text.len() <= 64
    {
        true => Ok(text.to_owned()),
        false => Err(format!("`{text}` is not a name in SQL")),
    }
}

/// The rows in a source's answer.
///
/// ```
/// let rows = toolkit::rows_at(br#"{"data":{"items":[{"id":1}]}}"#, &["data".into(), "items".into()]).unwrap();
/// assert_eq!(rows[0]["id"], 1);
/// ```
///
/// # Errors
///
/// [`Error::Rows`] when the answer is not JSON, has no array there, or the array holds something else than objects.
pub fn rows_at(answer: &[u8], path: &[String]) -> Result<Rows, Error> {
    let mut found: Value = serde_json::from_slice(answer).map_err(|e| Error::Rows(format!("it is not JSON: {e}")))?;
    for (depth, step) in path.iter().enumerate() {
        let next = match &mut found {
            Value::Object(map) => map.remove(step),
            Value::Array(list) => step
                .parse()
                .ok()
                .filter(|n| *n < list.len())
                .map(|n: usize| list.swap_remove(n)),
            _ => None,
        };
        found = next.ok_or_else(|| Error::Rows(format!("it has no `{}`", path[..=depth].join("."))))?;
    }
    let Value::Array(list) = found else {
        return Err(Error::Rows("there is no array where the rows should be".into()));
    };
    if list.len() > MAX_ROWS {
        return Err(Error::Rows(format!("it has more than {MAX_ROWS} rows")));
    }
    let rows = list.into_iter().enumerate().map(|(n, row)| match row {
        Value::Object(row) => Ok(row),
        _ => Err(Error::Rows(format!("row {n} is not an object"))),
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_take_secrets_but_not_its_host() {
        let keys = ["TOKEN".to_owned()];
        for (url, wrong) in [
            ("https://example.org/a?k={TOKEN}", None),
            ("http://127.0.0.1:8080/rows", None),
            ("https://{TOKEN}/a", Some("host")),
            ("https://example.org/{OTHER}", Some("not among")),
            ("https://example.org/{TOKEN", Some("never closed")),
            ("ftp://example.org/", Some("neither")),
            ("https://me:pw@example.org/", Some("password")),
            ("nonsense", Some("not a URL")),
        ] {
            match (address(url, &keys), wrong) {
                (Ok(_), None) => {}
                (Err(why), Some(wrong)) => assert!(why.contains(wrong), "{url}: {why}"),
                (read, _) => panic!("{url}: {read:?}"),
            }
        }
    }

    #[test]
    fn rows_are_found_or_the_answer_is_refused() {
        let path = |text: &str| rows_path(text).unwrap();
        for (answer, at, wrong) in [
            ("[]", "", None),
            (r#"{"a":[{"b":[{"id":1}]}]}"#, "a.0.b", None),
            ("{", "", Some("not JSON")),
            ("{}", "a.b", Some("no `a`")),
            (r#"{"a":{}}"#, "a", Some("no array")),
            ("[1]", "", Some("row 0")),
        ] {
            match (rows_at(answer.as_bytes(), &path(at)), wrong) {
                (Ok(_), None) => {}
                (Err(why), Some(wrong)) => assert!(why.to_string().contains(wrong), "{answer}: {why}"),
                (read, _) => panic!("{answer}: {read:?}"),
            }
        }
    }
}
