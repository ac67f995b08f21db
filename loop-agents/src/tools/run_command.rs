//! Runs commands.

use std::{
    future::pending,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use loop_core::with_causes;
use loop_guardrails::policy::{
    command::{CommandLine, PipedCommand, pipeline},
    workspace::OpenedCommand,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Notify;

use super::{CommandRun, MAX_OUTPUT_BYTES, Need, Tool, ToolContext, ToolError, size_limits};
use crate::{
    output::garbled_note,
    process::{CutReason, DEFAULT_GRACE, Process},
};

/// The most bytes of git's answer to a preliminary question: the names of some million files.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// The most bytes that a command of a pipeline passes on. It is ended after that, as it would be if nobody read them.
const MAX_PASSED_BYTES: usize = 16 << 20;

/// The most bytes of errors of a command that passes its output on.
const MAX_PASSED_ERRORS: usize = 4 << 10;

/// The most memory of each process of a program that safe mode knows: 1 GiB.
const MAX_MEMORY: u64 = 1024 * 1024 * 1024;

/// Reserved space for the end of a command and the exit code in the text.
const MARGIN: usize = 256;

/// Words of programs that the kernel refused something.
const REFUSALS: &[&str] = &["Permission denied", "Operation not permitted", "EACCES", "EPERM"];

/// Runs a command that the policy allows, in the workspace's root.
///
/// No shell is involved: unquoted words that only a shell would understand, such as `>`, `;` and `$HOME`, are refused. A
/// `|` between two commands passes the output on: the commands run one after the other, and each of them is judged.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// let tools = Toolbox::standard(workspace).environment(std::env::vars_os(), &EnvironmentPolicy::new());
/// let report = tools.call("run_command", &serde_json::json!({ "command": "echo 'a  b > $HOME'" })).await;
/// assert_eq!(report.text, "a  b > $HOME\n(exit 0)");
/// let report = tools.call("run_command", &serde_json::json!({ "command": "echo a > notes.md" })).await;
/// assert!(report.text.contains("no shell is involved"));
/// let report = tools.call("run_command", &serde_json::json!({ "command": "echo 'a  b' | wc -l" })).await;
/// assert_eq!(report.text.split_whitespace().next(), Some("1"));
/// let report = tools.call("run_command", &serde_json::json!({ "command": "rm notes.md" })).await;
/// assert!(report.text.contains("`rm` is not among the programs of safe mode"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct RunCommand;

/// The arguments of `run_command`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunCommandArguments {
    /// The program and its arguments. Put words with spaces in quotes.
    command: String,
    /// A time limit in seconds, if it is shorter than the default.
    #[schemars(range(min = 1))]
    max_seconds: Option<u64>,
}

#[async_trait]
impl Tool for RunCommand {
    type Arguments = RunCommandArguments;

    fn name(&self) -> &'static str {
        "run_command"
    }

    fn description(&self) -> &'static str {
        "Runs a program in the workspace, without a shell: no redirections, wildcards or variables. `A | B` passes the \
         output of A to B. Only allowed programs run. Returns the output and the exit code."
    }

    fn max_time(&self, cx: &ToolContext) -> Duration {
        max_time(cx)
    }

    fn needs(&self, arguments: &RunCommandArguments) -> Vec<Need> {
        vec![Need::Command(arguments.command.clone())]
    }

    async fn call(&self, arguments: RunCommandArguments, cx: &ToolContext) -> Result<String, ToolError> {
        let most = cx.workspace().policy().command_time();
        let limit = arguments.max_seconds.map_or(most, |seconds| Duration::from_secs(seconds).min(most));
        if cx.workspace().policy().commands().is_for_shell(&arguments.command) {
            return run_with(arguments.command, Vec::new(), limit, cx).await;
        }
        let (began, mut input, mut notes) = (Instant::now(), Vec::new(), String::new());
        let mut commands = pipeline(&arguments.command);
        let last = commands.pop().map(|command| command.line).unwrap_or_default();
        for command in commands {
            let passed = pass_on(&command, input, limit.saturating_sub(began.elapsed()), cx).await?;
            notes.push_str(&passed.note);
            if passed.is_cut {
                return Ok(notes);
            }
            input = passed.output;
        }
        Ok(notes + &run_with(last, input, limit.saturating_sub(began.elapsed()), cx).await?)
    }
}

