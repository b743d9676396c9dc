//! Everything that a session reads from strangers: workflows, lines of the log, tokens, bundles. None may panic, and
//! what is taken must read back as it was written.
#![no_main]

use session::bundle::Import;
use session::event::Event;
use session::manifest::Record;
use session::workflow::{Compiled, Library, Source, SourceKind, compile};
use session::{Keyring, Log, Segment, SessionId, Token};

struct Zero;

impl session::ports::Random for Zero {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(0);
    }
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok((compiled, _)) =
        Source::read(text).and_then(|source| compile(&source, SourceKind::Bundled, &Library::default()))
    {
        let (hash, bytes) = compiled.encode();
        assert_eq!(Compiled::decode(hash, &bytes).as_ref(), Ok(&compiled));
    }
    if let Ok(event) = Event::read(text) {
        let line = String::from_utf8(event.line()).unwrap();
        assert_eq!(Event::read(line.trim_end()), Ok(event));
    }
    if let Ok(record) = Record::read(text) {
        let line = String::from_utf8(record.line()).unwrap();
        assert_eq!(Record::read(line.trim_end()), Ok(record));
    }
    let log = Log::load(
        SessionId::from_bytes([0; 16]),
        text.as_bytes(),
        &mut |closed| Segment::read(closed, Err("is missing".into())),
        &[],
    );
    assert_eq!(log.state.next_index, 0);
    let _ = Token::read(text, &Keyring::new(&Zero));
    let _ = Import::read(text.as_bytes());
});
