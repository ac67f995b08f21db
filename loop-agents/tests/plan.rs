//! Plans through real tools: what decides about a step, and what survives a death.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use loop_agents::{
    chat::{Chat, ChatAgent, ScriptedModel},
    plan::{BLOCKED, PlanDocument, PlanEvaluator, PlanExecution, PlanFile, StepOutput, ToolChecks, UNUSABLE},
    review::{ChatWorker, ShellWorker, WorkTree, Worker},
    shell::{Shell, ShellAgent},
    tools::Toolbox,
};
use loop_core::{
    BoxError, Event, EventKind, Journal, JournalSync, Loop, Report, StopReason, WorkError, evaluator_passed,
};
use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
use serde_json::json;

/// A folder with a plan.
struct Scenario {
    folder: tempfile::TempDir,
    keep_going: bool,
}

impl Scenario {
    fn new(plan: &str) -> Self {
        let scenario = Self { folder: tempfile::tempdir().expect("a folder"), keep_going: false };
        scenario.file().write(&PlanDocument::parse(plan, "").expect("a plan")).expect("a file");
        scenario
    }

    fn file(&self) -> PlanFile {
        PlanFile::at(self.folder.path().join("plan.md"))
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file().path()).expect("a file")
    }

    fn plan(
        &self,
        make: impl FnMut(Option<&str>) -> Result<Box<dyn Worker>, WorkError> + Send + 'static,
    ) -> Loop<PlanExecution, loop_core::JudgedStep<StepOutput>, loop_core::Bounded> {
        let checks = ToolChecks::new(tools(self.folder.path()))
            .custom([("fine".to_owned(), "test -e made".to_owned())].into(), shell(self.folder.path()));
        let evaluator = PlanEvaluator::new(self.file(), checks).keep_going(self.keep_going);
        Loop::new(PlanExecution::new(self.file(), make))
            .evaluate(evaluator)
            .until(evaluator_passed())
            .at_most(12)
    }

    /// Runs the plan with a model that follows this script.
    async fn run(&self, model: &ScriptedModel) -> Report<StepOutput> {
        let (folder, model) = (self.folder.path().to_owned(), model.clone());
        self.plan(move |_| Ok(worker(&folder, &model))).run().await.expect("a loop")
    }
}

fn shell(folder: &Path) -> Shell {
    Shell::new().dir(folder).inherit_env([("PATH", "/usr/bin:/bin")])
}

fn tools(folder: &Path) -> Toolbox {
    let workspace = Workspace::open(folder, ActionPolicy::default()).expect("a workspace");
    Toolbox::standard(workspace).environment([("PATH", "/usr/bin:/bin")], &EnvironmentPolicy::new())
}

fn worker(folder: &Path, model: &ScriptedModel) -> Box<dyn Worker> {
    Box::new(ChatWorker::new(ChatAgent::new(Chat::new(model.clone()).tools(tools(folder)))))
}

/// A model that writes a file, and then says so.
fn writing(model: ScriptedModel, path: &str) -> ScriptedModel {
    model.calls("write_file", json!({ "path": path, "content": "text" })).says("written")
}

#[tokio::test]
async fn each_step_is_a_conversation_of_its_own_and_a_repair_continues_it() {
    let scenario =
        Scenario::new("- [ ] Make it [validate: file_exists made]\n- [ ] Look [validate: contains fine]\n");
    let model = writing(ScriptedModel::new().says("I am done."), "made").says("all fine");
    let report = scenario.run(&model).await;
    assert!(report.is_success(), "{:?}", report.ending());
    assert_eq!((report.iterations(), scenario.text().matches("[x]").count()), (3, 2));
    let counts: Vec<_> = model.requests().iter().map(|request| request.messages.len()).collect();
    assert_eq!(counts, [1, 3, 4, 1]);
    let requests = model.requests();
    let repair = requests[1].messages[2].text();
    assert!(repair.contains("`file_exists made` does not pass:\nmade does not exist"), "{repair}");
    let step = requests[3].messages[0].text();
    assert!(
        step.contains("- [x] Make it") && step.contains("Do step 2 of 2 now, and no other step: Look"),
        "{step}"
    );
}

#[tokio::test]
async fn a_step_is_blocked_after_its_repairs_and_nothing_after_it_is_begun() {
    let scenario = Scenario::new("- [ ] Make it [validate: command ls made]\n- [ ] Look\n");
    let model = ScriptedModel::new().says("one").says("two").says("three").says("never asked");
    let report = scenario.run(&model).await;
    assert_eq!(report.ending().reason(), Some(&StopReason::custom(BLOCKED)));
    assert_eq!((report.iterations(), model.requests().len()), (3, 3));
    assert_eq!(scenario.text(), "- [!] Make it [validate: command ls made]\n- [ ] Look\n");
    let message = report.ending().message();
    assert!(message.contains("step 1 of 2 is blocked: Make it"), "{message}");
}

