//! A plan, a history directory, and what is in them.
#![allow(dead_code)]

use history::{Home, Run};
use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

pub struct Scratch {
    pub dir: TempDir,
    pub home: Home,
    pub plan: PathBuf,
}

impl Scratch {
    pub fn new() -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        let beside = dir.path().join("work");
        fs::create_dir(&beside).unwrap();
        let plan = beside.join("plan.org");
        fs::write(&plan, "* TODO Ship\n").unwrap();
        Scratch {
            home: Home::open(&dir.path().join("history")).unwrap(),
            plan,
            dir,
        }
    }

    pub fn run(&self, run_id: &str) -> Run {
        Run::open(&self.home, &self.plan, run_id, 1_000).unwrap()
    }

    /// A file beside the plan.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.plan.with_file_name(name)
    }

    /// The one slot in the history directory.
    pub fn slot(&self) -> PathBuf {
        let slots: Vec<PathBuf> = fs::read_dir(self.dir.path().join("history"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir())
            .collect();
        assert_eq!(slots.len(), 1, "{slots:?}");
        slots[0].clone()
    }

    pub fn steps(&self, run_id: &str) -> PathBuf {
        self.slot().join("runs").join(run_id).join("_steps.jsonl")
    }
}

pub fn step(n: u64) -> String {
    format!(
        r#"{{"step":{n},"tool":"sh","exit_code":0,"error":null,"dur_ms":5,"ts":{}}}"#,
        1_000 + n
    )
}

pub fn verdict(task: &str, state: &str, ts: u64) -> String {
    format!(
        r#"{{"task_id":"{task}","idx":0,"title":"Title of {task}","state":"{state}","output":"out","reason":null,"how":"done-when","ts":{ts}}}"#
    )
}

/// Everything that a query selects, as text.
pub fn select(database: &std::path::Path, sql: &str) -> Vec<String> {
    let connection = Connection::open(database).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cells = (0..columns).map(|column| match row.get_ref(column).unwrap() {
            rusqlite::types::ValueRef::Null => "NULL".to_owned(),
            rusqlite::types::ValueRef::Integer(i) => i.to_string(),
            other => other.as_str().unwrap().to_owned(),
        });
        Ok(cells.collect::<Vec<_>>().join(" "))
    });
    rows.unwrap().map(Result::unwrap).collect()
}
