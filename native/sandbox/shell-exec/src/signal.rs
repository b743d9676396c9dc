//! Names of signals. A script can send them to its own jobs and to itself; nobody else can.

/// A signal's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Signal(u8);

const NAMES: &[(u8, &str)] = &[
    (1, "HUP"),
    (2, "INT"),
    (3, "QUIT"),
    (4, "ILL"),
    (5, "TRAP"),
    (6, "ABRT"),
    (7, "BUS"),
    (8, "FPE"),
    (9, "KILL"),
    (10, "USR1"),
    (11, "SEGV"),
    (12, "USR2"),
    (13, "PIPE"),
    (14, "ALRM"),
    (15, "TERM"),
    (16, "STKFLT"),
    (17, "CHLD"),
    (18, "CONT"),
    (19, "STOP"),
    (20, "TSTP"),
    (21, "TTIN"),
    (22, "TTOU"),
    (23, "URG"),
    (24, "XCPU"),
    (25, "XFSZ"),
    (26, "VTALRM"),
    (27, "PROF"),
    (28, "WINCH"),
    (29, "IO"),
    (30, "PWR"),
    (31, "SYS"),
];

impl Signal {
    pub const TERM: Signal = Signal(15);
    pub const INT: Signal = Signal(2);
    pub const PIPE: Signal = Signal(13);
    pub const QUIT: Signal = Signal(3);

    /// By name, with or without `SIG`, or by number.
    pub fn parse(text: &[u8]) -> Option<Signal> {
        let text = std::str::from_utf8(text).ok()?;
        if let Ok(number) = text.parse::<u8>() {
            return Signal::numbered(number);
        }
        let upper = text.to_ascii_uppercase();
        let name = upper.strip_prefix("SIG").unwrap_or(&upper);
        let (number, _) = NAMES.iter().find(|(_, known)| *known == name)?;
        Some(Signal(*number))
    }

    pub fn numbered(number: u8) -> Option<Signal> {
        NAMES
            .iter()
            .any(|(known, _)| *known == number)
            .then_some(Signal(number))
    }

    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0) - 1].1
    }

    /// The status of what it ends.
    pub fn status(self) -> u8 {
        128 + self.0
    }

    pub fn can_be_caught(self) -> bool {
        !matches!(self.name(), "KILL" | "STOP")
    }

    /// Whether nothing happens unless it is trapped.
    pub fn is_harmless(self) -> bool {
        matches!(self.name(), "CHLD" | "URG" | "WINCH" | "CONT")
    }

    pub fn all() -> impl Iterator<Item = Signal> {
        NAMES.iter().map(|(number, _)| Signal(*number))
    }
}
