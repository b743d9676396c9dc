//! What the shell is measured against: `rivals bashkit|sh SCRIPT ROUNDS` prints the median time in microseconds, and
//! `rivals sort|uniq|tail ARGUMENTS` are the coreutils of the shell, compiled for this machine.

use bashkit::Bash;
use std::env;
use std::process::{self, Command};
use std::time::Instant;

fn main() {
    let command = env::args_os().skip(1);
    match env::args().nth(1).as_deref() {
        Some("sort") => process::exit(uu_sort::uumain(command)),
        Some("uniq") => process::exit(uu_uniq::uumain(command)),
        Some("tail") => process::exit(uu_tail::uumain(command)),
        _ => measure(),
    }
}

fn measure() {
    let arguments: Vec<String> = env::args().collect();
    let [_, rival, script, rounds] = arguments.as_slice() else {
        panic!("rivals bashkit|sh SCRIPT ROUNDS");
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    // Each round starts from nothing, as the shell under test does.
    let run = || match rival.as_str() {
        "bashkit" => runtime.block_on(Bash::new().exec(script)).expect("it runs").stdout.to_string(),
        _ => {
            let ran = Command::new("/bin/sh").args(["-c", script]).output().expect("it runs");
            String::from_utf8(ran.stdout).expect("text")
        }
    };
    let expected = run();
    assert!(!expected.is_empty());
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(run(), expected);
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{:.1}", times[rounds / 2]);
}
