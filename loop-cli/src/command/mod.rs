//! The subcommands, one file or folder each. `run_lifecycle` has the steps that commands about runs share, and
//! `environment` the folder and the environment of all.

mod assay;
mod chat;
mod check;
mod completions;
mod doctor;
mod engine;
mod environment;
mod every;
mod failure;
mod init;
mod kb;
mod man;
mod memory;
mod models;
mod overview;
mod pipeline;
mod plan;
pub(crate) mod policy;
mod printed_session;
mod rag;
mod replay;
mod report;
mod resume;
mod rm;
mod run;
mod run_lifecycle;
mod runs;
mod schedule;
mod schema;
mod server;
mod session;
mod show;
mod skill;
mod snapshots;
mod tail;
mod task;
mod verify;

use std::{
    env,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::Parser;

pub(crate) use self::failure::{Failure, OrFail, usage};
pub(crate) use self::memory::to_mine as records_to_mine;
use crate::{
    args::{Cli, Command, suggest_command, suggest_flag},
    debug_log, exit, persistence, view,
};
use loop_manifest::{Diagnostics, LoadedPlan, Plan};

/// Parses the command line and runs what it asks for.
pub(crate) fn main() -> ExitCode {
    // Scripts ask for the version to find out whether this program is there. clap would add a third to such a start.
    if env::args_os().skip(1).eq(["--version"]) {
        // As with clap's own answer, nobody may be reading.
        let _ = writeln!(io::stdout(), "loop {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let Cli { command, debug } = match parsed() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    if let Some(Err(failure)) = debug.map(debug_log::begin) {
        return failed(failure);
    }
    run_lifecycle::leftover_processes::end_leftover_processes(&command);
    let done = match command {
        Command::Run(args) => run::exec(&args),
        Command::Task(args) => task::exec(&args),
        Command::Every(args) => every::exec(&args),
        Command::Schedule(command) => schedule::exec(&command),
        Command::Chat(args) => chat::exec(&args),
        Command::Session(command) => session::exec(&command),
        Command::Resume(args) => resume::exec(&args),
        Command::Runs(args) => runs::exec(&args),
        Command::Show(args) => show::exec(&args),
        Command::Report(args) => report::exec(&args),
        Command::Verify(args) => verify::exec(&args),
        Command::Tail(args) => tail::exec(&args),
        Command::Rm(args) => rm::exec(&args),
        Command::Check(args) => check::exec(&args),
        Command::Plan(args) => plan::exec(&args),
        Command::Pipeline(args) => pipeline::exec(&args),
        Command::Replay(args) => replay::exec(&args),
        Command::Assay(args) => assay::exec(&args),
        Command::Skill(command) => skill::exec(&command),
        Command::SkillSet(command) => skill::exec_set(&command),
        Command::Rag(args) => rag::exec(&args),
        Command::Kb(args) => kb::exec(&args),
        Command::Memory(args) => memory::exec(&args),
        Command::Diff(args) => snapshots::diff(&args),
        Command::Restore(args) => snapshots::restore(&args),
        Command::Apply(args) => snapshots::apply(&args),
        Command::Snapshots(command) => snapshots::exec(&command),
        Command::Hint(place) => overview::hint(&place),
        Command::Workspace(args) => overview::workspace(&args),
        Command::Models(args) => models::exec(&args),
        Command::Server(args) => server::exec(&args),
        Command::Doctor(args) => doctor::exec(&args),
        Command::Policy(command) => policy::exec(&command),
        Command::Submit(args) => engine::exec_passed("submit", &args.words),
        Command::Worker(args) => engine::exec_passed("worker", &args.words),
        Command::Cancel(args) => engine::exec_passed("cancel", &args.words),
        Command::Answer(args) => engine::exec_passed("answer", &args.words),
        Command::Reassign(args) => engine::exec_passed("reassign", &args.words),
        Command::Schema { assay } => schema::exec(assay),
        Command::Init(args) => init::exec(&args),
        Command::Completions { shell } => completions::exec(shell),
        Command::Man { command } => man::exec(command.as_deref()),
    };
    let code = exit::of_command(done.unwrap_or_else(failed));
    debug_log::end();
    code
}

/// Reports a failure, and returns its exit code.
fn failed(failure: Failure) -> ExitCode {
    let code = failure.exit_code();
    debug_log::error(&failure);
    match failure {
        Failure::Manifest(_) => view::say(&failure.to_string()),
        _ => view::error(&failure.into()),
    }
    ExitCode::from(code)
}

/// Parses the command line. After an error, which is reported, returns the exit code.
fn parsed() -> Result<Cli, ExitCode> {
    match Cli::try_parse() {
        Ok(cli) => Ok(cli),
        // The user asked for help or the version.
        Err(page) if !page.use_stderr() => page.exit(),
        // The error quotes the arguments, which may contain a secret.
        Err(mut error) => {
            let words = || env::args_os().map(|word| word.to_string_lossy().into_owned());
            suggest_command(&mut error, words());
            suggest_flag(&mut error, words());
            view::say(&error.render().to_string());
            Err(ExitCode::from(exit::USAGE))
        }
    }
}

/// Returns the plan and the warnings about it as text; the text is empty if there are none.
fn plan_and_warnings(found: Result<LoadedPlan, Diagnostics>) -> Result<(Plan, String), Failure> {
    let loaded = found?;
    let secrets = persistence::named_secrets(loaded.plan.named_values());
    if !secrets.is_empty() {
        view::redact_also(secrets);
    }
    Ok((loaded.plan, view::diagnostics(&loaded.warnings)))
}
