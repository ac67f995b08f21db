//! Jobs that are added.

use jiff::Timestamp;
use loop_schedule::{FirstFire, Job, JobError, JobId, Jobs, Reach, Settings};

/// An id by chance, since jitter comes from it.
pub(crate) fn draw() -> JobId {
    let [.., a, b, c, d] = *uuid::Uuid::now_v7().as_bytes();
    JobId::from_bits(u32::from_be_bytes([a, b, c, d]))
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
