//! Expansion: from words to fields.

pub(crate) mod arithmetic;
mod brace;
pub(crate) mod case;
pub(crate) mod field;
mod glob;
mod parameter;
pub(crate) mod pattern;
mod process;
pub(crate) mod regex;
mod transform;

use crate::assign::Written;
use crate::ast::{Bytes, Element, Index, Name, Op, Part, Word};
use crate::meter::Held;
use crate::shell::{Shell, Trouble, lossy};
use crate::variables::Shape;
use arithmetic::Wrong;
use field::{Fields, Mark, may_match};
use futures_util::future::BoxFuture;
use pattern::{Pattern, Style};

/// What expansion does with a text, by where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Mode {
    /// Inside double quotes.
    quoted: bool,
    /// Inside an unquoted parameter expansion, where even what is written is split.
    inside: bool,
    /// There is one field, whatever comes: an assignment, a pattern, a here-document.
    joined: bool,
}

impl Mode {
    const FIELDS: Mode = Mode {
        quoted: false,
        inside: false,
        joined: false,
    };
    const ONE: Mode = Mode {
        quoted: false,
        inside: false,
        joined: true,
    };

    /// How expanded text is marked.
    fn expanded(self) -> Mark {
        match self.quoted {
            true => Mark::Quoted,
            false => Mark::Split,
        }
    }
}

/// Fields, and the memory they take.
pub(crate) struct Args {
    pub list: Vec<Bytes>,
    pub held: Held,
}

impl Shell {
    /// Words as a command's arguments: split, and with patterns replaced by the files they match.
    pub async fn fields(&mut self, words: &[Word]) -> Result<Args, Trouble> {
        let mut args = Args {
            list: Vec::with_capacity(words.len()),
            held: self.world.meter.memory(0)?,
        };
        for word in words {
            self.field(word, &mut args).await?;
        }
        Ok(args)
    }

    async fn field(&mut self, word: &Word, args: &mut Args) -> Result<(), Trouble> {
        match &word.parts[..] {
            [Part::Literal(text)] if !may_match(text.iter().copied()) => {
                args.list.push(text.clone());
                return Ok(());
            }
            [Part::Quoted(text)] => {
                args.list.push(text.clone());
                return Ok(());
            }
            _ if word.assigns => {
                if let Some(Part::Array(elements)) = word.parts.last() {
                    let written = Box::pin(self.written(elements)).await?;
                    self.compounds.push((args.list.len(), written));
                }
                let (text, held) = self.text(word).await?;
                args.held.absorb(held);
                args.list.push(text);
                return Ok(());
            }
            parts if parts.iter().any(is_brace) => {
                let alternatives = brace::alternatives(parts, &mut args.held)?;
                for alternative in alternatives {
                    let mut fields = Fields::new(&self.world.meter)?;
                    for piece in &alternative {
                        self.part(piece, Mode::FIELDS, &mut fields).await?;
                    }
                    self.finish(fields, args)?;
                }
                return Ok(());
            }
            _ => {}
        }
        let mut fields = Fields::new(&self.world.meter)?;
        self.parts(&word.parts, Mode::FIELDS, &mut fields).await?;
        self.finish(fields, args)
    }

    /// Splits fields, and replaces patterns.
    fn finish(&mut self, fields: Fields, args: &mut Args) -> Result<(), Trouble> {
        let (fields, held) = fields.finish();
        args.held.absorb(held);
        let separators = self.separators();
        for field in fields.into_iter().flat_map(|field| field.split(&separators)) {
            self.glob(field, args)?;
        }
        Ok(())
    }

    /// The elements of an array, expanded.
    pub async fn written(&mut self, elements: &[Element]) -> Result<Vec<Written>, Trouble> {
        let mut written = Vec::with_capacity(elements.len());
        for element in elements {
            let (index, values) = match &element.index {
                Some(parts) => {
                    let index = self.index_text(parts).await?;
                    (Some(index), vec![self.text(&element.value).await?.0])
                }
                None => (None, self.fields(std::slice::from_ref(&element.value)).await?.list),
            };
            written.push(Written {
                index,
                append: element.append,
                values,
            });
        }
        Ok(written)
    }

    /// An index, expanded.
    pub async fn index_text(&mut self, parts: &[Part]) -> Result<Bytes, Trouble> {
        let mut fields = Fields::new(&self.world.meter)?;
        self.parts(parts, Mode::ONE, &mut fields).await?;
        Ok(fields.one().0.into_text())
    }

