//! A terminal to run wbx in.

use crate::program::{Ended, drain, wait};
use std::{
    fs::File,
    io::Read,
    os::fd::{FromRawFd, OwnedFd},
    process::{Command, Stdio},
    ptr, thread,
};

/// What a person saw when the answer goes to a terminal and errors do not.
pub fn watch(command: &mut Command) -> Ended {
    let (screen, program) = open();
    let reader = thread::spawn(move || read(screen));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(program)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stderr = drain(child.stderr.take().unwrap());
    let exit = wait(&mut child);
    let_go(command);
    Ended {
        exit,
        stdout: reader.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

/// What a person saw when everything goes to a terminal.
pub fn watch_all(command: &mut Command) -> (String, i32) {
    let (screen, program) = open();
    let reader = thread::spawn(move || read(screen));
    let stderr = program.try_clone().unwrap();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(program)
        .stderr(stderr)
        .spawn()
        .unwrap();
    let exit = wait(&mut child);
    let_go(command);
    (reader.join().unwrap(), exit)
}

/// A command keeps its ends of the terminal open until they are taken away.
fn let_go(command: &mut Command) {
    command.stdout(Stdio::null()).stderr(Stdio::null());
}

/// Everything that was drawn, with plain line ends.
fn read(mut screen: File) -> String {
    let mut seen = Vec::new();
    // Linux ends the reading with an error when the last writer is gone.
    let _ = screen.read_to_end(&mut seen);
    String::from_utf8(seen).expect("wbx speaks UTF-8").replace("\r\n", "\n")
}

fn open() -> (File, OwnedFd) {
    let (mut screen, mut program) = (-1, -1);
    // SAFETY: both pointers are valid for a write, and null asks for no name and the default settings.
    let opened = unsafe { libc::openpty(&mut screen, &mut program, ptr::null_mut(), ptr::null(), ptr::null()) };
    assert_eq!(opened, 0, "{}", std::io::Error::last_os_error());
    // SAFETY: openpty gave two new descriptors that nobody else owns.
    unsafe { (File::from_raw_fd(screen), OwnedFd::from_raw_fd(program)) }
}
