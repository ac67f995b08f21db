//! Carries out the commands.

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, bail};
use loop_agents::process::Supervisor;
use loop_core::{Answer, Grant};
use loop_telemetry::StateDir;
use loop_temporal::{
    Batch, GitPlace, PlannedLoops, Runs, Settings, WorkerPlace, WorkerPlan, WorkspacePlace, connect,
    run_worker, schedule, submit,
};
use serde_json::json;
use temporalio_client::Client;
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    arguments::{AnswerArgs, Command, Place, Reply, ResumeArgs, RunsArgs, SubmitArgs, WorkerArgs},
    show,
};

pub(crate) fn exec(command: Command) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        match command {
            Command::Worker(args) => worker(args).await,
            Command::Submit(args) => submit_runs(args).await,
            Command::Runs(args) => list(args).await,
            Command::Show(args) => show::show_any(&runs().await?, &args).await,
            Command::Tail(args) => {
                show::ended(&args.run, &runs().await?.outcome(&args.run).await?, args.json)
            }
            Command::Resume(args) => {
                runs().await?.resume(&args.run, grant(&args)).await?;
                Ok(ExitCode::SUCCESS)
            }
            Command::Reassign(args) => {
                runs().await?.reassign(&args.run).await?;
                Ok(ExitCode::SUCCESS)
            }
            Command::Cancel(args) => {
                runs().await?.cancel(&args.run).await?;
                Ok(ExitCode::SUCCESS)
            }
            Command::Answer(args) => answer(args).await,
        }
    });
    runtime.shutdown_background();
    done
}

/// Reports something to the user.
#[expect(clippy::print_stderr, reason = "this is the command")]
pub(crate) fn say(text: &str) {
    eprintln!("{text}");
}

pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match writeln!(io::stdout(), "{text}") {
        // Nobody reads any more.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn settings() -> anyhow::Result<Settings> {
    let here = env::current_dir().context("cannot use the current folder")?;
    let settings = loop_manifest::settings::Settings::load(&here, |name| env::var_os(name));
    let settings = settings.map_err(|findings| anyhow::anyhow!("{findings}"))?;
    let table = settings.user.tables.engine.temporal;
    let value = |name: &Option<String>| name.as_ref().and_then(|name| env::var(name).ok());
    let (key, encryption_key) = (value(&table.key_env), value(&table.encryption_key_env));
    Ok(Settings { table, key, encryption_key })
}

async fn client(identity: &str) -> anyhow::Result<Client> {
    Ok(connect(&settings()?, identity).await?)
}

async fn runs() -> anyhow::Result<Runs> {
    Ok(Runs::new(client("loop").await?))
}

async fn worker(args: WorkerArgs) -> anyhow::Result<ExitCode> {
    let name = match args.name {
        Some(name) => name,
        None => hostname()?,
    };
    let state = StateDir::from_env_with(|name| env::var_os(name))?;
    let place = WorkerPlace::take(&state.path().join("engine/workers"), &args.queue, &name)?;
    let client = client(&name).await?;
    // One supervisor has the processes of all runs: when this process is killed, the watchdog ends them.
    let id = uuid::Uuid::now_v7().to_string();
    let supervisor = tokio::task::spawn_blocking(move || supervisor(id)).await?;
    let supervisor = supervisor.context("cannot supervise the processes of the agents")?;
    let loops = PlannedLoops::new(supervisor.clone(), env::vars_os());
    let plan = WorkerPlan { queue: args.queue, name, place: place.id().to_owned(), slots: args.slots.into() };
    say(&format!("worker {} takes runs from the queue {}", plan.name, plan.queue));
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let end = async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        say("the worker ends its agents");
    };
    let done = run_worker(client, &plan, Arc::new(loops), end).await;
    let survivors = supervisor.end_async().await;
    done?;
    if !survivors.is_empty() {
        bail!("cannot end the processes {survivors:?}, which agents left behind");
    }
    Ok(ExitCode::SUCCESS)
}

fn supervisor(id: String) -> io::Result<Supervisor> {
    if cfg!(target_os = "linux") {
        Ok(Supervisor::subreaper(id)?.with_watchdog("/proc/self/exe")?.in_control_group())
    } else {
        Ok(Supervisor::new(id))
    }
}

fn hostname() -> anyhow::Result<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() {
        bail!("this host has no name; name the worker with --name");
    }
    Ok(name)
}

async fn submit_runs(args: SubmitArgs) -> anyhow::Result<ExitCode> {
    let folder = match &args.cwd {
        Some(folder) => std::path::absolute(folder)?,
        None => env::current_dir().context("cannot use the current folder")?,
    };
    let workspace = match args.workspace {
        Place::Folder => WorkspacePlace::Folder(folder),
        Place::Git => WorkspacePlace::Git(GitPlace::of(&folder).await?),
    };
    let batch = Batch {
        manifest: args.manifest,
        queue: args.queue,
        workspace,
        each: args.each,
        count: args.count.into(),
        budget: args.budget,
        longest_history: args.longest_history,
    };
    // All manifests are read before the first run is submitted.
    let submissions = batch.submissions()?;
    let client = client("loop submit").await?;
    if let Some(cron) = &args.cron {
        for submission in submissions {
            print(&schedule(&client, &batch.queue, (cron, &args.time_zone), submission).await?)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let submitted = submit(&client, &batch.queue, batch.budget, submissions).await?;
    if let Some(fleet) = &submitted.fleet {
        say(&format!("the runs share the budget {fleet}"));
    }
    for run in &submitted.runs {
        print(run)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn grant(args: &ResumeArgs) -> Grant {
    let mut grant = Grant::default()
        .with_iterations(args.add_iterations)
        .with_cost(args.add_cost.unwrap_or_default())
        .with_tokens(args.add_tokens)
        .with_time(args.add_seconds.unwrap_or_default());
    grant.note = args.note.clone();
    grant
}

async fn list(args: RunsArgs) -> anyhow::Result<ExitCode> {
    for row in runs().await?.list(args.limit).await? {
        print(&match args.json {
            true => json!({"run": row.run, "queue": row.queue, "state": row.state}).to_string(),
            false => format!("{}  {:<10}  {}", row.run, row.state, row.queue),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn answer(args: AnswerArgs) -> anyhow::Result<ExitCode> {
    let answer = match args.answer {
        Reply::Yes => Answer::Continue { guidance: args.note },
        Reply::No | Reply::Stop if args.note.is_some() => {
            bail!("a run that ends reads no note; leave --note out")
        }
        Reply::No | Reply::Stop => Answer::Stop,
    };
    runs().await?.answer(&args.run, answer).await?;
    Ok(ExitCode::SUCCESS)
}
