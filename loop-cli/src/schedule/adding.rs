//! Jobs that are added.

use std::borrow::Cow;

use jiff::Timestamp;
use loop_schedule::{FirstFire, Job, JobError, JobId, Jobs, Reach, Settings};

use super::Errand;
use crate::command::{Failure, usage};
use crate::view;

/// An id by chance, since jitter comes from it.
pub(crate) fn draw() -> JobId {
    let [.., a, b, c, d] = *crate::clock::new_id().as_bytes();
    JobId::from_bits(u32::from_be_bytes([a, b, c, d]))
}

/// Takes secrets out of a job that is to be stored. Gives a warning if that changes its prompt.
///
/// # Errors
/// A secret is in what the job runs: it would not run without.
pub(crate) fn conceal(job: &mut Job) -> Result<Option<String>, Failure> {
    let secrets = view::secrets();
    let errand = Errand::kept(job).to_string();
    if secrets.redact(&errand) != errand {
        return Err(usage!(
            "a secret is in what the job runs, and jobs are stored as text: {}\n  \
             put the secret into a variable, or into a file that only you can read, and name that instead",
            secrets.redact(&errand)
        ));
    }
    let prompt = match secrets.redact(&job.prompt) {
        Cow::Owned(prompt) if prompt != job.prompt => prompt,
        _ => return Ok(None),
    };
    job.prompt = prompt;
    Ok(Some(
        "a secret is in the prompt, and jobs are stored as text: the agent will read `[redacted]` in its place. Name a \
         variable or a file that holds it instead"
            .to_owned(),
    ))
}

/// Adds a job, under an id that is free. Says when it fires first.
///
/// # Errors
/// What [`Jobs::add`] says of it.
pub(crate) fn enlist(
    jobs: &mut Jobs,
    job: &mut Job,
    numbers: &Settings,
    reach: Reach,
    now: Timestamp,
) -> Result<FirstFire, JobError> {
    while jobs.get(job.id).is_some() {
        job.id = draw();
    }
    jobs.add(job.clone(), numbers, reach, now)
}
