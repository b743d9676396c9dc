//! Temporary files that a killed process left beside the plan.

use crate::copies::{LEDGER, STEPS, TELEMETRY};
use crate::{exchange, staged};
use std::fs;
use std::path::Path;

/// Removes what the plan's last run left. Other plans in the directory may be running, so theirs stay.
pub(crate) fn sweep(plan: &Path, mark: &str) {
    let directory = crate::place::directory(plan);
    let copies = [STEPS, LEDGER, TELEMETRY].map(|name| staged::prefix(Path::new(name), mark));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if copies.iter().any(|prefix| name.starts_with(prefix)) {
            let _ = fs::remove_file(entry.path());
        } else {
            exchange::settle(plan, &entry.path(), &name);
        }
    }
}
