//! An evaluator that runs a command in a sealed tree.

use std::{
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use loop_agents::shell::CommandEvaluator;
use loop_core::{
    EvaluationContext, Evaluator, EvaluatorError, Halt, StopReason, Verdict, WorkError, with_causes,
};
use loop_guardrails::stagnation::PUT_BACK_MARK;
use loop_snapshots::Relocation;

use super::{
    floor::{TestsRun, is_test_runner, shortage, to_the_end},
    named::NamedPaths,
    protected::ProtectedPaths,
    surroundings::Surroundings,
    tree::{Prepared, RunTree, SealNotes, place, put_back},
    verdict::{explained, for_agent, for_people, list, refused, why_it_may_fail, with_more},
};
use crate::{
    compose::{AgentOutput, ComposeError, observe_check_output},
    context::ExecutionContext,
    plan::{OnProtectedChange, Plan, SealPlan},
    snapshots::{FolderSnapshots, SnapshotError},
};

/// The most output of a check in which tests are counted, in bytes.
const MOST_OUTPUT: usize = 16 << 20;

/// A command that judges states of the folder in a sealed tree.
///
/// The first evaluation must be that of the state before the first iteration. It makes the tree, and counts the tests.
pub(crate) struct SealedCheck {
    run: SealedRun,
    open: Option<OpenCheck>,
}

/// The parts that stay the same during a run.
struct SealedRun {
    plan: Plan,
    seal: SealPlan,
    line: String,
    cx: ExecutionContext,
    folder: FolderSnapshots,
    place: PathBuf,
}

/// The check after the tree was made.
struct OpenCheck {
    tree: RunTree,
    command: CommandEvaluator,
    /// The command for the state before the first iteration.
    first_command: CommandEvaluator,
    setup: Option<CommandEvaluator>,
    output: Arc<Mutex<Vec<u8>>>,
    sealed_cx: ExecutionContext,
    notes: SealNotes,
}

impl fmt::Debug for SealedCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedCheck").field("line", &self.run.line).finish_non_exhaustive()
    }
}

impl SealedCheck {
    /// Prepares the sealed check of a plan. Writes nothing.
    ///
    /// # Errors
    /// The context has no place for snapshots or copies.
    pub(crate) fn new(
        plan: &Plan,
        seal: &SealPlan,
        line: &str,
        cx: &ExecutionContext,
    ) -> Result<Self, ComposeError> {
        let folder = cx.snapshots(&plan.snapshots).ok_or(ComposeError::NoSnapshots)?;
        let place = place(cx).ok_or(ComposeError::NoPlaceForSeal)?;
        let line = line.to_owned();
        let run = SealedRun { plan: plan.clone(), seal: seal.clone(), line, cx: cx.clone(), folder, place };
        Ok(Self { run, open: None })
    }
}

