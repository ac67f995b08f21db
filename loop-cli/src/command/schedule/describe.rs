//! `loop schedule describe`: describes an expression, or a schedule in words.

use std::process::ExitCode;

use loop_schedule::{Cron, JobRequest, ScheduleSettings};

use super::{Failure, usage, zone};
use crate::{clock, exit, view};

pub(super) fn exec(written: &str) -> Result<ExitCode, Failure> {
    let description = match written.parse::<Cron>() {
        Ok(expression) => expression.describe(),
        Err(error) => {
            let words = JobRequest::parse(written, &ScheduleSettings::default(), &zone(None)?, clock::now());
            match words {
                Ok(request) if request.prompt.is_empty() => request.trigger.describe(),
                _ => return Err(usage!("{error}")),
            }
        }
    };
    view::print_or_warn(&description);
    Ok(ExitCode::from(exit::OK))
}
