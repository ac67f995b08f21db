//! Runs a planned loop to its end, and reports it.

use std::process::ExitCode;

use std::sync::Arc;

use anyhow::anyhow;
use loop_agents::process::OutputStream;
use loop_core::{Ending, StopReason};

use super::{on_finish, run_spec::RunSpec, setup::RunSetup, stored_runs::all_rows};
use crate::command::{Failure, memory, snapshots::warned};
use crate::{
    args::OutputArgs,
    ask::{self, OpenQuestion, TerminalAsk},
    drive::{DisplayOptions, FinishedRun},
    exit,
    output_logs::OutputLogs,
    persistence::{self, JournalSource},
    view::{self, LaneReporter, LiveOutput, LiveOutputs, RunReporter, RunScreen, text},
};
use loop_manifest::{
    AgentOutput, ExecutionContext, OutputSink, Plan, PlannedLoop, nobody_to_ask, plan::OnHalt,
    snapshots::AfterHalt,
};

/// Runs the loop.
pub(crate) async fn execute(
    setup: &RunSetup<'_>,
    spec: &RunSpec,
    mut source: JournalSource<AgentOutput>,
) -> Result<ExitCode, Failure> {
    // Held until the last command has ended, so that this cannot resume the run.
    let _lock = source.take_lock();
    let RunSetup { cx, output, .. } = *setup;
    let can_be_asked = can_ask(output);
    if !output.quiet {
        warn_of_late_limits(&spec.plan, cx);
        // Users who chose this mode need no warning about it.
        let needless = output.non_interactive || can_be_asked;
        if let Some(warning) = nobody_to_ask(&spec.plan).filter(|_| !needless) {
            view::warning(&warning);
        }
    }
    let audience = DisplayOptions { quiet: output.quiet, can_be_asked, show_output: output.show_output };
    let (screen, open_question) = (RunScreen::new(&spec.plan.limits, audience), OpenQuestion::default());
    let composed = composed(setup, &spec.plan, audience, (&screen, &open_question))?;
    let (ended, record) =
        setup.run(composed, spec.plan.limits.max_time, source, &screen, open_question).await?;
    let restored = restore_after(setup, &spec.plan, &ended);
    report(setup, spec, &ended, restored.as_ref().and_then(|restored| restored.number));
    if let Some(restored) = restored.filter(|_| !output.quiet) {
        view::say(&restored.said);
    }
    setup.report_logs();
    if record.success {
        memory::reward(cx.folder(), cx.supervisor().run());
    }
    let exit_code = exit::of_ended(&ended);
    if let Some(command) = spec.plan.finish_command(cx, &record, exit_code) {
        on_finish::run(&command, cx.supervisor()).await;
    }
    Ok(exit_code.into())
}

/// Returns the folder to the state that `on_halt` names. A failure is only a warning: the run is over and recorded.
fn restore_after(setup: &RunSetup<'_>, plan: &Plan, ended: &FinishedRun) -> Option<AfterHalt> {
    let run = setup.cx.supervisor().run();
    let snapshots = setup.cx.snapshots(&plan.snapshots).filter(|_| plan.on_halt != OnHalt::Keep)?;
    let rows = setup.store.map_or_else(|| Ok(Vec::new()), |store| all_rows(store, run));
    let done = rows.map_err(anyhow::Error::from).and_then(|rows| {
        plan.restore_after(&ended.ending, &snapshots, run, &rows).map_err(anyhow::Error::from)
    });
    done.unwrap_or_else(|error| {
        view::warning(&format!(
            "`on_halt` did not restore all files: {error:#}; `loop diff` shows the run's changes"
        ));
        None
    })
}

/// Builds the loop of a plan, with its observers.
fn composed(
    setup: &RunSetup<'_>,
    plan: &Plan,
    DisplayOptions { quiet, can_be_asked, show_output }: DisplayOptions,
    (screen, open_question): (&RunScreen, &OpenQuestion),
) -> Result<PlannedLoop, Failure> {
    let logs = setup.logs.clone();
    let is_shown = show_output || screen.is_live();
    let outputs = LiveOutputs::default();
    let mut cx = setup.cx.clone();
    if is_shown || logs.is_some() {
        let (screen, outputs) = (screen.clone(), outputs.clone());
        cx = cx.on_output(move || {
            let shown = is_shown.then(|| outputs.add(LiveOutput::new(screen.clone(), show_output)));
            Arc::new(AgentOutputSink { shown, logs: logs.clone() })
        });
    }
    if !quiet {
        let notes = screen.clone();
        cx = cx.on_usage_note(move |note| notes.usage_note(note));
        let (screen, max_iterations) = (screen.clone(), plan.limits.max_iterations.get());
        cx = cx.on_lane(move |number| LaneReporter::new(screen.clone(), number, max_iterations).listener());
    }
    let mut composed = plan.compose(&cx)?.observe(outputs);
    let max_iterations = plan.max_iterations();
    // Loops at once are one iteration, however often they continue.
    let is_counted = plan.parallel.is_none();
    if !quiet {
        composed = composed.observe(RunReporter::new(screen.clone(), is_counted.then_some(max_iterations)));
    }
    if can_be_asked {
        composed = composed.on_ask(TerminalAsk::new(screen.clone(), open_question.clone(), max_iterations));
    }
    Ok(composed)
}

