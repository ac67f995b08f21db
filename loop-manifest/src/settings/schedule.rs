//! `[schedule]`: the numbers that hold for all jobs.
//!
//! Jobs belong to the user, so a project cannot set their lifetime or their times.

use loop_schedule::{Jitter, ScheduleSettings};

use super::table::{SettingsOwner, SettingsTable};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["preset", "expiry", "jitter", "max_jobs"];

/// The values of the table.
pub(super) fn read(mut table: SettingsTable<'_>, owner: SettingsOwner) -> ScheduleSettings {
    table.refuse_in_project(KEYS, owner, "a project must not change your jobs");
    let preset = table.text("preset", preset).map(|preset| preset.value);
    let mut settings = preset.unwrap_or_default();
    // Zero means forever.
    if let Some(expiry) = table.time_or("expiry", "never") {
        settings = settings.with_expiry(expiry.value);
    }
    if table.flag("jitter").is_some_and(|jitter| !jitter.value) {
        settings = settings.with_jitter(Jitter::OFF);
    }
    if let Some(most) = table.count("max_jobs") {
        settings = settings.with_max_jobs(usize::try_from(most.value).unwrap_or(usize::MAX));
    }
    settings
}

fn preset(name: &str) -> Result<ScheduleSettings, String> {
    match name {
        "classic" => Ok(ScheduleSettings::classic()),
        "current" => Ok(ScheduleSettings::current()),
        _ => Err(format!("`{name}` is not a preset: write `classic` or `current`")),
    }
}
