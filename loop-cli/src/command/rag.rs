//! `loop rag`: reads documents into a store, and finds them again.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use loop_agents::remote::is_address;
use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_session::knowledge::{
    KnowledgeError, KnowledgeReply, PromptContext, RagRequest, WorkspaceKnowledge,
};
use loop_telemetry::StateDir;

use super::{
    Failure,
    environment::{block_on, dir, execution_context, new_run_id, settings, unless_signalled, variables},
    runs::json,
};
use crate::{
    args::{KnowledgeArgs, RagArgs, RagCommand},
    clock, debug_log, exit,
    view::{self, text},
};

pub(crate) fn exec(args: &RagArgs) -> Result<ExitCode, Failure> {
    let (mut known, request) = (known(&args.place)?, request(&args.command)?);
    let place = args.place.cwd.as_deref();
    let runs_programs = matches!(request, RagRequest::Ingest { .. });
    let programs = runs_programs.then(|| execution_context(dir(place)?, new_run_id())).transpose()?;
    if let Some(cx) = &programs {
        known = known.with_programs(&settings(place.unwrap_or(Path::new("")))?, cx)?;
    }
    let mut is_empty = false;
    let code = block_on(unless_signalled(async {
        let reply = request.run(&known).await?;
        is_empty = reply.is_empty;
        show(&reply, args.place.json);
        Ok(())
    }))?;
    programs.iter().for_each(|cx| drop(cx.supervisor().end()));
    Ok(if is_empty { ExitCode::from(exit::NOT_FOUND) } else { code })
}

fn request(command: &RagCommand) -> Result<RagRequest, Failure> {
    Ok(match command {
        RagCommand::List => RagRequest::List,
        RagCommand::New { name, embedder } => {
            RagRequest::Create { name: name.clone(), embedder: embedder.clone() }
        }
        RagCommand::Use { name } => RagRequest::Use { name: name.clone() },
        RagCommand::Drop { name } => RagRequest::Delete { name: name.clone() },
        RagCommand::Ingest { paths, prune, store } => {
            // A path is relative to the folder of the caller, as in every shell.
            let here = dir(None)?;
            let is_address = |path: &Path| path.to_str().is_some_and(is_address);
            let place = |path: &PathBuf| if is_address(path) { path.clone() } else { here.join(path) };
            let paths = paths.iter().map(place).collect();
            RagRequest::Ingest { paths, prune: *prune, store: store.clone() }
        }
        RagCommand::Status => RagRequest::Status,
        RagCommand::Query { text, top_k, store } => {
            RagRequest::Query { text: text.join(" "), top_k: *top_k, store: store.clone() }
        }
        RagCommand::On => RagRequest::Switch { on: true },
        RagCommand::Off => RagRequest::Switch { on: false },
    })
}

/// Returns what is known about the folder.
pub(super) fn known(place: &KnowledgeArgs) -> Result<WorkspaceKnowledge, Failure> {
    let dir = dir(place.cwd.as_deref())?;
    let settings = settings(place.cwd.as_deref().unwrap_or(Path::new("")))?;
    let state = StateDir::from_env_with(|name| env::var_os(name)).map_err(KnowledgeError::from)?;
    let known =
        WorkspaceKnowledge::new(&state, &dir, &settings, &variables(), view::secrets(), clock::now())?;
    Ok(known.with_debug_log(debug_log::get()))
}

/// Finds documents for the prompts to a model.
pub(super) struct PromptDocuments {
    folder: Option<PathBuf>,
    window: Option<u64>,
    /// The last warning. A repeated prompt would repeat it.
    warned: Option<String>,
}

impl PromptDocuments {
    pub(super) fn new(model: &Model, folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned), window: model.window(), warned: None }
    }

    /// Returns what retrieval finds for a prompt. A failure is a warning, and the prompt goes without.
    pub(super) async fn find(&mut self, prompt: &str) -> Option<String> {
        let find = async {
            let known = known(&KnowledgeArgs { cwd: self.folder.clone(), json: false })?;
            Ok::<_, Failure>(known.for_prompt(prompt, self.window, 0).await?)
        };
        let found = find.await.unwrap_or_else(|error| {
            let why = format!("the prompt goes without documents: {}", with_causes(&error));
            PromptContext { remark: Some(why), ..PromptContext::default() }
        });
        if let Some(remark) = found.remark.filter(|remark| self.warned.as_ref() != Some(remark)) {
            view::warning(&remark);
            self.warned = Some(remark);
        }
        found.block
    }
}

/// Prints a reply.
pub(super) fn show(reply: &KnowledgeReply, is_json: bool) {
    if is_json {
        let _ = reply.json.iter().all(|value| view::print_json_or_warn(&json(value)));
    } else if reply.is_empty {
        view::say(&text::printable(&reply.text));
    } else {
        view::print_or_warn(&text::printable(&reply.text));
    }
    reply.remarks.iter().for_each(|remark| view::say(&text::printable(remark)));
}
