use super::*;
use crate::answer::Timestamp;
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn row(level: usize, title: &str) -> Row {
    Row {
        level,
        title: title.into(),
        state: None,
        id: None,
        tags: Vec::new(),
        props: Default::default(),
        scheduled: None,
        deadline: None,
        line: 1,
    }
}

fn at(at: &str) -> Option<Timestamp> {
    Some(Timestamp {
        at: at.into(),
        repeat: None,
        active: true,
    })
}

/// Alpha, with Beta and Gamma below it, and Delta below Gamma; then Epsilon.
fn plan() -> (Vec<Row>, Vec<Option<usize>>) {
    let tags = |tags: &[&str]| tags.iter().map(|tag| tag.to_string()).collect();
    let rows = vec![
        Row {
            tags: tags(&["toolkit", "lang"]),
            ..row(1, "Alpha release 1.0")
        },
        Row {
            state: Some("TODO".into()),
            scheduled: at("2026-06-11"),
            ..row(2, "Beta")
        },
        Row {
            state: Some("NEXT".into()),
            scheduled: at("2026-06-11T09:30"),
            tags: tags(&["lang"]),
            ..row(2, "Gamma")
        },
        Row {
            state: Some("DONE".into()),
            deadline: at("2026-12-01"),
            props: [("EFFORT".to_string(), "1h \"net\"".to_string())].into(),
            ..row(3, "Delta")
        },
        Row {
            state: Some("DONE".into()),
            tags: tags(&["Größe"]),
            ..row(1, "Epsilon é")
        },
    ];
    (rows, vec![None, Some(0), Some(0), Some(2), None])
}

fn ask(query: &str) -> Result<Vec<Row>, Error> {
    let (rows, parents) = plan();
    run(query, rows, &parents, &|state| state == "DONE")
}

