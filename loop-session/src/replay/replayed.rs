//! The turns of another model.

use std::{collections::BTreeSet, time::Duration};

use async_trait::async_trait;
use loop_agents::chat::{Chat, History, Message, TurnEvent, TurnOutput};
use loop_core::{
    BuildError, CancellationToken, CostQuality, Iteration, IterationContext, IterationError, Loop, Step,
    Usage, WorkError, condition_fn, with_causes,
};
use loop_telemetry::transcript::{ConversationChange, TranscriptEntry};
use serde::{Serialize, Serializer};
use tokio::time::Instant;

use super::recording::{RecordedStep, RecordedTurn, Recording};
use crate::TranscriptWriter;

/// The figures of one turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TurnFigures {
    /// The model that answered.
    pub model: String,
    /// The reply; of a turn without one, the text so far.
    #[serde(skip)]
    pub reply: String,
    /// The time from the prompt to the end of the reply. As JSON: seconds.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub time: Duration,
    /// The usage. As JSON: all tokens.
    #[serde(rename = "tokens", serialize_with = "tokens")]
    pub usage: Usage,
    /// The cost in US dollars, if all of it is known.
    pub cost_usd: Option<f64>,
    /// How many tools were called.
    pub calls: u64,
    /// Why the turn has no reply, if it has none.
    pub failure: Option<String>,
}

impl Default for TurnFigures {
    fn default() -> Self {
        Self {
            model: String::new(),
            reply: String::new(),
            time: Duration::ZERO,
            usage: Usage::unknown(),
            cost_usd: None,
            calls: 0,
            failure: None,
        }
    }
}

impl TurnFigures {
    pub(super) fn with_cost(self) -> Self {
        let cost = self.usage.cost.filter(|cost| cost.quality != CostQuality::Partial);
        Self { cost_usd: cost.map(|cost| cost.usd.as_f64()), ..self }
    }
}

fn seconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    (time.as_millis() as f64 / 1000.0).serialize(to)
}

fn tokens<S: Serializer>(usage: &Usage, to: S) -> Result<S::Ok, S::Error> {
    usage.tokens().serialize(to)
}

/// A turn that was sent again.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReplayedTurn {
    /// Its number, from 1.
    pub turn: usize,
    /// The figures of the new turn.
    #[serde(flatten)]
    pub figures: TurnFigures,
    /// The share of the words of both replies that are in both, from 0 to 1; `None` if one of the turns has no reply.
    pub similarity: Option<f64>,
}

/// Sends the prompts of a recording to this chat, in order, and writes them to a new transcript. A turn without a reply is
/// an answer too. The loop ends after the last prompt, or when `cancel` is cancelled.
///
/// # Errors
/// The loop cannot be built.
pub async fn replay(
    recording: &Recording,
    chat: Chat,
    log: &mut TranscriptWriter,
    cancel: CancellationToken,
) -> Result<Vec<ReplayedTurn>, BuildError> {
    let count = recording.turns().count();
    let (mut turns, mut steps) = (Vec::new(), recording.steps.iter());
    if count > 0 {
        let last = condition_fn(move |step: &Step<usize>, _| step.output() == Some(&count));
        let replaying = Replaying { chat, steps: &mut steps, log, turns: &mut turns };
        // A deferred turn repeats its iteration, and every other one makes a turn.
        Loop::new(replaying).until(last).at_most(count as u64).cancel_on(cancel).run().await?;
    }
    Ok(turns)
}

/// The iteration that sends the next prompt. Its output is the number of the turn.
struct Replaying<'a, 'r> {
    chat: Chat,
    steps: &'a mut std::slice::Iter<'r, RecordedStep>,
    log: &'a mut TranscriptWriter,
    turns: &'a mut Vec<ReplayedTurn>,
}

#[async_trait]
impl Iteration for Replaying<'_, '_> {
    type Output = usize;

