//! The memories that runs receive: `{memory}` in their prompts, and `loop memory recall --for-run`.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use loop_agents::process::RUN_VARIABLE;
use loop_core::with_causes;
use loop_session::knowledge::{KnowledgeReply, MemoryTools};
use serde_json::json;

use super::{
    super::{
        Failure,
        rag::{known, show},
        report,
        run_lifecycle::stored_runs::{read_all, store},
        usage,
    },
    records::last_verdict,
};
use crate::{args::KnowledgeArgs, exit, view};

/// Returns the source of `{memory}` for a run in this folder. A failure is a warning, and the prompt goes without.
pub(in crate::command) fn for_prompts(
    folder: PathBuf,
    run: String,
) -> impl Fn(&str, u64) -> String + Send + Sync + 'static {
    move |text, max_tokens| {
        let known = known(&place(&folder));
        let found = known.and_then(|known| Ok(known.recall_for_run(&run, text, max_tokens)?));
        found.unwrap_or_else(|error| {
            view::warning(&format!("the prompt goes without memories: {}", with_causes(&error)));
            String::new()
        })
    }
}

/// Returns the tools for memories of a model that works in this folder. They open what is known for each call, so they
/// follow the settings and files as they are then.
pub(in crate::command) fn tools(folder: PathBuf, run: String) -> MemoryTools {
    MemoryTools::new(move || known(&place(&folder)).map_err(Into::into), run)
}

/// Raises the confidence in the memories that a run received, because it met its goal. A failure is only a warning: the
/// run is over.
pub(in crate::command) fn reward(folder: &Path, run: &str) {
    let rewarded = known(&place(folder)).and_then(|known| Ok(known.reward_run(run)?));
    if let Err(error) = rewarded {
        view::warning(&format!("the memories of the run were not kept: {}", with_causes(&error)));
    }
}

/// Prints the value of `{memory}` in the run of this process. Without a text, that is what is known about its goal
/// and its last verdict.
pub(super) fn print(text: &str, max_tokens: u64, place: &KnowledgeArgs) -> Result<ExitCode, Failure> {
    let run = env::var(RUN_VARIABLE)
        .map_err(|_| usage!("--for-run needs {RUN_VARIABLE}: an agent or a check of a run has it"))?;
    let mut place = KnowledgeArgs { cwd: place.cwd.clone(), json: place.json };
    let text = if text.is_empty() {
        let store = store()?;
        let entry = store.find(&run)?;
        // One of several loops at once works in a copy, and the knowledge belongs to the folder of the run.
        place.cwd.get_or_insert_with(|| PathBuf::from(&entry.folder));
        let progress = read_all(&store, &entry, |_, _| Ok(()))?;
        let manifest = store.info(&entry.id)?.manifest;
        let goal = manifest.as_ref().and_then(|manifest| report::goal(manifest, None, &entry.folder));
        format!("{}\n{}", goal.unwrap_or_default(), last_verdict(&progress))
    } else {
        text.to_owned()
    };
    let found = known(&place)?.recall_for_run(&run, &text, max_tokens)?;
    if !found.is_empty() || place.json {
        let json = vec![json!({ "text": found })];
        show(
            &KnowledgeReply { text: found.trim_end().to_owned(), json, ..KnowledgeReply::default() },
            place.json,
        );
    }
    Ok(ExitCode::from(exit::OK))
}

fn place(folder: &Path) -> KnowledgeArgs {
    KnowledgeArgs { cwd: Some(folder.to_owned()), json: false }
}
