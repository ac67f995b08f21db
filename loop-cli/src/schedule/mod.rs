//! Jobs of the command line: prompts that fire by the clock, each as a run of its own.
//!
//! When something is due, [`loop_schedule`] knows. What is here is what a fire means: this very program, started as
//! a child that does the job's [`Errand`]. A child can be ended with all that it started, whatever it does, and one
//! that dies takes nothing with it; and what it leaves behind, the journal and the record, is that of any run.
//!
//! | question | file |
//! | --- | --- |
//! | which folder's jobs, kept where | `place.rs` |
//! | whose clock, and how a time reads | `time.rs` |
//! | how a job is added | `adding.rs` |
//! | what a fire does | `errand.rs` |
//! | how it is done, and ended | `firing.rs`, `child.rs` |
//! | what became of it | `outcome.rs`, `history.rs` |
//! | what is seen of it | `told.rs`, `rows.rs`, `page.rs` |
//! | who stops it all | `off.rs` |

mod adding;
mod child;
mod errand;
mod firing;
mod history;
mod off;
mod outcome;
mod page;
mod place;
mod rows;
mod time;
mod told;

pub(crate) use self::{
    adding::{conceal, draw, enlist},
    errand::Errand,
    firing::Firing,
    history::Fired,
    off::{DISABLE, OffSwitch, Watched, is_disabled},
    page::{Page, jobs_of, keep},
    place::{SchedulePlace, known, off_switch, unknown},
    rows::{Row, status, table},
    time::{at, instant, rfc3339, until, zone},
    told::Told,
};
use self::{child::Child, history::History};
