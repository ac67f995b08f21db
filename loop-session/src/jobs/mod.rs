//! Scheduled prompts of a session.
//!
//! A person who types `/every 10m look at the build` wants it to stop when they close the window, and never wants it to
//! interrupt a reply. So such a job lives in memory as long as its session, and fires between two turns. A job that
//! should outlive the session must be declared durable; it is stored with the jobs of `loop schedule`.
//!
//! | what | where |
//! | --- | --- |
//! | who asks for jobs | `command/{every,schedule}.rs`, and for the model `tools/` |
//! | what is due comes between two lines | `scheduler.rs` |
//! | stored jobs fire here while no runner does | `stored_jobs.rs` |
//! | what a new job's owner reads | `confirmation.rs` |
//! | what was missed while nobody was here | `missed_jobs.rs` |

mod confirmation;
mod missed_jobs;
mod scheduler;
mod session_jobs;
mod stored_jobs;
#[cfg(test)]
mod tests;
mod tools;

pub use self::{
    confirmation::{AddedAs, JobConfirmation, next_fire, when},
    missed_jobs::{MissedJobAction, MissedJobs},
    scheduler::{DueJob, SessionScheduler},
    session_jobs::SessionJobs,
};
pub(crate) use self::{session_jobs::JobChange, tools::with_tools};
