//! `loop schedule off` and `loop schedule on`: switch all of a user's jobs on this machine.

use std::process::ExitCode;

use super::{Failure, OrFail};
use crate::{exit, schedule, view};

pub(super) fn exec(off: bool) -> Result<ExitCode, Failure> {
    let switch = schedule::off_switch()?;
    switch.set(off).or_setup(|| "cannot change the file that stops all jobs")?;
    view::say(match off {
        true => {
            "all of your jobs on this machine are stopped, and their runs are ended: `loop schedule on` lets them fire \
             again"
        }
        false => "jobs fire again wherever `loop schedule run` or a session works",
    });
    Ok(ExitCode::from(exit::OK))
}
