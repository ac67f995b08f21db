//! `loop schedule off` and `loop schedule on`: the switch of this machine.

use std::process::ExitCode;

use super::{Failure, OrFail};
use crate::{exit, schedule, view};

pub(super) fn exec(off: bool) -> Result<ExitCode, Failure> {
    let switch = schedule::off_switch()?;
    switch.set(off).or_setup(|| "the file that stops all jobs cannot be changed")?;
    view::say(match off {
        true => {
            "no job fires on this machine, and what fired is ended: `loop schedule on` lets them fire again"
        }
        false => "jobs fire again where somebody fires them",
    });
    Ok(ExitCode::from(exit::OK))
}
