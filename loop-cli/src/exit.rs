//! Exit codes. Scripts rely on them.

use std::process::ExitCode;

use loop_core::StopReason;

use crate::{drive::Ended, signals::Signal};

/// The goal was met; or, for commands that run no loop, all went well.
pub(crate) const OK: u8 = 0;
/// `loop policy explain`: it would not be done.
pub(crate) const DENIED: u8 = 1;
/// A guardrail halted the run.
pub(crate) const HALTED: u8 = 1;
/// The command line, the manifest or the machine's set-up is wrong, or a stored file cannot be used. Nothing was run.
pub(crate) const USAGE: u8 = 2;
/// The run failed for a reason of its own; or a record that was asked for could not be written.
pub(crate) const FAILED: u8 = 3;
/// Cancelled by a signal: this and the signal's number.
const SIGNALLED: u8 = 128;

/// The code of a command that a signal ended.
pub(crate) const fn of_signal(signal: Signal) -> u8 {
    SIGNALLED + signal.number()
}

/// The code of a run that is over here. One whose record somebody asked for and does not get has failed them, however it
/// ended: a script would count on a line that is not there.
pub(crate) fn of_ended(ended: &Ended) -> ExitCode {
    match ended.lacks_record {
        true => ExitCode::from(FAILED),
        false => of_run(ended.ending.reason(), ended.signal.map(Signal::number)),
    }
}

/// The code of a run that stopped for this reason, or met its goal, after the first signal that it was sent, by its number.
pub(crate) fn of_run(reason: Option<&StopReason>, signal: Option<u8>) -> ExitCode {
    let code = match (reason, signal) {
        (None, _) => OK,
        (Some(StopReason::Cancelled), Some(signal)) => SIGNALLED.saturating_add(signal),
        (Some(StopReason::Cancelled | StopReason::Failed), _) => FAILED,
        _ => HALTED,
    };
    ExitCode::from(code)
}
