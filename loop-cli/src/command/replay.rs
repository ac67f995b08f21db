//! `loop replay`: the prompts of a stored session, sent to other models.

use std::{env, process::ExitCode};

use loop_core::CancellationToken;
use loop_manifest::{
    ExecutionContext,
    model::{ChatSetup, Model},
};
use loop_session::{
    TranscriptWriter,
    replay::{Recording, ReplayedTurn, replay, table},
};
use loop_telemetry::{
    StateDir,
    transcript::{SessionInfo, SessionStore, TranscriptEntry},
};
use serde::Serialize;

use super::{
    Failure, OrFail,
    environment::{block_on, dir, execution_context, new_run_id, settings},
    runs::json,
    usage,
};
use crate::{
    args::ReplayArgs,
    clock, exit, session,
    signals::{Signal, Signals},
    view::{self, text},
};

pub(crate) fn exec(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let store = SessionStore::at(StateDir::from_env_with(|name| env::var_os(name))?.sessions()?);
    let id = store.find(&args.session)?.info.id;
    let recording = Recording::open(&store, &id)?;
    if recording.turns().next().is_none() {
        return Err(usage!("the session {id} has no prompt"));
    }
    let here = dir(None)?;
    let settings = settings(&here)?;
    let cx = execution_context(here, new_run_id())?;
    // Find a problem with any model before the first prompt is sent.
    let models = args.model.iter().map(|name| Model::choose(Some(name), &settings, cx.variables()));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let chats = models.into_iter().map(|model| {
        let model = model.learn(&cx, false);
        let setup = ChatSetup::new(&settings, &cx).with_project_prompt();
        let setup = match &args.tools {
            Some(tools) => setup.policy(settings.policy()).tools(Some(tools.clone())),
            None => setup.reviewing(),
        };
        let mut chat = model.chat(&setup).or_setup(|| "the tools cannot work here")?;
        // The texts of files are in the recorded prompts.
        chat.set_named_files(None);
        Ok((model, chat))
    });
    let chats = chats.collect::<Result<Vec<_>, Failure>>()?;
    block_on(run(args, &store, &cx, &recording, chats))
}

async fn run(
    args: &ReplayArgs,
    store: &SessionStore,
    cx: &ExecutionContext,
    recording: &Recording,
    chats: Vec<(Model, loop_agents::chat::Chat)>,
) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen().or_internal("cannot listen for signals")?;
    let several = chats.len() > 1;
    let mut replayed = Vec::new();
    for (model, chat) in chats {
        let id = clock::new_id().to_string();
        let info = SessionInfo::new(id.as_str(), cx.folder(), model.asked(), clock::now());
        let info = info.redacted(&view::secrets());
        let mut log = TranscriptWriter::new(store.clone(), info, session::listing_host());
        let cancel = CancellationToken::new();
        let turns = replay(recording, chat, &mut log, cancel.clone());
        let (turns, stopped) = cancelled_by_signal(turns, &cancel, &mut signals).await;
        let turns = turns.or_internal("the replay cannot run")?;
        if let Some(name) = &args.out {
            let name = if several { format!("{name}-{}", replayed.len() + 1) } else { name.clone() };
            log.write(TranscriptEntry::Renamed { name });
        }
        log.end();
        view::say(&format!("{}: session {id}", text::printable(model.asked())));
        replayed.push((id, turns));
        if let Some(signal) = stopped {
            return Ok(ExitCode::from(exit::of_signal(signal)));
        }
    }
    show(args, recording, &replayed)?;
    let is_answered = replayed.iter().flat_map(|(_, turns)| turns).any(|turn| turn.figures.failure.is_none());
    Ok(ExitCode::from(if is_answered { exit::OK } else { exit::FAILED }))
}

/// Runs `work` to its end, which a signal hastens. Also returns the last signal.
async fn cancelled_by_signal<T>(
    work: impl Future<Output = T>,
    cancel: &CancellationToken,
    signals: &mut Signals,
) -> (T, Option<Signal>) {
    let (mut work, mut last) = (Box::pin(work), None);
    loop {
        tokio::select! {
            done = &mut work => return (done, last),
            signal = signals.next() => {
                last = Some(signal);
                cancel.cancel();
            }
        }
    }
}

fn show(
    args: &ReplayArgs,
    recording: &Recording,
    replayed: &[(String, Vec<ReplayedTurn>)],
) -> Result<(), Failure> {
    if !args.json {
        let turns: Vec<_> = replayed.iter().map(|(_, turns)| turns.clone()).collect();
        view::print(&table(recording, &turns).join("\n"))?;
        return Ok(());
    }
    for (session, turns) in replayed {
        for (turn, recorded) in turns.iter().zip(recording.turns()) {
            let line = TurnJson { session, turn, recorded: &recorded.figures };
            if !view::print_json(&json(&line))? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A turn for programs.
#[derive(Debug, Serialize)]
struct TurnJson<'a> {
    session: &'a str,
    #[serde(flatten)]
    turn: &'a ReplayedTurn,
    recorded: &'a loop_session::replay::TurnFigures,
}
