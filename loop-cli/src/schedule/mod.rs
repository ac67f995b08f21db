//! Jobs of the command line: scheduled prompts, each in a run of its own.
//!
//! [`loop_schedule`] knows when a job is due; this module defines what a fire does. It starts this very program as a
//! child that carries out the job's action. The parent can end a child with everything that it started, and a child
//! that dies does not affect the parent. Its journal and its record are those of any run.
//!
//! | question | file |
//! | --- | --- |
//! | which folder's jobs, kept where | `folder_schedule.rs` |
//! | what a fire does | `action.rs` |
//! | how it is done, and ended | `fire_delivery.rs`, `fire_process.rs` |
//! | what became of it | `last_iteration.rs`, `loop_session::fires` |
//! | what is seen of it | `fire_reporter.rs`, `job_rows.rs`, `jobs_panel.rs` |

pub(crate) mod action;
mod fire_delivery;
mod fire_process;
mod fire_reporter;
mod folder_schedule;
mod job_rows;
mod jobs_panel;
mod last_iteration;

use self::fire_process::FireProcess;
pub(crate) use self::{
    fire_delivery::FireDelivery,
    fire_reporter::FireReporter,
    folder_schedule::{FolderSchedule, find_job, is_disabled, off_switch, unknown_job},
    job_rows::{JobRow, table},
    jobs_panel::{JobsPanel, jobs_of, keep_updated},
};