    /// How patterns are read and compared here.
    pub fn style(&self) -> Style {
        Style {
            extended: self.is_bash(),
            any_case: false,
        }
    }

    /// The same for `case`, `[[` and replacing, where `nocasematch` counts.
    pub fn matching_style(&self) -> Style {
        Style {
            any_case: self.is_bash() && self.shopt.is(crate::shopt::Opt::NoCaseMatch),
            ..self.style()
        }
    }

    /// A word as one text, and the memory it takes.
    pub async fn text(&mut self, word: &Word) -> Result<(Bytes, Held), Trouble> {
        match &word.parts[..] {
            [] => Ok((Bytes::new(), self.world.meter.memory(0)?)),
            [Part::Literal(text) | Part::Quoted(text)] => Ok((text.clone(), self.world.meter.memory(text.len())?)),
            parts => {
                let mut fields = Fields::new(&self.world.meter)?;
                self.parts(parts, Mode::ONE, &mut fields).await?;
                let (field, held) = fields.one();
                Ok((field.into_text(), held))
            }
        }
    }

    /// A word as a pattern.
    pub async fn pattern(&mut self, word: &Word) -> Result<Pattern, Trouble> {
        let style = self.style();
        self.pattern_in(word, style).await
    }

    pub async fn pattern_in(&mut self, word: &Word, style: Style) -> Result<Pattern, Trouble> {
        let mut fields = Fields::new(&self.world.meter)?;
        self.parts(&word.parts, Mode::ONE, &mut fields).await?;
        Ok(fields.one().0.pattern(style))
    }

    /// A word as a regular expression.
    pub async fn regex(&mut self, word: &Word) -> Result<regex::Expression, Trouble> {
        let mut fields = Fields::new(&self.world.meter)?;
        self.parts(&word.parts, Mode::ONE, &mut fields).await?;
        let any_case = self.matching_style().any_case;
        regex::Expression::new(&fields.one().0, any_case).map_err(Trouble::from)
    }

    fn parts<'a>(
        &'a mut self,
        parts: &'a [Part],
        mode: Mode,
        out: &'a mut Fields,
    ) -> BoxFuture<'a, Result<(), Trouble>> {
        Box::pin(async move {
            for part in parts {
                self.part(part, mode, out).await?;
            }
            Ok(())
        })
    }

    async fn part(&mut self, part: &Part, mode: Mode, out: &mut Fields) -> Result<(), Trouble> {
        match part {
            Part::Literal(text) => {
                let mark = match mode {
                    Mode { quoted: true, .. } => Mark::Quoted,
                    Mode { inside: true, .. } => Mark::Split,
                    _ => Mark::Literal,
                };
                out.push(text, mark)?;
            }
            Part::Quoted(text) => {
                if text.is_empty() {
                    out.present();
                }
                out.push(text, Mark::Quoted)?;
            }
            Part::Double(parts) => {
                // `"$@"` without parameters is no field at all.
                let only_list = !parts.is_empty() && parts.iter().all(is_list);
                if !only_list {
                    out.present();
                }
                self.parts(parts, Mode { quoted: true, ..mode }, out).await?;
            }
            Part::Tilde(user) => match self.home(user) {
                Some(home) => {
                    out.present();
                    out.push(&home, Mark::Quoted)?;
                }
                None => {
                    out.push(b"~", Mark::Literal)?;
                    out.push(user, Mark::Literal)?;
                }
            },
            Part::Parameter(parameter) => self.parameter(parameter, mode, out).await?,
            Part::Command(list) => {
                let (text, _held) = self.substitute(list).await?;
                out.push(&text, mode.expanded())?;
            }
            Part::Arithmetic(parts) => {
                let value = self.arithmetic(parts).await?;
                out.push(value.to_string().as_bytes(), mode.expanded())?;
            }
            Part::Process { input, list } => {
                let path = self.process(*input, list)?;
                out.push(&path, Mark::Quoted)?;
            }
            // Elsewhere than in a command's arguments, braces are nothing special; the grammar finds them nowhere else.
            Part::Braces(_) | Part::Sequence(_) => {}
            // Who assigns has it from `compounds`.
            Part::Array(_) => {}
        }
        Ok(())
    }

    fn home(&self, user: &[u8]) -> Option<Bytes> {
        match user {
            b"" => self.variables.get(b"HOME").map(<[u8]>::to_vec),
            b"+" if self.is_bash() => Some(self.cwd.to_vec()),
            b"-" if self.is_bash() => self.variables.get(b"OLDPWD").map(<[u8]>::to_vec),
            _ => None,
        }
    }

    pub async fn arithmetic(&mut self, parts: &[Part]) -> Result<i64, Trouble> {
        let mut fields = Fields::new(&self.world.meter)?;
        let mode = Mode {
            quoted: true,
            ..Mode::ONE
        };
        self.parts(parts, mode, &mut fields).await?;
        let (field, _held) = fields.one();
        self.evaluate(&field.into_text())
    }

    pub fn evaluate(&mut self, expression: &[u8]) -> Result<i64, Trouble> {
        arithmetic::evaluate(expression, self).map_err(|wrong| match wrong {
            Wrong::Bound(error) => Trouble::Fatal(error),
            Wrong::Unset(message) => Trouble::End(message),
            wrong => Trouble::Say(wrong.to_string()),
        })
    }
}