    async fn run(&mut self, cx: IterationContext<usize>) -> Result<usize, IterationError> {
        let ahead = self.steps.clone();
        let Some(turn) = self.next_turn() else {
            return Err(WorkError::failed("there is no further prompt"));
        };
        let made = self.turn(turn, &cx).await;
        let figures = match made {
            Ok(figures) => figures,
            Err(error) => {
                // The same prompt comes again.
                *self.steps = ahead;
                return Err(error);
            }
        };
        let (then, now) = (&turn.figures, &figures);
        let is_answered = then.failure.is_none() && now.failure.is_none();
        let similarity = is_answered.then(|| similarity(&then.reply, &now.reply));
        self.turns.push(ReplayedTurn { turn: self.turns.len() + 1, figures, similarity });
        Ok(self.turns.len())
    }
}

impl<'r> Replaying<'_, 'r> {
    /// Makes the changes before the next prompt, and returns it.
    fn next_turn(&mut self) -> Option<&'r RecordedTurn> {
        for step in self.steps.by_ref() {
            let before = self.chat.history().messages().to_vec();
            match step {
                RecordedStep::Turn(turn) => return Some(turn),
                RecordedStep::Put(text) => self.chat.put(Message::user(text)),
                RecordedStep::Pin(text) => self.chat.pin(text),
                RecordedStep::Unpin => drop(self.chat.unpin()),
                RecordedStep::Clear => self.chat.clear(),
                RecordedStep::Replace(messages) => self.chat.set_history(History::from(messages.clone())),
            }
            let change = ConversationChange::between(&before, self.chat.history().messages());
            self.log.write(match step {
                RecordedStep::Pin(text) => TranscriptEntry::Pinned { text: text.clone() },
                RecordedStep::Unpin => TranscriptEntry::Unpinned,
                RecordedStep::Clear => TranscriptEntry::Cleared,
                RecordedStep::Put(text) => {
                    TranscriptEntry::Ran { command: "(recorded)".to_owned(), output: text.clone(), change }
                }
                _ => TranscriptEntry::Ran { command: "(recorded)".to_owned(), output: String::new(), change },
            });
        }
        None
    }

    async fn turn(
        &mut self,
        turn: &RecordedTurn,
        cx: &IterationContext<usize>,
    ) -> Result<TurnFigures, IterationError> {
        let before = self.chat.history().messages().to_vec();
        let (model, began) = (self.chat.model_name().to_owned(), Instant::now());
        self.log.write(TranscriptEntry::Asked { prompt: turn.prompt.clone(), model: model.clone() });
        let log = &mut *self.log;
        let mut sent = self.chat.turn(turn.prompt.text()).on_event(|event| match event {
            TurnEvent::Calling(call) => log.calling(call),
            TurnEvent::Called(report) => log.called(report),
            _ => {}
        });
        for file in turn.prompt.attachments() {
            sent = sent.attach(file.clone());
        }
        let done = sent.run_in(cx).await;
        let figures = TurnFigures { model: model.clone(), time: began.elapsed(), ..TurnFigures::default() };
        match done {
            Ok(TurnOutput { text, calls, usage, .. }) => {
                let change = ConversationChange::between(&before, self.chat.history().messages());
                self.log.write(TranscriptEntry::Answered { change, usage, model });
                Ok(TurnFigures { reply: text, calls: calls.len() as u64, usage, ..figures }.with_cost())
            }
            Err(error) => {
                let why = match &error {
                    WorkError::Failed(why) => with_causes(&**why),
                    other => other.to_string(),
                };
                let (usage, said) = (Usage::unknown(), String::new());
                self.log.write(TranscriptEntry::Unanswered { why: why.clone(), usage, said });
                match error {
                    WorkError::Later { .. } => Err(error),
                    _ if cx.is_cancelled() => Err(error),
                    _ => Ok(TurnFigures { failure: Some(why), ..figures }),
                }
            }
        }
    }
}

/// Returns the share of the words of two texts that are in both. Case and punctuation do not count.
fn similarity(one: &str, other: &str) -> f64 {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|sign: char| !sign.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    match one.union(&other).count() {
        0 => 1.0,
        all => one.intersection(&other).count() as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::similarity;

    #[test]
    fn similarity_is_the_share_of_common_words() {
        assert_eq!(similarity("Roses are red.", "roses, are BLUE"), 0.5);
        assert_eq!(similarity("", "."), 1.0);
        assert_eq!(similarity("a", ""), 0.0);
    }
}
