//! The run's line in the file of the records.

use std::{env, fs, io};

use loop_telemetry::{Record, RunEntry, StateDir};

use super::{Failure, OrFail as _};

/// Returns whether the file of the records has another end of this run than the run's own. A run can have its record in
/// another file: `--telemetry` names it.
pub(super) fn has_other_record(run: &RunEntry) -> Result<bool, Failure> {
    let Some(ending) = &run.last_ending else { return Ok(false) };
    let path = StateDir::from_env_with(|name| env::var_os(name))?.telemetry();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error).or_setup(|| format!("cannot read `{}`", path.display())),
    };
    let facts = |record: &Record| {
        let Record {
            name, iterations, stop_reason, success, estimated_cost_usd, usage, journal_head, ..
        } = record.clone();
        (name, iterations, stop_reason, success, estimated_cost_usd, usage, journal_head)
    };
    let line = text.lines().rfind(|line| line.contains(&run.id));
    let record = line.map(serde_json::from_str::<Record>);
    Ok(record.is_some_and(|record| record.map_or(true, |record| facts(&record) != facts(ending))))
}
