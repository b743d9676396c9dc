//! Header arguments: what stands after `#+begin_src`.

/// One `:key value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arg<'a> {
    /// Without the colon.
    pub key: &'a str,
    /// Trimmed; empty for a bare flag.
    pub value: &'a str,
    /// Byte offset of the value, or of the key when there is none.
    pub offset: usize,
}

/// What stands on a block's first line.
pub(crate) struct Header<'a> {
    pub lang: Option<&'a str>,
    pub args: Vec<Arg<'a>>,
    /// The switch `-i`.
    pub keeps_indentation: bool,
}

/// Splits what follows `#+begin_src`; `offset` is where it stands in the text.
pub(crate) fn header(rest: &str, offset: usize) -> Header<'_> {
    let mut lang = None;
    let mut keeps_indentation = false;
    let mut args: Vec<Arg<'_>> = Vec::new();
    let mut value = 0..0;
    for (at, word) in words(rest) {
        if let Some(key) = word.strip_prefix(':').filter(|k| !k.is_empty()) {
            args.push(Arg {
                key,
                value: "",
                offset: offset + at,
            });
            value = 0..0;
        } else if let Some(arg) = args.last_mut() {
            // A value runs over several words: `record { a: string }`.
            if value.is_empty() {
                value.start = at;
                arg.offset = offset + at;
            }
            value.end = at + word.len();
            arg.value = &rest[value.clone()];
        } else if word == "-i" {
            keeps_indentation = true;
        } else if lang.is_none() && !word.starts_with(['-', '+']) {
            lang = Some(word);
        }
    }
    Header {
        lang,
        args,
        keeps_indentation,
    }
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split([' ', '\t'])
        .filter(|w| !w.is_empty())
        .map(move |w| (w.as_ptr() as usize - text.as_ptr() as usize, w))
}

/// Splits at commas that stand in no bracket, so that `a:list<u8>, b:record { x: u8, y: u8 }` is two types. The
/// offset of each is relative to `value`.
pub(crate) fn split_types(value: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut from = 0;
    for (at, c) in value.char_indices().chain([(value.len(), ',')]) {
        match c {
            '<' | '{' | '(' => depth += 1,
            '>' | '}' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 || at == value.len() => {
                let part = &value[from..at];
                let lead = part.len() - part.trim_start().len();
                if !part.trim().is_empty() {
                    parts.push((from + lead, part.trim()));
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    parts
}

/// Names separated by commas or blanks, each with its offset relative to `value`.
pub(crate) fn list(value: &str) -> impl Iterator<Item = (usize, &str)> {
    value
        .split([',', ' ', '\t'])
        .filter(|w| !w.is_empty())
        .map(move |w| (w.as_ptr() as usize - value.as_ptr() as usize, w))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(rest: &str) -> (Option<&str>, Vec<(&str, &str)>) {
        let Header { lang, args, .. } = header(rest, 0);
        (lang, args.iter().map(|a| (a.key, a.value)).collect())
    }

    #[test]
    fn a_header_falls_into_language_and_arguments() {
        for (rest, lang, args) in [
            (
                " js :in a:list :out b:string",
                Some("js"),
                vec![("in", "a:list"), ("out", "b:string")],
            ),
            (
                " rust :persist :out m:json",
                Some("rust"),
                vec![("persist", ""), ("out", "m:json")],
            ),
            ("\tsh\t:check", Some("sh"), vec![("check", "")]),
            (" js -n 20 -r :in x:y", Some("js"), vec![("in", "x:y")]),
            (" -n js", Some("js"), vec![]),
            (" :out a:b", None, vec![("out", "a:b")]),
            ("", None, vec![]),
            (" js :", Some("js"), vec![]),
            (
                " js :out a:record { x: u8, y: list<u8> } :uses n",
                Some("js"),
                vec![("out", "a:record { x: u8, y: list<u8> }"), ("uses", "n")],
            ),
        ] {
            assert_eq!(pairs(rest), (lang, args), "{rest:?}");
        }
    }

    #[test]
    fn an_argument_knows_where_its_value_stands() {
        let args = header(" js :in  a:b", 100).args;
        assert_eq!(args[0].offset, 109);
    }

    #[test]
    fn types_split_at_outer_commas_only() {
        let split = |v| split_types(v).into_iter().map(|(_, t)| t).collect::<Vec<_>>();
        assert_eq!(split("a:list, b:string"), ["a:list", "b:string"]);
        assert_eq!(
            split("a:tuple<u8, u8>,b:record { x: u8, y: u8 }"),
            ["a:tuple<u8, u8>", "b:record { x: u8, y: u8 }"]
        );
        assert_eq!(split(" , "), [""; 0]);
        assert_eq!(split("a:list<u8"), ["a:list<u8"]);
    }
}
