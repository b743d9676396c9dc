//! Many changes of one text are the same as one after the other, each of the text that the last one left.

use oql::{States, set_state};
use proptest::prelude::*;

/// A headline: its level, its keyword, its cookie, and what its section says of the cookie.
fn headline() -> impl Strategy<Value = String> {
    let level = 1..=5usize;
    let keyword = prop::sample::select(vec!["", "TODO ", "DONE ", "FAILED ", "CANCELLED ", "NEXT\t"]);
    let cookie = prop::sample::select(vec!["", "", " [/]", " [0/9]", " [%]", " [1/2] and [5%]"]);
    let section = prop::sample::select(vec![
        "",
        "",
        "text\n",
        ":PROPERTIES:\n:COOKIE_DATA: recursive\n:END:\n",
        ":PROPERTIES:\n:COOKIE_DATA: checkbox\n:END:\n",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    (level, keyword, cookie, section, end).prop_map(|(level, keyword, cookie, section, end)| {
        format!("{} {keyword}t{cookie} :tag:{end}{section}", "*".repeat(level))
    })
}

proptest! {
    #[test]
    fn many_changes_are_one_after_the_other(
        headlines in prop::collection::vec(headline(), 1..30),
        changes in prop::collection::vec((0..30usize, prop::sample::select(vec!["TODO", "DONE", "FAILED", "PARTIAL", "CANCELLED"])), 0..40),
    ) {
        let org: String = headlines.concat();
        let ids: Vec<String> = oql::tasks(&org).unwrap().into_iter().map(|task| task.id).collect();
        let mut states = States::read(&org).unwrap();
        let mut text = org;
        for (at, state) in changes {
            let id = &ids[at % ids.len()];
            text = set_state(&text, id, state).unwrap();
            states.set(id, state).unwrap();
            prop_assert_eq!(states.get(id), Some(state));
            prop_assert_eq!(states.text(), text.as_str());
        }
    }
}

#[test]
fn what_is_not_there_cannot_be_set_and_changes_nothing() {
    let mut states = States::read("* TODO A\n").unwrap();
    assert_eq!(states.set("b", "DONE").unwrap_err().code, oql::Code::UnknownTask);
    assert_eq!(states.set("a", "FINE").unwrap_err().code, oql::Code::UnknownState);
    assert_eq!(states.get("b"), None);
    assert_eq!(states.text(), "* TODO A\n");
}
