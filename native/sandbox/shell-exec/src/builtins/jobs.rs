//! `wait` and `jobs`. There is no terminal, so nothing can be stopped or brought to the front.

use super::{Done, Out, number, options};
use crate::ast::Bytes;
use crate::process::Process;
use crate::shell::{Job, Shell, lossy};
use std::sync::Arc;
use std::task::Poll;

pub(super) async fn wait(shell: &mut Shell, args: &[Bytes]) -> Done {
    let (letters, operands) = match shell.is_bash() {
        true => options(args, b"nf")?,
        false => options(args, b"")?,
    };
    if letters.contains(&b'n') {
        return wait_next(shell, operands).await;
    }
    if operands.is_empty() {
        let all: Vec<_> = shell.jobs.iter().map(|job| job.process.clone()).collect();
        let interrupted = wait_for(shell, &all).await;
        if interrupted.is_none() {
            shell.jobs = Arc::default();
        }
        return Ok(interrupted.unwrap_or(0));
    }
    let mut status = 0;
    for operand in operands {
        let job = find(shell, operand).map(|job| job.process.clone());
        let Some(process) = job else {
            if !operand.starts_with(b"%") && number(operand).is_none() {
                return Err(format!("{}: bad process number", lossy(operand)).into());
            }
            status = 127;
            continue;
        };
        status = match wait_for(shell, std::slice::from_ref(&process)).await {
            Some(interrupted) => return Ok(interrupted),
            None => process.ended().unwrap_or(0),
        };
    }
    Ok(status)
}

/// `wait -n`: the job that ends next.
async fn wait_next(shell: &mut Shell, operands: &[Bytes]) -> Done {
    let jobs: Vec<_> = match operands.is_empty() {
        true => shell.jobs.iter().map(|job| job.process.clone()).collect(),
        false => operands
            .iter()
            .filter_map(|operand| find(shell, operand).map(|job| job.process.clone()))
            .collect(),
    };
    if jobs.is_empty() {
        return Ok(127);
    }
    let ended = std::future::poll_fn(|cx| {
        let done = jobs.iter().find(|process| process.poll_ended(cx).is_ready());
        done.map_or(Poll::Pending, |process| Poll::Ready(process.clone()))
    })
    .await;
    Arc::make_mut(&mut shell.jobs).retain(|job| job.process.pid != ended.pid);
    Ok(ended.ended().unwrap_or(0))
}

/// Waits until all have ended. A signal with a trap interrupts, and gives the status.
async fn wait_for(shell: &Shell, processes: &[Arc<Process>]) -> Option<u8> {
    std::future::poll_fn(|cx| {
        let all = processes.iter().all(|process| process.poll_ended(cx).is_ready());
        if all {
            return Poll::Ready(None);
        }
        match shell.owns_process {
            true => shell.process.poll_pending(cx).map(|signal| Some(signal.status())),
            false => Poll::Pending,
        }
    })
    .await
}

/// A job by its process, or by its number as `%1`.
pub(super) fn find<'a>(shell: &'a Shell, name: &[u8]) -> Option<&'a Job> {
    let jobs = &shell.jobs;
    match name.strip_prefix(b"%") {
        None => {
            let pid = number(name)?;
            jobs.iter().find(|job| job.process.pid as usize == pid)
        }
        Some(b"" | b"%" | b"+") => jobs.last(),
        Some(b"-") => jobs.iter().rev().nth(1),
        Some(text) => match number(text) {
            Some(number) => jobs.iter().find(|job| job.number == number),
            None => match text.strip_prefix(b"?") {
                Some(part) => jobs
                    .iter()
                    .find(|job| job.text.windows(part.len().max(1)).any(|text| text == part)),
                None => jobs.iter().find(|job| job.text.starts_with(text)),
            },
        },
    }
}

pub(super) fn jobs(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (letters, _) = options(args, b"lp")?;
    let current = shell.jobs.last().map(|job| job.number);
    for job in shell.jobs.iter() {
        if letters.contains(&b'p') {
            out.line(job.process.pid.to_string());
            continue;
        }
        let state = match job.process.ended() {
            None => "Running".to_owned(),
            Some(0) => "Done".to_owned(),
            Some(status) => format!("Done({status})"),
        };
        let mark = if Some(job.number) == current { '+' } else { ' ' };
        let pid = match letters.contains(&b'l') {
            true => format!("{} ", job.process.pid),
            false => String::new(),
        };
        out.line(format!("[{}] {mark} {pid}{state} {}", job.number, lossy(&job.text)));
    }
    // What has been told is forgotten.
    Arc::make_mut(&mut shell.jobs).retain(|job| job.process.ended().is_none());
    Ok(0)
}

pub(super) fn no_job_control(_: &mut Shell, _: &[Bytes], _: &mut Out) -> Done {
    Err("no job control".to_owned().into())
}
