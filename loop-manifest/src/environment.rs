//! The variables that the agent and the evaluator see, according to the manifest.

use std::collections::BTreeMap;

use loop_guardrails::policy::environment::{EnvironmentPolicy, Inheritance, NamePattern};

/// `agent.env`: the variables for the agent and the evaluator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentPlan {
    /// The variables to begin with.
    pub inherit: Inheritance,
    /// Variables that are passed on even if they look like secrets.
    pub pass: Vec<NamePattern>,
    /// Variables that are set, by name.
    pub set: BTreeMap<String, String>,
}

impl EnvironmentPlan {
    /// Returns the policy for the user's variables.
    pub(crate) fn policy(&self) -> EnvironmentPolicy {
        EnvironmentPolicy::new().inherit(self.inherit).pass(self.pass.iter().cloned())
    }
}
