use super::parse::{MAX_DEPTH, MAX_LENGTH};
use super::*;
use proptest::prelude::*;

fn safe(old: &str, new: &str) -> bool {
    match compare_output(old, new) {
        Verdict::Compatible => true,
        Verdict::Breaks(_) => false,
        Verdict::Unreadable => panic!("unreadable: {old} or {new}"),
    }
}

macro_rules! table {
    ($($name:ident: $old:literal => $new:literal, $safe:literal;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(safe($old, $new), $safe, "{} => {}", $old, $new);
        }
    )*};
}

table! {
    a_primitive_is_its_own_subtype:         "bool" => "bool", true;
    a_signed_integer_does_not_widen:        "s32" => "s64", false;
    an_unsigned_integer_does_not_widen:     "u64" => "u8", false;
    an_unsigned_integer_is_no_signed_one:   "s64" => "u32", false;
    a_float_does_not_widen:                 "f64" => "f32", false;
    a_char_is_no_string:                    "string" => "char", false;
    a_named_type_is_equal_to_itself:        "json" => "json", true;
    a_named_type_is_equal_to_nothing_else:  "json" => "string", false;
    a_bare_keyword_is_a_name:               "list" => "list", true;
    a_bare_list_is_not_a_list_of_something: "list" => "list<u8>", false;
    a_bare_record_is_a_name:                "record" => "record {}", false;
    an_escaped_keyword_is_a_name:           "%result" => "result", false;
    an_escape_does_not_change_a_name:       "%json" => "json", true;

    a_list_follows_its_members:             "list<record { a: u8 }>" => "list<record { a: u8, b: u8 }>", true;
    a_list_of_other_members_breaks:         "list<u8>" => "list<string>", false;

    a_record_may_gain_a_field:              "record { a: string }" => "record { a: string, b: u32 }", true;
    a_record_may_not_lose_a_field:          "record { a: string, b: u32 }" => "record { a: string }", false;
    a_record_may_not_lose_an_optional_field: "record { a: option<u32> }" => "record {}", false;
    an_empty_record_asks_for_nothing:       "record {}" => "record { a: u8 }", true;
    the_order_of_fields_does_not_matter:    "record { a: u8, b: u16 }" => "record { b: u16, a: u8 }", true;
    a_field_may_become_a_subtype:           "record { a: option<u8> }" => "record { a: u8 }", true;
    a_field_may_not_become_a_supertype:     "record { a: u8 }" => "record { a: option<u8> }", false;
    a_record_is_no_tuple:                   "record { a: u8 }" => "tuple<u8>", false;

    a_tuple_may_grow_at_its_end:            "tuple<u8>" => "tuple<u8, string>", true;
    a_tuple_may_not_shrink:                 "tuple<u8, string>" => "tuple<u8>", false;
    a_tuple_keeps_its_order:                "tuple<u8, string>" => "tuple<string, u8>", false;

    a_variant_may_lose_a_case:              "variant { a, b(u8) }" => "variant { a }", true;
    a_variant_may_not_gain_a_case:          "variant { a }" => "variant { a, b(u8) }", false;
    an_empty_variant_fits_any:              "variant { a(u8) }" => "variant {}", true;
    a_renamed_case_breaks:                  "variant { b(bool) }" => "variant { a(bool) }", false;
    a_payload_may_become_a_subtype:         "variant { a(option<u8>) }" => "variant { a(u8) }", true;
    a_payload_may_not_change:               "variant { a(u8) }" => "variant { a(bool) }", false;
    a_payload_may_not_go:                   "variant { a(u8) }" => "variant { a }", false;
    a_payload_may_not_come:                 "variant { a }" => "variant { a(u8) }", false;
    an_enum_may_lose_a_case:                "enum { a, b }" => "enum { b }", true;
    an_enum_may_not_gain_a_case:            "enum { a }" => "enum { a, b }", false;
    an_enum_is_a_variant_without_payloads:  "variant { a, b(u8) }" => "enum { a }", true;
    flags_may_lose_one:                     "flags { r, w }" => "flags { r }", true;
    flags_may_not_gain_one:                 "flags { r }" => "flags { r, w }", false;
    flags_are_no_enum:                      "flags { r }" => "enum { r }", false;

    a_value_may_become_certain:             "option<u8>" => "u8", true;
    a_value_may_not_become_uncertain:       "u8" => "option<u8>", false;
    an_option_follows_its_value:            "option<record {}>" => "option<record { a: u8 }>", true;
    an_option_does_not_take_anything:       "option<bool>" => "u8", false;
    an_option_may_lose_a_layer:             "option<option<u8>>" => "option<u8>", true;
    an_option_may_not_gain_a_layer:         "option<u8>" => "option<option<u8>>", false;

    a_plain_result_is_one_without_values:   "result" => "result<_, _>", true;
    a_result_follows_its_value:             "result<option<u8>, string>" => "result<u8, string>", true;
    a_result_follows_its_error:             "result<u8, enum { a, b }>" => "result<u8, enum { a }>", true;
    an_error_may_not_gain_a_case:           "result<_, enum { a }>" => "result<_, enum { a, b }>", false;
    a_result_may_not_lose_its_value:        "result<u8>" => "result", false;
    a_result_may_not_gain_an_error_value:   "result<u8>" => "result<u8, string>", false;

    spaces_and_a_last_comma_are_nothing:    " record{a:list < u8 >,} " => "record { a: list<u8> }", true;
}

