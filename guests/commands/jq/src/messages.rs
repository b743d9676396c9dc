//! What filters say on stderr: jaq hands `debug` and `stderr` over as log records.

use log::{Level, LevelFilter, Log, Metadata, Record};

struct Stderr;

impl Log for Stderr {
    fn enabled(&self, _: &Metadata) -> bool {
        true
    }

    fn log(&self, record: &Record) {
        match record.level() {
            Level::Error => eprint!("{}", record.args()),
            level => eprintln!("[\"{level}:\",{}]", record.args()),
        }
    }

    fn flush(&self) {}
}

pub fn install() {
    if log::set_logger(&Stderr).is_ok() {
        log::set_max_level(LevelFilter::Debug);
    }
}
