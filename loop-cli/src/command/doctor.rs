//! `loop doctor`: what works on this machine, and whether stored files can be read.

use std::process::ExitCode;

use loop_session::doctor;

use super::{
    Failure,
    environment::{dir, execution_context, new_run_id},
    runs::json,
};
use crate::{args::DoctorArgs, exit, view};

pub(crate) fn exec(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let cx = execution_context(dir(args.cwd.as_deref())?, new_run_id())?;
    let findings = doctor::examine(&cx);
    if args.json {
        let _ = findings.iter().all(|finding| view::print_json_or_warn(&json(finding)));
    } else {
        view::print_or_warn(&doctor::page(&findings));
    }
    cx.supervisor().end();
    Ok(ExitCode::from(if doctor::has_bad(&findings) { exit::DENIED } else { exit::OK }))
}
