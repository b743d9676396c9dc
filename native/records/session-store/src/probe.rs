//! The named steps of an append, so that a test can stop the world between any two of them.

/// A step of an append that was just done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The session is locked.
    Locked,
    /// A new snapshot or workflow is on disk under a temporary name.
    BlobWritten,
    /// It has its name.
    BlobRenamed,
    /// Every snapshot and workflow is flushed.
    BlobsFlushed,
    /// The segment is on disk under a temporary name.
    SegmentWritten,
    /// It is flushed.
    SegmentFlushed,
    /// It has its name.
    SegmentRenamed,
    /// Its directory is flushed.
    DirectoryFlushed,
    /// Half of the manifest record is written.
    RecordTorn,
    /// The manifest record is written.
    RecordWritten,
    /// It is flushed: the append happened.
    RecordFlushed,
    /// The pins are written.
    PinsWritten,
    /// They are flushed.
    PinsFlushed,
}

impl Step {
    /// Every step, in order.
    pub const ALL: [Step; 13] = [
        Step::Locked,
        Step::BlobWritten,
        Step::BlobRenamed,
        Step::BlobsFlushed,
        Step::SegmentWritten,
        Step::SegmentFlushed,
        Step::SegmentRenamed,
        Step::DirectoryFlushed,
        Step::RecordTorn,
        Step::RecordWritten,
        Step::RecordFlushed,
        Step::PinsWritten,
        Step::PinsFlushed,
    ];

    /// Whether an append that stopped after this step happened.
    ///
    /// At [`Step::RecordWritten`] a dead process leaves a whole record and a dead machine may leave none.
    pub const fn happened(self) -> bool {
        matches!(
            self,
            Step::RecordWritten | Step::RecordFlushed | Step::PinsWritten | Step::PinsFlushed
        )
    }
}
