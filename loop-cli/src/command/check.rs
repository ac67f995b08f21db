//! `loop check`: is the manifest right, and what would it do?

use std::process::ExitCode;

use super::{Failure, load};
use crate::{args::CheckArgs, exit, manifest::describe, view};

pub(crate) fn exec(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let (plan, warnings) = load(&args.manifest)?;
    if !warnings.is_empty() {
        view::say(&warnings);
    }
    view::tell(&describe(&plan));
    Ok(ExitCode::from(exit::OK))
}
