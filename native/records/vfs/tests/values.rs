//! SQL values as JSON.

mod scratch;

use scratch::Scratch;

macro_rules! values {
    ($($name:ident: $sql:expr => $json:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(Scratch::new().sql(concat!("SELECT ", $sql)).as_deref(), Ok(concat!("[[", $json, "]]")));
        }
    )*};
}

values! {
    null_is_null:                          "NULL" => "null";
    the_largest_integer_is_exact:          "9223372036854775807" => "9223372036854775807";
    the_smallest_integer_is_exact:         "-9223372036854775808" => "-9223372036854775808";
    a_whole_real_stays_a_real:             "1.0" => "1.0";
    a_real_is_its_shortest_spelling:       "0.1" => "0.1";
    infinity_says_so:                      "9e999" => r#"{"real":"Infinity"}"#;
    minus_infinity_says_so:                "-9e999" => r#"{"real":"-Infinity"}"#;
    not_a_number_is_null:                  "9e999 - 9e999" => "null";
    text_is_escaped:                       "'a\"\\' || char(10) || 'é'" => r#""a\"\\\né""#;
    text_with_a_nul_is_whole:              "'a' || char(0) || 'b'" => r#""a\u0000b""#;
    text_that_is_not_utf8_is_base64:       "CAST(x'ff' AS TEXT)" => r#"{"base64":"/w=="}"#;
    text_cut_inside_a_character_is_base64: "CAST(x'61c3' AS TEXT)" => r#"{"base64":"YcM="}"#;
    a_blob_is_base64:                      "x'00ff10'" => r#"{"base64":"AP8Q"}"#;
    an_empty_blob_is_empty:                "x''" => r#"{"base64":""}"#;
    columns_keep_their_order:              "3, 1, 2" => "3,1,2";
}

#[test]
fn ten_thousand_rows_fit_and_one_more_does_not() {
    let scratch = Scratch::new();
    let rows = |n: u32| {
        format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {n}) SELECT 1 FROM n")
    };
    assert_eq!(
        scratch.sql(&rows(10_000)).unwrap(),
        format!("[{}]", ["[1]"; 10_000].join(","))
    );
    assert_eq!(scratch.refusal(&rows(10_001)), "too_many_rows");
}

#[test]
fn eight_mebibytes_fit_and_more_does_not() {
    let scratch = Scratch::new();
    // Two brackets and a quotation mark on either side.
    let text = |n: usize| format!("SELECT printf('%.*c', {n}, 'x')");
    assert_eq!(scratch.sql(&text(8 * 1024 * 1024 - 6)).unwrap().len(), 8 * 1024 * 1024);
    assert_eq!(scratch.refusal(&text(8 * 1024 * 1024)), "output_too_large");
    assert_eq!(scratch.refusal("SELECT zeroblob(7000000)"), "output_too_large");
}
