//! Regular expressions, and what they may cost.
//!
//! Matching is linear in the text, but each character may visit every step of the pattern, and `a{9}{9}{9}` has many
//! more steps than characters. So the steps are counted before anything is compiled. The count does not depend on the
//! machine: the kernel answers alike natively and in WebAssembly.

use regex_lite::{Regex, RegexBuilder};

/// The most steps that the patterns of one query may have together.
pub(super) const BUDGET: u64 = 20_000;
/// The most steps of one pattern.
const MAX_STEPS: u64 = 2_000;
/// The deepest nesting of groups in one pattern.
const MAX_GROUPS: u32 = 50;

/// A compiled regular expression.
pub(super) struct Pattern {
    regex: Regex,
    steps: u64,
}

impl Pattern {
    /// Compiles a pattern, and takes its steps from the budget.
    pub(super) fn parse(text: &str, budget: &mut u64) -> Result<Pattern, String> {
        let steps = steps(text);
        if steps > MAX_STEPS {
            return Err(format!("it unfolds to more than {MAX_STEPS} steps"));
        }
        let Some(left) = budget.checked_sub(steps) else {
            return Err(format!("all of them together unfold to more than {BUDGET} steps"));
        };
        *budget = left;
        let regex = RegexBuilder::new(text).nest_limit(MAX_GROUPS).build();
        regex
            .map(|regex| Pattern { regex, steps })
            .map_err(|error| error.to_string())
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// What matching against so many bytes costs at worst.
    pub(super) fn cost(&self, bytes: u64) -> u64 {
        self.steps.saturating_mul(bytes)
    }
}

/// About how many steps a pattern unfolds to. What is not a pattern has some count too: compiling refuses it.
fn steps(text: &str) -> u64 {
    let mut chars = text.chars().peekable();
    // Steps of each open group, and of the last item, which a repetition would multiply.
    let mut groups = vec![0u64];
    let mut last = 0u64;
    while let Some(c) = chars.next() {
        let item = match c {
            '(' => {
                groups.push(0);
                continue;
            }
            ')' if groups.len() > 1 => groups.pop().unwrap_or(0).saturating_add(2),
            '{' => {
                let count: String = chars.by_ref().take_while(|&c| c != '}').collect();
                let most: Option<u64> = count.split(',').filter_map(|n| n.trim().parse().ok()).max();
                // Each turn that may be left out is a step of its own.
                let turns = most
                    .unwrap_or(1)
                    .saturating_mul(if count.contains(',') { 2 } else { 1 });
                last.saturating_mul(turns.max(1) - 1)
            }
            '*' | '+' | '?' => 2,
            '[' => class(&mut chars),
            '\\' => {
                // `\x{1F600}` is one character, not a repetition.
                if chars.next().is_some_and(|c| matches!(c, 'x' | 'u' | 'U')) && chars.peek() == Some(&'{') {
                    chars.by_ref().find(|&c| c == '}');
                }
                2
            }
            _ => 1,
        };
        last = if matches!(c, '{' | '*' | '+' | '?') {
            last.saturating_add(item)
        } else {
            item
        };
        if let Some(open) = groups.last_mut() {
            *open = open.saturating_add(item);
        }
    }
    groups.into_iter().fold(1, u64::saturating_add)
}

/// Reads the rest of a class. Every range of it may be tried, so each counts.
fn class(chars: &mut impl Iterator<Item = char>) -> u64 {
    let (mut steps, mut first) = (1, true);
    while let Some(c) = chars.next() {
        match c {
            ']' if !first => break,
            '\\' => steps += u64::from(chars.next().is_some()),
            _ => {}
        }
        steps += 1;
        first &= c == '^';
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn repetitions_multiply_what_they_repeat() {
        for (pattern, expected) in [
            ("", 1),
            ("abc", 4),
            ("ab{3}", 5),
            ("(ab){3}", 13),
            ("(ab){2,3}", 25),
            ("a*b?", 7),
            ("[a-z]", 5),
            ("[a-z]{3}", 13),
            (r"[]\]x]{2}", 11),
            ("a{3}{3}", 10),
            ("(a{3}b){2}", 13),
            (r"\d{4}", 9),
            (r"\x{41}", 3),
            ("a{0}", 2),
            ("a{x}", 2),
            ("a{", 2),
            (")", 2),
            ("((", 1),
        ] {
            assert_eq!(steps(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn no_repetition_overflows_the_count() {
        assert!(steps(&"a{9999999999}".repeat(100)) > 1_000);
        assert!(steps(&format!("a{}", "{9999}".repeat(1_000))) > 1_000_000);
        assert!(steps(&format!("{}a{}", "(".repeat(500), "){99}".repeat(500))) > 1_000_000);
    }
}
