//! Org to HTML that is safe to put into any page.
//!
//! Safe by construction, not by cleaning up afterwards: [`walk`] knows a closed list of elements and attributes, every
//! text goes through [`escape`], every link through [`link`], and what has no place in that list (raw HTML, drawers,
//! comments, keywords) is left out.
//!
//! orgize parses, and orgize recurses with the nesting of the text and rescans it when something never closes. So
//! [`tidy`] removes what it trips over, [`bound`] reads the text first and refuses what would take too long or too
//! deep, and [`batch`] hands it over with the outline flattened, so that headlines nest for free.

mod batch;
mod bound;
mod escape;
mod link;
mod tidy;
mod walk;

use crate::error::Error;
use crate::org::Outline;
use orgize::ParseConfig;
use orgize::config::UseSubSuperscript;

/// The text as HTML that is safe to put into any page. `COMMENT` subtrees are left out, as Org's own export does.
///
/// ```
/// let html = oql::render("* TODO Ask /them/\n[[javascript:alert(1)][click]]\n").unwrap();
/// assert_eq!(html, "<h1><span class=\"todo TODO\">TODO</span> Ask <i>them</i></h1>\n<p>click</p>\n");
/// ```
pub fn render(org: &str) -> Result<String, Error> {
    let outline = Outline::read(org)?;
    html(&outline.live(), outline.keywords.groups())
}

/// The text as HTML. `keywords` are the plan's TODO keywords: those for open tasks, and those for done ones.
pub(crate) fn html(org: &str, keywords: (Vec<String>, Vec<String>)) -> Result<String, Error> {
    let org = tidy::tidy(org);
    bound::check(&org)?;
    let (open, done) = keywords;
    let open = open.into_iter().map(|keyword| (keyword, batch::State::Open));
    let done = done.into_iter().map(|keyword| (keyword, batch::State::Done));
    let config = ParseConfig {
        todo_keywords: (vec![], vec![]),
        // A plan is full of names like `done_when`: only braces make an index.
        use_sub_superscript: UseSubSuperscript::Brace,
        // None is shown, so none needs to be tied to the element after it.
        affiliated_keywords: vec![],
        ..ParseConfig::default()
    };
    let mut out = String::with_capacity(org.len());
    for batch in batch::batches(&org, &open.chain(done).collect()) {
        let parsed = config.clone().parse(&batch.text);
        walk::document(&parsed, &batch.headings, &mut out);
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
