//! Moments as `strftime` writes them, in UTC: a run knows no other zone.

use crate::ast::Bytes;

const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Writes it, or says which conversion is unknown.
pub(crate) fn written(seconds: i64, layout: &[u8]) -> Result<Bytes, char> {
    let mut text = String::new();
    add(seconds, &String::from_utf8_lossy(layout), &mut text)?;
    Ok(text.into_bytes())
}

fn add(seconds: i64, layout: &str, text: &mut String) -> Result<(), char> {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let weekday = (days + 4).rem_euclid(7) as usize;
    let first = days_before(year);
    let yearday = days - first;
    let mut chars = layout.chars();
    while let Some(char) = chars.next() {
        if char != '%' {
            text.push(char);
            continue;
        }
        let Some(conversion) = chars.next() else {
            text.push('%');
            break;
        };
        match conversion {
            'Y' => text.push_str(&year.to_string()),
            'C' => text.push_str(&format!("{:02}", year.div_euclid(100))),
            'y' => text.push_str(&format!("{:02}", year.rem_euclid(100))),
            'm' => text.push_str(&format!("{month:02}")),
            'd' => text.push_str(&format!("{day:02}")),
            'e' => text.push_str(&format!("{day:2}")),
            'H' => text.push_str(&format!("{hour:02}")),
            'I' => text.push_str(&format!("{:02}", (hour + 11) % 12 + 1)),
            'k' => text.push_str(&format!("{hour:2}")),
            'l' => text.push_str(&format!("{:2}", (hour + 11) % 12 + 1)),
            'M' => text.push_str(&format!("{minute:02}")),
            'S' => text.push_str(&format!("{second:02}")),
            'p' => text.push_str(if hour < 12 { "AM" } else { "PM" }),
            'j' => text.push_str(&format!("{:03}", yearday + 1)),
            'a' => text.push_str(&DAYS[weekday][..3]),
            'A' => text.push_str(DAYS[weekday]),
            'b' | 'h' => text.push_str(&MONTHS[month as usize - 1][..3]),
            'B' => text.push_str(MONTHS[month as usize - 1]),
            'u' => text.push_str(&(if weekday == 0 { 7 } else { weekday }).to_string()),
            'w' => text.push_str(&weekday.to_string()),
            's' => text.push_str(&seconds.to_string()),
            'n' => text.push('\n'),
            't' => text.push('\t'),
            '%' => text.push('%'),
            'z' => text.push_str("+0000"),
            'Z' => text.push_str("UTC"),
            'F' => add(seconds, "%Y-%m-%d", text)?,
            'T' | 'X' => add(seconds, "%H:%M:%S", text)?,
            'R' => add(seconds, "%H:%M", text)?,
            'D' | 'x' => add(seconds, "%m/%d/%y", text)?,
            'c' => add(seconds, "%a %b %e %H:%M:%S %Y", text)?,
            'r' => add(seconds, "%I:%M:%S %p", text)?,
            other => return Err(other),
        }
    }
    Ok(())
}

/// Days from the epoch to the first of January.
fn days_before(year: i64) -> i64 {
    let before = year - 1;
    365 * (year - 1970) + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400) - 477
}

/// The date of a day, counted from the epoch.
fn date(days: i64) -> (i64, i64, i64) {
    let mut year = 1970 + days.div_euclid(366);
    while days_before(year + 1) <= days {
        year += 1;
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut left = days - days_before(year);
    let lengths = [31, 28 + i64::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (month, length) in (1..).zip(lengths) {
        if left < length {
            return (year, month, left + 1);
        }
        left -= length;
    }
    (year, 12, 31)
}

#[cfg(test)]
mod tests {
    #[test]
    fn moments_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 Thu 001"),
            (951_782_400, "2000-02-29 00:00:00 Tue 060"),
            (1_700_000_000, "2023-11-14 22:13:20 Tue 318"),
            (-1, "1969-12-31 23:59:59 Wed 365"),
        ] {
            let text = super::written(seconds, b"%F %T %a %j").unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }
}
