//! `loop every`: repeat a prompt or a command, with a pause in between.

mod iteration;
mod repetition_output;

use std::{env, process::ExitCode};

use anyhow::anyhow;
use loop_core::{Decision, Guardrail};
use loop_session::repeat::{
    self, DEFAULT_COUNT, EndConditions, RepeatedWork, Repetition, RepetitionCondition, RepetitionReporter,
};
use loop_telemetry::{RunInfo, words};

use self::iteration::RepeatedIteration;
pub(super) use self::iteration::{command, turn};
use super::{
    Failure, OrFail, chat,
    environment::{self, block_on, dir, execution_context, new_run_id, settings},
    run_lifecycle::{
        preflight::refuse_missing,
        setup::{PersistOptions, RunSetup, RunStorage, create_storage, telemetry},
    },
    usage,
};
use crate::{
    args::EveryArgs,
    ask::OpenQuestion,
    clock, exit,
    persistence::{self, JournalSource},
    view::{self, RunScreen, text},
};
use loop_manifest::{ExecutionContext, describe_missing, model::ConversationOptions};

/// The default name of repetitions in records.
const NAME: &str = "every";

/// The marker stored for a repetition, in place of the manifest's path.
pub(super) const STORED_AS: &str = "loop every";

pub(crate) fn exec(args: &EveryArgs) -> Result<ExitCode, Failure> {
    let mut repetition = repetition(args)?;
    let until = repetition.until().or_usage(|| "--until")?;
    if repetition.work.is_loop() {
        return Err(usage!(
            "a loop cannot repeat another loop: repeat the command of the inner loop instead"
        ));
    }
    if let Some(word) = repetition.work.exit_word() {
        if !args.output.quiet {
            view::say(&repeat::exit_summary(&repetition, word));
        }
        return Ok(ExitCode::from(exit::OK));
    }
    let dir = dir(args.cwd.as_deref())?;
    let cx = execution_context(dir, new_run_id())?;
    if let RepeatedWork::Prompt { conversation: ConversationOptions { model, .. }, .. } = &mut repetition.work
    {
        // A run keeps the name, so that resuming it asks the same model.
        *model = Some(environment::model_name(model.take(), &settings(cx.folder())?, cx.variables())?);
    }
    match &repetition.work {
        RepeatedWork::Command(line) => {
            let path = env::var_os("PATH");
            let missing = describe_missing("command", line, path.as_deref(), cx.folder(), cx.variables());
            refuse_missing(missing.as_slice())?;
            start(args, &repetition, until, &cx, command(line, &cx)?)
        }
        RepeatedWork::Prompt { prompt, conversation, fresh } => {
            let iteration = turn(prompt, conversation, *fresh, &cx)?;
            start(args, &repetition, until, &cx, iteration)
        }
    }
}

/// Lists the repetition as a run, and runs it.
fn start<I: RepeatedIteration>(
    args: &EveryArgs,
    repetition: &Repetition,
    until: RepetitionCondition,
    cx: &ExecutionContext,
    iteration: I,
) -> Result<ExitCode, Failure> {
    let started = clock::now();
    let redactor = persistence::redactor([], cx.variables());
    view::set_redactor(redactor.clone());
    let telemetry = telemetry(args.output.telemetry.as_deref())?;
    let text =
        serde_json::to_string(repetition).or_internal("cannot store the command or prompt to repeat")?;
    let name = args.name.as_deref().unwrap_or(NAME);
    let info = RunInfo::new(cx.supervisor().run(), redactor.redact(name), cx.folder(), started)
        .manifest(STORED_AS, redactor.redact(&text));
    let options =
        PersistOptions { journal: !args.no_journal, output: args.keep_output, parallel: args.parallel };
    let (RunStorage { store, logs }, source) = create_storage(&info, &options, redactor)?;
    let setup = RunSetup {
        name,
        manifest: None,
        cx,
        output: &args.output,
        telemetry: &telemetry,
        store: store.as_ref(),
        logs,
        started,
    };
    block_on(execute(&setup, repetition, until, iteration, source))
}

/// Runs the repetition to its end.
pub(super) async fn execute<I: RepeatedIteration>(
    setup: &RunSetup<'_>,
    repetition: &Repetition,
    until: RepetitionCondition,
    iteration: I,
    source: JournalSource<I::Output>,
) -> Result<ExitCode, Failure> {
    let is_heard = !setup.output.quiet;
    // Nobody could read two results on one stream.
    let is_shown = is_heard && !setup.output.json;
    let (iteration, output) = iteration.with_listeners(&until, is_shown, setup.logs.clone());
    let mut repeated = repetition.compose(iteration, until.clone());
    if is_heard {
        view::say(&repeat::plan(repetition));
        repeated = repeated.observe(RepetitionReporter::new(repetition, output.line_printer()));
    }
    let max_time = repetition.ends.time;
    let (ended, _) =
        setup.run(repeated, max_time, source, &RunScreen::plain(), OpenQuestion::default()).await?;
    output.close().await;
    if is_heard {
        view::say(&repeat::summary(repetition, &until, &ended.ending, &ended.progress));
        setup.report_logs();
    } else if !ended.ending.is_success() && ended.signal.is_none() {
        let why = match until.check(&ended.progress) {
            Decision::Halt(failure) => failure.message,
            _ => ended.ending.to_string(),
        };
        view::error(&anyhow!(text::printable(&why)));
    }
    Ok(exit::of_ended(&ended).into())
}

fn repetition(args: &EveryArgs) -> Result<Repetition, Failure> {
    // In quotes, the prompt is one argument of several words.
    let word = args.prompt.first().filter(|word| !word.contains(char::is_whitespace));
    if let Some(word) = word
        && let Some(whole) = repeat::continued(args.interval, word)
    {
        let rest = match (&args.prompt[1..], args.command.as_slice()) {
            ([], []) => "PROMPT".to_owned(),
            ([], command) => format!("-- {}", command.join(" ")),
            (prompt, _) => prompt.join(" "),
        };
        return Err(usage!(
            "`{word}` looks like a part of the interval, which is one word here: write `loop every {} {}`",
            words::span(whole).replace(' ', ""),
            text::one_line(&rest)
        ));
    }
    if !args.prompt.is_empty() && !args.command.is_empty() {
        return Err(usage!(
            "`loop every` repeats either a prompt or a command: write nothing between the interval and `--`"
        ));
    }
    let count = if args.unlimited { None } else { Some(args.count.unwrap_or(DEFAULT_COUNT)) };
    let ends =
        EndConditions { count, time: args.time, said: args.until.clone(), unchanged: args.until_unchanged };
    let chat = &args.chat;
    let is_told = chat.model.is_some()
        || chat.system.is_some()
        || chat.asked_tools().is_some()
        || !chat.allow.is_empty();
    if is_told && !args.command.is_empty() {
        return Err(usage!(
            "a command has no model: `--model`, `--system`, `--tools` and `--allow` are for prompts"
        ));
    }
    let what = if args.command.is_empty() {
        let conversation = chat::requested_conversation(&args.chat)?;
        RepeatedWork::Prompt { prompt: args.prompt.join(" "), conversation, fresh: args.fresh }
    } else {
        RepeatedWork::Command(iteration::command_line(&args.command))
    };
    Ok(Repetition::new(args.interval, what, ends).errors(args.stop_after_errors))
}
