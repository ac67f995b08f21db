//! Jobs of the command line: scheduled prompts, each in a run of its own.
//!
//! [`loop_schedule`] knows when a job is due; this module defines what a fire does. It starts this very program as a
//! child that carries out the job's action. The parent can end a child with everything that it started, and a child
//! that dies does not affect the parent. Its journal and its record are those of any run.
//!
//! | question | file |
//! | --- | --- |
//! | which folder's jobs, kept where | `place.rs` |
//! | what a fire does | `action.rs` |
//! | how it is done, and ended | `firing.rs`, `child.rs` |
//! | what became of it | `outcome.rs`, `history.rs` |
//! | what is seen of it | `told.rs`, `rows.rs`, `page.rs` |

pub(crate) mod action;
mod child;
mod firing;
mod history;
mod outcome;
mod page;
mod place;
mod rows;
mod told;

use self::{child::Child, history::History};
pub(crate) use self::{
    firing::Firing,
    history::Fired,
    page::{Page, jobs_of, keep},
    place::{SchedulePlace, is_disabled, known, off_switch, unknown},
    rows::{Row, table},
    told::Told,
};