impl SealedRun {
    /// Makes the tree, and the command in it.
    async fn open(&self, number: u64) -> Result<OpenCheck, WorkError> {
        // What the agent has left by now says nothing about the start.
        let noted = match number {
            0 => None,
            _ => Some(SealNotes::read(&self.place).map_err(|error| {
                failed(&format!("the notes of the first check cannot be read ({error}); begin a new run"))
            })?),
        };
        let find_named = || NamedPaths::of(&self.line, self.cx.folder());
        let named = noted.as_ref().map_or_else(find_named, |notes| notes.named.clone());
        let protected = ProtectedPaths::of(&self.seal, &self.line, &named, &self.cx);
        let place = self.place.clone();
        let tree =
            self.blocking(move |folder, run| RunTree::open(folder, run, &place, number == 0, protected));
        let tree = tree.await?;
        let sealed_cx = self.cx.in_sealed(&tree.tree().folder(), &tree.temporary(), tree.tree().relocation());
        let surroundings = Surroundings::of(&tree.tree().folder(), &sealed_cx);
        let notes = noted.unwrap_or(SealNotes { named, surroundings, tests: None });
        let output: Arc<Mutex<Vec<u8>>> = Arc::default();
        let moved = |text: &str| moved(text, tree.tree().relocation());
        let mut plan = self.plan.clone();
        plan.agent.env.set.values_mut().for_each(|value| *value = moved(value));
        let make = |line: &str| plan.command_that_judges(line, &sealed_cx);
        let noting = |line: &str| Ok(observe_check_output(make(line)?, &sealed_cx, note_in(&output)));
        let failed = |error: ComposeError| WorkError::from(failed(&with_causes(&error)));
        let line = moved(&self.line);
        let (command, first_command) =
            (noting(&line).map_err(failed)?, noting(&to_the_end(&line)).map_err(failed)?);
        let setup = self.seal.setup.as_deref().map(make).transpose().map_err(failed)?;
        let setup = setup.map(|setup| observe_check_output(setup, &sealed_cx, |_| {}));
        Ok(OpenCheck { tree, command, first_command, setup, output, sealed_cx, notes })
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FolderSnapshots, &str) -> Result<T, SnapshotError> + Send + 'static,
    ) -> Result<T, WorkError> {
        let done = self.folder.blocking(self.cx.supervisor().run(), work).await;
        done.map_err(|error| failed(&with_causes(&error)).into())
    }

    /// Judges one state in the tree. Returns the tree with the verdict.
    async fn judge(
        &self,
        mut open: OpenCheck,
        cx: EvaluationContext<AgentOutput>,
    ) -> Result<(OpenCheck, Verdict), WorkError> {
        let number = cx.iteration();
        let mut tree = open.tree;
        let prepared = self.blocking(move |folder, run| {
            let prepared = tree.prepare(folder, run, number)?;
            Ok((tree, prepared))
        });
        let (tree, prepared) = prepared.await?;
        open.tree = tree;
        let is_put_back = self.treat_changes(number, &prepared).await?;
        if is_put_back {
            cx.mark(PUT_BACK_MARK, hash_of(&prepared.renewed.put_back));
        }
        if let Some(why) = self.changed_surroundings(&open) {
            return Ok((open, refused(&Verdict::fail(), &why)));
        }
        let needs_setup = !prepared.dependencies.is_empty();
        if let Some(setup) = open.setup.as_mut().filter(|_| needs_setup) {
            let verdict = setup.evaluate(cx.clone()).await?;
            if !verdict.passed() {
                let why = format!(
                    "the command of `evaluator.setup` failed: {}",
                    self.seal.setup.as_deref().unwrap_or_default()
                );
                return Ok((open, refused(&verdict, &why)));
            }
            if let Some(why) = self.tampering(&open.tree, "`evaluator.setup`")? {
                return Ok((open, refused(&verdict, &why)));
            }
        }
        locked(&open.output).clear();
        let command = if number == 0 { &mut open.first_command } else { &mut open.command };
        let verdict = command.evaluate(cx.clone()).await.map_err(|error| explained(error, &prepared))?;
        let tests = TestsRun::of(&String::from_utf8_lossy(&locked(&open.output)));
        let verdict = match number {
            0 => self.first_verdict(&mut open, tests, verdict).await?,
            _ => self.counted(&open, &tests, verdict)?,
        };
        let mut verdict = with_more(verdict, for_agent(&prepared, is_put_back));
        if let Some(why) = why_it_may_fail(&prepared, open.setup.is_some()).filter(|_| !verdict.passed()) {
            self.cx.warn(&why);
            verdict = with_more(verdict, Some(why));
        }
        Ok((open, verdict))
    }

    /// Does what the plan says about changed protected files. Returns whether they were put back.
    async fn treat_changes(&self, number: u64, prepared: &Prepared) -> Result<bool, WorkError> {
        let changed = prepared.renewed.put_back.clone();
        let is_put_back = self.seal.on_change == OnProtectedChange::Restore && !changed.is_empty();
        if self.seal.on_change == OnProtectedChange::Halt && !changed.is_empty() {
            let why = format!("iteration {number} changed protected files: {}", list(&changed));
            return Err(Halt::new(StopReason::ProtectedPathChanged, why).into());
        }
        if is_put_back {
            self.blocking(move |folder, run| put_back(folder, run, &changed)).await?;
        }
        for warning in for_people(prepared, number, is_put_back) {
            self.cx.warn(&warning);
        }
        Ok(is_put_back)
    }

    /// Notes the tests that run before the first iteration, and refuses a pass that proves nothing.
    async fn first_verdict(
        &self,
        open: &mut OpenCheck,
        tests: TestsRun,
        verdict: Verdict,
    ) -> Result<Verdict, WorkError> {
        if verdict.passed() && tests.count == Some(0) {
            let why = format!("`{}` passes although no test ran: it would call any work done", self.line);
            return Err(failed(&why).into());
        }
        open.notes.tests = Some(tests);
        open.notes.write(&self.place).map_err(|error| failed(&with_causes(&error)))?;
        if !verdict.passed() {
            return Ok(verdict);
        }
        let evaluator = &self.plan.evaluator;
        let is_alone =
            evaluator.confidence.is_none() && evaluator.judge.is_none() && evaluator.review.is_none();
        Ok(if is_alone {
            verdict
        } else {
            Verdict::fail()
                .with_text(verdict.text())
                .with_feedback("the command passes; the other checks judge the first iteration")
        })
    }

    /// Turns a pass with too few tests into a fail.
    fn counted(&self, open: &OpenCheck, tests: &TestsRun, verdict: Verdict) -> Result<Verdict, WorkError> {
        if !verdict.passed() {
            return Ok(verdict);
        }
        if let Some(why) = self.tampering(&open.tree, "the check")? {
            return Ok(refused(&verdict, &why));
        }
        let unknown = TestsRun::default();
        let first = open.notes.tests.as_ref().unwrap_or(&unknown);
        Ok(match shortage(self.seal.min_tests, is_test_runner(&self.line), first, tests) {
            Some(why) => refused(&verdict, &format!("the check exited with 0, but {why}")),
            None => verdict,
        })
    }

    /// Returns what outside of the folder is not as it was, and decides how the check judges.
    fn changed_surroundings(&self, open: &OpenCheck) -> Option<String> {
        let now = Surroundings::of(&open.tree.tree().folder(), &open.sealed_cx);
        let why = format!(
            "{} is not as it was when the run began, and it decides how the check judges: bring it back, or begin a new run",
            now.change_since(&open.notes.surroundings)?
        );
        self.cx.warn(&why);
        Some(why)
    }

    /// Returns which protected files of the tree are not what they have to be.
    fn tampering(&self, tree: &RunTree, by: &str) -> Result<Option<String>, WorkError> {
        let changed = tree.tampered().map_err(|error| failed(&with_causes(&error)))?;
        if changed.is_empty() {
            return Ok(None);
        }
        let why = format!("{by} changed files that judge, so its result does not count: {}", list(&changed));
        self.cx.warn(&why);
        Ok(Some(why))
    }
}

