//! `printf`.

use super::{Done, Halt, Out, only_bash};
use crate::ast::Bytes;
use crate::escape;
use crate::quote;
use crate::shell::{Shell, lossy};

pub(super) fn printf(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if let Some(first) = args.get(1).filter(|first| first.starts_with(b"-v")) {
        only_bash(shell, "printf -v")?;
        let attached = first.len() > 2;
        let target = match attached {
            true => first[2..].to_vec(),
            false => args
                .get(2)
                .cloned()
                .ok_or_else(|| "-v: option requires an argument".to_owned())?,
        };
        let place = shell.place(&target)?;
        let mut inner = vec![args[0].clone()];
        inner.extend_from_slice(&args[if attached { 2 } else { 3 }..]);
        let mut text = Out::default();
        let status = printf(shell, &inner, &mut text)?;
        out.complaints.append(&mut text.complaints);
        text.bytes.retain(|byte| *byte != 0);
        shell.assign_to(&place, text.bytes, false)?;
        return Ok(status);
    }
    let args = match args.get(1) {
        Some(first) if first == b"--" => &args[1..],
        _ => args,
    };
    let Some(format) = args.get(1) else {
        return Err("usage: printf FORMAT [ARG..]".to_owned().into());
    };
    let mut printer = Printer {
        args: args[2..].iter(),
        consumed: false,
        wrong: false,
        bash: shell.is_bash(),
        room: shell.world.limits.memory,
        out,
    };
    loop {
        printer.consumed = false;
        let stopped = printer.once(format)?;
        shell.world.meter.work(format.len() as u64)?;
        // The format is used again as long as it uses arguments up.
        if stopped || printer.args.len() == 0 || !printer.consumed {
            return Ok(u8::from(printer.wrong));
        }
    }
}

struct Printer<'a> {
    args: std::slice::Iter<'a, Bytes>,
    consumed: bool,
    wrong: bool,
    bash: bool,
    room: usize,
    out: &'a mut Out,
}

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

