//! The entries of these verbs in the table.

use super::{bundle, sign, unbundle, verify};
use crate::{
    exit::Exit,
    verb::{Argument, Does::Work, Example, Flag, Verb},
};

const FILE: Argument = Argument::path("BUNDLE", "The bundle");

const KEY: Flag = Flag::new(
    "history",
    "Another history directory than the user's own; the key is there",
)
.taking("DIR");

pub const BUNDLE: Verb = Verb {
    name: "bundle",
    summary: "Put a workbook into one file",
    details: "\
WORKBOOK is a plan, or a directory with a workbook.org, and maybe artifacts/ and a
vfs.sqlite. A plan with diagnostics is refused. Of the disk only the volume workspace
comes along; memory and tmp are not in the file. The same input gives the same bytes:
the time in it is that of the newest input, or SOURCE_DATE_EPOCH.",
    arguments: &[Argument::path("WORKBOOK", "The plan, or the directory of the workbook")],
    flags: &[
        Flag::new("output", "The file to write; ID.wbundle by default")
            .taking("OUT")
            .short('o'),
        Flag::new("id", "The workbook's name; that of the file or directory by default").taking_text("ID"),
        Flag::new("disk", "Another disk than the vfs.sqlite in the directory").taking("DISK"),
        Flag::new("private", "Take memory and tmp along, and the tables that guests made"),
    ],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
    examples: &[
        Example::new("wbx bundle plan.org -o plan.wbundle", Exit::Ok),
        Example::new("wbx bundle broken.org", Exit::Verification),
    ],
    does: Work(bundle),
};

pub const UNBUNDLE: Verb = Verb {
    name: "unbundle",
    summary: "Unpack a bundle, if every file in it is what it should be",
    details: "\
Names, sizes and hashes are checked first. Refused, it writes nothing.",
    arguments: &[FILE],
    flags: &[
        Flag::new("output", "The directory to make; the workbook's id by default")
            .taking("DIR")
            .short('o'),
    ],
    exits: &[
        Exit::Ok,
        Exit::Other,
        Exit::Usage,
        Exit::NotFound,
        Exit::Verification,
        Exit::Conflict,
    ],
    examples: &[Example::new("wbx unbundle plan.wbundle -o copy", Exit::Ok)],
    does: Work(unbundle),
};

pub const SIGN: Verb = Verb {
    name: "sign",
    summary: "Stand for a bundle with your key",
    details: "\
The signature covers the manifest, which has the hash of every file. It takes the
place of one that is there. `wbx ledger key` prints your did:key.",
    arguments: &[FILE],
    flags: &[
        Flag::new("output", "Write here instead of in place")
            .taking("OUT")
            .short('o'),
        KEY,
    ],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
    examples: &[Example::new("wbx sign plan.wbundle", Exit::Ok)],
    does: Work(sign),
};

pub const VERIFY: Verb = Verb {
    name: "verify",
    summary: "Say whether a bundle is what somebody signed",
    details: "Without --by it may be anybody: read who it is.",
    arguments: &[FILE],
    flags: &[
        Flag::new("by", "Demand that this did:key has signed it").taking_text("DID"),
        KEY,
    ],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
    examples: &[Example::new("wbx verify plan.wbundle", Exit::Ok)],
    does: Work(verify),
};
