//! A table that is not whole is no table.

use policy::{Error, Policy};

const COMPUTE: &str = r#""compute": {"memory_mib": 64, "time_s": 5, "capabilities": ["vfs"]}"#;

fn read(profiles: &str, uses: &str) -> Result<Policy, Error> {
    Policy::read(&format!(r#"{{"profiles": {{{profiles}}}, "uses": {{{uses}}}}}"#))
}

#[test]
fn what_is_missing_or_odd_is_refused_and_never_means_anything_goes() {
    for broken in [
        "",
        "{}",
        "null",
        r#"{"profiles": {}}"#,
        r#"{"uses": {}}"#,
        r#"{"profiles": {"compute": {"memory_mib": 64, "time_s": 5}}, "uses": {}}"#,
        r#"{"profiles": {"compute": {"memory_mib": 64, "time_s": 5, "capabilities": [], "net": false}}, "uses": {}}"#,
        r#"{"profiles": {"compute": {"memory_mib": 64, "time_s": 5, "capabilities": []}}, "uses": {}, "more": 1}"#,
    ] {
        assert!(matches!(Policy::read(broken), Err(Error::Unreadable(_))), "{broken}");
    }
    assert_eq!(read("", ""), Err(Error::NoLeast));
    assert!(read(COMPUTE, "").is_ok());
}

#[test]
fn limits_are_within_what_the_engine_can_give() {
    for (memory, time) in [(0, 1), (513, 1), (1, 0)] {
        let odd = format!(r#"{COMPUTE}, "odd": {{"memory_mib": {memory}, "time_s": {time}, "capabilities": []}}"#);
        assert_eq!(read(&odd, ""), Err(Error::BadLimits("odd".into())));
    }
}

#[test]
fn a_use_names_a_capability_that_some_profile_grants() {
    assert!(read(COMPUTE, r#""workbook:fs": "vfs""#).is_ok());
    let unknown = Error::UnknownCapability {
        name: "workbook:fly".into(),
        capability: "wings".into(),
    };
    assert_eq!(read(COMPUTE, r#""workbook:fly": "wings""#), Err(unknown));
}

#[test]
fn the_built_in_table_is_the_one_of_the_specification() {
    let policy = Policy::built_in();
    let minimal = ["vfs", "commands", "exec", "kv", "secrets", "queue", "tcp", "udp", "tls"];
    let network = [&minimal[..], &["net", "llm", "browse"]].concat();
    let posix = [&network[..], &["posix", "parallel"]].concat();
    for (name, memory, time, capabilities) in [
        ("compute", 64, 5, &["vfs"][..]),
        ("minimal", 64, 5, &minimal),
        ("network", 128, 30, &network),
        ("posix", 256, 60, &posix),
    ] {
        let profile = policy.profile(name);
        assert_eq!((profile.memory_mib, profile.time_s), (memory, time), "{name}");
        assert_eq!(profile.capabilities, capabilities, "{name}");
    }
    assert_eq!(policy.profile(""), policy.profile("compute"));
}