impl Printer<'_> {
    /// Goes through the format once; true when `\c` stops everything.
    fn once(&mut self, format: &[u8]) -> Result<bool, Halt> {
        let mut rest = format;
        while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
            self.put(&escape::format(&rest[..at]))?;
            rest = &rest[at + 1..];
            if let [b'%', more @ ..] = rest {
                self.put(b"%")?;
                rest = more;
                continue;
            }
            let (spec, more) = self.spec(rest)?;
            if let Some((layout, more)) = time_layout(more).filter(|_| self.bash) {
                let arg = self.next();
                let text = self.time(layout, arg.as_deref())?;
                self.text(&spec, &text)?;
                rest = more;
                continue;
            }
            let Some((conversion, more)) = more.split_first() else {
                return Err("format ends in the middle of a conversion".to_owned().into());
            };
            rest = more;
            if self.convert(&spec, *conversion)? {
                return Ok(true);
            }
        }
        self.put(&escape::format(rest))?;
        Ok(false)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Halt> {
        match self.out.bytes.len() + bytes.len() > self.room {
            true => Err(crate::Error::TooMuchMemory.into()),
            false => {
                self.out.bytes.extend(bytes);
                Ok(())
            }
        }
    }

    fn spec<'f>(&mut self, mut rest: &'f [u8]) -> Result<(Spec, &'f [u8]), Halt> {
        let mut spec = Spec::default();
        while let Some((flag, more)) = rest.split_first() {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                b'#' => spec.alternate = true,
                _ => break,
            }
            rest = more;
        }
        let (width, more) = self.size(rest)?;
        rest = more;
        if let Some(width) = width {
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        }
        if let [b'.', more @ ..] = rest {
            let (precision, more) = self.size(more)?;
            rest = more;
            spec.precision = usize::try_from(precision.unwrap_or(0)).ok();
        }
        if spec.width > self.room || spec.precision.is_some_and(|precision| precision > self.room) {
            return Err(crate::Error::TooMuchMemory.into());
        }
        while let [b'l' | b'h' | b'j' | b'z' | b't' | b'L', more @ ..] = rest {
            rest = more;
        }
        Ok((spec, rest))
    }

    /// A number in the format, or an argument for `*`.
    fn size<'f>(&mut self, rest: &'f [u8]) -> Result<(Option<i64>, &'f [u8]), Halt> {
        if let [b'*', more @ ..] = rest {
            let arg = self.next();
            return Ok((Some(self.integer(arg.as_deref())), more));
        }
        let end = rest
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(rest.len());
        let number = std::str::from_utf8(&rest[..end])
            .ok()
            .filter(|digits| !digits.is_empty());
        Ok((number.map(|digits| digits.parse().unwrap_or(i64::MAX)), &rest[end..]))
    }

    fn next(&mut self) -> Option<Bytes> {
        self.consumed = true;
        self.args.next().cloned()
    }

    fn convert(&mut self, spec: &Spec, conversion: u8) -> Result<bool, Halt> {
        let arg = self.next();
        match conversion {
            b's' => {
                let text = arg.unwrap_or_default();
                self.text(spec, &text)?;
            }
            b'b' => {
                let (text, stop) = escape::percent_b(&arg.unwrap_or_default());
                self.text(spec, &text)?;
                return Ok(stop);
            }
            b'q' if self.bash => {
                let text = quote::backslashes(&arg.unwrap_or_default());
                self.text(spec, &text)?;
            }
            b'Q' if self.bash => {
                let text = arg.unwrap_or_default();
                let text = &text[..spec.precision.unwrap_or(text.len()).min(text.len())];
                let plain = Spec {
                    left: spec.left,
                    width: spec.width,
                    ..Spec::default()
                };
                self.text(&plain, &quote::backslashes(text))?;
            }
            b'c' => {
                let text = arg.unwrap_or_default();
                self.text(spec, &text[..text.len().min(1)])?;
            }
            b'd' | b'i' => {
                let value = self.integer(arg.as_deref());
                let sign = sign(spec, value < 0);
                self.number(spec, sign, value.unsigned_abs().to_string())?;
            }
            b'u' => {
                let value = self.integer(arg.as_deref()) as u64;
                self.number(spec, "", value.to_string())?;
            }
            b'o' => {
                let value = self.integer(arg.as_deref()) as u64;
                let prefix = if spec.alternate && value != 0 { "0" } else { "" };
                self.number(spec, prefix, format!("{value:o}"))?;
            }
            b'x' | b'X' => {
                let value = self.integer(arg.as_deref()) as u64;
                let upper = conversion == b'X';
                let prefix = match (spec.alternate && value != 0, upper) {
                    (false, _) => "",
                    (true, false) => "0x",
                    (true, true) => "0X",
                };
                let digits = if upper {
                    format!("{value:X}")
                } else {
                    format!("{value:x}")
                };
                self.number(spec, prefix, digits)?;
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                let value = self.float(arg.as_deref());
                let digits = float(value.abs(), conversion, spec);
                let digits = if conversion.is_ascii_uppercase() {
                    digits.to_uppercase()
                } else {
                    digits
                };
                let sign = sign(spec, value.is_sign_negative());
                let plain = Spec {
                    precision: None,
                    zero: spec.zero && value.is_finite(),
                    left: spec.left,
                    width: spec.width,
                    ..Spec::default()
                };
                self.number(&plain, sign, digits)?;
            }
            other => return Err(format!("%{}: bad conversion", char::from(other)).into()),
        }
        Ok(false)
    }

    /// A moment, as `strftime` writes it in UTC.
    fn time(&mut self, layout: &[u8], arg: Option<&[u8]>) -> Result<Bytes, Halt> {
        let now = || {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            since.map_or(0, |since| since.as_secs() as i64)
        };
        let seconds = match arg {
            None | Some(b"" | b"-1" | b"-2") => now(),
            arg => self.integer(arg),
        };
        let layout = if layout.is_empty() { b"%X" } else { layout };
        crate::moment::written(seconds, layout).map_err(|what| format!("%{what}: not supported here").into())
    }

    fn text(&mut self, spec: &Spec, text: &[u8]) -> Result<(), Halt> {
        let text = &text[..spec.precision.unwrap_or(text.len()).min(text.len())];
        let padding = vec![b' '; spec.width.saturating_sub(text.len())];
        if !spec.left {
            self.put(&padding)?;
        }
        self.put(text)?;
        if spec.left {
            self.put(&padding)?;
        }
        Ok(())
    }

    fn number(&mut self, spec: &Spec, prefix: &str, digits: String) -> Result<(), Halt> {
        let mut digits = match spec.precision {
            Some(0) if digits == "0" => String::new(),
            _ => digits,
        };
        let length = spec
            .precision
            .unwrap_or(1)
            .max(match spec.zero && !spec.left && spec.precision.is_none() {
                true => spec.width.saturating_sub(prefix.len()),
                false => 0,
            });
        if digits.len() < length {
            digits = "0".repeat(length - digits.len()) + &digits;
        }
        let whole = format!("{prefix}{digits}");
        let plain = Spec {
            left: spec.left,
            width: spec.width,
            ..Spec::default()
        };
        self.text(&plain, whole.as_bytes())
    }

    /// An integer argument: decimal, octal, hexadecimal, or the code of a quoted character.
    fn integer(&mut self, arg: Option<&[u8]>) -> i64 {
        let Some(text) = arg else { return 0 };
        if let Some(code) = quoted_char(text) {
            return code;
        }
        let trimmed = text.trim_ascii_start();
        let (negative, digits) = match trimmed {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let (base, digits) = match digits {
            [b'0', b'x' | b'X', hex @ ..] => (16, hex),
            [b'0', octal @ ..] if !octal.is_empty() => (8, octal),
            decimal => (10, decimal),
        };
        let end = digits
            .iter()
            .position(|byte| !char::from(*byte).is_digit(base))
            .unwrap_or(digits.len());
        let good = std::str::from_utf8(&digits[..end]).unwrap_or_default();
        let value = i128::from_str_radix(good, base).unwrap_or(if good.is_empty() { 0 } else { i128::MAX });
        let value = if negative { -value } else { value };
        if end < digits.len() || (good.is_empty() && !text.is_empty()) {
            self.complain(text, end == 0);
        }
        match i64::try_from(value) {
            Ok(value) => value,
            Err(_) if value > 0 && value <= i128::from(u64::MAX) => value as u64 as i64,
            Err(_) => {
                self.out.complain(format!("{}: out of range", lossy(text)));
                self.wrong = true;
                if value < 0 { i64::MIN } else { i64::MAX }
            }
        }
    }

    fn float(&mut self, arg: Option<&[u8]>) -> f64 {
        let Some(text) = arg.filter(|text| !text.is_empty()) else {
            return 0.0;
        };
        if let Some(code) = quoted_char(text) {
            return code as f64;
        }
        let trimmed = lossy(text.trim_ascii_start()).into_owned();
        // The longest beginning that is a number.
        let mut end = trimmed.len();
        loop {
            if let Some(value) = trimmed.get(..end).and_then(|text| text.parse().ok()) {
                if end < trimmed.len() {
                    self.complain(text, false);
                }
                return value;
            }
            if end == 0 || end > 512 {
                self.complain(text, true);
                return 0.0;
            }
            end -= 1;
        }
    }

    fn complain(&mut self, text: &[u8], nothing: bool) {
        self.wrong = true;
        self.out.complain(match nothing {
            true => format!("{}: expected numeric value", lossy(text)),
            false => format!("{}: not completely converted", lossy(text)),
        });
    }
}

