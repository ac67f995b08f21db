//! `loop schedule add`: adds a job.

use loop_manifest::{init::in_full, model::Model};
use std::{env, fs, path::Path, process::ExitCode, time::Duration};

use jiff::{SignedDuration, Timestamp};
use loop_schedule::{FirstFire, Job, JobAction, JobError, JobId, Reach, Settings, When, Zone};
use loop_telemetry::words;
use serde::Serialize;
use serde_json::Value;

use super::{
    super::{reported, runs::json, setting},
    Failure, OrFail, place,
    show::next,
    tell_if_idle, usage,
    wanted::Wanted,
    zone,
};
use crate::{
    args::{AddArgs, ErrandArgs},
    clock, exit,
    schedule::{SchedulePlace, action},
    view::{self, BOLD, paint, text},
};
use loop_manifest::{Loaded, Plan};

pub(super) fn exec(args: &AddArgs) -> Result<ExitCode, Failure> {
    let place = place(args.cwd.as_deref())?;
    let zone = zone(args.tz.as_ref())?;
    let (now, numbers) = (clock::now(), place.project.settings());
    let mut wanted = Wanted::of(args, numbers, &zone, now).map_err(Failure::Usage)?;
    let mut job = job(args, &wanted, now);
    let reach = if args.far { Reach::Far } else { Reach::Year };
    let first = job.first_fire(numbers, reach, now).map_err(|error| far(error, args))?;
    let by = if args.dry_run {
        None
    } else {
        let (errand, by) = errand(&args.errand, args, &place)?;
        errand.give_to(&mut job);
        let secrets = view::secrets();
        let warning = job.redact_prompt(|text| secrets.redact(text)).map_err(|why| usage!("{why}"))?;
        wanted.warnings.extend(warning.map(str::to_owned));
        place.project.change(|jobs| jobs.add_under_free_id(&mut job, numbers, reach, now))??;
        Some(by)
    };
    if args.json {
        view::tell_json(&json(&Added::of(&job, &wanted, first, &zone, args.dry_run)));
        return Ok(ExitCode::from(exit::OK));
    }
    wanted.hint.iter().chain(&wanted.warnings).for_each(|warning| view::warning(warning));
    view::tell(&page(&job, by.as_deref(), first, numbers, &zone, now).join("\n"));
    if !args.dry_run {
        tell_if_idle(&place)?;
    }
    Ok(ExitCode::from(exit::OK))
}

/// Builds the job, without its action.
fn job(args: &AddArgs, wanted: &Wanted, now: Timestamp) -> Job {
    let mut job = Job::new(JobId::random(), wanted.when.clone(), wanted.prompt.clone(), now);
    if let Some(catch_up) = args.catch_up {
        job = job.catch_up(catch_up.into());
    }
    if let Some(overlap) = args.overlap {
        job = job.overlap(overlap.into());
    }
    if args.no_jitter { job.without_jitter() } else { job }
}

/// Names the flag that accepts a far-off first fire.
fn far(error: JobError, args: &AddArgs) -> Failure {
    match error {
        JobError::FarOff { first } if !args.far => {
            usage!("it fires on {first} for the first time, which is more than a year away: `--far` takes it")
        }
        error => error.into(),
    }
}

/// Builds the action and its description, after checking as much as possible in advance.
fn errand(asked: &ErrandArgs, args: &AddArgs, place: &SchedulePlace) -> Result<(JobAction, String), Failure> {
    let max_seconds = asked.max_time.unwrap_or(JobAction::MAX_TIME).as_secs().max(1);
    if let Some(path) = &asked.run {
        let path = from_here(manifest(path)?, place.project.dir());
        let errand = JobAction::Manifest { path };
        let by = action::describe(&errand);
        return Ok((errand, by));
    }
    if let Some(command) = &asked.agent {
        let errand = JobAction::Agent { command: in_full(command).to_owned(), max_seconds };
        let by = action::describe(&errand);
        return Ok((errand, by));
    }
    let settings = setting::settings(args.cwd.as_deref().unwrap_or(Path::new("")))?;
    let variables: Vec<_> = env::vars_os().collect();
    let model = Model::choose(asked.model.as_deref(), &settings, &variables);
    let model = model.or_setup(|| "neither `--run` nor `--agent` says who does it, and a model cannot")?;
    let by = match asked.model {
        Some(_) => format!("model {}", model.id()),
        None => format!("model {}, which the settings of {} name", model.id(), place.project.dir().display()),
    };
    Ok((JobAction::Model { model: asked.model.clone(), max_seconds }, by))
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
    let (_, warnings) = reported(Plan::load(path).and_then(Loaded::finished))?;
    if !warnings.is_empty() {
        view::say(&warnings);
    }
    let whole = fs::canonicalize(path).or_usage(|| format!("--run {}", path.display()))?;
    let text = whole.to_str().or_usage(|| format!("--run {}: its path is no text", path.display()));
    text.map(str::to_owned)
}

