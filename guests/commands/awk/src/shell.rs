//! Other commands: `system`, and pipes from and to them.

#[cfg(target_os = "wasi")]
pub use hosted::{Incoming, Outgoing, system};
#[cfg(not(target_os = "wasi"))]
pub use native::{Incoming, Outgoing, system};

/// Commands of the machine itself: where the tests of this crate run.
#[cfg(not(target_os = "wasi"))]
mod native {
    use std::ffi::OsStr;
    use std::io::{self, Read, Write};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command, ExitStatus, Stdio};

    fn shell(command: &[u8]) -> Command {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(OsStr::from_bytes(command));
        shell
    }

    fn number(status: io::Result<ExitStatus>) -> i32 {
        match status {
            Ok(status) => status.code().unwrap_or_else(|| 256 + status.signal().unwrap_or(0)),
            Err(_) => 127,
        }
    }

    /// Runs a command to its end and answers its status.
    pub fn system(command: &[u8]) -> i32 {
        number(shell(command).status())
    }

    /// A command whose output is read.
    pub struct Incoming(Child);

    impl Incoming {
        /// Starts it.
        pub fn start(command: &[u8]) -> io::Result<(Incoming, Box<dyn Read>)> {
            let mut child = shell(command).stdout(Stdio::piped()).spawn()?;
            let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
            Ok((Incoming(child), Box::new(output)))
        }

        /// Waits for it and answers its status.
        pub fn close(mut self) -> i32 {
            number(self.0.wait())
        }
    }

    /// A command whose input is written.
    pub struct Outgoing(Child);

    impl Outgoing {
        /// Starts it.
        pub fn start(command: &[u8]) -> io::Result<Outgoing> {
            shell(command).stdin(Stdio::piped()).spawn().map(Outgoing)
        }

        /// Gives it some input.
        pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
            match &mut self.0.stdin {
                Some(input) => input.write_all(bytes),
                None => Ok(()),
            }
        }

        /// Ends its input, waits for it and answers its status.
        pub fn close(mut self) -> i32 {
            drop(self.0.stdin.take());
            number(self.0.wait())
        }
    }
}

/// Commands that the host runs, one at a time.
#[cfg(target_os = "wasi")]
mod hosted;
