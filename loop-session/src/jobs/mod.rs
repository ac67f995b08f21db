//! Prompts of a session that fire by the clock.
//!
//! A person who types `/every 10m look at the build` wants it to stop when they close the window, and never to find it
//! in the middle of a reply. So such a job lives in memory, as long as its session, and fires between two turns; what is
//! to outlive the session is said to be, and is kept with the jobs of `loop schedule`.
//!
//! | what | where |
//! | --- | --- |
//! | who asks for jobs | `command/{every,schedule}.rs`, and for the model `tools/` |
//! | what is due comes between two lines | `scheduler.rs` |
//! | what was missed while nobody was here | `missed.rs` |

mod missed;
mod scheduler;
mod session_jobs;
#[cfg(test)]
mod tests;
mod tools;

pub use self::{
    missed::{MissedAnswer, MissedJobs},
    scheduler::{DueJob, SessionScheduler},
    session_jobs::SessionJobs,
};
pub(crate) use self::{session_jobs::JobChange, tools::with_tools};
