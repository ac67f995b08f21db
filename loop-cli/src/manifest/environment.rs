//! Which variables the agent and the evaluator see, as the manifest says it.

use std::collections::BTreeMap;

use loop_guardrails::policy::environment::{EnvironmentPolicy, Inherit, NamePattern};

use super::plan::Plan;

/// `agent.env`: what the agent and the evaluator see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EnvironmentPlan {
    /// Where it begins.
    pub(crate) inherit: Inherit,
    /// What is passed on, whatever it looks like.
    pub(crate) pass: Vec<NamePattern>,
    /// What is set, by name.
    pub(crate) set: BTreeMap<String, String>,
}

impl Plan {
    /// What the agent sees of the user's environment: the keys of its own vendor as well.
    pub(crate) fn agent_sees(&self) -> EnvironmentPolicy {
        match self.agent.command() {
            Some(command) => self.evaluator_sees().of_agent(command.as_str()),
            // What it sees is what the commands of its tools see. Its key is ours to send.
            None => self.evaluator_sees(),
        }
    }

    /// What the evaluator sees of it. It runs what the agent has written, so it gets no key that the
    /// agent needs for itself alone.
    pub(crate) fn evaluator_sees(&self) -> EnvironmentPolicy {
        let EnvironmentPlan { inherit, pass, .. } = &self.agent.env;
        EnvironmentPolicy::new().inherit(*inherit).pass(pass.iter().cloned())
    }
}