/// First letters of the titles that the query selects.
fn found(query: &str) -> String {
    let rows = ask(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    rows.iter().filter_map(|row| row.title.chars().next()).collect()
}

macro_rules! selects {
    ($($name:ident: $($query:literal)|+ => $found:literal;)*) => {$(
        #[test]
        fn $name() {
            $(assert_eq!(found($query), $found, "{}", $query);)+
        }
    )*};
}

selects! {
    tags_match_the_headline_itself:       r#"(tags "toolkit")"# | "(tags toolkit)" | "(tags :toolkit:)" => "A";
    several_tags_are_alternatives:        r#"(tags "toolkit" "lang")"# => "AG";
    tags_alone_mean_any_tag:              "(tags)" => "AGE";
    tags_know_upper_and_lower_case:       "(tags LANG)" => "";
    tags_may_have_any_letters:            "(tags :Größe:)" => "E";
    todo_takes_alternatives:              r#"(todo "TODO" "NEXT")"# | "(todo TODO NEXT)" => "BG";
    todo_alone_means_what_is_not_done:    "(todo)" => "BG";
    todo_can_name_a_done_keyword:         "(todo DONE)" => "DE";
    done_means_a_done_keyword:            "(done)" => "DE";
    level_takes_alternatives:             "(level 1 3)" => "ADE";
    title_is_a_regular_expression:        r#"(title "^[A-B]")"# => "AB";
    title_takes_alternatives:             r#"(title "^A" "é$")"# => "AE";
    title_escapes_need_two_backslashes:   r#"(title "\\d\\.\\d")"# => "A";
    title_ignores_case_when_asked:        r#"(title "(?i)beta")"# => "B";
    property_alone_means_it_is_there:     r#"(property "EFFORT")"# | "(property effort)" => "D";
    property_compares_its_value:          r#"(property "EFFORT" "1h \"net\"")"# => "D";
    property_compares_the_whole_value:    r#"(property "EFFORT" "1h")"# => "";

    scheduled_alone_means_it_is_there:    "(scheduled)" => "BG";
    deadline_is_another_entry:            "(deadline)" => "D";
    before_excludes_the_day:              r#"(scheduled :before "2026-06-11")"# => "";
    before_a_later_day:                   r#"(scheduled :before "2026-12-01")"# | "(scheduled :before 2026-06-12)" => "BG";
    after_excludes_the_day:               "(scheduled :after 2026-06-11)" => "";
    after_an_earlier_day:                 "(scheduled :after 2026-06-10)" => "BG";
    on_takes_the_whole_day:               "(scheduled :on 2026-06-11)" => "BG";
    from_and_to_include_the_day:          "(scheduled :from 2026-06-11 :to 2026-06-11)" => "BG";
    all_bounds_must_hold:                 "(scheduled :from 2026-06-01 :before 2026-06-11)" => "";
    a_time_parts_the_timed_ones:          "(scheduled :before 2026-06-11T09:00)" => "";
    a_whole_day_is_never_before_its_hour: "(scheduled :before 2026-06-11T10:00)" => "G";
    a_time_may_follow_a_space:            r#"(scheduled :after "2026-06-11 09:00")"# => "G";
    a_day_holds_its_hours:                "(scheduled :on 2026-06-11T09:30)" => "BG";
    years_compare_as_numbers:             "(deadline :after 0999-12-31 :before 9999-01-01)" => "D";

    ancestors_look_all_the_way_up:        "(ancestors (tags toolkit))" => "BGD";
    ancestors_exclude_the_headline:       "(ancestors (todo NEXT))" => "D";
    ancestors_alone_mean_any:             "(ancestors)" => "BGD";
    descendants_look_all_the_way_down:    "(descendants (done))" => "AG";
    descendants_alone_mean_any:           "(descendants)" => "AG";
    relations_nest:                       "(ancestors (descendants (done)))" => "BGD";

    and_needs_all:                        "(and (level 2) (tags lang))" => "G";
    or_needs_one:                         "(or (level 3) (tags toolkit))" => "AD";
    not_turns_it_round:                   "(not (level 1))" => "BGD";
    and_of_nothing_holds:                 "(and)" => "ABGDE";
    or_of_nothing_does_not:               "(or)" => "";
    spaces_do_not_matter:                 " ( and(level 1)\n\t(not(done)) ) " => "A";
}

macro_rules! refuses {
    ($($name:ident: $query:expr => $message:literal;)*) => {$(
        #[test]
        fn $name() {
            let error = ask(&$query).unwrap_err();
            assert_eq!((error.code, error.message.as_str()), (Code::BadQuery, $message));
            assert!(!error.hint.is_empty());
        }
    )*};
}

refuses! {
    an_empty_query_is_refused:            "" => "column 1: the query ends too early";
    a_bare_word_is_refused:               " todo" => "column 2: expected `(`";
    an_empty_list_is_refused:             "(and ())" => "column 6: the list is empty";
    a_list_needs_a_name:                  "((todo))" => "column 2: expected a predicate's name";
    an_unknown_predicate_is_refused:      "(and (tudo))" => "column 7: unknown predicate `tudo`";
    columns_count_characters:             "(and (tags \"é\") tudo)" => "column 17: expected `(`";
    an_open_list_is_refused:              "(and (todo)" => "column 1: `(` is never closed";
    an_open_string_is_refused:            "(tags \"a)" => "column 7: `\"` is never closed";
    a_backslash_ends_no_string:           "(tags \"a\\" => "column 7: `\"` is never closed";
    an_unknown_escape_is_refused:         r#"(title "\d")"# => "column 9: `\\d` is not an escape";
    a_stray_parenthesis_is_refused:       ") (todo)" => "column 1: `)` closes nothing";
    a_second_query_is_refused:            "(todo) (done)" => "column 8: unexpected `(` after the query";
    not_needs_a_query:                    "(not)" => "column 2: `not` needs a query";
    not_takes_one_query:                  "(not (todo) (done))" => "column 13: `not` takes no more arguments";
    ancestors_take_one_query:             "(ancestors (todo) (done))" => "column 19: `ancestors` takes no more arguments";
    done_takes_nothing:                   "(done DONE)" => "column 7: `done` takes no more arguments";
    level_needs_a_number:                 "(level)" => "column 2: `level` needs an argument";
    level_takes_numbers_only:             "(level 1 two)" => "column 10: a level is a number";
    level_is_bounded:                     "(level 99999999999999999999999)" => "column 8: a level is a number";
    title_needs_a_pattern:                "(title)" => "column 2: `title` needs an argument";
    property_needs_a_key:                 "(property)" => "column 2: `property` needs a key";
    property_takes_one_value:             "(property a b c)" => "column 15: `property` takes no more arguments";
    text_is_no_list:                      "(todo (done))" => "column 7: unexpected list";
    text_is_no_keyword:                   "(todo :on)" => "column 7: unexpected keyword `:on`";
    a_tag_has_two_colons:                 "(tags :a)" => "column 7: `:a` is not a tag";
    a_tag_has_a_name:                     "(tags ::)" => "column 7: `::` is not a tag";
    tags_come_one_by_one:                 "(tags :a:b:)" => "column 7: `:a:b:` has several tags";
    a_bound_has_a_name:                   "(scheduled 2026-01-01)" => "column 12: expected one of :before :to :on :from :after";
    an_unknown_bound_is_refused:          "(scheduled :since 2026-01-01)" => "column 12: expected one of :before :to :on :from :after";
    a_bound_has_a_date:                   "(scheduled :before)" => "column 12: a date is missing";
    a_date_is_in_iso_form:                "(scheduled :before 1.6.2026)" => "column 20: `1.6.2026` is not a date";
    a_date_exists:                        "(scheduled :before 2026-02-29)" => "column 20: `2026-02-29` is not a date";
    a_time_exists:                        "(scheduled :before 2026-02-28T24:00)" => "column 20: `2026-02-28T24:00` is not a date";
    there_is_no_clock:                    "(scheduled :on today)" => "column 16: `today` is not a date";
    a_long_query_is_refused:              " ".repeat(64 * 1024 + 1) => "column 1: the query is longer than 65536 bytes";
    a_deep_query_is_refused:              "(not ".repeat(10_000) => "column 501: the query nests deeper than 100 lists";
    a_huge_repetition_is_refused:
        r#"(title "(a{100}){100}")"# => "column 8: the regular expression cannot be used: it unfolds to more than 2000 steps";
    many_large_patterns_are_refused:
        format!("(title {})", "a{999} ".repeat(30)) =>
        "column 148: the regular expression cannot be used: all of them together unfold to more than 20000 steps";
}

#[test]
fn a_bad_pattern_is_refused_with_its_column() {
    for pattern in ["(", "a**{", "[", "(?P<a>", "\\\\p{Greek}", &"(".repeat(60)] {
        let error = ask(&format!("(title \"{pattern}\")")).unwrap_err();
        assert_eq!(error.code, Code::BadQuery, "{pattern}");
        assert!(
            error
                .message
                .starts_with("column 8: the regular expression cannot be used: "),
            "{error}"
        );
    }
}

#[test]
fn a_leap_day_is_a_date_in_leap_years_only() {
    for (date, exists) in [
        ("2024-02-29", true),
        ("2000-02-29", true),
        ("1900-02-29", false),
        ("2026-04-31", false),
    ] {
        assert_eq!(ask(&format!("(deadline :on {date})")).is_ok(), exists, "{date}");
    }
}

#[test]
fn a_hundred_levels_are_read() {
    assert_eq!(found(&format!("{}(and){}", "(not ".repeat(99), ")".repeat(99))), "");
    assert_eq!(
        found(&format!("{}(and){}", "(not ".repeat(98), ")".repeat(98))),
        "ABGDE"
    );
}

#[test]
fn a_timestamp_that_does_not_exist_is_on_no_side() {
    let rows = || {
        vec![Row {
            scheduled: at("2026-02-31"),
            ..row(1, "Never")
        }]
    };
    let count = |query| run(query, rows(), &[None], &|_| false).unwrap().len();
    assert_eq!(count("(scheduled)"), 1);
    assert_eq!(
        count("(or (scheduled :before 2026-06-01) (scheduled :from 2026-06-01))"),
        0
    );
}

#[test]
fn parents_that_make_no_tree_are_ignored() {
    for parents in [&[][..], &[Some(0)], &[Some(9), Some(1), None, Some(4), Some(4)]] {
        for query in ["(ancestors)", "(descendants)"] {
            assert_eq!(run(query, plan().0, parents, &|_| true).unwrap(), []);
        }
    }
}

#[test]
fn a_query_that_is_too_much_work_is_refused_at_once() {
    let rows = || {
        (0..100_000)
            .map(|_| row(1, "a title of no great length"))
            .collect::<Vec<_>>()
    };
    let parents = vec![None; 100_000];
    let cheap = run("(or (title \"great|small\") (todo))", rows(), &parents, &|_| false);
    assert_eq!(cheap.map(|rows| rows.len()), Ok(100_000));
    for query in [
        format!("(or {})", "(done)".repeat(9_000)),
        "(title \"(a|aa|[a-z]{9})*=\")".to_string(),
    ] {
        let (rows, start) = (rows(), Instant::now());
        let error = run(&query, rows, &parents, &|_| false).unwrap_err();
        assert_eq!(
            (error.code, error.message.as_str()),
            (Code::TooComplex, "the query is too much work for 100000 headlines")
        );
        assert!(start.elapsed() < Duration::from_secs(2));
    }
}

/// The meaning of a few predicates, one row at a time, to compare the evaluator with.
fn holds(query: &Query, rows: &[Row], parents: &[Option<usize>], index: usize) -> bool {
    let above = |mut index: usize| {
        std::iter::from_fn(move || {
            index = parents[index]?;
            Some(index)
        })
    };
    match query {
        Query::Tags(tags) => tags.iter().any(|tag| rows[index].tags.contains(tag)),
        Query::Level(levels) => levels.contains(&rows[index].level),
        Query::Ancestors(inner) => above(index).any(|i| holds(inner, rows, parents, i)),
        Query::Descendants(inner) => {
            (0..rows.len()).any(|i| above(i).any(|a| a == index) && holds(inner, rows, parents, i))
        }
        Query::All(inner) => inner.iter().all(|query| holds(query, rows, parents, index)),
        Query::Any(inner) => inner.iter().any(|query| holds(query, rows, parents, index)),
        Query::Not(inner) => !holds(inner, rows, parents, index),
        _ => unreachable!("not generated"),
    }
}

fn any_query() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["(tags a)", "(tags b c)", "(level 1)", "(level 2 3)"]).prop_map(String::from);
    leaf.prop_recursive(4, 20, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|queries| format!("(and {})", queries.join(" "))),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|queries| format!("(or {})", queries.join(" "))),
            inner.clone().prop_map(|query| format!("(not {query})")),
            inner.clone().prop_map(|query| format!("(ancestors {query})")),
            inner.prop_map(|query| format!("(descendants {query})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_rows_at_once_is_each_row_alone(
        query in any_query(),
        shape in prop::collection::vec((1..4usize, 0..4u8, any::<prop::sample::Index>()), 0..12),
    ) {
        let (mut rows, mut parents) = (Vec::new(), Vec::new());
        for (index, (level, tag, parent)) in shape.into_iter().enumerate() {
            let tags = ["a", "b", "c"].get(usize::from(tag)).map(|tag| tag.to_string());
            rows.push(Row { tags: tags.into_iter().collect(), line: index, ..row(level, "") });
            parents.push((index > 0 && tag != 0).then(|| parent.index(index)));
        }
        let parsed = parse::parse(&query).unwrap();
        let expected: Vec<usize> = (0..rows.len()).filter(|&i| holds(&parsed, &rows, &parents, i)).collect();
        let selected = run(&query, rows, &parents, &|_| false).unwrap();
        prop_assert_eq!(selected.iter().map(|row| row.line).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_query_and_its_opposite_share_the_rows(query in any_query()) {
        let (yes, no) = (found(&query), found(&format!("(not {query})")));
        prop_assert_eq!(yes.len() + no.len(), 5);
    }

    #[test]
    fn any_text_in_quotes_is_a_tag(tag in "(?s).{1,20}") {
        let quoted = tag.replace('\\', "\\\\").replace('"', "\\\"");
        let rows = vec![Row { tags: vec![tag], ..row(1, "") }];
        prop_assert_eq!(run(&format!("(tags \"{quoted}\")"), rows, &[None], &|_| false).unwrap().len(), 1);
    }

    #[test]
    fn no_text_makes_it_panic(any in "(?s).{0,60}", near in r#"(\(|\)|"|\\|and|not|title|tags| |:on|[a-z*+{}0-9,\[\]-]){0,30}"#) {
        let _ = ask(&any);
        let _ = ask(&near);
        let _ = ask(&format!("(title \"{}\")", any.replace('\\', "\\\\").replace('"', "\\\"")));
        let _ = ask(&format!("(title \"{}\")", near.replace('\\', "\\\\").replace('"', "\\\"")));
    }
}
