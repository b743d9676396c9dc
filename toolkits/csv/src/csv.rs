//! csv: comma-separated values in, tab-separated values out. Built by `script/toolkits` for WASI, without std.
//!
//! RFC 4180: a field may stand in double quotes, `""` in it is one quote, and it may then hold the delimiter and line
//! ends. A tab or a line end inside a field becomes a space, so that every record is one line and every field one column.
#![no_std]
#![no_main]

#[link(wasm_import_module = "wasi_snapshot_preview1")]
unsafe extern "C" {
    fn fd_read(fd: i32, iovs: *const Iovec, count: i32, read: *mut usize) -> i32;
    fn fd_write(fd: i32, iovs: *const Iovec, count: i32, written: *mut usize) -> i32;
    fn args_sizes_get(count: *mut usize, bytes: *mut usize) -> i32;
    fn args_get(argv: *mut *const u8, bytes: *mut u8) -> i32;
    fn proc_exit(status: i32) -> !;
}

#[repr(C)]
struct Iovec {
    at: *const u8,
    len: usize,
}

const ROOM: usize = 64 << 10;
const WORDS: usize = 16;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

struct Out {
    bytes: [u8; ROOM],
    len: usize,
}

impl Out {
    fn put(&mut self, byte: u8) {
        if self.len == ROOM {
            self.flush();
        }
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    fn flush(&mut self) {
        write(1, &self.bytes[..self.len]);
        self.len = 0;
    }
}

fn write(fd: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let iovec = Iovec { at: bytes.as_ptr(), len: bytes.len() };
        let mut written = 0;
        if unsafe { fd_write(fd, &iovec, 1, &mut written) } != 0 {
            unsafe { proc_exit(1) }
        }
        bytes = &bytes[written..];
    }
}

fn fail(words: &str, status: i32) -> ! {
    write(2, words.as_bytes());
    unsafe { proc_exit(status) }
}

/// The delimiter that the arguments name: nothing, or `-d C`.
fn delimiter() -> u8 {
    let (mut count, mut bytes) = (0, 0);
    let mut argv = [core::ptr::null(); WORDS];
    let mut text = [0u8; 1024];
    unsafe { args_sizes_get(&mut count, &mut bytes) };
    if count > WORDS || bytes > text.len() {
        fail("csv: too many arguments\n", 2);
    }
    unsafe { args_get(argv.as_mut_ptr(), text.as_mut_ptr()) };
    let mut words = text[..bytes].split(|byte| *byte == 0).skip(1).take(count.saturating_sub(1));
    match (words.next(), words.next(), words.next()) {
        (None, None, None) => b',',
        (Some(b"-d"), Some([one]), None) => *one,
        _ => fail("usage: csv [-d CHAR] < FILE.csv\n", 2),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    /// The beginning of a field.
    Start,
    Plain,
    Quoted,
    /// After a quote in a quoted field: its end, or half of `""`.
    Quote,
}

#[unsafe(no_mangle)]
pub extern "C" fn _start() {
    let delimiter = delimiter();
    let mut out = Out { bytes: [0; ROOM], len: 0 };
    let mut input = [0u8; ROOM];
    let (mut at, mut line_is_empty) = (At::Start, true);
    loop {
        let iovec = Iovec { at: input.as_mut_ptr(), len: ROOM };
        let mut read = 0;
        if unsafe { fd_read(0, &iovec, 1, &mut read) } != 0 {
            fail("csv: standard input cannot be read\n", 1);
        }
        if read == 0 {
            break;
        }
        for byte in input[..read].iter().copied() {
            let (next, shown) = match (at, byte) {
                (At::Start, b'"') => (At::Quoted, None),
                (At::Quoted, b'"') => (At::Quote, None),
                (At::Quote, b'"') => (At::Quoted, Some(b'"')),
                (At::Quoted, b'\t' | b'\n' | b'\r') => (At::Quoted, Some(b' ')),
                (At::Quoted, other) => (At::Quoted, Some(other)),
                (_, b'\n') => (At::Start, Some(b'\n')),
                (_, b'\r') => (at, None),
                (_, other) if other == delimiter => (At::Start, Some(b'\t')),
                (_, b'\t') => (At::Plain, Some(b' ')),
                (_, other) => (At::Plain, Some(other)),
            };
            at = next;
            line_is_empty = byte == b'\n' && next == At::Start;
            if let Some(shown) = shown {
                out.put(shown);
            }
        }
    }
    if at == At::Quoted {
        out.flush();
        fail("csv: a quote is never closed\n", 1);
    }
    if !line_is_empty {
        out.put(b'\n');
    }
    out.flush();
    unsafe { proc_exit(0) }
}
