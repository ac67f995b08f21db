//! `loop schedule add`: adds a job.

use loop_manifest::{init::in_full, model::Model};
use std::{env, fs, path::Path, process::ExitCode};

use jiff::Timestamp;
use loop_schedule::{
    FirstFire, Horizon, Job, JobAction, JobError, JobId, JobRequest, ScheduleSettings, Trigger, Zone,
};
use loop_session::jobs::{AddedAs, JobConfirmation};
use loop_telemetry::words;
use serde::Serialize;
use serde_json::Value;

use super::{
    super::{environment, plan_and_warnings, runs::json},
    Failure, OrFail, folder,
    requested_job::request,
    tell_if_idle, usage, zone,
};
use crate::{
    args::{AddArgs, JobActionArgs},
    clock, exit,
    schedule::{FolderSchedule, action},
    view::{self, BOLD, paint, text},
};
use loop_manifest::{LoadedPlan, Plan, describe_missing};

pub(super) fn exec(args: &AddArgs) -> Result<ExitCode, Failure> {
    let folder = folder(args.cwd.as_deref())?;
    let zone = zone(args.tz.as_ref())?;
    let (now, settings) = (clock::now(), folder.project.settings());
    let mut requested = request(args, settings, &zone, now).map_err(Failure::Usage)?;
    let mut job = job(args, &requested, now);
    let reach = if args.far { Horizon::Far } else { Horizon::Year };
    let first = job.first_fire(settings, reach, now).map_err(|error| refused(error, args, &zone))?;
    let JobActionArgs { run, agent, model, .. } = &args.action;
    let by = if args.dry_run {
        if run.is_some() || agent.is_some() || model.is_some() {
            let (action, _) = action(&args.action, args, &folder)?;
            requested.notes.extend(missing_program(&action, folder.project.dir()));
        }
        None
    } else {
        let (action, by) = action(&args.action, args, &folder)?;
        requested.notes.extend(missing_program(&action, folder.project.dir()));
        action.store_in(&mut job);
        let secrets = view::secrets();
        let warning = job.redact_prompt(|text| secrets.redact(text)).map_err(|why| usage!("{why}"))?;
        requested.notes.extend(warning.map(str::to_owned));
        folder.project.change(|jobs| jobs.add_under_free_id(&mut job, settings, reach, now))??;
        Some(by)
    };
    if args.json {
        view::print_json_or_warn(&json(&AddedJobJson::of(
            &job,
            &requested,
            first,
            (settings, &zone),
            args.dry_run,
        )));
        return Ok(ExitCode::from(exit::OK));
    }
    requested.notes.iter().for_each(|warning| view::warning(warning));
    let added = by.as_deref().map(|by| AddedAs { by, delete: "loop schedule delete" });
    let head = if added.is_some() { paint(BOLD, job.id) } else { paint(BOLD, "not added:") };
    let confirmation = JobConfirmation {
        job: &job,
        first,
        added,
        expiry_flag: Some("--expires"),
        settings,
        zone: &zone,
        now,
    };
    let mut lines = vec![format!("{head} {}", text::printable(&job.prompt))];
    lines.extend(confirmation.lines(text::one_line));
    view::print_or_warn(&lines.join("\n"));
    if !args.dry_run {
        tell_if_idle(&folder)?;
    }
    Ok(ExitCode::from(exit::OK))
}

/// Builds the job, without its action.
fn job(args: &AddArgs, requested: &JobRequest, now: Timestamp) -> Job {
    let mut job = requested.job(JobId::random(), now);
    if let Some(catch_up) = args.catch_up {
        job = job.catch_up(catch_up.into());
    }
    if let Some(overlap) = args.overlap {
        job = job.overlap(overlap.into());
    }
    if args.no_jitter { job.without_jitter() } else { job }
}

/// Names the flag that accepts a far-off first fire, and shows times as those of the zone.
fn refused(error: JobError, args: &AddArgs, zone: &Zone) -> Failure {
    let here = |time: Timestamp| time.to_zoned(zone.rules().clone()).strftime("%Y-%m-%d %H:%M %:z");
    match error {
        JobError::FarOff { first } if !args.far => {
            let first = here(first);
            usage!("its first fire is on {first}, which is more than a year away: `--far` accepts that")
        }
        JobError::Past { time } => usage!("{} has passed: give a time in the future", here(time)),
        error => error.into(),
    }
}

