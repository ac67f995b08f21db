//! What `loop schedule add` was asked for: when, and what.

use anyhow::anyhow;
use jiff::{SignedDuration, Timestamp};
use loop_schedule::{Interval, JobError, Request, RequestError, Scheduled, Settings, When, Zone, parse_time};

use crate::args::AddArgs;

/// A prompt, and when it is wanted.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) when: When,
    pub(super) prompt: String,
    /// The interval that was asked for, if it was one.
    pub(super) interval: Option<Interval>,
    /// The interval that is scheduled, if it is one.
    pub(super) effective: Option<Scheduled>,
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
            (None, at) => When::At { time: parse_time(at.as_deref().unwrap_or_default(), zone, now)? },
        };
        let prompt = if text.trim().is_empty() { name(args).unwrap_or_default() } else { text };
        Ok(Self { when, prompt, interval: None, effective: None, hint: None, warnings: Vec::new() })
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
        let (when, effective, warnings) = if args.once {
            let time = now.checked_add(SignedDuration::try_from(interval.period())?);
            let time = time.map_err(|_| anyhow!("{interval} from now is after the end of time"))?;
            // Once, any interval can be kept exactly.
            (When::At { time }, None, Vec::new())
        } else if args.exact {
            let when = When::Every(request.exactly(now)?);
            (when, Some(Scheduled::Exact(interval)), request.warnings_exactly(numbers))
        } else {
            let effective = request.effective();
            let when = When::Cron { expression: effective.cron(), zone: zone.clone() };
            (when, Some(Scheduled::Rounded(effective)), request.warnings(numbers))
        };
        Ok(Self {
            when,
            prompt: request.prompt().to_owned(),
            interval: Some(interval),
            effective,
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
