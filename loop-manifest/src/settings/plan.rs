//! `[plan]`: how steps of plans are validated and repaired.
//!
//! The commands of validations run outside of the policy of tools, so only the user names them.

use std::{collections::BTreeMap, time::Duration};

use loop_agents::plan::{DEFAULT_REPAIRS, MAX_REPAIRS, VALIDATION_TIME};

use super::table::{SettingsOwner, SettingsTable};

/// The keys of the table.
pub(super) const KEYS: &[&str] = &["validations", "repairs", "validation_seconds"];

/// The values of the table.
#[derive(Debug, Clone, Default)]
pub struct PlanSettings {
    /// The shell commands behind `[validate: custom NAME]`, by name.
    pub validations: BTreeMap<String, String>,
    /// How often a step is repaired whose validation does not pass.
    pub repairs: Option<u64>,
    /// The time limit of a validation.
    pub validation_seconds: Option<Duration>,
}

impl PlanSettings {
    /// Returns how often a step is repaired: as the user's settings say, or less often if the project does. Default: 2.
    pub(super) fn repairs_under(&self, user: &Self) -> u64 {
        let most = user.repairs.unwrap_or(DEFAULT_REPAIRS);
        self.repairs.map_or(most, |own| own.min(most))
    }

    /// Returns the time limit of a validation: that of the user's settings, or a shorter one of the project. Default: 30
    /// seconds.
    pub(super) fn validation_time_under(&self, user: &Self) -> Duration {
        let most = user.validation_seconds.unwrap_or(VALIDATION_TIME);
        self.validation_seconds.map_or(most, |own| own.min(most))
    }
}

pub(super) fn read(mut table: SettingsTable<'_>, owner: SettingsOwner) -> PlanSettings {
    table.refuse_in_project(&["validations"], owner, "these commands run outside of the policy of tools");
    PlanSettings {
        validations: table.named_texts("validations").into_iter().collect(),
        repairs: table.number("repairs", MAX_REPAIRS).map(|repairs| repairs.value),
        validation_seconds: table.time("validation_seconds").map(|time| time.value),
    }
}
