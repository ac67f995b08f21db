//! Which variables the agent and the evaluator see, as the manifest says it.

use std::collections::BTreeMap;

use loop_guardrails::policy::environment::{EnvironmentPolicy, Inherit, NamePattern};

/// `agent.env`: what the agent and the evaluator see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentPlan {
    /// The variables to begin with.
    pub inherit: Inherit,
    /// Variables that are passed on even if they look like secrets.
    pub pass: Vec<NamePattern>,
    /// Variables that are set, by name.
    pub set: BTreeMap<String, String>,
}

impl EnvironmentPlan {
    /// Which of the user's variables are seen.
    pub(crate) fn policy(&self) -> EnvironmentPolicy {
        EnvironmentPolicy::new().inherit(self.inherit).pass(self.pass.iter().cloned())
    }
}
