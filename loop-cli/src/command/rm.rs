//! `loop rm`: removes runs.

use std::process::ExitCode;

use super::{Failure, run_lifecycle::stored_runs::store};
use crate::{args::RmArgs, exit, view};

pub(crate) fn exec(args: &RmArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    if let Some(keep) = args.keep {
        for id in store.keep_last(keep)? {
            view::print_or_warn(&format!("removed {id}"));
        }
        return Ok(ExitCode::from(exit::OK));
    }
    // Resolve all names before removing anything: a typo in the last name then removes nothing.
    let ids: Result<Vec<_>, Failure> = args.runs.iter().map(|run| Ok(store.find(run)?.id)).collect();
    let mut ids = ids?;
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        store.remove(&id)?;
        view::print_or_warn(&format!("removed {id}"));
    }
    Ok(ExitCode::from(exit::OK))
}