/// The result of a command that another one reads.
struct PassedOutput {
    output: Vec<u8>,
    /// A text for the model: its errors, and its exit code if that is not 0.
    note: String,
    /// True if its time limit ended it.
    is_cut: bool,
}

/// Runs a command of a pipeline that is not the last one.
async fn pass_on(
    PipedCommand { line, sends_errors, .. }: &PipedCommand,
    input: Vec<u8>,
    limit: Duration,
    cx: &ToolContext,
) -> Result<PassedOutput, ToolError> {
    let StartedCommand { opened, process, is_git } = prepare(line.clone(), limit, cx).await?;
    // The errors of git may hold secrets, so they stay apart.
    let process = if *sends_errors && !is_git { process.merged() } else { process };
    let (enough, heard) = (Notify::new(), AtomicUsize::new(0));
    let shown = shown(&opened, cx);
    let count = |_, bytes: &[u8]| {
        shown(bytes);
        if heard.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len() > MAX_PASSED_BYTES {
            enough.notify_one();
        }
    };
    let finished = process.capture_limit(MAX_PASSED_BYTES).input(input).run(enough.notified(), count).await;
    let finished = finished.map_err(|error| ToolError::failed(with_causes(&error)))?;
    let exit_code = finished.exit.shell_code();
    let timed_out = matches!(finished.cut, Some(CutReason::TimeLimit(_)));
    let mut note = String::new();
    match finished.cut {
        Some(CutReason::TimeLimit(_)) => note = format!("(`{line}` was ended at its time limit)\n"),
        Some(_) => note = size_limits::notice(&format!("`{line}` was ended after much output")) + "\n",
        None if exit_code != 0 => note = size_limits::notice(&format!("`{line}`: exit {exit_code}")) + "\n",
        None => {}
    }
    note.push_str(&opened.with_names(&finished.stderr.excerpt(MAX_PASSED_ERRORS)));
    end_line(&mut note);
    cx.ran(CommandRun { line: line.to_owned(), exit_code, timed_out });
    // The names of files in a text are those that the command was given.
    let output = String::from_utf8(finished.stdout.to_bytes());
    let output = output
        .map_or_else(std::string::FromUtf8Error::into_bytes, |text| opened.with_names(&text).into_bytes());
    Ok(PassedOutput { output, note, is_cut: timed_out })
}

/// The command's own limit ends it properly; this one catches a command that hangs even then.
pub(super) fn max_time(cx: &ToolContext) -> Duration {
    cx.workspace().policy().command_time() + 2 * DEFAULT_GRACE
}

/// Runs a command if the policy allows it, and returns its output.
pub(super) async fn run(line: String, cx: &ToolContext) -> Result<String, ToolError> {
    run_with(line, Vec::new(), cx.workspace().policy().command_time(), cx).await
}

/// A command that the policy allows, ready to run.
struct StartedCommand {
    opened: OpenedCommand,
    process: Process,
    is_git: bool,
}

/// Opens what a command reads, and asks git the preliminary questions.
async fn prepare(line: String, limit: Duration, cx: &ToolContext) -> Result<StartedCommand, ToolError> {
    let opened = cx.blocking(move |workspace, _| Ok(workspace.open_command(&line)?)).await?;
    let process = prepared_process(&opened.command, limit, cx);
    let (process, opened, missing) = cx.confined(process, opened).await?;
    // The rules have judged each option and each path of a command that only reads.
    if !opened.command.only_reads() {
        cx.lacks(missing);
    }
    let mut opened = ask(opened, &process, cx).await?;
    let command = &opened.command;
    let is_git = !command.questions().is_empty();
    let process = process.also_env(command.variables().iter().copied());
    let process = process.words(command.program.clone(), command.arguments.clone());
    let process = process.inheriting(std::mem::take(&mut opened.files));
    Ok(StartedCommand { opened, process, is_git })
}

