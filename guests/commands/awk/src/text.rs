//! Strings of bytes: short ones inside the value, long ones shared.

use crate::copy;
use crate::utf8;
use std::cell::Cell;
use std::rc::Rc;

/// The longest string that needs no memory of its own: a [`crate::value::Value`] is then 16 bytes.
const SHORT: usize = 13;

/// Up to here a string is one piece of memory; a longer one has room to grow and remembers whether it is ASCII.
const MEDIUM: usize = 256;

/// A string. Cloning it copies no more than a few bytes.
///
/// `input` says that the string came from outside (a field, `getline`, the command line): such a string compares as a
/// number if it looks like one.
#[derive(Clone, Debug)]
pub enum Text {
    /// Up to [`SHORT`] bytes.
    Short { len: u8, input: bool, bytes: [u8; SHORT] },
    /// Up to [`MEDIUM`] bytes.
    Medium { input: bool, shared: Rc<[u8]> },
    /// Any length.
    Long { input: bool, shared: Rc<Shared> },
}

/// The bytes of a long string, and what was found out about them.
#[derive(Debug)]
pub struct Shared {
    bytes: Vec<u8>,
    ascii: Cell<Option<bool>>,
}

impl Text {
    /// The empty string.
    pub const EMPTY: Text = Text::Short {
        len: 0,
        input: false,
        bytes: [0; SHORT],
    };

    /// A string that the program made.
    #[inline]
    pub fn new(bytes: &[u8]) -> Text {
        Text::tagged(bytes, false)
    }

    /// A string from outside.
    #[inline]
    pub fn input(bytes: &[u8]) -> Text {
        Text::tagged(bytes, true)
    }

    #[inline]
    fn tagged(bytes: &[u8], input: bool) -> Text {
        if bytes.len() <= SHORT {
            let mut short = [0; SHORT];
            short.copy_from_slice(&copy::padded(bytes)[..SHORT]);
            return Text::Short {
                len: bytes.len() as u8,
                input,
                bytes: short,
            };
        }
        Text::shared(bytes, input)
    }

    fn shared(bytes: &[u8], input: bool) -> Text {
        match bytes.len() <= MEDIUM {
            true => Text::Medium {
                input,
                shared: bytes.into(),
            },
            false => Text::long(bytes.to_vec(), input),
        }
    }

    fn long(bytes: Vec<u8>, input: bool) -> Text {
        let ascii = Cell::new(None);
        Text::Long {
            input,
            shared: Rc::new(Shared { bytes, ascii }),
        }
    }

    /// Takes the bytes over, without copying a long string.
    pub fn from_vec(bytes: Vec<u8>) -> Text {
        match bytes.len() {
            0..=MEDIUM => Text::new(&bytes),
            _ => Text::long(bytes, false),
        }
    }

    /// Its bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Text::Short { len, bytes, .. } => &bytes[..usize::from(*len)],
            Text::Medium { shared, .. } => shared,
            Text::Long { shared, .. } => &shared.bytes,
        }
    }

    /// Whether it came from outside.
    #[inline]
    pub fn is_input(&self) -> bool {
        match self {
            Text::Short { input, .. } | Text::Medium { input, .. } | Text::Long { input, .. } => *input,
        }
    }

    /// The same bytes, as a string of the program's own making.
    pub fn made(mut self) -> Text {
        match &mut self {
            Text::Short { input, .. } | Text::Medium { input, .. } | Text::Long { input, .. } => *input = false,
        }
        self
    }

    /// Whether every byte is ASCII, so that characters are bytes. A long string remembers the answer: a loop over its
    /// characters asks once for each of them.
    pub fn is_ascii(&self) -> bool {
        match self {
            Text::Short { .. } | Text::Medium { .. } => utf8::is_ascii(self.bytes()),
            Text::Long { shared, .. } => match shared.ascii.get() {
                Some(known) => known,
                None => {
                    let found = utf8::is_ascii(&shared.bytes);
                    shared.ascii.set(Some(found));
                    found
                }
            },
        }
    }

    /// Its length in characters.
    pub fn chars(&self) -> usize {
        match self.is_ascii() {
            true => self.bytes().len(),
            false => utf8::count(self.bytes()),
        }
    }

    /// Adds bytes at the end, in place when nobody else has the string: `s = s x` in a loop stays linear.
    pub fn append(&mut self, more: &[u8]) {
        if let Text::Long { shared, input } = self
            && let Some(own) = Rc::get_mut(shared)
        {
            own.bytes.extend_from_slice(more);
            own.ascii.set(None);
            *input = false;
            return;
        }
        let bytes = self.bytes();
        let mut joined = Vec::with_capacity(bytes.len() + more.len());
        joined.extend_from_slice(bytes);
        joined.extend_from_slice(more);
        *self = Text::from_vec(joined);
    }
}