/// `(LAYOUT)T`, and what is behind it.
fn time_layout(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = rest.strip_prefix(b"(")?;
    let close = rest.windows(2).position(|two| two == b")T")?;
    Some((&rest[..close], &rest[close + 2..]))
}

/// `'A` or `"A`: the code of A.
fn quoted_char(text: &[u8]) -> Option<i64> {
    let rest = match text {
        [b'\'' | b'"', rest @ ..] => rest,
        _ => return None,
    };
    Some(
        crate::expand::pattern::chars(rest)
            .first()
            .map_or(0, |char| i64::from(*char & 0xff_ffff)),
    )
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

/// As C prints it.
fn float(value: f64, conversion: u8, spec: &Spec) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return "inf".into();
    }
    let precision = spec.precision.unwrap_or(6).min(4096);
    match conversion.to_ascii_lowercase() {
        b'f' => format!("{value:.precision$}"),
        b'e' => exponential(value, precision),
        _ => {
            let precision = precision.max(1);
            let scientific = exponential(value, precision - 1);
            let exponent: i32 = scientific
                .split('e')
                .nth(1)
                .and_then(|text| text.parse().ok())
                .unwrap_or(0);
            let text = match exponent < -4 || exponent >= precision as i32 {
                true => scientific,
                false => format!("{value:.*}", (precision as i32 - 1 - exponent).max(0) as usize),
            };
            if spec.alternate {
                return text;
            }
            let (mantissa, rest) = text.split_at(text.find('e').unwrap_or(text.len()));
            let mantissa = match mantissa.contains('.') {
                true => mantissa.trim_end_matches('0').trim_end_matches('.'),
                false => mantissa,
            };
            format!("{mantissa}{rest}")
        }
    }
}

/// With an exponent of at least two digits.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}
