//! `loop schema`: prints the schema of manifests or of cases, for editors.

use std::process::ExitCode;

use super::Failure;
use crate::{exit, view};
use loop_assay::case_schema;
use loop_manifest::schema;

pub(crate) fn exec(is_of_cases: bool) -> Result<ExitCode, Failure> {
    view::print_or_warn(&if is_of_cases { case_schema() } else { schema() });
    Ok(ExitCode::from(exit::OK))
}
