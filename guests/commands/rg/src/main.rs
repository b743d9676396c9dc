//! `rg`: ripgrep.

fn main() -> std::process::ExitCode {
    start::enter();
    ripgrep::main()
}
