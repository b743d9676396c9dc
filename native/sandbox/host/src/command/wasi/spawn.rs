//! A command that asks for another one.

use super::memory::{slice, split};
use crate::command::module::Process;
use pipe::Stream;
use std::time::Duration;
use tokio::time::timeout;
use wasmtime::{Caller, Result};

/// The words that may be handed over, in bytes.
const MAX_WORDS: usize = 1 << 20;

pub(super) type Arguments = (i32, i32, i32, i32, i32, i32, i32);

/// `spawn(argv, argv_len, env, env_len, cwd, cwd_len, flags) -> status`: words end with a NUL each; an `env_len` below
/// zero and a `cwd_len` of zero mean "as it is here"; flag 1 gives the command an empty input; the bits from the eighth on
/// are the milliseconds it may take, none of them meaning no bound of its own.
pub(super) async fn spawn(mut caller: Caller<'_, Process>, arguments: Arguments) -> Result<i32> {
    const REFUSED: i32 = 126;
    const TIMED_OUT: i32 = 124;
    let (argv, argv_length, env, env_length, cwd, cwd_length, flags) = arguments;
    let (bytes, process) = split(&mut caller)?;
    let argv = words(slice(bytes, argv, argv_length)?);
    let env = match env_length {
        ..0 => None,
        length => Some(
            words(slice(bytes, env, length)?)
                .iter()
                .map(|word| pair(word))
                .collect(),
        ),
    };
    let cwd = match cwd_length {
        0 => None,
        length => Some(String::from_utf8_lossy(slice(bytes, cwd, length)?).into_owned()),
    };
    let mut streams = process.streams();
    if flags & 1 != 0 {
        streams[0] = Stream::null();
    }
    match &process.spawn {
        Some(spawn) if argv_length as usize <= MAX_WORDS => {
            let child = spawn.spawn(argv, env, cwd, streams);
            Ok(match (flags as u32) >> 8 {
                0 => child.await.into(),
                limit => timeout(Duration::from_millis(limit.into()), child)
                    .await
                    .map_or(TIMED_OUT, i32::from),
            })
        }
        _ => Ok(REFUSED),
    }
}

fn words(text: &[u8]) -> Vec<Vec<u8>> {
    let text = text.strip_suffix(b"\0").unwrap_or(text);
    text.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
}

/// `NAME=value` in two.
fn pair(word: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let at = word.iter().position(|byte| *byte == b'=').unwrap_or(word.len());
    (word[..at].to_vec(), word.get(at + 1..).unwrap_or_default().to_vec())
}