fn page(
    job: &Job,
    by: Option<&str>,
    first: FirstFire,
    numbers: &Settings,
    zone: &Zone,
    now: Timestamp,
) -> Vec<String> {
    let field = |name: &str, value: &str| format!("  {name:<8}{}", text::one_line(value));
    let when = match &job.when {
        When::Cron { expression, zone } => format!("{} ({expression}, {zone})", job.when.describe()),
        When::Every(_) => job.when.describe(),
        When::At { .. } => "once".to_owned(),
    };
    let head = match by {
        Some(_) => paint(BOLD, job.id),
        None => paint(BOLD, "not added:"),
    };
    let mut lines = vec![format!("{head} {}", text::printable(&job.prompt))];
    lines.push(field("when", &when));
    // Jitter derives from the id, which only an added job has.
    let due = if by.is_some() { first.due } else { first.slot };
    lines.push(field("next", &next(first.slot, due, zone, now)));
    lines.extend(by.map(|by| field("by", by)));
    if let Some(expiry) = numbers.expiry.filter(|_| job.when.is_recurring()) {
        lines.push(field("until", &until(expiry, job.created_at, zone)));
    }
    lines
}

/// Describes when a recurring job expires.
fn until(expiry: Duration, created_at: Timestamp, zone: &Zone) -> String {
    let end = SignedDuration::try_from(expiry).ok().and_then(|expiry| created_at.checked_add(expiry).ok());
    let end = end.map(|end| words::instant(end, zone.rules())).unwrap_or_default();
    let life = match (expiry.as_secs() / DAY, expiry.as_secs() % DAY) {
        (days @ 1.., 0) => text::count(days, "day"),
        _ => text::duration(expiry),
    };
    format!("its first fire after {end} is its last: jobs live for {life} (`[schedule] expiry`)")
}

/// The number of seconds in a day.
const DAY: u64 = 86_400;

/// The added or planned job, for programs.
#[derive(Debug, Serialize)]
struct Added<'a> {
    /// `null` if nothing was added.
    id: Option<String>,
    /// The requested interval, or `null`.
    interval: Option<String>,
    /// The scheduled interval.
    effective: Option<String>,
    cron: Option<String>,
    /// The time of a one-shot job.
    at: Option<Timestamp>,
    prompt: &'a str,
    hint: Option<&'a str>,
    warnings: &'a [String],
    zone: String,
    /// The first slot.
    next: String,
    /// The time of the first fire; `null` if nothing was added.
    due: Option<String>,
    /// The action; `null` if nothing was added.
    errand: &'a Value,
}

impl<'a> Added<'a> {
    fn of(job: &'a Job, wanted: &'a Wanted, first: FirstFire, zone: &Zone, dry: bool) -> Self {
        let (cron, at) = match &job.when {
            When::Cron { expression, .. } => (Some(expression.to_string()), None),
            When::Every(_) => (None, None),
            When::At { time } => (None, Some(*time)),
        };
        Self {
            id: (!dry).then(|| job.id.to_string()),
            interval: wanted.interval.map(|interval| interval.to_string()),
            effective: wanted.effective.map(|effective| effective.to_string()),
            cron,
            at,
            prompt: &job.prompt,
            hint: wanted.hint.as_deref(),
            warnings: &wanted.warnings,
            zone: zone.to_string(),
            next: words::rfc3339(first.slot, zone.rules()),
            due: (!dry).then(|| words::rfc3339(first.due, zone.rules())),
            errand: JobAction::stored(job),
        }
    }
}
