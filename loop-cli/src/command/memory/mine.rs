//! `loop memory mine`: a model proposes memories, and a person decides.

use std::process::ExitCode;

use loop_manifest::model::Model;
use loop_session::knowledge::{ChatExtractor, KnowledgeError, MiningChoice, MiningEvent};

use super::{
    super::{
        Failure,
        environment::{
            block_on, dir, execution_context, new_run_id, report_choice, settings, unless_signalled,
        },
        runs::json,
    },
    known,
    records::Records,
    review,
};
use crate::{
    args::{KnowledgeArgs, MineArgs},
    view::{self, text},
};

pub(super) fn exec(args: &MineArgs, place: &KnowledgeArgs) -> Result<ExitCode, Failure> {
    let known = known(place)?;
    if args.yes {
        known.expect_person("--yes")?;
    }
    let mut memories = known.memories()?;
    let mined = memories.mined_texts().map_err(KnowledgeError::from)?;
    let folder = dir(place.cwd.as_deref())?;
    let choice = match (&args.run, &args.session) {
        (Some(run), _) => MiningChoice::Run(run.clone()),
        (None, Some(session)) => MiningChoice::Session(session.clone()),
        (None, None) => MiningChoice::Changed,
    };
    let records = Records::open()?.unmined(&choice, &folder, &mined)?;
    let mut failure = None;
    if records.is_empty() {
        view::say("there is nothing new to mine");
    } else {
        let cx = execution_context(folder.clone(), new_run_id())?;
        let model = Model::choose(args.model.as_deref(), &settings(&folder)?, cx.variables())?;
        let model = model.learn(&cx, false);
        report_choice(&model);
        let (extractor, window) = (ChatExtractor::new(model.boxed(0)), model.window());
        let code = block_on(unless_signalled(async {
            let on_event = |event| show(&event, place.json);
            let mined = known.mine(&mut memories, records, &choice, &extractor, window, on_event).await;
            cx.stop_servers().await;
            match mined {
                // The proposals before it are decided first.
                Err(error @ KnowledgeError::Mining(_)) => failure = Some(error),
                other => other?,
            }
            Ok(())
        }))?;
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
    }
    let waits = place.json || !known.has_person();
    let accepts_all = args.yes || (known.has_person() && known.rules().accepts_all);
    let code = review::proposals(&mut memories, accepts_all, waits, place.json)?;
    failure.map_or(Ok(code), |failure| Err(failure.into()))
}

fn show(event: &MiningEvent, is_json: bool) {
    let words = text::printable(&event.words());
    match event {
        MiningEvent::Mined(mined) if is_json => drop(view::print_json_or_warn(&json(mined))),
        MiningEvent::Mined(_) => drop(view::print_or_warn(&words)),
        MiningEvent::Skipped(_) => view::warning(&words),
        MiningEvent::Left(_) => view::say(&words),
    }
}
