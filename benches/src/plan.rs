//! Measures what a plan adds to the turns that perform its steps.
//!
//! The floor is the same turns, each in a fresh conversation, and one synchronised write of the plan's file after each: a
//! checklist that survives a crash needs no less. The model answers at once, without a server.

use std::{
    fs::File,
    io::Write as _,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use loop_agents::{
    chat::{Chat, ChatAgent, ScriptedModel},
    plan::{PlanDocument, PlanEvaluator, PlanExecution, PlanFile, ToolChecks},
    review::{ChatWorker, Worker},
    tools::Toolbox,
};
use loop_core::{Loop, evaluator_passed};
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use tempfile::TempDir;

use crate::{
    assay::block_on,
    pairs::in_turn,
    table::{Row, Table},
};

/// The steps of the plan, which are the most that a plan can have.
const STEPS: usize = 50;

/// Runs the measurement.
///
/// # Errors
/// If a turn or the plan fails.
pub fn measure(table: &mut Table) -> Result<()> {
    let pairs = in_turn(of_plan, of_turns)?;
    let each = |seconds: f64| seconds / STEPS as f64 * 1e3;
    let note = format!("{:.2} ms over {:.2} ms", each(pairs.first.median), each(pairs.second.median));
    table.add(Row::new("plan: a step / the bare turn and a write of the file", pairs.ratio).note(note));
    Ok(())
}

/// A folder with a plan, and a model that performs it.
struct Scenario {
    folder: TempDir,
    text: String,
    model: ScriptedModel,
}

impl Scenario {
    fn new() -> Result<Self> {
        let text = (1..=STEPS).map(|step| format!("- [ ] Step {step} [validate: contains done]\n")).collect();
        let model = (0..STEPS).fold(ScriptedModel::new(), |model, _| model.says("done"));
        Ok(Self { folder: tempfile::tempdir()?, text, model })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("plan.md")
    }
}

fn of_plan() -> Result<Duration> {
    let scenario = Scenario::new()?;
    let file = PlanFile::at(scenario.path());
    file.write(&PlanDocument::parse(scenario.text.as_str(), "Measure")?)?;
    let checks =
        ToolChecks::new(Toolbox::standard(Workspace::open(scenario.folder.path(), ActionPolicy::default())?));
    let model = scenario.model.clone();
    let execution = PlanExecution::new(file.clone(), move |_| {
        Ok(Box::new(ChatWorker::new(ChatAgent::new(Chat::new(model.clone())))) as Box<dyn Worker>)
    });
    let steps = Loop::new(execution).evaluate(PlanEvaluator::new(file, checks)).until(evaluator_passed());
    let begun = Instant::now();
    ensure!(block_on(steps.at_most(STEPS as u64).run())??.is_success(), "the plan is not complete");
    Ok(begun.elapsed())
}

fn of_turns() -> Result<Duration> {
    let scenario = Scenario::new()?;
    let begun = Instant::now();
    block_on(async {
        for _ in 0..STEPS {
            let reply = Chat::new(scenario.model.clone()).turn(scenario.text.as_str()).run().await?;
            ensure!(reply.text.contains("done"), "the reply is wrong");
            let mut file = File::create(scenario.path())?;
            file.write_all(scenario.text.as_bytes())?;
            file.sync_data()?;
        }
        Ok(())
    })??;
    Ok(begun.elapsed())
}
