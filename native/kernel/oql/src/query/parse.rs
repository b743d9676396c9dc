//! Expressions as predicates: which names there are, and what each takes.

use super::date::Moment;
use super::pattern::{self, Pattern};
use super::read::{self, Expr, Form};
use super::{Bound, Entry, Query, bad_query};
use crate::error::Error;

const PREDICATES: &str = "and or not tags todo done level title property scheduled deadline ancestors descendants";

pub(super) fn parse(text: &str) -> Result<Query, Error> {
    let mut budget = pattern::BUDGET;
    query(read::read(text)?, &mut budget)
}

fn query(expr: Expr, budget: &mut u64) -> Result<Query, Error> {
    let column = expr.column;
    let example = "a query is a list such as (todo \"NEXT\")";
    let Form::List(items) = expr.form else {
        return Err(bad_query(column, "expected `(`", example));
    };
    let mut items = items.into_iter();
    let (column, name) = match items.next() {
        Some(Expr {
            column,
            form: Form::Symbol(name),
        }) => (column, name),
        Some(other) => {
            return Err(bad_query(other.column, "expected a predicate's name", example));
        }
        None => return Err(bad_query(column, "the list is empty", example)),
    };
    let args = Args { name, column, items };
    match args.name.as_str() {
        "and" => args.each(|inner| query(inner, budget)).map(Query::All),
        "or" => args.each(|inner| query(inner, budget)).map(Query::Any),
        "not" => args.only_query(budget).map(|inner| Query::Not(inner.into())),
        "ancestors" => args.query_or_any(budget).map(|inner| Query::Ancestors(inner.into())),
        "descendants" => args.query_or_any(budget).map(|inner| Query::Descendants(inner.into())),
        "tags" => args.each(tag).map(Query::Tags),
        "todo" => args.each(text).map(Query::Todo),
        "done" => args.none().map(|()| Query::Done),
        "level" => args.at_least_one(level).map(Query::Level),
        "title" => args.at_least_one(|text| pattern(text, budget)).map(Query::Title),
        "property" => args.property(),
        "scheduled" => args.planned(Entry::Scheduled),
        "deadline" => args.planned(Entry::Deadline),
        name => Err(bad_query(
            args.column,
            format!("unknown predicate `{name}`"),
            format!("the predicates are: {PREDICATES}"),
        )),
    }
}

/// What follows a predicate's name.
struct Args {
    name: String,
    column: usize,
    items: std::vec::IntoIter<Expr>,
}

impl Args {
    fn each<T>(self, read: impl FnMut(Expr) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        self.items.map(read).collect()
    }

    fn at_least_one<T>(self, read: impl FnMut(Expr) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        match self.items.len() {
            0 => Err(self.missing("an argument")),
            _ => self.each(read),
        }
    }

    fn only_query(mut self, budget: &mut u64) -> Result<Query, Error> {
        match self.items.next() {
            Some(inner) => {
                let inner = query(inner, budget)?;
                self.none().map(|()| inner)
            }
            None => Err(self.missing("a query")),
        }
    }

    /// The inner query; with none, one that holds for every headline.
    fn query_or_any(self, budget: &mut u64) -> Result<Query, Error> {
        match self.items.len() {
            0 => Ok(Query::All(Vec::new())),
            _ => self.only_query(budget),
        }
    }

    fn property(mut self) -> Result<Query, Error> {
        let Some(key) = self.items.next() else {
            return Err(self.missing("a key"));
        };
        let key = text(key)?.to_uppercase();
        let value = self.items.next().map(text).transpose()?;
        self.none().map(|()| Query::Property { key, value })
    }

    fn planned(mut self, entry: Entry) -> Result<Query, Error> {
        let mut bounds = Vec::new();
        while let Some(item) = self.items.next() {
            let bound = bound(&item)?;
            let Some(date) = self.items.next() else {
                return Err(bad_query(
                    item.column,
                    "a date is missing",
                    "write it after: :before \"2026-12-01\"",
                ));
            };
            bounds.push((bound, moment(date)?));
        }
        Ok(Query::Planned { entry, bounds })
    }

    /// Nothing may be left.
    fn none(mut self) -> Result<(), Error> {
        match self.items.next() {
            None => Ok(()),
            Some(extra) => {
                let message = format!("`{}` takes no more arguments", self.name);
                Err(bad_query(extra.column, message, "remove what is too much"))
            }
        }
    }

    fn missing(&self, what: &str) -> Error {
        let message = format!("`{}` needs {what}", self.name);
        bad_query(self.column, message, format!("write it after `{}`", self.name))
    }
}

fn text(expr: Expr) -> Result<String, Error> {
    match expr.form {
        Form::Text(text) | Form::Symbol(text) => Ok(text),
        Form::Keyword(word) => {
            let message = format!("unexpected keyword `{word}`");
            Err(bad_query(
                expr.column,
                message,
                format!("write \"{word}\" if it is text"),
            ))
        }
        Form::List(_) => Err(bad_query(expr.column, "unexpected list", "write text in double quotes")),
    }
}

/// A tag: its text, or the text between colons as in a headline.
fn tag(expr: Expr) -> Result<String, Error> {
    let Form::Keyword(word) = &expr.form else {
        return text(expr);
    };
    let inner = word.strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
    match inner.filter(|tag| !tag.is_empty()) {
        Some(tag) if !tag.contains(':') => Ok(tag.to_owned()),
        Some(_) => Err(bad_query(
            expr.column,
            format!("`{word}` has several tags"),
            "write (tags \"a\" \"b\") for one of them, (and (tags \"a\") (tags \"b\")) for both",
        )),
        None => Err(bad_query(
            expr.column,
            format!("`{word}` is not a tag"),
            "write \"tag\" or :tag:",
        )),
    }
}

fn level(expr: Expr) -> Result<usize, Error> {
    // Read at a width that is the same on every machine.
    let number: Option<u32> = match &expr.form {
        Form::Symbol(word) if word.bytes().all(|b| b.is_ascii_digit()) => word.parse().ok(),
        _ => None,
    };
    let level = number.and_then(|number| number.try_into().ok());
    level.ok_or_else(|| bad_query(expr.column, "a level is a number", "write (level 1 2)"))
}

fn pattern(expr: Expr, budget: &mut u64) -> Result<Pattern, Error> {
    let column = expr.column;
    Pattern::parse(&text(expr)?, budget).map_err(|why| {
        let message = format!("the regular expression cannot be used: {why}");
        bad_query(
            column,
            message,
            "a backslash before a character makes it stand for itself",
        )
    })
}

fn bound(expr: &Expr) -> Result<Bound, Error> {
    match &expr.form {
        Form::Keyword(word) => match word.as_str() {
            ":before" => Some(Bound::Before),
            ":to" => Some(Bound::To),
            ":on" => Some(Bound::On),
            ":from" => Some(Bound::From),
            ":after" => Some(Bound::After),
            _ => None,
        },
        _ => None,
    }
    .ok_or_else(|| {
        bad_query(
            expr.column,
            "expected one of :before :to :on :from :after",
            "name it before the date",
        )
    })
}

fn moment(expr: Expr) -> Result<Moment, Error> {
    let column = expr.column;
    let text = text(expr)?;
    Moment::parse(&text).ok_or_else(|| {
        let hint = "write 2026-12-31 or 2026-12-31T09:30: a query knows no clock, and so no `today`";
        bad_query(column, format!("`{text}` is not a date"), hint)
    })
}