/// Builds the action and its description, after checking as much as possible in advance.
fn action(
    asked: &JobActionArgs,
    args: &AddArgs,
    folder: &FolderSchedule,
) -> Result<(JobAction, String), Failure> {
    let max_seconds = asked.max_time.unwrap_or(JobAction::MAX_TIME).as_secs().max(1);
    if let Some(path) = &asked.run {
        let path = from_here(manifest(path)?, folder.project.dir());
        let action = JobAction::Manifest { path };
        let by = action::describe(&action);
        return Ok((action, by));
    }
    if let Some(command) = &asked.agent {
        let action = JobAction::Agent { command: in_full(command).to_owned(), max_seconds };
        let by = action::describe(&action);
        return Ok((action, by));
    }
    let settings = environment::settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let variables: Vec<_> = env::vars_os().collect();
    let model = Model::choose(asked.model.as_deref(), &settings, &variables);
    let model = model.or_setup(|| "no `--run` or `--agent` is given, and no model can run the job")?;
    let by = match asked.model {
        Some(_) => format!("model {}", model.id()),
        None => {
            format!("model {}, which the settings of {} name", model.id(), folder.project.dir().display())
        }
    };
    Ok((JobAction::Model { model: asked.model.clone(), max_seconds }, by))
}

/// Returns a warning if the agent's program does not exist. Somebody may install it before the job fires.
fn missing_program(action: &JobAction, dir: &Path) -> Option<String> {
    let JobAction::Agent { command, .. } = action else { return None };
    let variables: Vec<_> = env::vars_os().collect();
    describe_missing("agent", command, env::var_os("PATH").as_deref(), dir, &variables)
}

/// Shortens the path of a manifest in the jobs' folder to a relative one, if the folder's path contains a secret. Jobs
/// are stored as text, and work in that folder.
fn from_here(path: String, dir: &Path) -> String {
    let is_secret = view::secrets().redact(&path) != path;
    let below = Path::new(&path).strip_prefix(dir).ok().and_then(Path::to_str).map(str::to_owned);
    below.filter(|_| is_secret).unwrap_or(path)
}

/// Returns the absolute path of a manifest that could be run.
fn manifest(path: &Path) -> Result<String, Failure> {
    let (_, warnings) = plan_and_warnings(Plan::load(path).and_then(LoadedPlan::finished))?;
    if !warnings.is_empty() {
        view::say(&warnings);
    }
    let whole = fs::canonicalize(path).or_usage(|| format!("--run {}", path.display()))?;
    let text = whole.to_str().or_usage(|| format!("--run {}: its path is not UTF-8", path.display()));
    text.map(str::to_owned)
}

/// The added or planned job, for programs.
#[derive(Debug, Serialize)]
struct AddedJobJson<'a> {
    /// `null` if nothing was added.
    id: Option<String>,
    /// The requested interval, or `null`.
    interval: Option<String>,
    /// The scheduled interval.
    effective: Option<String>,
    cron: Option<String>,
    /// The time of a one-shot job.
    at: Option<Timestamp>,
    /// The seconds from its creation to its expiry; `null` if it does not expire.
    expires_after: Option<u64>,
    prompt: &'a str,
    warnings: &'a [String],
    zone: String,
    /// The first slot.
    next: String,
    /// The time of the first fire; `null` if nothing was added.
    due: Option<String>,
    /// The action; `null` if nothing was added.
    action: &'a Value,
}

impl<'a> AddedJobJson<'a> {
    fn of(
        job: &'a Job,
        requested: &'a JobRequest,
        first: FirstFire,
        (settings, zone): (&ScheduleSettings, &Zone),
        dry: bool,
    ) -> Self {
        let (cron, at) = match &job.trigger {
            Trigger::Cron { expression, .. } => (Some(expression.to_string()), None),
            Trigger::Every(_) => (None, None),
            Trigger::At { time } => (None, Some(*time)),
        };
        let lifetime = job.expiry.lifetime(settings);
        let expires = lifetime.filter(|_| job.trigger.is_recurring());
        Self {
            id: (!dry).then(|| job.id.to_string()),
            interval: requested.interval.map(|interval| interval.to_string()),
            effective: requested.effective.map(|effective| effective.to_string()),
            cron,
            at,
            expires_after: expires.map(|lifetime| lifetime.as_secs()),
            prompt: &job.prompt,
            warnings: &requested.notes,
            zone: zone.to_string(),
            next: words::rfc3339(first.slot, zone.rules()),
            due: (!dry).then(|| words::rfc3339(first.due, zone.rules())),
            action: JobAction::stored(job),
        }
    }
}
