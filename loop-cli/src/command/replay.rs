//! `loop replay`: the prompts of a stored session, sent to other models.

use std::{env, process::ExitCode};

use loop_core::CancellationToken;
use loop_manifest::{ExecutionContext, model::Model};
use loop_session::replay::{self, Recording, ReplayedTurn, table};
use loop_telemetry::{
    StateDir,
    transcript::{SessionStore, TranscriptEntry},
};
use serde::Serialize;

use super::{
    Failure, OrFail,
    assay::named_once,
    chat,
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
    named_once("--model", &args.model)?;
    if args.continues && args.model.len() > 1 {
        return Err(usage!("`--continue` opens one session: name one `--model`"));
    }
    if args.continues && !chat::has_terminal() {
        return Err(usage!("`--continue` needs a terminal"));
    }
    let recorded = store.find(&args.session)?.info;
    let id = &recorded.id;
    let recording = Recording::open(&store, id)?;
    if recording.turns().next().is_none() {
        return Err(usage!("the session {id} has no prompt"));
    }
    let here = dir(None)?;
    if !recorded.works_in(&here) {
        let (then, now) = (text::printable(&recorded.folder), here.display());
        view::warning(&format!("the session worked in {then}, and the tools read {now}"));
    }
    let settings = settings(&here)?;
    let cx = execution_context(here, new_run_id())?;
    // Find a problem with any model before the first prompt is sent.
    let models = args.model.iter().map(|name| Model::choose(Some(name), &settings, cx.variables()));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let chats = models.into_iter().map(|model| {
        let model = model.learn(&cx, false);
        let chat = replay::chat(&model, &settings, &cx, args.tools.as_deref());
        let chat = chat.or_setup(|| "the tools cannot work here")?;
        Ok((model, chat))
    });
    let chats = chats.collect::<Result<Vec<_>, Failure>>()?;
    let mut replayed = Vec::new();
    let code = block_on(run(args, &store, &cx, &recording, chats, &mut replayed))?;
    match replayed.last() {
        Some((id, _)) if args.continues => chat::resume(id, settings, cx),
        _ => Ok(code),
    }
}

async fn run(
    args: &ReplayArgs,
    store: &SessionStore,
    cx: &ExecutionContext,
    recording: &Recording,
    chats: Vec<(Model, loop_agents::chat::Chat)>,
    replayed: &mut Vec<(String, Vec<ReplayedTurn>)>,
) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen().or_internal("cannot listen for signals")?;
    let several = chats.len() > 1;
    let mut stopped = None;
    for (model, chat) in chats {
        let id = clock::new_id().to_string();
        let mut log = replay::transcript(store, &id, &model, cx, &session::listing_host());
        let cancel = CancellationToken::new();
        let turns = replay::replay(recording, chat, &mut log, cancel.clone());
        let (turns, signal) = cancelled_by_signal(turns, &cancel, &mut signals).await;
        let turns = turns.or_internal("the replay cannot run")?;
        if let Some(name) = &args.out {
            let name = if several { format!("{name}-{}", replayed.len() + 1) } else { name.clone() };
            log.write(TranscriptEntry::Renamed { name });
        }
        log.end();
        view::say(&format!("{}: session {id}", text::printable(model.asked())));
        replayed.push((id, turns));
        stopped = signal;
        if stopped.is_some() {
            break;
        }
    }
    show(args, recording, replayed)?;
    if let Some(signal) = stopped {
        return Ok(ExitCode::from(exit::of_signal(signal)));
    }
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
