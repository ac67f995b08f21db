//! The parts of the prompt of a planned agent.

use loop_agents::shell::PromptMemory;

use super::agent::{AgentKind, PlannedAgent};

impl PlannedAgent {
    /// Sets the goal, `{goal}` in the prompt.
    #[must_use]
    pub fn goal(self, goal: &str) -> Self {
        Self(match self.0 {
            AgentKind::Command(agent) => AgentKind::Command(Box::new(agent.goal(goal))),
            AgentKind::Model(agent) => AgentKind::Model(Box::new(agent.goal(goal))),
            other @ (AgentKind::Steps(_) | AgentKind::Pipeline(_) | AgentKind::Lanes(_)) => other,
        })
    }

    /// Sets the most bytes of output that one placeholder brings into the prompt.
    #[must_use]
    pub fn feedback_bytes(self, bytes: usize) -> Self {
        Self(match self.0 {
            AgentKind::Command(agent) => AgentKind::Command(Box::new(agent.feedback_bytes(bytes))),
            AgentKind::Model(agent) => AgentKind::Model(Box::new(agent.feedback_bytes(bytes))),
            other @ (AgentKind::Steps(_) | AgentKind::Pipeline(_) | AgentKind::Lanes(_)) => other,
        })
    }

    /// Sets the source of `{memory}`.
    #[must_use]
    pub(super) fn memory(self, memory: Option<PromptMemory>) -> Self {
        Self(match self.0 {
            AgentKind::Command(agent) => AgentKind::Command(Box::new(agent.memory(memory))),
            AgentKind::Model(agent) => AgentKind::Model(Box::new(agent.memory(memory))),
            AgentKind::Steps(agent) => AgentKind::Steps(Box::new(agent.memory(memory))),
            AgentKind::Pipeline(agent) => AgentKind::Pipeline(Box::new(agent.memory(memory))),
            other @ AgentKind::Lanes(_) => other,
        })
    }
}
