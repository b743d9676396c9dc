//! Canonical JSON, as RFC 8785 has it.

use serde::Serialize;

/// The one text of a value whose keys are strings and whose numbers are finite: RFC 8785.
///
/// ```
/// assert_eq!(ledger::canonical(&serde_json::json!({"b": 1.0, "a": "x"})), r#"{"a":"x","b":1}"#);
/// ```
pub fn text(value: &impl Serialize) -> String {
    serde_json_canonicalizer::to_string(value).expect("plain data has a canonical form")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        text(&serde_json::from_str::<serde_json::Value>(json).unwrap())
    }

    /// The examples of RFC 8785, sections 3.2.2 and 3.2.3, and of its published test data.
    #[test]
    fn the_published_examples_come_out_as_published() {
        for (input, expected) in [
            (
                r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
                    "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
                r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
            ),
            (
                r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
                "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
            ),
            (
                r#"[56,{"d":true,"10":null,"1":[ ]}]"#,
                r#"[56,{"1":[],"10":null,"d":true}]"#,
            ),
            (
                r#"{"1":{"f":{"f":"hi","F":5},"\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}"#,
                r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#,
            ),
            (
                r#"{"peach":1,"péché":2,"pêche":3,"sin":4}"#,
                r#"{"peach":1,"péché":2,"pêche":3,"sin":4}"#,
            ),
            ("{\"a\":\"A\\u030a\"}", "{\"a\":\"A\u{30a}\"}"),
        ] {
            assert_eq!(canonical(input), expected);
        }
    }

    /// RFC 8785, appendix B: the bits of a double and how it is written.
    #[test]
    fn numbers_are_written_as_in_the_table() {
        for (bits, expected) in [
            (0x0000000000000000, "0"),
            (0x8000000000000000, "0"),
            (0x0000000000000001, "5e-324"),
            (0x8000000000000001, "-5e-324"),
            (0x7fefffffffffffff, "1.7976931348623157e+308"),
            (0xffefffffffffffff, "-1.7976931348623157e+308"),
            (0x4340000000000000, "9007199254740992"),
            (0xc340000000000000, "-9007199254740992"),
            (0x4430000000000000, "295147905179352830000"),
            (0x44b52d02c7e14af5, "9.999999999999997e+22"),
            (0x44b52d02c7e14af6, "1e+23"),
            (0x44b52d02c7e14af7, "1.0000000000000001e+23"),
            (0x444b1ae4d6e2ef4e, "999999999999999700000"),
            (0x444b1ae4d6e2ef4f, "999999999999999900000"),
            (0x444b1ae4d6e2ef50, "1e+21"),
            (0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"),
            (0x3eb0c6f7a0b5ed8d, "0.000001"),
            (0x41b3de4355555553, "333333333.3333332"),
            (0x41b3de4355555554, "333333333.33333325"),
            (0x41b3de4355555555, "333333333.3333333"),
            (0x41b3de4355555556, "333333333.3333334"),
            (0x41b3de4355555557, "333333333.33333343"),
            (0xbecbf647612f3696, "-0.0000033333333333333333"),
            (0x43143ff3c1cb0959, "1424953923781206.2"),
        ] {
            assert_eq!(text(&f64::from_bits(bits)), expected, "{bits:016x}");
        }
    }
}