/// Shows and stores the output of one agent or check.
pub(crate) struct AgentOutputSink {
    pub(crate) shown: Option<LiveOutput>,
    pub(crate) logs: Option<OutputLogs>,
}

impl OutputSink for AgentOutputSink {
    fn text(&self, bytes: &[u8]) {
        if let Some(shown) = &self.shown {
            shown.feed(bytes);
        }
    }

    fn raw(&self, stream: OutputStream, bytes: &[u8]) {
        if let Some(logs) = &self.logs {
            logs.write(stream, bytes);
        }
    }

    fn broke_off(&self) {
        if let Some(shown) = &self.shown {
            shown.break_off();
        }
        if let Some(logs) = &self.logs {
            logs.break_off();
        }
    }
}

/// Reports the result to people. `restored` is the snapshot to which `on_halt` returned the folder.
fn report(setup: &RunSetup<'_>, spec: &RunSpec, ended: &FinishedRun, restored: Option<u64>) {
    let RunSetup { cx, output, .. } = setup;
    if output.quiet && is_error(&ended.ending) {
        view::error(&anyhow!(text::printable(&ended.ending.to_string())));
    }
    if output.quiet {
        return;
    }
    // A run that ended because its journal failed already reports that itself.
    if let Some(why) =
        ended.unrecorded.as_deref().filter(|_| ended.ending.reason() != Some(&StopReason::Failed))
    {
        view::warning(&persistence::incomplete(why).to_string());
    }
    warn_of_lost_usage(cx);
    if ended.table.adds_to_lines(output.show_output) {
        view::say(&ended.table.render());
    }
    let called = |path| spec.name_of(path);
    let (record, is_kept) = (ended.is_recorded.then(|| setup.telemetry.path()), setup.store.is_some());
    let run = cx.supervisor().run();
    let changed = cx.snapshots(&spec.plan.snapshots).and_then(|taken| warned(taken.changed(run, restored)));
    let range = restored.map(|number| format!(" 0..{number}")).unwrap_or_default();
    let changed = changed.map(|changed| format!("{changed} (`loop diff{range}`)"));
    view::say(&view::summary(&spec.plan, ended, (record, changed), is_kept, called));
    if let Some(how) = setup.store.and_then(|_| view::resume_hint(&ended.ending, run)) {
        view::say(&how);
    }
}

/// Returns whether a run ended by an error, rather than by a limit or a person. Errors are reported even in quiet mode.
fn is_error(ending: &Ending) -> bool {
    matches!(
        ending.reason(),
        Some(StopReason::AgentUnavailable)
            | Some(StopReason::EvaluatorUnavailable)
            | Some(StopReason::PromptUndeliverable)
            | Some(StopReason::AttemptsExhausted)
            | Some(StopReason::Failed)
    )
}

/// Returns whether somebody can answer a question of the run.
fn can_ask(args: &OutputArgs) -> bool {
    !args.quiet && !args.non_interactive && ask::is_interactive()
}

/// Warns about limits that take effect later than a person may expect.
fn warn_of_late_limits(plan: &Plan, cx: &ExecutionContext) {
    let limited = plan.limits.max_cost.is_some() || plan.limits.max_tokens.is_some();
    if let Some(error) = cx.usage_file().watch_error().filter(|_| limited) {
        view::warning(&format!(
            "usage can be read only when a command ends, so a limit on it cannot interrupt a running one: {error}"
        ));
    }
}

/// Warns about lost usage reports: every sum lacks them.
fn warn_of_lost_usage(cx: &ExecutionContext) {
    let file = cx.usage_file();
    warn_of_lines(
        "the file that LOOP_USAGE_FILE names",
        file.last_read_error(),
        file.refused(),
        file.last_refusal(),
    );
    if let Some(log) = cx.known_usage_log() {
        let name = format!("the usage log {}", log.path().display());
        warn_of_lines(&name, log.last_read_error(), log.refused(), log.last_refusal());
    }
}

fn warn_of_lines(name: &str, error: Option<String>, refused: u64, last: Option<String>) {
    if let Some(error) = error {
        view::warning(&format!("usage may be missing: {name} could not be read once: {error}"));
    }
    if let Some(last) = last {
        let (lines, last) = (text::count(refused, "line"), text::printable(&last));
        view::warning(&format!("{lines} in {name} did not count, the last being {last}"));
    }
}
