//! Which variables the agent and the evaluator see, as the manifest says it.

use std::collections::BTreeMap;

use loop_guardrails::policy::environment::{Inherit, NamePattern};

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