#[tokio::test]
async fn a_validation_that_is_refused_blocks_its_step_at_once() {
    for validation in ["command rm made", "file_exists ../made", "custom gone"] {
        let scenario = Scenario::new(&format!("- [ ] Make it [validate: {validation}]\n"));
        let model = ScriptedModel::new().says("one").says("never asked");
        let report = scenario.run(&model).await;
        assert_eq!((report.iterations(), model.requests().len()), (1, 1), "{validation}");
        let message = report.ending().message();
        assert!(message.contains("cannot be made. No repair would change that"), "{message}");
    }
}

#[tokio::test]
async fn a_plan_that_is_begun_again_ends_before_the_steps_after_a_blocked_one() {
    const PLAN: &str = "- [x] One\n- [!] Two\n- [ ] Three [validate: contains fine]\n";
    for (keep_going, iterations, mark) in [(false, 0, ' '), (true, 1, 'x')] {
        let scenario = Scenario { keep_going, ..Scenario::new(PLAN) };
        let (folder, model) = (scenario.folder.path().to_owned(), ScriptedModel::new().says("fine"));
        let plan = scenario.plan(move |_| Ok(worker(&folder, &model))).evaluate_first(StepOutput::default());
        let report = plan.run().await.expect("a loop");
        assert_eq!(report.ending().reason(), Some(&StopReason::custom(BLOCKED)));
        assert_eq!(report.iterations(), iterations);
        assert_eq!(scenario.text(), PLAN.replace("[ ]", &format!("[{mark}]")));
    }
}

#[tokio::test]
async fn calls_decide_about_a_step_without_validations() {
    let fails =
        |model: ScriptedModel| model.calls("run_command", json!({ "command": "ls gone" })).says("did it");
    let asked = "You made no call";
    for (model, mark, requests, message) in [
        (writing(ScriptedModel::new(), "a"), 'x', 2, ""),
        (fails(ScriptedModel::new()), '!', 2, "run_command(ls gone): it exited with 2"),
        (ScriptedModel::new().says("did it").says("really"), '!', 2, "nothing was done"),
        (writing(ScriptedModel::new().says("did it"), "a"), 'x', 3, ""),
    ] {
        let scenario = Scenario::new("- [ ] Do it\n");
        let report = scenario.run(&model).await;
        assert_eq!(scenario.text(), format!("- [{mark}] Do it\n"));
        assert_eq!(model.requests().len(), requests);
        assert!(report.ending().message().contains(message), "{}", report.ending().message());
        let was_asked = model
            .requests()
            .iter()
            .any(|request| request.messages.last().is_some_and(|message| message.text().contains(asked)));
        assert_eq!(was_asked, requests == 3 || message.contains("nothing"), "{message}");
    }
}

#[tokio::test]
async fn later_steps_are_performed_if_the_plan_keeps_going() {
    let mut scenario =
        Scenario::new("- [ ] One [validate: custom gone]\n- [ ] Two [validate: custom fine]\n");
    scenario.keep_going = true;
    let model = ScriptedModel::new().says("a").says("b").says("c");
    let report = scenario.run(&writing(model, "made")).await;
    assert_eq!(report.ending().reason(), Some(&StopReason::custom(BLOCKED)));
    assert!(
        scenario.text().starts_with("- [!] One") && scenario.text().contains("- [x] Two"),
        "{}",
        scenario.text()
    );
}

#[tokio::test]
async fn an_agent_cannot_set_the_states_and_a_persons_new_step_counts() {
    let scenario =
        Scenario::new("- [ ] One [validate: file_exists one]\n- [ ] Two [validate: file_exists two]\n");
    // The command plays the agent that cheats, and the person who adds a step.
    let line = r"cat >/dev/null; touch one; sed -i 's/\[ \]/[x]/; $a- [x] Three [validate: file_exists one]' plan.md";
    let folder = scenario.folder.path().to_owned();
    let make = move |_: Option<&str>| {
        let shell = shell(&folder);
        let agent = ShellAgent::new(line).map_err(WorkError::failed)?.shell(shell.clone());
        Ok(Box::new(ShellWorker::new(agent, WorkTree::at(&folder, &shell))) as Box<dyn Worker>)
    };
    let report = scenario.plan(make).at_most(1).run().await.unwrap();
    let expected = "- [x] One [validate: file_exists one]\n- [ ] Two [validate: file_exists two]\n\
                    - [ ] Three [validate: file_exists one]\n";
    assert_eq!(scenario.text(), expected);
    let restored = report.last_output().and_then(|output| output.restored.as_deref());
    assert!(
        restored.is_some_and(|note| note.contains("states in the plan's file were changed")),
        "{restored:?}"
    );
}

#[tokio::test]
async fn an_agent_cannot_remove_the_validation_of_its_step() {
    for rest in ["- [ ] Two\n", ""] {
        removes_validation(rest).await;
    }
}

