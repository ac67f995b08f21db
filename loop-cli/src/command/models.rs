//! `loop models`: the known models, and the facts about them.

use std::{path::Path, process::ExitCode};

use loop_manifest::model::{Model, available, models_table};

use super::{
    Failure,
    environment::{dir, execution_context, new_run_id, settings},
    runs::json,
};
use crate::{
    args::ModelsArgs,
    exit,
    view::{self, text},
};

pub(crate) fn exec(args: &ModelsArgs) -> Result<ExitCode, Failure> {
    let dir = dir(args.cwd.as_deref())?;
    let settings = settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let cx = execution_context(dir, new_run_id())?;
    let entries = match &args.name {
        Some(name) => {
            vec![Model::choose(Some(name), &settings, cx.variables())?.learn(&cx, args.refresh).entry()]
        }
        None => available(&settings, &cx, args.refresh)?,
    };
    if args.json {
        for entry in &entries {
            view::print_json_or_warn(&json(entry));
        }
    } else {
        match (&args.name, &entries[..]) {
            (Some(_), [entry, ..]) => drop(view::print_or_warn(&text::printable(&entry.lines()))),
            (_, []) => view::say("no models are known: name one in the settings, or start Ollama"),
            _ => drop(view::print_or_warn(&text::printable(&models_table(&entries)))),
        }
    }
    cx.supervisor().end();
    Ok(ExitCode::from(exit::OK))
}
