//! `loop schema`: what a manifest can say, for editors.

use std::process::ExitCode;

use super::Failure;
use crate::{exit, manifest::schema, view};

pub(crate) fn exec() -> Result<ExitCode, Failure> {
    view::tell(&schema());
    Ok(ExitCode::from(exit::OK))
}
