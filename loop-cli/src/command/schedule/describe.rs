//! `loop schedule describe`: describes an expression in words.

use std::process::ExitCode;

use loop_schedule::Cron;

use super::Failure;
use crate::{exit, view};

pub(super) fn exec(expression: &Cron) -> Result<ExitCode, Failure> {
    view::print_or_warn(&expression.describe());
    Ok(ExitCode::from(exit::OK))
}
