//! Exit codes. Scripts rely on them.

use std::process::ExitCode;

use loop_core::StopReason;

use crate::{drive::FinishedRun, signals::Signal, view};

/// The goal was met. For commands that run no loop: success.
pub(crate) const OK: u8 = 0;
/// `loop policy explain`: the policy denies the action.
pub(crate) const DENIED: u8 = 1;
/// `loop check`: a command in the manifest is still to be written.
pub(crate) const UNFINISHED: u8 = 1;
/// `loop verify`: the journal was changed, or the check has another verdict.
pub(crate) const DIFFERS: u8 = 1;
/// `loop rag query`, `loop kb search`: nothing was found.
pub(crate) const NOT_FOUND: u8 = 1;
/// A guardrail halted the run.
pub(crate) const HALTED: u8 = 1;
/// The command line, the manifest or the machine's set-up is wrong, or a stored file is unusable. Nothing was run.
pub(crate) const USAGE: u8 = 2;
/// `loop verify`: there is nothing to compare with.
pub(crate) const UNVERIFIED: u8 = 2;
/// The run failed by itself, or a requested record or a result could not be written.
pub(crate) const FAILED: u8 = 3;
/// A signal cancelled the run. The code is this value plus the signal's number.
const SIGNALLED: u8 = 128;

/// Returns the code of a command that a signal ended.
pub(crate) const fn of_signal(signal: Signal) -> u8 {
    SIGNALLED + signal.number()
}

/// Returns the code of a command that ended with this one. A success without its result is a failure: a script would
/// rely on what is missing.
pub(crate) fn of_command(code: ExitCode) -> ExitCode {
    if code == ExitCode::SUCCESS && view::is_result_lost() { ExitCode::from(FAILED) } else { code }
}

/// Returns the code of a run that is over. If a requested record could not be written, the run counts as failed however
/// it ended: a script would rely on the missing line.
pub(crate) fn of_ended(ended: &FinishedRun) -> u8 {
    match ended.lacks_record {
        true => FAILED,
        false => of_run(ended.ending.reason(), ended.signal.map(Signal::number)),
    }
}

/// Returns the code of a run from its stop reason (`None` if it met its goal) and the number of the first signal it
/// received.
pub(crate) fn of_run(reason: Option<&StopReason>, signal: Option<u8>) -> u8 {
    match (reason, signal) {
        (None, _) => OK,
        (Some(StopReason::Cancelled), Some(signal)) => SIGNALLED.saturating_add(signal),
        (Some(StopReason::Cancelled | StopReason::Failed), _) => FAILED,
        _ => HALTED,
    }
}
