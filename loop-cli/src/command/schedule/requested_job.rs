//! The request of `loop schedule add`, from its text and its flags.

use anyhow::anyhow;
use jiff::Timestamp;
use loop_schedule::{
    JobError, JobRequest, JobRequestError, Phrase, PhraseError, PhraseTime, ScheduleSettings, TimeError,
    Trigger, Zone, parse_time,
};

use crate::args::AddArgs;

/// Parses the request.
///
/// # Errors
/// The time is invalid, or it is unclear which words are the time and which the prompt.
pub(super) fn request(
    args: &AddArgs,
    settings: &ScheduleSettings,
    zone: &Zone,
    now: Timestamp,
) -> anyhow::Result<JobRequest> {
    let mut rounded = settings.clone().with_rounded_intervals(settings.rounds_intervals || args.rounded);
    // The notes compare an interval with the lifetime that was asked for.
    rounded.expiry = args.expires.map_or(rounded.expiry, |expiry| expiry.lifetime(settings));
    let text = args.text();
    let mut request = match (&args.cron, &args.at, args.every) {
        (Some(expression), ..) => JobRequest::cron(expression.clone(), &text, zone),
        (None, Some(at), _) => JobRequest::once(time(at, zone, now)?, &text),
        (None, None, Some(interval)) => JobRequest::every(interval, &text, &rounded, zone, now)?,
        (None, None, None) => JobRequest::parse(&text, &rounded, zone, now).map_err(with_flag)?,
    };
    if args.once {
        request.trigger = Trigger::At { time: first(&request, now)? };
        (request.effective, request.notes) = (None, Vec::new());
    }
    if let Some(expiry) = args.expires {
        request.expiry = expiry;
    }
    if request.prompt.trim().is_empty() {
        request.prompt = name(args).unwrap_or_default();
    }
    Ok(request)
}

/// Parses the value of `--at`: a time as [`parse_time`] accepts it, or the words of a schedule that fires once.
fn time(written: &str, zone: &Zone, now: Timestamp) -> anyhow::Result<Timestamp> {
    let error = match parse_time(written, zone, now) {
        Ok(time) => return Ok(time),
        Err(error) => error,
    };
    let is_unreadable = matches!(error, TimeError::Unreadable { .. });
    let worded = [written.to_owned(), format!("at {written}")];
    let once = |text: &String| match Phrase::parse(text, zone, now) {
        Ok(Phrase { time: Some(PhraseTime::Once(time)), prompt, .. }) if prompt.is_empty() => Some(time),
        _ => None,
    };
    worded.iter().filter(|_| is_unreadable).find_map(once).ok_or_else(|| error.into())
}

/// Names the flags that accept what was refused.
fn with_flag(error: JobRequestError) -> anyhow::Error {
    match &error {
        JobRequestError::Phrase(PhraseError::NotUnderstood { .. }) => {
            anyhow!(
                "{error}\n  With `--every 10m`, `--cron` or `--at` the text is the prompt, whatever its words; `--tz` \
                 sets the zone"
            )
        }
        _ => error.into(),
    }
}

/// Returns when a request fires for the first time.
fn first(request: &JobRequest, now: Timestamp) -> anyhow::Result<Timestamp> {
    // With rounding, the trigger is not the interval.
    if let Some(interval) = request.interval {
        let time = now.checked_add(interval.period());
        return time.map_err(|_| anyhow!("{interval} from now is after the end of the calendar"));
    }
    Ok(request.trigger.next_after(now).ok_or(JobError::NeverFires)?)
}

/// Returns the name of a job whose manifest defines everything.
fn name(args: &AddArgs) -> Option<String> {
    let stem = args.action.run.as_ref()?.file_stem()?.to_string_lossy().into_owned();
    Some(format!("run {stem}"))
}
