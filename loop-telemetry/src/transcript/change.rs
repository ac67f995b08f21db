//! The change that an entry makes to a conversation.

use serde::{Deserialize, Serialize};

/// An exact change to a list of messages: it keeps the first ones and appends others. A turn keeps all messages and
/// adds some. A summary keeps none. Joining text to the last message keeps all but that one.
///
/// ```
/// use loop_telemetry::transcript::ConversationChange;
/// let (before, after) = (["a", "b", "c"], ["a", "b+", "c", "d"]);
/// let change = ConversationChange::between(&before, &after);
/// assert_eq!(change, ConversationChange { kept: 1, messages: vec!["b+", "c", "d"] });
/// let mut messages = before.to_vec();
/// change.apply(&mut messages)?;
/// assert_eq!(messages, after);
/// # Ok::<(), loop_telemetry::transcript::ChangeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationChange<M> {
    /// The number of messages to keep, from the start.
    pub kept: usize,
    /// The messages that follow them.
    pub messages: Vec<M>,
}

impl<M> ConversationChange<M> {
    /// Returns the change that turns `before` into `after`.
    pub fn between(before: &[M], after: &[M]) -> Self
    where
        M: Clone + PartialEq,
    {
        let kept = before.iter().zip(after).take_while(|(before, after)| before == after).count();
        Self { kept, messages: after[kept..].to_vec() }
    }

    /// Applies the change.
    ///
    /// # Errors
    /// [`ChangeError`] if there are fewer messages than it keeps; then nothing changes.
    pub fn apply(self, messages: &mut Vec<M>) -> Result<(), ChangeError> {
        if self.kept > messages.len() {
            return Err(ChangeError { kept: self.kept, there: messages.len() });
        }
        messages.truncate(self.kept);
        messages.extend(self.messages);
        Ok(())
    }
}

/// A [`ConversationChange`] that belongs to another conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it keeps {kept} messages, but there are {there}")]
pub struct ChangeError {
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
            ConversationChange::between(&before, &after).apply(&mut messages).unwrap();
            prop_assert_eq!(messages, after);
        }
    }

    #[test]
    fn one_of_another_conversation_is_refused() {
        let mut messages = vec!["a"];
        let misfit = ConversationChange { kept: 2, messages: vec!["b"] }.apply(&mut messages).unwrap_err();
        assert_eq!(misfit.to_string(), "it keeps 2 messages, but there are 1");
        assert_eq!(messages, ["a"]);
    }
}