fn wrong(trouble: Trouble) -> Wrong {
    match trouble {
        Trouble::Say(message) | Trouble::End(message) => Wrong::Variable(message),
        Trouble::Fatal(error) => Wrong::Bound(error),
    }
}

impl Shell {
    /// The place that an expression names.
    fn arithmetic_place(&self, name: &[u8], index: Option<&[u8]>) -> crate::assign::Place {
        match index {
            None => self.resolve(name),
            Some(index) => crate::assign::Place {
                name: self.resolve(name).name,
                index: Some(index.to_vec()),
            },
        }
    }
}

impl arithmetic::Variables for Shell {
    fn is_bash(&self) -> bool {
        Shell::is_bash(self)
    }

    fn has_keys(&self, name: &[u8]) -> bool {
        self.variables.shape(&self.resolve(name).name) == Shape::Associative
    }

    fn get(&mut self, name: &[u8], index: Option<&[u8]>) -> Result<Bytes, Wrong> {
        if let Some(drawn) = self.drawn(name) {
            return Ok(drawn);
        }
        let place = self.arithmetic_place(name, index);
        if let Some(index) = &place.index {
            let key = self.read_key(&place.name, index).map_err(wrong)?;
            return Ok(self.element(&place.name, &key).unwrap_or_else(|| b"0".to_vec()));
        }
        let name = &place.name[..];
        match self.variable(name) {
            Some(value) => Ok(value.into_owned()),
            None if self.is(crate::options::Flag::NoUnset) => Err(Wrong::Unset(unset(self, &lossy(name)))),
            None => Ok(b"0".to_vec()),
        }
    }

    fn set(&mut self, name: &[u8], index: Option<&[u8]>, value: i64) -> Result<(), Wrong> {
        let place = self.arithmetic_place(name, index);
        self.assign_to(&place, value.to_string().into(), false).map_err(wrong)
    }

    fn deepen(&mut self, depth: usize) -> usize {
        std::mem::replace(&mut self.arithmetic_depth, depth)
    }

    fn work(&self, pieces: u64) -> Result<(), crate::Error> {
        self.world.meter.work(pieces)
    }
}

/// What is said about a parameter that has to be set.
fn unset(shell: &Shell, name: &str) -> String {
    match shell.is_bash() {
        true => format!("{name}: unbound variable"),
        false => format!("{name}: parameter not set"),
    }
}

fn is_brace(part: &Part) -> bool {
    matches!(part, Part::Braces(_) | Part::Sequence(_))
}

/// Whether a part becomes a field for each element, and none without elements.
fn is_list(part: &Part) -> bool {
    let Part::Parameter(parameter) = part else {
        return false;
    };
    if parameter.indirect {
        return false;
    }
    let all = match (&parameter.name, &parameter.index) {
        (Name::Special(b'@'), None) => true,
        (_, Some(Index::All(star))) => !star,
        _ => false,
    };
    match parameter.op {
        Op::Names(each) => each,
        Op::Plain
        | Op::Trim { .. }
        | Op::Slice { .. }
        | Op::Replace { .. }
        | Op::Case { .. }
        | Op::Transform(_)
        | Op::Keys => all,
        _ => false,
    }
}
