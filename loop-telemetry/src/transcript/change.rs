//! What an entry did to a conversation.

use serde::{Deserialize, Serialize};

/// The first messages stay, and after them come others. Exact, whatever was done: a turn keeps all and adds some;
/// a summary keeps none; what joins a message to the last one keeps all but that.
///
/// ```
/// use loop_telemetry::transcript::Change;
/// let (before, after) = (["a", "b", "c"], ["a", "b+", "c", "d"]);
/// let change = Change::between(&before, &after);
/// assert_eq!(change, Change { kept: 1, messages: vec!["b+", "c", "d"] });
/// let mut messages = before.to_vec();
/// change.apply(&mut messages)?;
/// assert_eq!(messages, after);
/// # Ok::<(), loop_telemetry::transcript::Misfit>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change<M> {
    /// So many of the messages before stay.
    pub kept: usize,
    /// What stands after them then.
    pub messages: Vec<M>,
}

impl<M> Change<M> {
    /// From the one list of messages to the other.
    pub fn between(before: &[M], after: &[M]) -> Self
    where
        M: Clone + PartialEq,
    {
        let kept = before.iter().zip(after).take_while(|(before, after)| before == after).count();
        Self { kept, messages: after[kept..].to_vec() }
    }

    /// Makes it.
    ///
    /// # Errors
    /// [`Misfit`] if fewer messages are there than it keeps; then nothing is changed.
    pub fn apply(self, messages: &mut Vec<M>) -> Result<(), Misfit> {
        if self.kept > messages.len() {
            return Err(Misfit { kept: self.kept, there: messages.len() });
        }
        messages.truncate(self.kept);
        messages.extend(self.messages);
        Ok(())
    }
}

/// A [`Change`] is of another conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it keeps {kept} messages where there are {there}")]
pub struct Misfit {
    kept: usize,
    there: usize,
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    proptest! {
        #[test]
        fn it_leads_from_the_one_to_the_other(before in vec(0..3, 0..6), after in vec(0..3, 0..6)) {
            let mut messages = before.clone();
            Change::between(&before, &after).apply(&mut messages).unwrap();
            prop_assert_eq!(messages, after);
        }
    }

    #[test]
    fn one_of_another_conversation_is_refused() {
        let mut messages = vec!["a"];
        let misfit = Change { kept: 2, messages: vec!["b"] }.apply(&mut messages).unwrap_err();
        assert_eq!(misfit.to_string(), "it keeps 2 messages where there are 1");
        assert_eq!(messages, ["a"]);
    }
}