macro_rules! breaks {
    ($($name:ident: $old:literal => $new:literal, $path:literal, $was:literal, $now:literal, $why:literal, $witness:literal;)*) => {$(
        #[test]
        fn $name() {
            let expected = Break {
                path: $path.into(), was: $was.into(), now: $now.into(), why: $why.into(), witness: $witness.into(),
            };
            assert_eq!(compare_output($old, $new), Verdict::Breaks(expected));
        }
    )*};
}

breaks! {
    a_break_at_the_top_has_the_path_of_the_whole:
        "u8" => "u16", ".", "u8", "u16", "`u8` became `u16`", "u8";
    a_lost_field_is_named_and_the_witness_reads_only_it:
        "record { a: string, b: u32 }" => "record { a: string }",
        ".b", "u32", "absent", "field `b` is gone", "record { b: u32 }";
    a_break_inside_lists_and_records_has_its_whole_path:
        "record { rows: list<record { id: u32, name: string }>, n: u8 }" =>
        "record { n: u8, rows: list<record { id: u32, name: option<string> }> }",
        ".rows[].name", "string", "option<string>", "the value may now be missing",
        "record { rows: list<record { name: string }> }";
    a_list_at_the_top_starts_with_a_dot:
        "list<u8>" => "list<s8>", ".[]", "u8", "s8", "`u8` became `s8`", "list<u8>";
    an_option_has_a_question_mark:
        "record { a: option<u8> }" => "record { a: option<string> }",
        ".a?", "u8", "string", "`u8` became `string`", "record { a: option<u8> }";
    a_new_case_shows_the_reader_of_all_the_old_ones:
        "variant { a, b(u8) }" => "variant { a, c(u16) }",
        ".c", "absent", "c", "case `c` is new", "variant { a, b(u8) }";
    a_case_that_lost_its_value_says_so:
        "variant { a(u8), b }" => "variant { a }", ".a", "u8", "absent", "case `a` lost its value", "variant { a(u8), b }";
    a_case_that_gained_a_value_says_so:
        "enum { a, b }" => "variant { a(u8) }", ".a", "absent", "u8", "case `a` gained a value", "enum { a, b }";
    a_payload_keeps_its_sibling_cases_in_the_witness:
        "variant { a(record { x: u8, y: u8 }), b }" => "variant { a(record { x: u8 }) }",
        ".a.y", "u8", "absent", "field `y` is gone", "variant { a(record { y: u8 }), b }";
    a_shorter_tuple_names_the_member:
        "tuple<u8, u16, u32>" => "tuple<u8>", ".1", "u16", "absent", "member 1 is gone", "tuple<u8, u16>";
    an_error_of_a_result_has_its_step:
        "result<u8, u16>" => "result<u8, u32>", ".err", "u16", "u32", "`u16` became `u32`", "result<u8, u16>";
    a_result_without_its_value_says_so:
        "result<u8, u16>" => "result<_, u16>", ".ok", "u8", "absent", "case `ok` lost its value", "result<u8, u16>";
}

#[test]
fn a_break_reads_as_a_sentence() {
    let Verdict::Breaks(found) = compare_output("record { a: u8, b: u32 }", "record { a: u8 }") else {
        panic!("a lost field must break");
    };
    assert_eq!(
        found.to_string(),
        "a consumer that reads `record { b: u32 }` breaks at `.b`: field `b` is gone (was `u32`, now `absent`)"
    );
}

#[test]
fn what_is_not_a_type_is_unreadable() {
    for text in [
        "",
        "  ",
        "record {",
        "record { a }",
        "record { a: }",
        "record { a: u8, a: u8 }",
        "record { a: u8; }",
        "variant { a, a(u8) }",
        "enum { a, a }",
        "enum { a(u8) }",
        "flags { r, r }",
        "list<>",
        "list<u8",
        "list<u8>>",
        "list<u8, 4>",
        "option<u8, u8>",
        "result<u8,>",
        "result<>",
        "result<u8, u8, u8>",
        "tuple<,>",
        "stream<u8>",
        "_",
        "9",
        "-a",
        "u8 u8",
        "u8,",
        "ü",
        "record { a: u8 } x",
        "%",
    ] {
        assert_eq!(compare_output(text, text), Verdict::Unreadable, "{text}");
        assert_eq!(compare_output("u8", text), Verdict::Unreadable, "{text}");
    }
}

