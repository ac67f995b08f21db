//! `/plan`: makes a plan, and performs its next step.

use async_trait::async_trait;
use loop_agents::{
    judge::OutputText,
    plan::{DEFAULT_REPAIRS, PLAN_FILE, PlanFile, PlanFileError, StepState},
};
use loop_core::with_causes;
use loop_manifest::{ModelName, Overrides, plan::AgentPlan, request_plan};

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, split_word};

pub(in crate::command) struct PlanCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "plan",
    aliases: &[],
    arguments: "[--force] TASK | next | status | show | clear --force",
    summary: "Make a plan, and perform its steps one by one",
    help: "The plan is a file, `.loop/plan.md`, which you can edit. The model makes it without tools and without the \
           conversation. `/plan next` performs the next open step in a context of its own, and checks it. Its tools follow \
           the policy of the settings, and ask nobody. After `--`, a task can be a word such as `next`. `loop plan run` \
           performs all steps.",
    argument_kind: ArgumentKind::Words(&["next", "status", "show", "clear"]),
};

/// The most bytes of a step's reply to show.
const REPLY_BYTES: usize = 32 << 10;

#[async_trait]
impl Command for PlanCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn changes_files(&self) -> bool {
        true
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let file = PlanFile::at(session.context.execution.folder().join(PLAN_FILE));
        match split_word(arguments) {
            ("" | "--force" | "--", "") => Err(INFO.misused("the task is missing")),
            ("next", "") => next(&file, session).await,
            ("status", "") => {
                session.say(&session.host().printable(&file.read()?.to_string()));
                Ok(())
            }
            ("show", "") => {
                session.say(&session.host().printable(file.read()?.text()));
                Ok(())
            }
            ("clear", "--force") => {
                file.remove()?;
                session.say("the plan is deleted");
                Ok(())
            }
            ("clear", "") => Err(INFO.misused(format!("to delete {PLAN_FILE}, write --force"))),
            ("--force", task) => make(task, true, &file, session).await,
            ("--", task) => make(task, false, &file, session).await,
            _ => make(arguments, false, &file, session).await,
        }
    }
}

/// Asks the model for a plan, and stores it.
async fn make(task: &str, force: bool, file: &PlanFile, session: &mut Session) -> Result<(), InputError> {
    let Some(model) = &session.dialogue.model else { return Err(InputError::NoModel) };
    if !force {
        refuse_to_replace(file)?;
    }
    let name = model.asked().parse::<ModelName>();
    let agent = AgentPlan::of_model(name.map_err(|error| InputError::refused(error.to_string()))?);
    let stop = session.stop();
    let view = session.show(model.id(), "making a plan".to_owned(), None, None);
    let made = tokio::select! {
        biased;
        () = stop.cancelled() => return Err(InputError::Interrupted),
        made = request_plan(task, agent, &session.context.execution) => made,
    };
    drop(view);
    let (plan, usage) = made.map_err(|error| InputError::refused(with_causes(&error)))?;
    session.dialogue.usage += usage;
    file.write(&plan)?;
    session.say(&session.host().printable(plan.text()));
    session.say(&format!("stored in {PLAN_FILE}: `/plan next` performs the next step"));
    Ok(())
}

/// Refuses to replace a plan with open steps, and one that cannot be read.
fn refuse_to_replace(file: &PlanFile) -> Result<(), InputError> {
    let plan = match file.read() {
        Err(PlanFileError::Missing(_)) => return Ok(()),
        plan => plan?,
    };
    match plan.count(StepState::Open) {
        0 => Ok(()),
        open => {
            let text =
                format!("the plan in {PLAN_FILE} has {open} open steps: `/plan --force TASK` replaces it");
            Err(InputError::refused(text))
        }
    }
}

/// Performs the next open step.
async fn next(file: &PlanFile, session: &mut Session) -> Result<(), InputError> {
    let plan = file.read()?;
    let most = (DEFAULT_REPAIRS + 1).to_string();
    let mut flags = Overrides::new("/plan next").with("--file", PLAN_FILE).with("--steps", "next");
    flags = flags.with("--max", &most).with_switch("--check-first");
    if !plan.goal().is_empty() {
        flags = flags.with("--goal", plan.goal());
    }
    let report = session.run_planned("performing the next step", flags).await?;
    if let Some(output) = report.last_output() {
        session.say(&session.host().printable(&output.excerpt(REPLY_BYTES)));
    }
    Ok(())
}
