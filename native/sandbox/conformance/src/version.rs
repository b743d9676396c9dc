//! Which versions of an interface stand in for each other.

/// An interface's name without the part of its version that semver lets move: `a:b/c@0.2.6` becomes `a:b/c@0.2`.
pub(crate) fn track(name: &str) -> &str {
    let Some((_, version)) = name.split_once('@') else {
        return name;
    };
    if version.contains('-') {
        return name;
    }
    let kept: usize = match version.split('.').collect::<Vec<_>>().as_slice() {
        ["0", "0", _] => return name,
        ["0", minor, _] => "0.".len() + minor.len(),
        [major, _, _] => major.len(),
        _ => return name,
    };
    &name[..name.len() - version.len() + kept]
}

#[cfg(test)]
mod tests {
    use super::track;

    #[test]
    fn only_the_compatible_part_of_a_version_is_kept() {
        for (name, kept) in [
            ("run", "run"),
            ("a:b/c", "a:b/c"),
            ("a:b/c@1.2.3", "a:b/c@1"),
            ("a:b/c@0.2.6", "a:b/c@0.2"),
            ("a:b/c@0.0.3", "a:b/c@0.0.3"),
            ("a:b/c@1.0.0-rc1", "a:b/c@1.0.0-rc1"),
            ("a:b/c@1", "a:b/c@1"),
        ] {
            assert_eq!(track(name), kept);
        }
    }
}