/// Runs a command with this input, and returns its output.
async fn run_with(
    line: String,
    input: Vec<u8>,
    limit: Duration,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let StartedCommand { opened, process, is_git } = prepare(line.clone(), limit, cx).await?;
    let is_confined = process.is_confined();
    let process = if is_git { process } else { process.merged() };
    let shown = shown(&opened, cx);
    let finished = process.input(input).run(pending(), |_, bytes| shown(bytes)).await;
    let finished = finished.map_err(|error| ToolError::failed(with_causes(&error)))?;
    let timed_out = matches!(finished.cut, Some(CutReason::TimeLimit(_)));
    let exit_code = finished.exit.shell_code();
    cx.ran(CommandRun { line, exit_code, timed_out });
    let mut text = opened.with_names(&finished.stdout.excerpt(MAX_OUTPUT_BYTES - MARGIN));
    end_line(&mut text);
    text.push_str(&opened.command.shown_errors(&finished.stderr.excerpt(MARGIN)).unwrap_or_default());
    if let Some(note) = garbled_note(finished.stdout.garbled()) {
        text.push_str(&size_limits::notice(&note));
        text.push('\n');
        cx.note(note);
    }
    let switched_off = opened.command.switched_off();
    if !switched_off.is_empty() {
        let note = format!("not run, so files appear as they are stored: {}", switched_off.join(", "));
        text.push_str(&size_limits::notice(&note));
        text.push('\n');
    }
    if is_confined
        && exit_code != 0
        && !opened.command.only_reads()
        && REFUSALS.iter().any(|it| text.contains(it))
    {
        let note = "the command ran in a sandbox, which may be the reason: it can write only the workspace and caches, \
                    and cannot use Unix sockets. The user can turn this off in their settings (`[policy] sandbox`)";
        text.push_str(&size_limits::notice(note));
        text.push('\n');
    }
    let cut = finished.cut.map(|cut| format!(", it was ended {cut}")).unwrap_or_default();
    text.push_str(&format!("(exit {exit_code}{cut})"));
    Ok(text)
}

/// Shows the output of a command that a person allowed while it runs. Programs that safe mode knows are short, and the
/// names in their output are not yet those of the request.
fn shown<'a>(opened: &OpenedCommand, cx: &'a ToolContext) -> impl Fn(&[u8]) + use<'a> {
    let is_shown = !opened.command.is_known();
    move |bytes| {
        if is_shown {
            cx.printed(bytes);
        }
    }
}

/// Creates a process with the command's limits and environment, but without its words.
fn prepared_process(command: &CommandLine, limit: Duration, cx: &ToolContext) -> Process {
    // A program that the user allows may be in the workspace (`node_modules/.bin`), but a known name such as `cat` must
    // not resolve to a program there.
    let process = cx.process();
    let process = match command.is_known() {
        true => process.found_outside(cx.workspace().root()).max_memory(MAX_MEMORY),
        false if command.is_in_shell() => process.found_outside(cx.workspace().root()),
        false => process,
    };
    // With these variables git would read another repository, or log its actions to a file.
    let process = if command.questions().is_empty() { process } else { process.without_env("GIT_") };
    let process = process.max_time(limit);
    process.capture_limit(MAX_OUTPUT_BYTES / 2)
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Asks git the preliminary questions of the command.
async fn ask(
    mut opened: OpenedCommand,
    process: &Process,
    cx: &ToolContext,
) -> Result<OpenedCommand, ToolError> {
    for question in opened.command.questions() {
        let command = &opened.command;
        let (words, variables) = command.question(*question);
        let asking = process.clone().also_env(variables.iter().copied());
        let asking = asking.words(command.program.clone(), words).capture_limit(MAX_ANSWER_BYTES);
        let asked = asking.run(pending(), |_, _| {}).await;
        let asked = asked.map_err(|error| ToolError::failed(with_causes(&error)))?;
        if asked.cut.is_some() || asked.stdout.omitted() > 0 {
            // An incomplete answer could hide a setting that starts a program.
            let why = "git did not fully answer a question about the repository, so the command was not run";
            return Err(ToolError::failed(why));
        }
        let answer = cx.blocking(move |_, _| {
            opened.answer(*question, asked.exit.shell_code(), &asked.stdout.to_bytes())?;
            Ok(opened)
        });
        opened = answer.await?;
    }
    Ok(opened)
}
