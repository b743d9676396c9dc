//! Streams as commands meet them.

use pipe::{CAPACITY, Stream, block_on, pipe};
use proptest::prelude::*;
use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

/// A stream of each kind that reads as these bytes.
fn readable(bytes: &[u8]) -> Vec<(&'static str, Stream)> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    let (reader, writer) = pipe();
    let copy = bytes.to_vec();
    thread::spawn(move || block_on(writer.write_all(&copy)));
    vec![
        ("bytes", Stream::bytes(bytes)),
        ("file", Stream::open(file)),
        ("pipe", reader),
        (
            "two in a row",
            Stream::bytes(&bytes[bytes.len() / 2..]).after(&bytes[..bytes.len() / 2]),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_line_is_taken_and_nothing_behind_it(lines in prop::collection::vec("[a-z]{0,20}", 0..20), rest in "[a-z]{0,9}") {
        let text: String = lines.iter().map(|line| format!("{line}\n")).chain([rest.clone()]).collect();
        for (kind, stream) in readable(text.as_bytes()) {
            for line in &lines {
                let taken = block_on(stream.clone().read_until(b'\n', 100)).unwrap();
                prop_assert_eq!(taken, format!("{line}\n").into_bytes(), "{}", kind);
            }
            prop_assert_eq!(block_on(stream.read_to_end(100)).unwrap(), rest.as_bytes(), "{}", kind);
        }
    }

    #[test]
    fn what_goes_into_a_pipe_comes_out_of_it(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..100_000), 0..6),
        step in 1..70_000usize,
    ) {
        let (reader, writer) = pipe();
        let whole = pieces.concat();
        let from = thread::spawn(move || block_on(async {
            for piece in pieces {
                writer.write_all(&piece).await.unwrap();
            }
        }));
        let mut out = Vec::new();
        let mut chunk = vec![0; step];
        loop {
            match block_on(reader.read(&mut chunk)).unwrap() {
                0 => break,
                n => out.extend_from_slice(&chunk[..n]),
            }
        }
        from.join().unwrap();
        prop_assert!(out == whole);
    }
}

#[test]
fn a_writer_is_never_more_than_the_capacity_ahead() {
    let (reader, writer) = pipe();
    let written = Arc::new(AtomicUsize::new(0));
    let count = written.clone();
    let from = thread::spawn(move || {
        block_on(async {
            for _ in 0..100 {
                writer.write_all(&[7; 10_000]).await.unwrap();
                count.fetch_add(10_000, SeqCst);
            }
        })
    });
    let (mut read, mut chunk) = (0, vec![0; 5_000]);
    loop {
        let n = block_on(reader.read(&mut chunk)).unwrap();
        if n == 0 {
            break;
        }
        read += n;
        assert!(written.load(SeqCst) <= read + CAPACITY);
    }
    from.join().unwrap();
    assert_eq!(read, 1_000_000);
}

#[test]
fn a_writer_hears_that_its_reader_is_gone_even_while_it_waits() {
    let (reader, writer) = pipe();
    let from = thread::spawn(move || block_on(writer.write_all(&vec![0; 10 * CAPACITY])));
    assert_eq!(block_on(reader.read(&mut [0])).unwrap(), 1);
    drop(reader);
    assert_eq!(from.join().unwrap().unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[test]
fn a_pipe_ends_when_its_last_writer_is_gone() {
    let (reader, writer) = pipe();
    let other = writer.clone();
    drop(writer);
    block_on(other.write_all(b"still here")).unwrap();
    drop(other);
    assert_eq!(block_on(reader.read_to_end(100)).unwrap(), b"still here");
}

#[test]
fn more_than_the_limit_is_an_error() {
    for (kind, stream) in readable(b"0123456789") {
        let error = block_on(stream.read_until(b'\n', 5)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge, "{kind}");
    }
    for (kind, stream) in readable(b"0123456789") {
        let error = block_on(stream.read_to_end(9)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge, "{kind}");
    }
}

#[test]
fn null_is_empty_and_swallows() {
    assert_eq!(block_on(Stream::null().read_to_end(1)).unwrap(), b"");
    block_on(Stream::null().write_all(b"gone")).unwrap();
}

#[test]
fn a_stream_does_only_what_it_is_open_for() {
    let (reader, writer) = pipe();
    for (stream, bytes) in [(reader, b"x"), (Stream::bytes("x"), b"x")] {
        assert_eq!(
            block_on(stream.write_all(bytes)).unwrap_err().to_string(),
            "Bad file descriptor"
        );
    }
    for stream in [writer, Stream::sink(|_| Ok(()))] {
        assert_eq!(
            block_on(stream.read(&mut [0])).unwrap_err().to_string(),
            "Bad file descriptor"
        );
    }
}

#[test]
fn what_a_sink_answers_reaches_the_writer() {
    let full = Stream::sink(|_| Err(ErrorKind::QuotaExceeded.into()));
    assert_eq!(
        block_on(full.write_all(b"x")).unwrap_err().kind(),
        ErrorKind::QuotaExceeded
    );
}
