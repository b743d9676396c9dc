//! The TODO keywords of a plan, and which of them mean that the work is over.

/// The runner writes these verdicts, so every plan knows them.
const VERDICTS: [&str; 3] = ["DONE", "FAILED", "PARTIAL"];
/// What a plan without a `#+TODO:` line knows besides.
const DEFAULTS: [&str; 8] = [
    "TODO",
    "NEXT",
    "WAITING",
    "DOING",
    "STARTED",
    "BLOCKED",
    "CANCELLED",
    "CANCELED",
];
/// Done whatever a `#+TODO:` line says.
const DONE_LIKE: [&str; 3] = ["DONE", "CANCELLED", "CANCELED"];

/// The keywords in force; both lists are sorted, for a plan may name thousands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Keywords {
    all: Vec<String>,
    done: Vec<String>,
}

impl Keywords {
    /// Reads the values of the plan's `#+TODO:` lines; without any, the defaults hold.
    pub fn from_settings<'a>(settings: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all: Vec<String> = VERDICTS.map(String::from).into();
        let mut done: Vec<String> = DONE_LIKE.map(String::from).into();
        let mut declared = false;
        for setting in settings {
            declared = true;
            let mut after_bar = false;
            for word in setting.split_whitespace() {
                if word == "|" {
                    after_bar = true;
                    continue;
                }
                // `WAIT(w@/!)` carries a key and logging marks that are no part of the name.
                let name = word.split('(').next().unwrap_or(word);
                if name.is_empty() {
                    continue;
                }
                if after_bar {
                    done.push(name.into());
                }
                all.push(name.into());
            }
        }
        if !declared {
            all.extend(DEFAULTS.map(String::from));
        }
        for words in [&mut all, &mut done] {
            words.sort();
            words.dedup();
        }
        Keywords { all, done }
    }

    /// The value of a `#+TODO:`, `#+SEQ_TODO:` or `#+TYP_TODO:` line.
    pub fn setting(line: &str) -> Option<&str> {
        let rest = line.trim_start().strip_prefix("#+")?;
        let (key, value) = rest.split_once(':')?;
        ["TODO", "SEQ_TODO", "TYP_TODO"]
            .iter()
            .any(|k| key.eq_ignore_ascii_case(k))
            .then_some(value)
    }

    /// Whether `word` is a keyword of this plan.
    pub fn contains(&self, word: &str) -> bool {
        holds(&self.all, word)
    }

    /// Whether `word` says that the work is over.
    pub fn is_done(&self, word: &str) -> bool {
        holds(&self.done, word)
    }

    /// Every keyword, sorted.
    pub fn all(&self) -> &[String] {
        &self.all
    }

    /// The keywords in the two groups that orgize wants: open, done.
    pub fn groups(&self) -> (Vec<String>, Vec<String>) {
        self.all.iter().cloned().partition(|k| !self.is_done(k))
    }
}

fn holds(sorted: &[String], word: &str) -> bool {
    sorted.binary_search_by(|k| k.as_str().cmp(word)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_without_settings_knows_the_defaults() {
        let k = Keywords::from_settings([]);
        for word in ["TODO", "NEXT", "DOING", "DONE", "FAILED", "PARTIAL", "CANCELED"] {
            assert!(k.contains(word), "{word}");
        }
        assert!(k.is_done("DONE") && k.is_done("CANCELLED") && !k.is_done("FAILED"));
        assert!(!k.contains("todo"));
    }

    #[test]
    fn a_todo_line_replaces_the_defaults_but_never_the_verdicts() {
        let k = Keywords::from_settings([" OPEN(o) REVIEW(r@/!) | SHIPPED(s)"]);
        for word in ["OPEN", "REVIEW", "SHIPPED", "DONE", "FAILED", "PARTIAL"] {
            assert!(k.contains(word), "{word}");
        }
        assert!(!k.contains("TODO") && !k.contains("NEXT"));
        assert!(k.is_done("SHIPPED") && !k.is_done("REVIEW"));
    }

    #[test]
    fn a_hundred_thousand_keywords_are_looked_up_in_time() {
        let many: String = (0..100_000).map(|n| format!(" k{n}")).collect();
        let k = Keywords::from_settings([format!("OPEN |{many}").as_str()]);
        let (open, done) = k.groups();
        assert_eq!((open.len(), done.len()), (3, 100_001));
    }

    #[test]
    fn setting_lines_are_known_in_any_case() {
        assert_eq!(Keywords::setting("#+todo: A | B"), Some(" A | B"));
        assert_eq!(Keywords::setting("#+SEQ_TODO: A"), Some(" A"));
        assert_eq!(Keywords::setting("#+TYP_TODO: A"), Some(" A"));
        assert_eq!(Keywords::setting("#+TITLE: A"), None);
        assert_eq!(Keywords::setting("TODO: A"), None);
    }
}
