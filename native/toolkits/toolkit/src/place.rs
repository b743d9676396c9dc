//! Paths that a manifest may name: below the toolkit, and nowhere else.

/// Whether a relative path stays inside by its own words. Whether links keep it there is for whoever opens it.
pub(crate) fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with('/')
        && !path.contains(['\\', '\0'])
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !part.is_empty() && part != "..")
        && path != "."
}

/// Whether a text can be a name in one directory: what a toolkit, a skill or a task is called.
pub fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    !text.is_empty() && text.len() <= 128 && !text.starts_with('.') && text.chars().all(fits)
}
