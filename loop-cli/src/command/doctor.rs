//! `loop doctor`: what works on this machine, and whether stored files can be read.

use std::process::ExitCode;

use loop_session::doctor::{self, Finding};

use super::{
    Failure, OrFail as _,
    environment::{agrees, dir, execution_context, new_run_id},
    runs::json,
};
use crate::{args::DoctorArgs, exit, view};

pub(crate) fn exec(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let cx = execution_context(dir(args.cwd.as_deref())?, new_run_id())?;
    let mut findings = doctor::examine(&cx);
    if args.fix && repair(&findings, args.yes)? {
        findings = doctor::examine(&cx);
    }
    if args.json {
        let _ = findings.iter().all(|finding| view::print_json_or_warn(&json(finding)));
    } else {
        view::print_or_warn(&doctor::page(&findings));
    }
    cx.supervisor().end();
    Ok(ExitCode::from(if doctor::has_bad(&findings) { exit::DENIED } else { exit::OK }))
}

/// Makes the repairs that the person agrees to. Returns whether there were any.
fn repair(findings: &[Finding], is_agreed: bool) -> Result<bool, Failure> {
    let mut is_changed = false;
    for repair in findings.iter().filter_map(|finding| finding.repair.as_ref()) {
        if is_agreed || agrees(&repair.to_string())? {
            repair.make().or_setup(|| format!("cannot {repair}"))?;
            is_changed = true;
        }
    }
    Ok(is_changed)
}
