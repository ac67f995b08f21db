//! An evaluator that runs a command in a sealed tree.

use std::{
    collections::BTreeSet,
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use loop_agents::shell::CommandEvaluator;
use loop_core::{
    EvaluationContext, Evaluator, EvaluatorError, Halt, StopReason, Verdict, WorkError, with_causes,
};
use loop_guardrails::stagnation::{JUDGED_MARK, PUT_BACK_MARK};

use super::{
    floor::{TestsRun, has_count, shortage},
    moving::{moved, moved_plan},
    named::NamedPaths,
    noted_output::NotedOutput,
    protected::ProtectedPaths,
    runners::{PYTEST_OPTIONS, go_flags, is_test_runner, pytest_options, to_the_end},
    surroundings::Surroundings,
    tree::{Prepared, RunTree, SealNotes, place, put_back, put_back_parts},
    verdict::{explained, for_agent, for_people, list, refused, why_it_may_fail, with_more},
};
use crate::{
    compose::{AgentOutput, ComposeError, observe_check_output},
    context::ExecutionContext,
    plan::{OnProtectedChange, Plan, SealPlan},
    snapshots::{FolderSnapshots, SnapshotError},
};

/// A command that judges states of the folder in a sealed tree.
///
/// The first evaluation must be that of the state before the first iteration. It makes the tree, and counts the tests.
pub(crate) struct SealedCheck {
    run: SealedRun,
    open: Option<OpenCheck>,
}

/// The parts that stay the same during a run.
pub(super) struct SealedRun {
    pub(super) plan: Plan,
    pub(super) seal: SealPlan,
    pub(super) line: String,
    pub(super) cx: ExecutionContext,
    folder: FolderSnapshots,
    pub(super) place: PathBuf,
    /// The paths that the command named before the first iteration, if the folder may be another one since.
    pub(super) named: Option<NamedPaths>,
}

/// The check after the tree was made.
pub(super) struct OpenCheck {
    pub(super) tree: RunTree,
    command: CommandEvaluator,
    /// The command for the state before the first iteration.
    first_command: CommandEvaluator,
    setup: Option<CommandEvaluator>,
    output: NotedOutput,
    may_move: Arc<AtomicBool>,
    sealed_cx: ExecutionContext,
    pub(super) notes: SealNotes,
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
        let (plan, seal, cx) = (plan.clone(), seal.clone(), cx.clone());
        Ok(Self { run: SealedRun { plan, seal, line, cx, folder, place, named: None }, open: None })
    }

    /// Judges the states in `folder` at `place`, after the run. `named` is what the command named before the first iteration.
    /// Nothing is put back into the folder.
    pub(super) fn in_fresh_place(
        mut self,
        folder: FolderSnapshots,
        place: PathBuf,
        named: NamedPaths,
    ) -> Self {
        self.run.seal.on_change = OnProtectedChange::Keep;
        self.run = SealedRun { folder, place, named: Some(named), ..self.run };
        self
    }
}

