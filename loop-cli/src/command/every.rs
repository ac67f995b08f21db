//! `loop every`: repeat a prompt or a command on an interval.

mod mouth;
mod once;

use std::{collections::BTreeMap, process::ExitCode};

use anyhow::anyhow;
use loop_session::repeat::{self, DEFAULT_COUNT, Ends, RepeatedWork, Repetition, RepetitionLines, Until};
use loop_telemetry::RunInfo;

use self::once::Once;
pub(super) use self::once::{command, turn};
use super::{
    Failure, OrFail, chat,
    ready::{Keep, Kept, Ready, begin, telemetry},
    setting::{block_on, dir, new_run, place, settings},
    usage,
};
use crate::{
    args::EveryArgs,
    ask::Declining,
    clock, exit,
    keeping::{self, Past},
    view::{self, Screen, text},
};
use loop_manifest::{
    ExecutionContext,
    model::{Conversation, name_of},
};

/// What a repetition is called in records.
const NAME: &str = "every";

/// The name under which a run keeps its repetition, where other runs have the path of their manifest.
pub(super) const KEPT_AS: &str = "loop every";

pub(crate) fn exec(args: &EveryArgs) -> Result<ExitCode, Failure> {
    let mut repetition = repetition(args)?;
    let until = repetition.until().or_usage(|| "--until")?;
    if repetition.work.is_loop() {
        return Err(usage!("a loop in a loop is refused: repeat what the inner loop would repeat"));
    }
    if let Some(word) = repetition.work.exit_word() {
        if !args.output.quiet {
            view::say(&repeat::left(&repetition, word));
        }
        return Ok(ExitCode::from(exit::OK));
    }
    let dir = dir(args.cwd.as_deref())?;
    let place = place(dir, new_run())?;
    if let RepeatedWork::Prompt { conversation: Conversation { model, .. }, .. } = &mut repetition.work {
        *model = Some(name_of(model.take(), &settings(place.folder())?, place.variables())?);
    }
    match &repetition.work {
        RepeatedWork::Command(line) => start(args, &repetition, until, &place, command(line, &place)?),
        RepeatedWork::Prompt { prompt, conversation, fresh } => {
            let once = turn(prompt, conversation, *fresh, &place)?;
            start(args, &repetition, until, &place, once)
        }
    }
}

/// Lists it as a run, and runs it.
fn start<I: Once>(
    args: &EveryArgs,
    repetition: &Repetition,
    until: Until,
    place: &ExecutionContext,
    once: I,
) -> Result<ExitCode, Failure> {
    let started = clock::now();
    let redactor = keeping::redactor(&BTreeMap::new(), place.variables());
    view::conceal(redactor.clone());
    let telemetry = telemetry(args.output.telemetry.as_deref())?;
    let text = serde_json::to_string(repetition).or_internal("what is to be repeated cannot be kept")?;
    let info = RunInfo::new(place.custody().run(), NAME, place.folder(), started)
        .manifest(KEPT_AS, redactor.redact(&text));
    let keep = Keep { journal: !args.no_journal, output: args.keep_output, parallel: args.parallel };
    let (Kept { store, logs }, past) = begin(&info, &keep, redactor)?;
    let ready = Ready {
        name: NAME,
        manifest: None,
        place,
        output: &args.output,
        telemetry: &telemetry,
        store: store.as_ref(),
        logs,
        started,
    };
    block_on(perform(&ready, repetition, until, once, past))
}

/// Repeats it to its end.
pub(super) async fn perform<I: Once>(
    ready: &Ready<'_>,
    repetition: &Repetition,
    until: Until,
    once: I,
    past: Past<I::Output>,
) -> Result<ExitCode, Failure> {
    let is_heard = !ready.output.quiet;
    // Of two results on one stream neither could be read.
    let is_shown = is_heard && !ready.output.json;
    let (once, mouth) = once.heard(&until, is_shown, ready.logs.clone());
    let mut repeated = repetition.compose(once, until.clone());
    if is_heard {
        view::say(&repeat::plan(repetition));
        repeated = repeated.observe(RepetitionLines::new(repetition, mouth.says()));
    }
    let max_time = repetition.ends.time;
    let ended = ready.run(repeated, max_time, past, &Screen::plain(), Declining::default()).await?;
    mouth.close().await;
    if is_heard {
        view::say(&repeat::over(repetition, &until, &ended.ending, &ended.progress));
        ready.tell_of_logs();
    } else if !ended.ending.is_success() && ended.signal.is_none() {
        view::error(&anyhow!(text::printable(&ended.ending.to_string())));
    }
    Ok(exit::of_ended(&ended))
}

fn repetition(args: &EveryArgs) -> Result<Repetition, Failure> {
    let count = if args.unlimited { None } else { Some(args.count.unwrap_or(DEFAULT_COUNT)) };
    let ends = Ends { count, time: args.time, said: args.until.clone(), unchanged: args.until_unchanged };
    let is_told =
        args.chat.model.is_some() || args.chat.system.is_some() || args.chat.asked_tools().is_some();
    if is_told && !args.command.is_empty() {
        return Err(usage!("a command has no model: `--model`, `--system` and `--tools` are for prompts"));
    }
    let what = if args.command.is_empty() {
        let conversation = chat::asked(&args.chat)?;
        RepeatedWork::Prompt { prompt: args.prompt.join(" "), conversation, fresh: args.fresh }
    } else {
        RepeatedWork::Command(once::line(&args.command))
    };
    Ok(Repetition::new(args.interval, what, ends).errors(args.stop_after_errors))
}
