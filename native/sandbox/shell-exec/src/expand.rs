//! Expansion: from words to fields.

pub(crate) mod arithmetic;
pub(crate) mod field;
mod glob;
mod parameter;
pub(crate) mod pattern;

use crate::ast::{Bytes, Name, Op, Part, Word};
use crate::meter::Held;
use crate::shell::{Shell, Trouble, lossy};
use arithmetic::Wrong;
use field::{Fields, Mark, may_match};
use futures_util::future::BoxFuture;
use pattern::Pattern;

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
                let (text, held) = self.text(word).await?;
                args.held.absorb(held);
                args.list.push(text);
                return Ok(());
            }
            _ => {}
        }
        let mut fields = Fields::new(&self.world.meter)?;
        self.parts(&word.parts, Mode::FIELDS, &mut fields).await?;
        let (fields, held) = fields.finish();
        args.held.absorb(held);
        let separators = self.separators();
        for field in fields.into_iter().flat_map(|field| field.split(&separators)) {
            self.glob(field, args)?;
        }
        Ok(())
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
        let mut fields = Fields::new(&self.world.meter)?;
        self.parts(&word.parts, Mode::ONE, &mut fields).await?;
        Ok(fields.one().0.pattern())
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
                if !only_list || !self.args().is_empty() {
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
        }
        Ok(())
    }

    fn home(&self, user: &[u8]) -> Option<Bytes> {
        match user {
            b"" => self.variables.get(b"HOME").map(<[u8]>::to_vec),
            _ => None,
        }
    }

    async fn arithmetic(&mut self, parts: &[Part]) -> Result<i64, Trouble> {
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
            wrong => Trouble::Say(wrong.to_string()),
        })
    }
}

impl arithmetic::Variables for Shell {
    fn get(&mut self, name: &[u8]) -> Result<Bytes, Wrong> {
        match self.variable(name) {
            Some(value) => Ok(value.into_owned()),
            None if self.is(crate::options::Flag::NoUnset) => {
                Err(Wrong::Variable(format!("{}: parameter not set", lossy(name))))
            }
            None => Ok(b"0".to_vec()),
        }
    }

    fn set(&mut self, name: &[u8], value: i64) -> Result<(), Wrong> {
        self.assign(name, value.to_string().into())
            .map_err(|trouble| match trouble {
                Trouble::Say(message) => Wrong::Variable(message),
                Trouble::Fatal(error) => Wrong::Bound(error),
            })
    }

    fn work(&self, pieces: u64) -> Result<(), crate::Error> {
        self.world.meter.work(pieces)
    }
}

/// Whether a part is `$@` itself.
fn is_list(part: &Part) -> bool {
    matches!(part, Part::Parameter(parameter)
        if parameter.name == Name::Special(b'@') && matches!(parameter.op, Op::Plain))
}
