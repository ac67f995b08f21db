//! Pipelines: the scores of replies, what a step is given, and what survives a death.

mod scores;

use std::{
    fs,
    sync::{Arc, Mutex, PoisonError},
};

use loop_agents::{
    chat::{Chat, ChatAgent, Reply, ScriptedModel},
    pipeline::{
        ConfidenceGate, NOT_PASSED, PipelineEvaluator, PipelineExecution, PipelineFile, PipelineFileError,
        PipelineOutput, STEP_FAILED, ScoreMethod,
    },
    review::ChatWorker,
};
use loop_core::{
    Bounded, BoxError, Event, Journal, JournalSync, JudgedStep, Loop, Report, StopReason, condition_fn,
    evaluator_passed,
};
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};

#[test]
fn a_file_names_its_model_at_the_beginning_of_a_line() {
    for (text, model, prompt) in [
        ("Hello.\n", None, "Hello."),
        ("Mail me@example.org.\n", None, "Mail me@example.org."),
        ("@gpt-5 Hello.\n", Some("gpt-5"), "Hello."),
        ("Hello.\n  @ollama:qwen3\nBye.\n", Some("ollama:qwen3"), "Hello.\n\nBye."),
        ("@a x\n@a\ty", Some("a"), "x\ny"),
        ("```\n@decorated\n```\n@ alone", None, "```\n@decorated\n```\n@ alone"),
    ] {
        let file = PipelineFile::parse("a.md", text).expect("a file");
        assert_eq!((file.model(), file.text()), (model, prompt), "{text:?}");
    }
    let error = |text: &str| PipelineFile::parse("a.md", text).expect_err("no file").to_string();
    assert_eq!(error("@a x\n@b y"), "a.md names two models, `@a` and `@b`: keep one of them");
    assert!(error(" @a \n").starts_with("a.md has no prompt"));
}

#[test]
fn a_file_is_read_under_the_rules_of_its_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = Workspace::open(folder.path(), ActionPolicy::default()).expect("a workspace");
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).expect("a file");
    write("most.md", &vec![b'a'; 64 * 1024]);
    write("more.md", &vec![b'a'; 64 * 1024 + 1]);
    write("bytes.md", b"\xff\xfe");
    assert_eq!(PipelineFile::read(&workspace, "most.md").expect("a file").text().len(), 64 * 1024);
    let error = |path: &str| PipelineFile::read(&workspace, path).expect_err("no file");
    assert!(matches!(error("more.md"), PipelineFileError::TooLong { .. }));
    assert!(matches!(error("bytes.md"), PipelineFileError::Read { .. }));
    for path in ["missing.md", "../out.md", "."] {
        assert!(matches!(error(path), PipelineFileError::Workspace(_)), "{path}");
    }
}

fn gate(threshold: f64) -> ConfidenceGate {
    ConfidenceGate::at_least(threshold).expect("a threshold")
}

/// A pipeline of the files `a.md`, `b.md`, ..., whose prompts are these.
fn pipeline(
    gate: ConfidenceGate,
    prompts: &[&str],
    model: &ScriptedModel,
) -> Loop<PipelineExecution, JudgedStep<PipelineOutput>, Bounded> {
    let names = ('a'..='z').map(|name| format!("{name}.md"));
    let execution = names.zip(prompts).fold(PipelineExecution::new(gate), |all, (name, prompt)| {
        let chat = Chat::new(model.clone()).system("Be brief.");
        all.then(PipelineFile::parse(name, prompt).expect("a file"), ChatWorker::new(ChatAgent::new(chat)))
    });
    let is_last = condition_fn(|step: &JudgedStep<PipelineOutput>, _| {
        step.output().is_some_and(PipelineOutput::is_last)
    });
    Loop::new(execution)
        .evaluate(PipelineEvaluator::new(gate))
        .until(evaluator_passed().and(is_last))
        .at_most(12)
}

async fn run(gate: ConfidenceGate, prompts: &[&str], model: &ScriptedModel) -> Report<PipelineOutput> {
    pipeline(gate, prompts, model).run().await.expect("a loop")
}

/// Returns the message of the halt, and its reason.
fn halt(report: &Report<PipelineOutput>) -> (StopReason, String) {
    let halt = report.ending().halt().expect("a halt");
    (halt.reason.clone(), halt.message.clone())
}

