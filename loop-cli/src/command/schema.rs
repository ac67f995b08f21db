//! `loop schema`: prints the manifest schema, for editors.

use std::process::ExitCode;

use super::Failure;
use crate::{exit, view};
use loop_manifest::schema;

pub(crate) fn exec() -> Result<ExitCode, Failure> {
    view::tell(&schema());
    Ok(ExitCode::from(exit::OK))
}
