//! Answers that fit: what an agent cannot read is cut, and says so.

use serde_json::Value;

/// The largest answer, in bytes of JSON: about 8,000 tokens.
pub(crate) const MOST_BYTES: usize = 32 << 10;

/// Rounds of cutting, each sharper: the longest text, and the most items of a list.
const ROUNDS: [(usize, usize); 5] = [(16 << 10, 200), (8 << 10, 100), (4 << 10, 40), (1 << 10, 15), (256, 5)];

/// Cuts an answer until it fits, and says how large it was.
pub(crate) fn fit(answer: Value) -> (Value, Option<usize>) {
    let whole = answer.to_string().len();
    if whole <= MOST_BYTES {
        return (answer, None);
    }
    let mut cut = answer;
    for (text, items) in ROUNDS {
        shorten(&mut cut, text, items);
        if cut.to_string().len() <= MOST_BYTES {
            break;
        }
    }
    (cut, Some(whole))
}

fn shorten(value: &mut Value, text: usize, items: usize) {
    match value {
        Value::String(long) if long.len() > text => *long = middle_out(long, text),
        Value::Array(list) => {
            let whole = list.len();
            list.truncate(items);
            list.iter_mut().for_each(|item| shorten(item, text, items));
            // A list says itself that it was cut, where its items may be anything.
            if whole > items && list.iter().all(Value::is_string) {
                list.push(format!("… {} more", whole - items).into());
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| shorten(field, text, items)),
        _ => {}
    }
}

/// The beginning and the end: a log begins with what was done, and ends with what went wrong.
fn middle_out(text: &str, most: usize) -> String {
    let head = &text[..text.floor_char_boundary(most * 2 / 3)];
    let tail = &text[text.ceil_char_boundary(text.len() - most / 3)..];
    let left = text.len() - head.len() - tail.len();
    format!("{head}\n[.. {left} bytes cut ..]\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_fits_stays_as_it_is() {
        let answer = json!({"stdout": "x".repeat(1000)});
        assert_eq!(fit(answer.clone()), (answer, None));
    }

    #[test]
    fn whatever_is_too_large_fits_afterwards_and_keeps_its_ends() {
        let long = format!("begin{}end", "é".repeat(1 << 20));
        let deep = json!({"rows": vec![vec!["y".repeat(500); 300]; 300]});
        for answer in [json!({"stdout": long}), json!([long, long, long]), deep] {
            let whole = answer.to_string().len();
            let (cut, was) = fit(answer);
            assert_eq!(was, Some(whole));
            assert!(cut.to_string().len() <= MOST_BYTES, "{}", cut.to_string().len());
        }
        let (cut, _) = fit(json!({"stdout": long}));
        let kept = cut["stdout"].as_str().unwrap();
        assert!(kept.starts_with("begin") && kept.ends_with("end") && kept.contains("bytes cut"));
    }
}
