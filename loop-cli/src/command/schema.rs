//! `loop schema`: prints the manifest schema, for editors.

use std::process::ExitCode;

use super::Failure;
use crate::{exit, view};
use loop_manifest::schema;

pub(crate) fn exec() -> Result<ExitCode, Failure> {
    view::print_or_warn(&schema());
    Ok(ExitCode::from(exit::OK))
}
