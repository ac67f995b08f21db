//! Jobs of the command line: prompts that fire by the clock, each as a run of its own.
//!
//! When something is due, [`loop_schedule`] knows. What is here is what a fire means: this very program, started as
//! a child that carries out the job's action. A child can be ended with all that it started, whatever it does, and one
//! that dies takes nothing with it; and what it leaves behind, the journal and the record, is that of any run.
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