#[test]
fn depth_and_length_have_limits() {
    let nested = |n: usize| format!("{}u8{}", "list<".repeat(n), ">".repeat(n));
    assert!(safe(&nested(MAX_DEPTH - 1), &nested(MAX_DEPTH - 1)));
    for text in [nested(MAX_DEPTH), "list<".repeat(10_000), "x".repeat(MAX_LENGTH + 1)] {
        assert_eq!(compare_output(&text, &text), Verdict::Unreadable);
    }
    let longest = "x".repeat(MAX_LENGTH);
    assert!(safe(&longest, &longest));
}

#[test]
fn deep_options_are_compared_in_one_pass() {
    let nested = |n: usize, core: &str| format!("{}{core}{}", "option<".repeat(n), ">".repeat(n));
    assert!(safe(&nested(60, "u8"), &nested(30, "u8")));
    assert!(!safe(&nested(60, "u8"), &nested(30, "u16")));
}

fn any_type() -> impl Strategy<Value = Type> {
    let name = || prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned);
    let leaf = prop::sample::select(vec!["bool", "u8", "json"]).prop_map(|n| Type::Name(n.into()));
    leaf.prop_recursive(3, 24, 3, move |ty| {
        let payload = prop::option::of(ty.clone());
        let boxed = || prop::option::of(ty.clone().prop_map(Box::new));
        prop_oneof![
            ty.clone().prop_map(|t| Type::List(t.into())),
            ty.clone().prop_map(|t| Type::Option(t.into())),
            (boxed(), boxed()).prop_map(|(ok, err)| Type::Result(ok, err)),
            prop::collection::vec(ty.clone(), 0..3).prop_map(Type::Tuple),
            prop::collection::btree_map(name(), ty.clone(), 0..3).prop_map(|m| Type::Record(m.into_iter().collect())),
            prop::collection::btree_map(name(), payload, 0..3).prop_map(|m| Type::Variant(m.into_iter().collect())),
            prop::collection::btree_set(name(), 0..3).prop_map(|s| Type::Flags(s.into_iter().collect())),
        ]
    })
}

/// One safe step away from `ty`, chosen by the bits of `seed`; most random pairs are unrelated, these are not.
fn narrowed(ty: &Type, seed: u32) -> Type {
    let deeper = seed >> 2;
    match ty {
        Type::Option(inner) if seed & 1 == 1 => narrowed(inner, deeper),
        Type::Option(inner) => Type::Option(narrowed(inner, deeper).into()),
        Type::List(item) => Type::List(narrowed(item, deeper).into()),
        Type::Tuple(items) if seed & 1 == 1 => {
            Type::Tuple(items.iter().cloned().chain([Type::Name("extra".into())]).collect())
        }
        Type::Record(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .rev()
                .map(|(n, t)| (n.clone(), narrowed(t, deeper)))
                .collect();
            if seed & 1 == 1 {
                fields.push((format!("extra-{seed}"), Type::Name("u8".into())));
            }
            Type::Record(fields)
        }
        Type::Variant(cases) => Type::Variant(cases.iter().skip((seed & 1) as usize).cloned().collect()),
        Type::Flags(names) => Type::Flags(names.iter().skip((seed & 1) as usize).cloned().collect()),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_type_is_compatible_with_itself(ty in any_type()) {
        prop_assert!(safe(&ty.to_string(), &ty.to_string()));
    }

    #[test]
    fn what_is_printed_reads_back(ty in any_type()) {
        prop_assert_eq!(parse::parse(&ty.to_string()), Some(ty));
    }

    #[test]
    fn safe_steps_add_up(ty in any_type(), first: u32, second: u32) {
        let middle = narrowed(&ty, first);
        let last = narrowed(&middle, second);
        let [ty, middle, last] = [ty, middle, last].map(|t| t.to_string());
        prop_assert!(safe(&ty, &middle) && safe(&middle, &last) && safe(&ty, &last));
    }

    #[test]
    fn the_relation_is_transitive(a in any_type(), b in any_type(), seed: u32) {
        let c = narrowed(&b, seed);
        let [a, b, c] = [a, b, c].map(|t| t.to_string());
        prop_assert!(!(safe(&a, &b) && safe(&b, &c)) || safe(&a, &c));
    }

    #[test]
    fn a_witness_accepts_the_old_type_and_refuses_the_new(old in any_type(), new in any_type()) {
        if let Verdict::Breaks(found) = compare_output(&old.to_string(), &new.to_string()) {
            prop_assert!(safe(&found.witness, &old.to_string()), "{} {}", found.witness, old);
            prop_assert!(!safe(&found.witness, &new.to_string()), "{} {}", found.witness, new);
        }
    }

    #[test]
    fn no_text_makes_it_panic(old in "(?s).{0,60}", new in "[a-z<>{}(),:_% ]{0,60}") {
        compare_output(&old, &new);
        compare_output(&new, &old);
    }
}
