//! Questions to a person.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Halt, Progress};

/// A question that a guardrail wants a person to answer before the loop goes on.
///
/// ```
/// use loop_core::{Decision, Halt, Question, StopReason};
/// let unanswered = Halt::new(StopReason::HitlCheckpoint, "nobody confirmed the next three iterations");
/// let decision = Decision::Ask(Question::new("Run three more iterations?", unanswered));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The text of the question.
    pub text: String,
    /// How the run ends if nobody is there to answer.
    pub unanswered: Halt,
}

impl Question {
    /// Creates a question. If nobody is there to answer, the run ends with `unanswered`.
    pub fn new(text: impl Into<String>, unanswered: Halt) -> Self {
        Self { text: text.into(), unanswered }
    }
}

/// A person's answer. Later versions may add answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// Go on.
    Continue {
        /// A note for the next prompt, if there is one.
        guidance: Option<String>,
    },
    /// Stop: the run ends as [`Declined`](crate::StopReason::Declined).
    Stop,
}

/// A person or a program that answers questions.
///
/// The time until the answer does not count as run time. Without a handler every question goes unanswered, and the run
/// ends with the question's [`unanswered`](Question::unanswered) halt.
///
/// ```
/// use loop_core::{Answer, Ask, Progress, Question};
///
/// struct AlwaysYes;
///
/// #[loop_core::async_trait]
/// impl Ask for AlwaysYes {
///     async fn ask(&mut self, _question: &Question, _progress: &Progress) -> Option<Answer> {
///         Some(Answer::Continue { guidance: None })
///     }
/// }
/// ```
#[async_trait]
pub trait Ask: Send {
    /// Asks, and waits for the answer. Returns `None` if nobody is there.
    ///
    /// # Cancel safety
    /// The driver drops the future when the run is cancelled while a person is thinking.
    async fn ask(&mut self, question: &Question, progress: &Progress) -> Option<Answer>;
}

#[async_trait]
impl<A: Ask + ?Sized> Ask for Box<A> {
    async fn ask(&mut self, question: &Question, progress: &Progress) -> Option<Answer> {
        (**self).ask(question, progress).await
    }
}

const _: fn(&dyn Ask) = |_| {};
