//! `test` and `[`.

use super::{Done, Halt, Out};
use crate::Dialect;
use crate::ast::Bytes;
use crate::shell::{Shell, Trouble, lossy};
use cap_std::fs::{FileTypeExt, Metadata, MetadataExt};

/// How deeply parentheses and `!` nest.
const DEEPEST: usize = 100;

pub(super) fn test(shell: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    answer(shell, &args[1..])
}

pub(super) fn bracket(shell: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    match args.split_last() {
        Some((last, rest)) if last == b"]" && !rest.is_empty() => answer(shell, &rest[1..]),
        _ => Err("missing ]".to_owned().into()),
    }
}

fn answer(shell: &mut Shell, args: &[Bytes]) -> Done {
    let bash = shell.is_bash();
    if !bash && args.len() == 2 && matches!(&args[0][..], b"-v" | b"-R") {
        return Err(Halt::Refused(Dialect::refuses(&format!("test {}", lossy(&args[0])))));
    }
    // Whether a name is set may take an expression, so it is asked before.
    let mut set = Vec::new();
    if bash {
        for pair in args.windows(2).filter(|pair| pair[0] == b"-v") {
            set.push((pair[1].clone(), shell.is_set(&pair[1])?));
        }
    }
    let mut question = Question {
        shell,
        args,
        depth: 0,
        set: &set,
    };
    let holds = question.whole()?;
    Ok(u8::from(!holds))
}

/// One operator of `[[`.
pub(crate) fn unary(shell: &mut Shell, letter: u8, operand: &[u8]) -> Result<bool, Trouble> {
    if letter == b'v' {
        return shell.is_set(operand);
    }
    let question = Question {
        shell,
        args: &[],
        depth: 0,
        set: &[],
    };
    // In `[[`, `-a` asks whether a file is there.
    let letter = if letter == b'a' { b'e' } else { letter };
    Ok(question.unary(letter, operand)?)
}

/// One comparison of `[[` that is not one of patterns or numbers.
pub(crate) fn binary(shell: &mut Shell, left: &[u8], operator: &[u8], right: &[u8]) -> Result<bool, Trouble> {
    let question = Question {
        shell,
        args: &[],
        depth: 0,
        set: &[],
    };
    Ok(question.binary(left, operator, right)?)
}

struct Question<'a> {
    shell: &'a Shell,
    /// What is left.
    args: &'a [Bytes],
    depth: usize,
    /// Names that were asked about, and whether they are set.
    set: &'a [(Bytes, bool)],
}

impl<'a> Question<'a> {
    /// POSIX decides by the number of arguments up to four; beyond that it is a grammar.
    fn whole(&mut self) -> Result<bool, String> {
        let args = self.args;
        match args {
            [] => Ok(false),
            [only] => Ok(!only.is_empty()),
            [not, only] if not == b"!" => Ok(only.is_empty()),
            [left, operator, right] if is_binary(operator) => self.binary(left, operator, right),
            [open, only, close] if open == b"(" && close == b")" => Ok(!only.is_empty()),
            [not, _, _] if not == b"!" => self.rest_of(&args[1..]).map(|holds| !holds),
            [not, _, _, _] if not == b"!" => self.rest_of(&args[1..]).map(|holds| !holds),
            [open, _, _, close] if open == b"(" && close == b")" => self.rest_of(&args[1..3]),
            _ => {
                let holds = self.or()?;
                match self.args.first() {
                    None => Ok(holds),
                    Some(extra) => Err(format!("{}: unexpected", lossy(extra))),
                }
            }
        }
    }

    fn rest_of(&self, args: &'a [Bytes]) -> Result<bool, String> {
        let mut question = Question {
            shell: self.shell,
            args,
            depth: self.depth + 1,
            set: self.set,
        };
        question.whole()
    }

    fn or(&mut self) -> Result<bool, String> {
        let mut holds = self.and()?;
        while self.eat(b"-o") {
            holds |= self.and()?;
        }
        Ok(holds)
    }

    fn and(&mut self) -> Result<bool, String> {
        let mut holds = self.not()?;
        while self.eat(b"-a") {
            holds &= self.not()?;
        }
        Ok(holds)
    }

