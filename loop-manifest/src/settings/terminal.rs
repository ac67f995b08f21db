//! `[terminal]`: what a run does with the terminal.
//!
//! The terminal belongs to the user, so a project cannot change this.

use super::table::{SettingsOwner, SettingsTable};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["notify"];

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct TerminalSettings {
    /// Whether the end of a long run rings the bell and shows a notification. By default it does.
    pub notify: Option<bool>,
}

pub(super) fn read(mut table: SettingsTable<'_>, owner: SettingsOwner) -> TerminalSettings {
    table.refuse_in_project(KEYS, owner, "a project must not control your terminal");
    TerminalSettings { notify: table.flag("notify").map(|notify| notify.value) }
}
