//! A schedule that was read.

use crate::zone::Zone;
use crate::{Catchup, Error, Spec, cron, repeat};
use jiff::civil::DateTime;
use oql::{Cron, Kind, Repeater};

/// A schedule that can be asked when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub(crate) rule: Rule,
    pub(crate) zone: Zone,
    pub(crate) catchup: Catchup,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rule {
    Cron(Cron),
    Once(DateTime),
    Repeat(DateTime, Repeater),
}

impl Schedule {
    /// Reads what a plan says.
    pub fn read(spec: &Spec) -> Result<Schedule, Error> {
        Ok(Schedule {
            rule: rule(spec)?,
            zone: Zone::read(&spec.tz)?,
            catchup: Catchup::read(&spec.catchup)?,
        })
    }

    /// The first time after `after`, whatever was run. A schedule that has no more times gives `None`.
    ///
    /// ```
    /// use schedule::{Schedule, Spec};
    /// let once = Schedule::read(&Spec::at("2026-06-11", None)).unwrap();
    /// assert_eq!(once.after(0), Some(1_781_136_000));
    /// assert_eq!(once.after(1_781_136_000), None);
    /// ```
    pub fn after(&self, after: i64) -> Option<i64> {
        match &self.rule {
            Rule::Cron(fields) => cron::next(fields, &self.zone, after),
            Rule::Once(at) => self.zone.instant(*at).filter(|at| *at > after),
            Rule::Repeat(at, repeater) => repeat::next(*at, repeater, &self.zone, after),
        }
    }

    /// The last time up to `now`, given that there is one after `after`.
    pub(crate) fn latest(&self, after: i64, now: i64) -> Option<i64> {
        // `after(t) <= now` holds for early t and fails from the last time on: find where, by halves.
        let is_before = |t: i64| self.after(t).is_some_and(|next| next <= now);
        if after >= now || !is_before(after) {
            return None;
        }
        let (mut yes, mut no) = (after, now);
        while no - yes > 1 {
            let middle = yes + (no - yes) / 2;
            if is_before(middle) {
                yes = middle;
            } else {
                no = middle;
            }
        }
        Some(no)
    }

    /// The time that follows a completion, for a repeater that counts from there.
    pub(crate) fn after_completion(&self, completed: i64) -> Option<i64> {
        match &self.rule {
            Rule::Repeat(at, repeater) if self.counts_from_completion() => {
                repeat::from_completion(*at, repeater, &self.zone, completed)
            }
            _ => None,
        }
    }

    /// Whether every missed time is made up for: `++` moves on over them.
    pub(crate) fn makes_up_for_all(&self) -> bool {
        self.catchup == Catchup::All && !self.repeats(Kind::NextFuture)
    }

    pub(crate) fn counts_from_completion(&self) -> bool {
        self.repeats(Kind::FromCompletion)
    }

    fn repeats(&self, kind: Kind) -> bool {
        matches!(&self.rule, Rule::Repeat(_, repeater) if repeater.kind == kind)
    }
}

fn rule(spec: &Spec) -> Result<Rule, Error> {
    match spec {
        Spec {
            cron: Some(fields),
            at: None,
            repeat: None,
            ..
        } => {
            let unreadable = |why| Error::Unreadable {
                text: fields.clone(),
                why,
            };
            Cron::read(fields).map(Rule::Cron).map_err(unreadable)
        }
        Spec {
            cron: None,
            at: Some(at),
            repeat,
            ..
        } => {
            let unreadable = |text: &str, why: &str| Error::Unreadable {
                text: text.to_owned(),
                why: why.to_owned(),
            };
            let date = repeat::date(at).ok_or_else(|| unreadable(at, "it is no date"))?;
            match repeat {
                None => Ok(Rule::Once(date)),
                Some(word) => Repeater::read(word)
                    .map(|repeater| Rule::Repeat(date, repeater))
                    .ok_or_else(|| unreadable(word, "it is no repeater")),
            }
        }
        _ => Err(Error::BadQuestion {
            why: "it needs either `cron` or `at`".into(),
        }),
    }
}
