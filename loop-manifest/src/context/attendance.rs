//! The person who watches a run: whom its tools ask, and who sees its turns.

use std::sync::Arc;

use loop_agents::{chat::TurnEvent, tools::Toolbox};

use super::{ExecutionContext, Hook};

pub(super) type Attend = dyn Fn(Toolbox) -> Toolbox + Send + Sync;
pub(super) type TurnListener = dyn Fn(TurnEvent<'_>) + Send + Sync;

impl ExecutionContext {
    /// Changes the tools of models and of validations, after earlier calls of this method did: `attend` adds more of
    /// them, or the person whom they ask.
    #[must_use]
    pub fn attended(self, attend: impl Fn(Toolbox) -> Toolbox + Send + Sync + 'static) -> Self {
        let earlier = self.attend.clone();
        let attend = move |tools| match &earlier {
            Some(Hook(earlier)) => attend(earlier(tools)),
            None => attend(tools),
        };
        Self { attend: Some(Hook(Arc::new(attend))), ..self }
    }

    /// Sets the listener for the events of the turns of models.
    #[must_use]
    pub fn on_turn_event(self, listener: impl Fn(TurnEvent<'_>) + Send + Sync + 'static) -> Self {
        Self { on_turn_event: Some(Hook(Arc::new(listener))), ..self }
    }

    /// Returns the tools as the person who watches the run wants them.
    pub(crate) fn attended_tools(&self, tools: Toolbox) -> Toolbox {
        match &self.attend {
            Some(Hook(attend)) => attend(tools),
            None => tools,
        }
    }

    /// Returns the listener for the events of turns.
    pub(crate) fn turn_listener(&self) -> Option<Arc<TurnListener>> {
        self.on_turn_event.as_ref().map(|Hook(listener)| Arc::clone(listener))
    }
}