impl SealedRun {
    /// Makes the tree, and the command in it.
    async fn open(&self, cx: EvaluationContext<AgentOutput>) -> Result<OpenCheck, WorkError> {
        let number = cx.iteration();
        let (noted, mut named) = self.named(number).await?;
        if noted.is_none() {
            named = self.with_modules(named, cx).await?;
        }
        let (seal, cx, place, line) =
            (self.seal.clone(), self.cx.clone(), self.place.clone(), self.line.clone());
        let (tree, may_move, sealed_cx, notes) = self
            .blocking(move |folder, run| {
                let protected = ProtectedPaths::of(&seal, &named, &cx);
                let may_move = protected.moves();
                let tree = RunTree::open(folder, run, &place, number == 0, protected)?;
                let sealed_cx =
                    cx.in_sealed(&tree.tree().folder(), &tree.temporary(), tree.tree().relocation());
                let surroundings = Surroundings::of(&tree.tree().folder(), &line, &sealed_cx);
                let notes =
                    noted.unwrap_or(SealNotes { named, surroundings, tests: None, touched: BTreeSet::new() });
                Ok((tree, may_move, sealed_cx, notes))
            })
            .await?;
        let output = NotedOutput::default();
        let mut plan = moved_plan(&self.plan, tree.tree().relocation());
        let variables = &mut plan.agent.env.set;
        let go_flags = go_flags(variables.get("GOFLAGS").map(String::as_str), &sealed_cx);
        variables.insert("GOFLAGS".to_owned(), go_flags);
        let mut first_plan = plan.clone();
        let pytest_options =
            pytest_options(plan.agent.env.set.get(PYTEST_OPTIONS).map(String::as_str), &sealed_cx);
        first_plan.agent.env.set.insert(PYTEST_OPTIONS.to_owned(), pytest_options);
        let make = |line: &str| plan.command_that_judges(line, &sealed_cx);
        let noting = |plan: &Plan, line: &str| {
            let command = plan.command_that_judges(line, &sealed_cx)?;
            Ok(observe_check_output(command, &sealed_cx, output.listener()))
        };
        let failed = |error: ComposeError| WorkError::from(failed(&with_causes(&error)));
        let line = moved(&self.line, tree.tree().relocation());
        let (command, first_command) =
            (noting(&plan, &line).map_err(failed)?, noting(&first_plan, &to_the_end(&line)).map_err(failed)?);
        let setup = self.seal.setup.as_deref().map(make).transpose().map_err(failed)?;
        let setup = setup.map(|setup| observe_check_output(setup, &sealed_cx, |_| {}));
        Ok(OpenCheck { tree, command, first_command, setup, output, may_move, sealed_cx, notes })
    }

    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FolderSnapshots, &str) -> Result<T, SnapshotError> + Send + 'static,
    ) -> Result<T, WorkError> {
        let done = self.folder.blocking(self.cx.supervisor().run(), work).await;
        done.map_err(|error| failed(&with_causes(&error)).into())
    }

    /// Works with the tree off the executor's threads.
    pub(super) async fn with_tree<T: Send + 'static>(
        &self,
        mut open: OpenCheck,
        work: impl FnOnce(&mut RunTree, &FolderSnapshots, &str) -> Result<T, SnapshotError> + Send + 'static,
    ) -> Result<(OpenCheck, T), WorkError> {
        let mut tree = open.tree;
        let worked = self.blocking(move |folder, run| {
            let done = work(&mut tree, folder, run)?;
            Ok((tree, done))
        });
        let (tree, done) = worked.await?;
        open.tree = tree;
        Ok((open, done))
    }

    /// Judges one state in the tree. Returns the tree with the verdict.
    async fn judge(
        &self,
        open: OpenCheck,
        cx: EvaluationContext<AgentOutput>,
    ) -> Result<(OpenCheck, Verdict), WorkError> {
        let number = cx.iteration();
        let (sealed_cx, line) = (open.sealed_cx.clone(), self.line.clone());
        let is_counted = has_count(self.seal.min_tests, open.notes.tests.as_ref());
        let may_move = is_counted && self.seal.on_change != OnProtectedChange::Halt;
        open.may_move.store(may_move, Ordering::Relaxed);
        let prepared = self.with_tree(open, move |tree, folder, run| {
            let prepared = tree.prepare(folder, run, number)?;
            Ok((prepared, Surroundings::of(&tree.tree().folder(), &line, &sealed_cx)))
        });
        let (mut open, (prepared, surroundings)) = prepared.await?;
        let is_put_back = self.treat_changes(number, &open.tree, &prepared).await?;
        if number > 0 {
            cx.mark(JUDGED_MARK, open.tree.tree().fingerprint());
        }
        if is_put_back && !prepared.renewed.put_back.is_empty() {
            cx.mark(PUT_BACK_MARK, hash_of(&prepared.renewed.put_back));
        }
        if let Some(why) = self.changed_surroundings(&open.notes, &surroundings) {
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
            let why;
            (open, why) = self.tampering(open, "`evaluator.setup`").await?;
            if let Some(why) = why {
                return Ok((open, refused(&verdict, &why)));
            }
        }
        open.output.clear();
        let command = if number == 0 { &mut open.first_command } else { &mut open.command };
        let verdict = command.evaluate(cx.clone()).await.map_err(|error| explained(error, &prepared))?;
        let tests = TestsRun::of(&open.output.text());
        let (open, verdict) = match number {
            0 => self.first_verdict(open, tests, verdict, cx).await?,
            _ if verdict.passed() => self.counted(open, &tests, verdict).await?,
            _ => (open, verdict),
        };
        let mut verdict = with_more(verdict, for_agent(&prepared, is_put_back));
        if let Some(why) = why_it_may_fail(&prepared, open.setup.is_some()).filter(|_| !verdict.passed()) {
            self.cx.warn(&why);
            verdict = with_more(verdict, Some(why));
        }
        Ok((open, verdict))
    }

    /// Does what the plan says about changed protected files. Returns whether they were put back.
    async fn treat_changes(
        &self,
        number: u64,
        tree: &RunTree,
        prepared: &Prepared,
    ) -> Result<bool, WorkError> {
        let changed = prepared.renewed.put_back.clone();
        // A table of TOML would lose its comments.
        let is_package = |path: &&PathBuf| path.file_name().is_some_and(|name| name == "package.json");
        let in_part: Vec<_> = prepared.renewed.put_back_in_part.iter().filter(is_package).cloned().collect();
        let has_changes = !changed.is_empty() || !in_part.is_empty();
        let mut is_put_back = self.seal.on_change == OnProtectedChange::Restore && has_changes;
        if self.seal.on_change == OnProtectedChange::Halt && !changed.is_empty() {
            let why = format!("iteration {number} changed protected files: {}", list(&changed));
            return Err(Halt::new(StopReason::ProtectedPathChanged, why).into());
        }
        if is_put_back {
            let tree = tree.tree().folder();
            let work = move |folder: &FolderSnapshots, run: &str| {
                put_back(folder, run, &changed)?;
                put_back_parts(folder.folder(), &tree, &in_part)
            };
            // The tree of the check has the right ones anyway.
            if let Err(error) = self.folder.blocking(self.cx.supervisor().run(), work).await {
                self.cx.warn(&format!("protected files cannot be put back: {}", with_causes(&error)));
                is_put_back = false;
            }
        }
        for warning in for_people(prepared, number, is_put_back) {
            self.cx.warn(&warning);
        }
        Ok(is_put_back)
    }

    /// Turns a pass with too few tests into a fail.
    async fn counted(
        &self,
        open: OpenCheck,
        tests: &TestsRun,
        verdict: Verdict,
    ) -> Result<(OpenCheck, Verdict), WorkError> {
        let (open, why) = self.tampering(open, "the check").await?;
        if let Some(why) = why {
            return Ok((open, refused(&verdict, &why)));
        }
        let unknown = TestsRun::default();
        let first = open.notes.tests.as_ref().unwrap_or(&unknown);
        let verdict = match shortage(self.seal.min_tests, is_test_runner(&self.line), first, tests) {
            Some(why) => refused(&verdict, &format!("the check exited with 0, but {why}")),
            None => verdict,
        };
        Ok((open, verdict))
    }

    /// Returns what outside of the folder is not as it was, and decides how the check judges.
    fn changed_surroundings(&self, notes: &SealNotes, now: &Surroundings) -> Option<String> {
        let why = format!(
            "{} is not as it was when the run began, and it decides how the check judges: bring it back, or begin a new run",
            now.change_since(&notes.surroundings)?
        );
        self.cx.warn(&why);
        Some(why)
    }

    /// Returns which protected files of the tree are not what they have to be.
    async fn tampering(&self, open: OpenCheck, by: &str) -> Result<(OpenCheck, Option<String>), WorkError> {
        let touched = open.notes.touched.clone();
        let (open, changed) = self.with_tree(open, move |tree, _, _| tree.tampered(&touched)).await?;
        if changed.is_empty() {
            return Ok((open, None));
        }
        let why = format!("{by} changed files that judge, so its result does not count: {}", list(&changed));
        self.cx.warn(&why);
        Ok((open, Some(why)))
    }
}

#[async_trait]
impl Evaluator<AgentOutput> for SealedCheck {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        let number = cx.iteration();
        let open = match self.open.take() {
            Some(open) => open,
            None => self.run.open(cx.clone()).await?,
        };
        let (mut open, verdict) = self.run.judge(open, cx).await?;
        if number == 0 && !verdict.passed() {
            (open, ()) = self.run.with_tree(open, |tree, folder, _| tree.keep_built(folder)).await?;
        }
        self.open = Some(open);
        Ok(verdict)
    }
}

fn hash_of(paths: &[PathBuf]) -> u64 {
    let mut hasher = DefaultHasher::new();
    paths.hash(&mut hasher);
    hasher.finish()
}

pub(super) fn failed(why: &str) -> Halt {
    Halt::new(StopReason::Failed, format!("the sealed check cannot judge: {why}"))
}
