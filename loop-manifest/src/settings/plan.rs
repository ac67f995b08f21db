//! `[plan]`: the commands that validate steps of plans by name.
//!
//! They run outside of the policy of tools, so only the user names them.

use std::collections::BTreeMap;

use super::table::{SettingsOwner, SettingsTable};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["validations"];

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct PlanSettings {
    /// The shell commands behind `[validate: custom NAME]`, by name.
    pub validations: BTreeMap<String, String>,
}

pub(super) fn read(mut table: SettingsTable<'_>, owner: SettingsOwner) -> PlanSettings {
    table.refuse_in_project(KEYS, owner, "these commands run outside of the policy of tools");
    PlanSettings { validations: table.named_texts("validations").into_iter().collect() }
}
