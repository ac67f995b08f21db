//! Passes inputs to a machine.

use loop_core::{Action, ActionId, Input, Machine, RunTime};

/// The place of an id that [`tell`] fills in.
pub(crate) fn some_id() -> ActionId {
    ActionId::default()
}

/// Makes an answer that of the outstanding action.
pub(crate) fn addressed(machine: &Machine, mut input: Input) -> Input {
    if let Input::Iterated { id, .. }
    | Input::Evaluated { id, .. }
    | Input::Settled { id, .. }
    | Input::Waited { id }
    | Input::Answered { id, .. } = &mut input
        && let Some((outstanding, _)) = machine.outstanding()
    {
        *id = outstanding;
    }
    input
}

/// Passes an input to the machine, an answer as that of the outstanding action. A refused answer gives no action.
pub(crate) fn tell(machine: &mut Machine, at: RunTime, input: Input) -> Option<Action> {
    let input = addressed(machine, input);
    machine.handle(at, input).unwrap_or(None)
}
