//! The iteration that sends the next file of a pipeline.

use std::fmt;

use async_trait::async_trait;
use loop_core::{Halt, Iteration, IterationContext, StopReason, WorkError, with_causes};
use serde::{Deserialize, Serialize};

use super::{ConfidenceGate, ConfidenceScore, PipelineFile, ScoredReply, prompt};
use crate::{
    judge::OutputText,
    output::{OUTPUT_MARK, fingerprint},
    review::{ActionLog, ReviewableOutput, SAID_BYTES, Worker},
    shell::PromptMemory,
};

/// The stop reason of a run whose pipeline has a step without a reply.
pub const STEP_FAILED: &str = "step_failed";

/// The reply to a file of a pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PipelineOutput {
    /// The path of the file.
    pub file: String,
    /// The number of the step, from 1.
    pub number: usize,
    /// How many steps there are.
    pub total: usize,
    /// How often the step was done: 1 at first, and 1 more for each repetition.
    pub turn: u64,
    /// The reply, without the text that carried its score. Of a long one, the beginning and the end, 64 KiB together.
    pub words: String,
    /// The score of the reply.
    pub score: ConfidenceScore,
    /// The reply to the file before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub input: String,
    /// Whether a part of the reply is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// Whether the output comes from a journal, because its run is resumed.
    #[serde(skip_serializing, default = "stored")]
    pub is_stored: bool,
}

const fn stored() -> bool {
    true
}

impl PipelineOutput {
    /// Returns whether this is the reply to the last file.
    pub const fn is_last(&self) -> bool {
        self.number == self.total
    }
}

/// The step and its file: `step 2 of 3, review.md`.
impl fmt::Display for PipelineOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of {}, {}", self.number, self.total, self.file)
    }
}

impl OutputText for PipelineOutput {
    fn excerpt(&self, max_bytes: usize) -> String {
        self.words.excerpt(max_bytes)
    }

    fn last_words(&self, max_bytes: usize) -> String {
        self.words.last_words(max_bytes)
    }
}

impl ReviewableOutput for PipelineOutput {}

/// An iteration that sends the next file of a pipeline to its agent, with the reply to the file before.
///
/// If the reply states no confidence, the agent is asked for it once. A reply that the gate does not pass repeats its step.
/// An agent that fails ends the run with the reason [`STEP_FAILED`], and a resumed run repeats that step alone.
///
/// ```
/// use loop_agents::{
///     chat::{Chat, ChatAgent, ScriptedModel},
///     pipeline::{ConfidenceGate, PipelineEvaluator, PipelineExecution, PipelineFile, PipelineOutput},
///     review::ChatWorker,
/// };
/// use loop_core::{JudgedStep, Loop, condition_fn, evaluator_passed};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new()
///     .says("Roses.\n{\"confidence\": 0.9}")
///     .says("Roses are red.\nConfidence: 85%");
/// let worker = || ChatWorker::new(ChatAgent::new(Chat::new(model.clone())));
/// let gate = ConfidenceGate::at_least(0.8)?;
/// let pipeline = PipelineExecution::new(gate)
///     .then(PipelineFile::parse("topic.md", "Name a flower.")?, worker())
///     .then(PipelineFile::parse("poem.md", "Write a line about it.")?, worker());
/// let is_last = condition_fn(|step: &JudgedStep<PipelineOutput>, _| {
///     step.output().is_some_and(PipelineOutput::is_last)
/// });
/// let report = Loop::new(pipeline)
///     .evaluate(PipelineEvaluator::new(gate))
///     .until(evaluator_passed().and(is_last))
///     .at_most(2)
///     .run()
///     .await?;
/// assert_eq!(report.output().map(|output| output.words.as_str()), Some("Roses are red."));
/// # Ok(()) }
/// ```
pub struct PipelineExecution {
    steps: Vec<PipelineStep>,
    gate: ConfidenceGate,
    /// The source of `{memory}`, if there is one.
    memory: Option<PromptMemory>,
}

/// A file and the agent that answers it.
struct PipelineStep {
    file: PipelineFile,
    worker: Box<dyn Worker>,
}

/// The next step, and what it is given.
struct NextStep<'a> {
    index: usize,
    turn: u64,
    input: &'a str,
    /// Why the last reply to this file did not pass.
    earlier: Option<String>,
}

impl PipelineExecution {
    /// Creates a pipeline without files. The gate is that of its [`PipelineEvaluator`](super::PipelineEvaluator).
    pub const fn new(gate: ConfidenceGate) -> Self {
        Self { steps: Vec::new(), gate, memory: None }
    }

    /// Sets the source of `{memory}` in the files. Without one, it is replaced by nothing.
    #[must_use]
    pub fn memory(self, memory: Option<PromptMemory>) -> Self {
        Self { memory, ..self }
    }

