//! `wbx query`: the headlines that a query selects.

use crate::{
    answer::{Answer, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
    place::Place,
};
use oql::{Row, Timestamp};

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let source = call.source("FILE")?;
    let query = call.text("QUERY").unwrap_or_default();
    let rows = oql::query(&source.text, query).map_err(|error| located(query, error))?;
    Ok(Answer::new(rows, Exit::Ok, |rows| Ok(view(&rows))))
}

fn view(rows: &[Row]) -> View {
    let head = vec!["LINE", "STATE", "TITLE", "TAGS", "SCHEDULED", "DEADLINE", "ID"];
    View::Table(head, rows.iter().map(cells).collect(), count(rows.len(), "headline"))
}

fn cells(row: &Row) -> Vec<String> {
    let at = |timestamp: &Option<Timestamp>| timestamp.as_ref().map(|t| t.at.clone()).unwrap_or_default();
    vec![
        row.line.to_string(),
        row.state.clone().unwrap_or_default(),
        row.title.clone(),
        row.tags.join(" "),
        at(&row.scheduled),
        at(&row.deadline),
        row.id.clone().unwrap_or_default(),
    ]
}

/// The kernel begins with `column N: `; a person gets a caret as well.
fn located(query: &str, error: oql::Error) -> Failure {
    let column = column(&error.message);
    let failure = Failure::from(error);
    match column {
        Some(column) => failure.at(Place::character("query", 1, query, column)),
        None => failure,
    }
}

fn column(message: &str) -> Option<usize> {
    message.strip_prefix("column ")?.split_once(':')?.0.parse().ok()
}
