//! `loop schedule next`: prints when an expression fires.

use std::process::ExitCode;

use jiff::Timestamp;

use loop_telemetry::words;

use super::{Failure, usage, zone};
use crate::{args::NextArgs, clock, exit, view};

pub(super) fn exec(args: &NextArgs) -> Result<ExitCode, Failure> {
    let zone = zone(args.tz.as_ref())?;
    let now = clock::now();
    let fires = args.expression.fires_after(args.from.unwrap_or(now), &zone);
    let fires: Vec<_> = fires.take(usize::from(args.count)).collect();
    if fires.is_empty() && args.count > 0 {
        return Err(usage!(
            "{:?} never fires: there is no such day in the calendar",
            args.expression.to_string()
        ));
    }
    if args.json {
        let fires: Vec<_> = fires.iter().map(|fire| words::rfc3339(*fire, zone.rules())).collect();
        view::print_or_warn(&serde_json::json!(fires).to_string());
        return Ok(ExitCode::from(exit::OK));
    }
    let shown = |fire: &Timestamp| {
        let distance = args.from.is_none().then(|| format!("  {}", words::until(*fire, now)));
        words::instant(*fire, zone.rules()) + &distance.unwrap_or_default()
    };
    view::print_or_warn(&fires.iter().map(shown).collect::<Vec<_>>().join("\n"));
    Ok(ExitCode::from(exit::OK))
}