#[async_trait]
impl Evaluator<AgentOutput> for SealedCheck {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        let number = cx.iteration();
        let open = match self.open.take() {
            Some(open) => open,
            None => self.run.open(number).await?,
        };
        let (mut open, verdict) = self.run.judge(open, cx).await?;
        if number == 0 && !verdict.passed() {
            let mut tree = open.tree;
            let kept = self.run.blocking(move |folder, _| tree.keep_built(folder).map(|()| tree));
            open.tree = kept.await?;
        }
        self.open = Some(open);
        Ok(verdict)
    }
}

/// Returns a text with paths into the tree in the place of those into the folder.
fn moved(text: &str, relocation: &Relocation) -> String {
    relocation.word(text.into()).into_string().unwrap_or_else(|_| text.to_owned())
}

/// Returns a listener that keeps the output of a check.
fn note_in(output: &Arc<Mutex<Vec<u8>>>) -> impl FnMut(&[u8]) + Send + use<> {
    let output = Arc::clone(output);
    move |bytes| {
        let mut output = locked(&output);
        let room = MOST_OUTPUT.saturating_sub(output.len());
        output.extend(bytes.iter().take(room));
    }
}

fn hash_of(paths: &[PathBuf]) -> u64 {
    let mut hasher = DefaultHasher::new();
    paths.hash(&mut hasher);
    hasher.finish()
}

fn locked(output: &Mutex<Vec<u8>>) -> std::sync::MutexGuard<'_, Vec<u8>> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(why: &str) -> Halt {
    Halt::new(StopReason::Failed, format!("the sealed check cannot judge: {why}"))
}