    fn not(&mut self) -> Result<bool, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("nested too deeply".into());
        }
        let holds = match self.args {
            [_, operator, _, ..] if is_binary(operator) => self.primary(),
            [not, _, ..] if not == b"!" => {
                self.args = &self.args[1..];
                self.not().map(|holds| !holds)
            }
            _ => self.primary(),
        };
        self.depth -= 1;
        holds
    }

    fn primary(&mut self) -> Result<bool, String> {
        match self.args {
            [] => Err("argument expected".into()),
            [left, operator, right, ..] if is_binary(operator) => {
                self.args = &self.args[3..];
                self.binary(left, operator, right)
            }
            [open, _, ..] if open == b"(" => {
                self.args = &self.args[1..];
                let holds = self.or()?;
                match self.eat(b")") {
                    true => Ok(holds),
                    false => Err("missing )".into()),
                }
            }
            [operator, operand, ..] if is_unary(operator) || (self.shell.is_bash() && is_bash_unary(operator)) => {
                self.args = &self.args[2..];
                self.unary(operator[1], operand)
            }
            [only, ..] => {
                self.args = &self.args[1..];
                Ok(!only.is_empty())
            }
        }
    }

    fn eat(&mut self, word: &[u8]) -> bool {
        let found = self.args.first().is_some_and(|arg| arg == word);
        if found {
            self.args = &self.args[1..];
        }
        found
    }

    fn unary(&self, operator: u8, operand: &[u8]) -> Result<bool, String> {
        let files = self.shell.files();
        let has = |check: fn(&Metadata) -> bool| files.metadata(operand).is_ok_and(|metadata| check(&metadata));
        Ok(match operator {
            b'n' => !operand.is_empty(),
            b'z' => operand.is_empty(),
            b'e' | b'a' => has(|_| true) || is_standard(operand),
            b'f' => has(Metadata::is_file),
            b'd' => has(Metadata::is_dir),
            b's' => has(|metadata| metadata.len() > 0),
            b'h' | b'L' => files
                .symlink_metadata(operand)
                .is_ok_and(|metadata| metadata.is_symlink()),
            b'b' => has(|metadata| metadata.file_type().is_block_device()),
            b'c' => has(|metadata| metadata.file_type().is_char_device()) || is_standard(operand),
            b'p' => has(|metadata| metadata.file_type().is_fifo()),
            b'S' => has(|metadata| metadata.file_type().is_socket()),
            b'u' => has(|metadata| metadata.mode() & 0o4000 != 0),
            b'g' => has(|metadata| metadata.mode() & 0o2000 != 0),
            b'k' => has(|metadata| metadata.mode() & 0o1000 != 0),
            b'O' => has(|metadata| metadata.uid() == rustix::process::geteuid().as_raw()),
            b'G' => has(|metadata| metadata.gid() == rustix::process::getegid().as_raw()),
            b'N' => has(|metadata| metadata.mtime() > metadata.atime()),
            what @ (b'r' | b'w') => files.may(operand, what) || is_standard(operand),
            b'x' => files.may(operand, b'x'),
            // Nothing is a terminal.
            b't' => integer(operand).map(|_| false)?,
            b'v' => self.set.iter().any(|(name, set)| *set && name == operand),
            b'o' => crate::options::by_name(operand, self.shell.dialect).is_some_and(|flag| self.shell.is(flag)),
            b'R' => self
                .shell
                .variables
                .entry(operand)
                .is_some_and(|variable| variable.nameref),
            _ => return Err(format!("-{}: unknown operator", char::from(operator))),
        })
    }

    fn binary(&self, left: &[u8], operator: &[u8], right: &[u8]) -> Result<bool, String> {
        let numbers = |holds: fn(&i128, &i128) -> bool| Ok(holds(&integer(left)?, &integer(right)?));
        match operator {
            b"=" | b"==" => Ok(left == right),
            b"!=" => Ok(left != right),
            b"<" => Ok(left < right),
            b">" => Ok(left > right),
            b"-eq" => numbers(i128::eq),
            b"-ne" => numbers(i128::ne),
            b"-lt" => numbers(i128::lt),
            b"-le" => numbers(i128::le),
            b"-gt" => numbers(i128::gt),
            b"-ge" => numbers(i128::ge),
            _ => Ok(self.files(left, operator, right)),
        }
    }

    fn files(&self, left: &[u8], operator: &[u8], right: &[u8]) -> bool {
        let look = |path| self.shell.files().metadata(path).ok();
        let time = |metadata: &Metadata| (metadata.mtime(), metadata.mtime_nsec());
        match (operator, look(left), look(right)) {
            (b"-ef", Some(left), Some(right)) => (left.dev(), left.ino()) == (right.dev(), right.ino()),
            (b"-nt", Some(left), Some(right)) => time(&left) > time(&right),
            (b"-ot", Some(left), Some(right)) => time(&left) < time(&right),
            (b"-nt", Some(_), None) | (b"-ot", None, Some(_)) => true,
            _ => false,
        }
    }
}

fn is_binary(text: &[u8]) -> bool {
    matches!(
        text,
        b"=" | b"=="
            | b"!="
            | b"<"
            | b">"
            | b"-eq"
            | b"-ne"
            | b"-lt"
            | b"-le"
            | b"-gt"
            | b"-ge"
            | b"-nt"
            | b"-ot"
            | b"-ef"
    )
}

fn is_unary(text: &[u8]) -> bool {
    matches!(text, [b'-', letter] if b"nzefdshLbcpSugkOGNrwxt".contains(letter))
}

fn is_bash_unary(text: &[u8]) -> bool {
    matches!(text, [b'-', letter] if b"aovR".contains(letter))
}

/// The files that are always there, though not in the working directory.
fn is_standard(path: &[u8]) -> bool {
    matches!(path, b"/dev/stdin" | b"/dev/stdout" | b"/dev/stderr") || pipe::device(path).is_some()
}

fn integer(text: &[u8]) -> Result<i128, String> {
    let trimmed = std::str::from_utf8(text).unwrap_or_default().trim();
    trimmed.parse().map_err(|_| format!("{}: bad number", lossy(text)))
}
