//! A component of the kernel's world that does what the kernel must never do. The tests of the host and of the BEAM
//! side load it in the kernel's place; its text says what to do.

mod bindings {
    wit_bindgen::generate!({ world: "oql", path: "../../../wit/oql.wit" });
}

struct Misbehaving;

impl Misbehaving {
    fn obey(order: String) -> Result<String, String> {
        match order.as_str() {
            "panic" => panic!("as ordered"),
            "spin" => loop {
                std::hint::spin_loop();
            },
            "recurse" => Ok(descend(0).to_string()),
            "eat" => {
                let mut hoard = Vec::new();
                loop {
                    hoard.push(vec![1u8; 1 << 20]);
                }
            }
            "babble" => Ok("{\"not\": json".into()),
            "nest" => Ok("[".repeat(1_000_000)),
            "refuse" => Err("not even an error".into()),
            _ => Ok("[]".into()),
        }
    }
}

/// Deeper than any stack.
#[expect(unconditional_recursion, reason = "that is the order")]
fn descend(depth: u64) -> u64 {
    let here = std::hint::black_box(depth);
    descend(here + 1) + here
}

impl bindings::Guest for Misbehaving {
    fn parse_headlines(org: String) -> Result<String, String> {
        Self::obey(org)
    }

    fn query(org: String, _: String) -> Result<String, String> {
        Self::obey(org)
    }

    fn lint(org: String, _: String) -> Result<String, String> {
        Self::obey(org)
    }

    fn tangle_plan(org: String) -> Result<String, String> {
        Self::obey(org)
    }

    fn validate(org: String) -> Result<String, String> {
        Self::obey(org)
    }

    fn check_upgrade(old: String, _: String, _: String) -> Result<String, String> {
        Self::obey(old)
    }

    fn render(org: String) -> Result<String, String> {
        Self::obey(org)
    }

    fn tasks(org: String) -> Result<String, String> {
        Self::obey(org)
    }

    fn set_state(org: String, _: String, _: String) -> Result<String, String> {
        Self::obey(org)
    }
}

bindings::export!(Misbehaving with_types_in bindings);
