//! What `loop schedule add` was asked for: when, and what.

use anyhow::anyhow;
use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Interval, JobError, Request, RequestError, Settings, When, Zone};

use crate::{args::AddArgs, schedule};

/// A prompt, and when it is wanted.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) when: When,
    pub(super) prompt: String,
    /// The interval that was asked for, if it was one.
    pub(super) interval: Option<Interval>,
    /// What looks like a time in the prompt, and was not taken for one.
    pub(super) hint: Option<String>,
    /// What may surprise.
    pub(super) warnings: Vec<String>,
}

impl Wanted {
    /// Reads it.
    ///
    /// # Errors
    /// There is no prompt, or no such time.
    pub(super) fn of(
        args: &AddArgs,
        numbers: &Settings,
        zone: &Zone,
        now: Timestamp,
    ) -> anyhow::Result<Self> {
        let text = args.text();
        if args.cron.is_none() && args.at.is_none() {
            return Self::repeated(args, &text, numbers, zone, now);
        }
        let when = match (&args.cron, &args.at) {
            (Some(expression), _) if args.once => {
                When::next_of(expression, zone, now).ok_or(JobError::NeverFires)?
            }
            (Some(expression), _) => When::Cron { expression: expression.clone(), zone: zone.clone() },
            (None, at) => When::At { time: schedule::at(at.as_deref().unwrap_or_default(), zone, now)? },
        };
        let prompt = if text.trim().is_empty() { name(args).unwrap_or_default() } else { text };
        Ok(Self { when, prompt, interval: None, hint: None, warnings: Vec::new() })
    }

    /// `[interval] PROMPT`.
    fn repeated(
        args: &AddArgs,
        text: &str,
        numbers: &Settings,
        zone: &Zone,
        now: Timestamp,
    ) -> anyhow::Result<Self> {
        let request = match (Request::parse(text), name(args)) {
            // A manifest needs no prompt, and is then called by its name.
            (Err(RequestError::NoPrompt { interval }), Some(name)) => {
                Request::parse(&format!("{} {name}", interval.unwrap_or(Interval::DEFAULT)))
            }
            (request, _) => request,
        }?;
        let interval = request.interval();
        let when = if args.once {
            let time = now.checked_add(SignedDuration::try_from(interval.period())?);
            When::At { time: time.map_err(|_| anyhow!("{interval} from now is after the end of time"))? }
        } else {
            When::Cron { expression: request.effective().cron(), zone: zone.clone() }
        };
        // Once, any interval can be kept exactly.
        let warnings = if args.once { Vec::new() } else { request.warnings(numbers) };
        Ok(Self {
            when,
            prompt: request.prompt().to_owned(),
            interval: Some(interval),
            hint: request.hint().map(ToString::to_string),
            warnings: warnings.iter().map(ToString::to_string).collect(),
        })
    }
}

/// What a job is called whose manifest says it all.
fn name(args: &AddArgs) -> Option<String> {
    let stem = args.errand.run.as_ref()?.file_stem()?.to_string_lossy().into_owned();
    Some(format!("run {stem}"))
}