#[tokio::test]
async fn each_step_gets_the_reply_before_and_no_more() {
    let model = ScriptedModel::new()
        .says("One.\n{\"confidence\": 0.9}")
        .says("Two.\nConfidence: 80%")
        .says("Three.\n{\"confidence\": 0.8}");
    let report = run(gate(0.8), &["First.", "Second.", "Third."], &model).await;
    assert!(report.is_success());
    assert_eq!(report.iterations(), 3);
    let texts: Vec<_> = model
        .requests()
        .iter()
        .map(|request| {
            assert_eq!((request.messages.len(), request.system.as_deref()), (1, Some("Be brief.")));
            let text = request.messages[0].text().to_owned();
            text.rsplit_once("\n\nEnd your reply").expect("the request for a score").0.to_owned()
        })
        .collect();
    assert_eq!(texts, ["First.", "One.\n\n---\n\nSecond.", "Two.\n\n---\n\nThird."]);
    assert_eq!(
        report
            .last_step()
            .and_then(|step| step.verdict())
            .map(|verdict| verdict.text().to_owned())
            .as_deref(),
        Some("step 3 of 3, c.md: 0.80 (json), passed")
    );
}

#[tokio::test]
async fn a_reply_below_the_threshold_ends_the_pipeline_with_its_reason() {
    let model = ScriptedModel::new()
        .says("One.\n{\"confidence\": 0.9}")
        .says("Two.\n{\"confidence\": 0.4, \"reason\": \"I saw no source.\"}");
    let report = run(gate(0.855), &["First.", "Second.", "Third."], &model).await;
    let (reason, message) = halt(&report);
    assert_eq!(reason, StopReason::custom(NOT_PASSED));
    assert_eq!(
        message,
        "step 2 of 3, b.md: 0.40 (json), not passed: the threshold is 0.855\nI saw no source."
    );
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn a_step_is_repeated_with_the_reason_before_its_file() {
    let unsure = "Two?\n{\"confidence\": 0.4, \"reason\": \"I saw no source.\"}";
    let model = ScriptedModel::new()
        .says("One.\n{\"confidence\": 0.9}")
        .says(unsure)
        .says(unsure)
        .says("Two.\n{\"confidence\": 0.9}");
    let report = run(gate(0.8).retries(2), &["First.", "Second."], &model).await;
    assert!(report.is_success());
    let requests = model.requests();
    for request in &requests[2..] {
        let text = request.messages[0].text();
        let start =
            "One.\n\n---\n\nAn earlier reply to this was not confident enough: I saw no source.\n\nSecond.";
        assert!(text.starts_with(start), "{text}");
    }
    let model = ScriptedModel::new().says(unsure).says(unsure);
    let report = run(gate(0.8).retries(1), &["First."], &model).await;
    assert_eq!((halt(&report).0, report.iterations()), (StopReason::custom(NOT_PASSED), 2));
}

#[tokio::test]
async fn a_reply_without_a_score_is_asked_for_it_once() {
    let model = ScriptedModel::new().says("One.").says("0.9");
    let report = run(gate(0.8), &["First."], &model).await;
    assert!(report.is_success());
    let question = &model.requests()[1];
    assert_eq!(question.messages.len(), 3, "in the conversation");
    let score =
        report.output().map(|output| (output.score.value, output.score.method, output.words.as_str()));
    assert_eq!(score, Some((0.9, ScoreMethod::Asked, "One.")));
}

#[tokio::test]
async fn a_guess_passes_only_if_it_is_accepted() {
    let model = || ScriptedModel::new().says("One.").says("I would rather not say.");
    let report = run(gate(0.8), &["First."], &model()).await;
    let (reason, message) = halt(&report);
    assert_eq!(reason, StopReason::custom(NOT_PASSED));
    assert!(message.contains("0.80 (guessed), not passed: the reply states no confidence"), "{message}");
    assert!(run(gate(0.8).accept_guess(true), &["First."], &model()).await.is_success());
    assert!(!run(gate(0.81).accept_guess(true), &["First."], &model()).await.is_success());
}

#[tokio::test]
async fn an_empty_reply_passes_no_gate() {
    for reply in ["", " \n", "{\"confidence\": 1}"] {
        let model = ScriptedModel::new().replies(Reply::text(reply));
        let report = run(gate(0.1).accept_guess(true), &["First.", "Second."], &model).await;
        assert!(!report.is_success());
        let (_, message) = halt(&report);
        assert!(message.contains("the reply is empty"), "{message}");
        assert_eq!(model.requests().len(), 1);
    }
}

#[tokio::test]
async fn of_a_long_reply_the_ends_are_kept_and_that_is_told() {
    let long = format!("First words.{}Last words.\n{{\"confidence\": 1}}", "x".repeat(30 << 20));
    let model = ScriptedModel::new().says(long).says("Two.\n{\"confidence\": 1}");
    let report = run(gate(0.8), &["First.", "Second."], &model).await;
    assert!(report.is_success());
    let input = &report.output().expect("an output").input;
    assert!(input.len() < 65 * 1024 && input.starts_with("First words.") && input.ends_with("Last words."));
    assert!(input.contains("bytes left out"));
}

#[tokio::test]
async fn an_agent_that_fails_ends_the_pipeline() {
    let model = ScriptedModel::new().says("One.\n{\"confidence\": 1}");
    let report = run(gate(0.8), &["First.", "Second."], &model).await;
    assert_ne!(report.ending().reason(), Some(&StopReason::MaxIterations));
    assert_eq!(report.iterations(), 2);
    let mut reply = Reply::text("{\"confidence\": 1}");
    reply.truncated = true;
    let cut = ScriptedModel::new().replies(reply);
    let report = run(gate(0.8), &["First.", "Second."], &cut).await;
    let (reason, message) = halt(&report);
    assert_eq!(reason, StopReason::custom(STEP_FAILED));
    assert!(message.starts_with("step 1 of 2, a.md: the agent was cut off at its token limit"), "{message}");
}

/// A journal in memory, which fails at a limit of events.
#[derive(Clone)]
struct Memory(Arc<Mutex<State>>);

struct State {
    events: Vec<Event>,
    outputs: Vec<PipelineOutput>,
    most: usize,
}

impl Memory {
    fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(State { events: Vec::new(), outputs: Vec::new(), most })))
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut State) -> T) -> T {
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Journal<PipelineOutput> for Memory {
    fn append(&mut self, events: &[Event], output: Option<&PipelineOutput>) -> Result<(), BoxError> {
        self.with(|state| {
            if state.events.len() + events.len() > state.most {
                return Err("the power is off".into());
            }
            state.events.extend_from_slice(events);
            state.outputs.extend(output.cloned());
            Ok(())
        })
    }

    fn sync(&mut self) -> JournalSync {
        Box::pin(async { Ok(()) })
    }

    fn load(&mut self, each: &mut dyn FnMut(&Event)) -> Result<Option<PipelineOutput>, BoxError> {
        self.with(|state| {
            state.events.iter().for_each(each);
            Ok(state.outputs.last().cloned())
        })
    }
}

/// Wherever a run dies, the resumed one asks each file that has no reply yet, and no other one.
#[tokio::test]
async fn a_pipeline_ends_complete_wherever_its_run_dies() {
    const PROMPTS: [&str; 3] = ["First.", "Second.", "Third."];
    let mut deaths = 0;
    for most in 2.. {
        let memory = Memory::new(most);
        let run = |from: usize| {
            let model = (from..=PROMPTS.len()).fold(ScriptedModel::new(), |model, step| {
                model.says(format!("Reply {step}.\n{{\"confidence\": 1}}"))
            });
            pipeline(gate(0.8), &PROMPTS, &model).resume_from(memory.clone()).run()
        };
        let report = run(1).await.expect("a loop");
        if report.is_success() {
            break;
        }
        deaths += 1;
        let answered = memory.with(|state| state.outputs.len());
        memory.with(|state| state.most = usize::MAX);
        let report = run(answered + 1).await.expect("a loop");
        assert!(report.is_success(), "died at {most}: {:?}", report.ending());
        let files = memory.with(|state| state.outputs.iter().map(|it| it.file.clone()).collect::<Vec<_>>());
        assert_eq!(files, ["a.md", "b.md", "c.md"], "died at {most}");
        let output = report.last_output().expect("an output");
        assert_eq!(
            (output.words.as_str(), output.input.as_str()),
            ("Reply 3.", "Reply 2."),
            "died at {most}"
        );
    }
    assert!(deaths > 8, "{deaths}");
}