    /// Adds a file after the others, and the agent that answers it.
    #[must_use]
    pub fn then(mut self, file: PipelineFile, worker: impl Worker + 'static) -> Self {
        self.steps.push(PipelineStep { file, worker: Box::new(worker) });
        self
    }

    /// Returns the prompt that an iteration with this context is given; empty after the last file.
    pub fn prompt_in(&self, cx: &IterationContext<PipelineOutput>) -> String {
        let NextStep { index, input, earlier, .. } = self.next(cx);
        let file = self.steps.get(index).map(|step| &step.file);
        let memory = self.memory.as_ref();
        file.map(|file| prompt::step(file, input, earlier.as_deref(), memory)).unwrap_or_default()
    }

    fn next<'a>(&self, cx: &'a IterationContext<PipelineOutput>) -> NextStep<'a> {
        let Some(output) = cx.last_output() else {
            return NextStep { index: 0, turn: 1, input: "", earlier: None };
        };
        match self.gate.obstacle(output) {
            None => NextStep { index: output.number, turn: 1, input: &output.words, earlier: None },
            Some(why) => {
                let (index, turn) = (output.number.saturating_sub(1), output.turn + 1);
                let why = output.score.reason.clone().unwrap_or(why);
                NextStep { index, turn, input: &output.input, earlier: Some(why) }
            }
        }
    }
}

#[async_trait]
impl Iteration for PipelineExecution {
    type Output = PipelineOutput;

    async fn run(&mut self, cx: IterationContext<PipelineOutput>) -> Result<PipelineOutput, WorkError> {
        let NextStep { index, turn, input, earlier } = self.next(&cx);
        let total = self.steps.len();
        let Some(PipelineStep { file, worker }) = self.steps.get_mut(index) else {
            return Err(
                Halt::new(StopReason::Failed, format!("the pipeline has no step {}", index + 1)).into()
            );
        };
        let name = format!("step {} of {total}, {}", index + 1, file.path());
        let prompt = prompt::step(file, input, earlier.as_deref(), self.memory.as_ref());
        let reply = answer(worker, prompt.clone(), &cx).await;
        let reply = reply.map_err(|error| failed(&name, error, &cx))?;
        let is_cut = reply.len() > SAID_BYTES;
        let ScoredReply { score, words } = match ScoredReply::of(&reply) {
            Some(scored) => scored,
            None => ScoredReply {
                score: ask(worker, &prompt, &reply, &cx).await?,
                words: reply.trim().to_owned(),
            },
        };
        cx.mark(OUTPUT_MARK, fingerprint(words.len() as u64, &[words.as_bytes()]));
        let (file, input) = (file.path().to_owned(), input.to_owned());
        Ok(PipelineOutput {
            file,
            number: index + 1,
            total,
            turn,
            words,
            score,
            input,
            is_cut,
            is_stored: false,
        })
    }
}

/// Asks an agent, and returns its reply. An agent that fails has none.
async fn answer(
    worker: &mut Box<dyn Worker>,
    prompt: String,
    cx: &IterationContext<PipelineOutput>,
) -> Result<String, WorkError> {
    let mut actions = ActionLog::default();
    let reply = worker.work(prompt, &mut actions, cx.part()).await?;
    match actions.failure {
        Some(failure) => Err(WorkError::failed(format!("the agent {failure}"))),
        None => Ok(reply),
    }
}

/// Finds the score of a reply that states none: asks the agent once, or else guesses.
async fn ask(
    worker: &mut Box<dyn Worker>,
    prompt: &str,
    reply: &str,
    cx: &IterationContext<PipelineOutput>,
) -> Result<ConfidenceScore, WorkError> {
    // A model that said nothing has nothing to be confident of.
    let score = match reply.trim() {
        "" => None,
        _ => {
            let question = prompt::ask((!worker.continue_next()).then_some((prompt, reply)));
            match answer(worker, question, cx).await {
                Ok(answer) => ConfidenceScore::answered(&answer),
                Err(WorkError::Failed(_)) if !cx.is_cancelled() => None,
                Err(error) => return Err(error),
            }
        }
    };
    Ok(score.unwrap_or_else(|| ConfidenceScore::guessed(reply)))
}

/// Ends a run whose agent failed: to send the file again is for a person to decide.
fn failed(step: &str, error: WorkError, cx: &IterationContext<PipelineOutput>) -> WorkError {
    match error {
        WorkError::Failed(why) if !cx.is_cancelled() => {
            let message = format!(
                "{step}: {}\nTo repeat this step: `loop resume --add-iterations 1`",
                with_causes(&*why)
            );
            Halt::new(StopReason::custom(STEP_FAILED), message).blockable(true).into()
        }
        other => other,
    }
}

impl fmt::Debug for PipelineExecution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipelineExecution").field("files", &self.steps.len()).finish_non_exhaustive()
    }
}