async fn removes_validation(rest: &str) {
    let scenario = Scenario::new(&format!("- [ ] One [validate: file_exists never]\n{rest}"));
    let line = r"cat >/dev/null; sed -i 's/ \[validate: file_exists never\]//' plan.md; echo done";
    let folder = scenario.folder.path().to_owned();
    let make = move |_: Option<&str>| {
        let shell = shell(&folder);
        let agent = ShellAgent::new(line).map_err(WorkError::failed)?.shell(shell.clone());
        Ok(Box::new(ShellWorker::new(agent, WorkTree::at(&folder, &shell))) as Box<dyn Worker>)
    };
    let report = scenario.plan(make).at_most(9).run().await.expect("a report");
    assert_eq!(report.reason(), Some(&StopReason::custom(BLOCKED)));
    assert_eq!(report.iterations(), 3);
    assert_eq!(scenario.text(), format!("- [!] One [validate: file_exists never]\n{rest}"));
    let restored = report.last_output().and_then(|output| output.restored.as_deref());
    assert!(restored.is_some_and(|note| note.contains("title of the step")), "{restored:?}");
}

#[tokio::test]
async fn a_person_can_edit_the_plan_during_a_validation() {
    let scenario = Scenario::new("- [ ] One [validate: custom edits]\n");
    let edits = "echo '- [ ] Two [validate: custom edits]' >>plan.md; touch made";
    let folder = scenario.folder.path();
    let checks =
        ToolChecks::new(tools(folder)).custom([("edits".to_owned(), edits.to_owned())].into(), shell(folder));
    let output = PlanExecution::new(scenario.file(), {
        let (folder, model) = (folder.to_owned(), ScriptedModel::new().says("did it"));
        move |_| Ok(worker(&folder, &model))
    });
    let evaluator = PlanEvaluator::new(scenario.file(), checks);
    let report =
        Loop::new(output).evaluate(evaluator).until(evaluator_passed()).at_most(1).run().await.unwrap();
    assert!(!report.is_success());
    let expected = "- [x] One [validate: custom edits]\n- [ ] Two [validate: custom edits]\n";
    assert_eq!(scenario.text(), expected);
}

#[tokio::test]
async fn a_plan_that_cannot_be_read_ends_the_run() {
    let scenario = Scenario::new("- [ ] One\n");
    fs::write(scenario.file().path(), "nothing").unwrap();
    let report = scenario.run(&ScriptedModel::new()).await;
    assert_eq!(report.ending().reason(), Some(&StopReason::custom(UNUSABLE)));
    let message = report.ending().message();
    assert!(message.contains("the plan has no steps") && message.contains("Correct the file"), "{message}");
}

/// A journal in memory that fails after a number of events, as if the process had died.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Stored>>);

/// The events, the last output, and the number of events at which the journal fails.
type Stored = (Vec<Event>, Option<StepOutput>, usize);

impl Memory {
    fn state(&self) -> std::sync::MutexGuard<'_, Stored> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal<StepOutput> for Memory {
    fn append(&mut self, events: &[Event], output: Option<&StepOutput>) -> Result<(), BoxError> {
        let mut state = self.state();
        if state.0.len() + events.len() > state.2 {
            return Err("the power is off".into());
        }
        state.0.extend_from_slice(events);
        if let Some(output) = output {
            state.1 = Some(output.clone());
        }
        Ok(())
    }

    fn sync(&mut self) -> JournalSync {
        Box::pin(async { Ok(()) })
    }

    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<StepOutput>, BoxError> {
        let state = self.state();
        state.0.iter().for_each(each);
        Ok(state.1.clone())
    }
}

/// Wherever a run dies, the resumed one ends with every step done, and a step that was settled is not performed again.
#[tokio::test]
async fn a_plan_ends_complete_wherever_its_run_dies() {
    const STEPS: usize = 5;
    let mut dies_at = 2;
    loop {
        let plan: String =
            (1..=STEPS).map(|step| format!("- [ ] Step {step} [validate: file_exists {step}]\n")).collect();
        let scenario = Scenario::new(&plan);
        let memory = Memory::default();
        memory.state().2 = dies_at;
        let model = |from: usize| {
            (from..=STEPS).fold(ScriptedModel::new(), |model, step| writing(model, &step.to_string()))
        };
        let run = |model: &ScriptedModel| {
            let (folder, model) = (scenario.folder.path().to_owned(), model.clone());
            scenario.plan(move |_| Ok(worker(&folder, &model))).resume_from(memory.clone()).run()
        };
        let report = run(&model(1)).await.unwrap();
        if report.is_success() {
            break;
        }
        let is_end = |event: &&Event| matches!(event.kind, EventKind::IterationFinished { .. });
        let settled = memory.state().0.iter().filter(is_end).count();
        memory.state().2 = usize::MAX;
        // Only the step that was not settled is performed again, if it had been begun at all.
        let report = run(&model(settled + 1)).await.unwrap();
        assert!(report.is_success(), "died at {dies_at}: {:?}", report.ending());
        assert_eq!(scenario.text(), plan.replace("[ ]", "[x]"), "died at {dies_at}");
        assert_eq!(report.iterations(), STEPS as u64, "died at {dies_at}");
        dies_at += 1;
    }
    assert!(dies_at > 3 * STEPS, "{dies_at}");
}
