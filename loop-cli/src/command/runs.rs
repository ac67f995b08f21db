//! `loop runs`: lists the stored runs.

use std::{process::ExitCode, time::Duration};

use jiff::Timestamp;
use loop_telemetry::{CostState, Record, RunEntry, RunStore, always_json};
use serde::Serialize;

use super::{
    Failure, engine, environment,
    run_lifecycle::stored_runs::{RunState, is_in, short_ids, store},
};
use crate::{
    args::RunsArgs,
    clock, exit,
    view::{
        self,
        columns::{self, Column},
        text,
    },
};

const COLUMNS: &[Column] = &[
    Column::words("run"),
    Column::words("loop"),
    Column::words("began"),
    Column::words("state"),
    Column::numbers("iterations"),
    Column::words("cost"),
    Column::words("folder"),
];

pub(crate) fn exec(args: &RunsArgs) -> Result<ExitCode, Failure> {
    if args.engine.is_some() {
        return engine::exec("runs", args.json.then_some("--json"));
    }
    let store = store()?;
    let all = store.list()?;
    let here = environment::dir(None)?;
    let wanted = all.iter().rev().filter(|entry| args.all || is_in(entry, &here));
    if args.json {
        for entry in wanted {
            if !view::print_json(&json(&RunJson::of(&store, entry)?))? {
                break;
            }
        }
        return Ok(ExitCode::from(exit::OK));
    }
    let (short, now) = (short_ids(all.iter().map(|entry| entry.id.as_str())), clock::now());
    let mut rows = Vec::new();
    for entry in wanted {
        let id = short.get(entry.id.as_str()).copied().unwrap_or(&entry.id);
        let mut row = row(entry, id, RunState::of(&store, entry)?, now);
        row.push(if args.all { text::printable(&entry.folder) } else { String::new() });
        rows.push(row);
    }
    match (rows.is_empty(), args.all) {
        (true, true) => view::say("there are no stored runs"),
        (true, false) => view::say(
            "there are no stored runs of this folder\n  `loop runs --all` lists those of other folders",
        ),
        (false, _) => {
            view::print(&columns::lines(COLUMNS, &rows).join("\n"))?;
        }
    }
    Ok(ExitCode::from(exit::OK))
}

fn row(entry: &RunEntry, id: &str, state: RunState, now: Timestamp) -> Vec<String> {
    let age = Duration::try_from(now.duration_since(entry.started_at)).unwrap_or_default();
    let (iterations, cost) = match (&entry.last_ending, state) {
        // The run was resumed and has progressed further than the index knows.
        (Some(record), RunState::Ended) => (record.iterations.to_string(), cost(record)),
        _ => ("-".to_owned(), "-".to_owned()),
    };
    let state = text::printable(state.word(entry));
    vec![id.to_owned(), text::printable(&entry.name), text::ago(age), state, iterations, cost]
}

fn cost(record: &Record) -> String {
    match (record.estimated_cost_usd, record.cost_state) {
        (Some(usd), _) if record.cost_is_lower_bound => format!("at least {usd}"),
        (Some(usd), CostState::Known) => usd.to_string(),
        (Some(usd), _) => format!("about {usd}"),
        (None, _) => "unknown".to_owned(),
    }
}

/// A run for programs, from the index only.
#[derive(Debug, Serialize)]
pub(super) struct RunJson<'a> {
    run_id: &'a str,
    #[serde(rename = "loop")]
    name: &'a str,
    folder: &'a str,
    started_at: String,
    manifest: Option<&'a str>,
    /// `running`, `unfinished`, or the reason why it stopped.
    state: &'a str,
    /// The record of its last end.
    record: Option<&'a Record>,
}

impl<'a> RunJson<'a> {
    pub(super) fn of(store: &RunStore, entry: &'a RunEntry) -> Result<Self, Failure> {
        Ok(Self {
            run_id: &entry.id,
            name: &entry.name,
            folder: &entry.folder,
            started_at: format!("{:.3}", entry.started_at),
            manifest: entry.manifest.as_deref(),
            state: RunState::of(store, entry)?.word(entry),
            record: entry.last_ending.as_ref(),
        })
    }
}

/// Returns a value as JSON for programs, without secrets.
pub(super) fn json(shown: &impl Serialize) -> String {
    always_json(view::secrets().json(shown))
}
