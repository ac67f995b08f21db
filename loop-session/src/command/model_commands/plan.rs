//! `/plan`: makes a plan, and performs its next step.

use async_trait::async_trait;
use loop_agents::{
    judge::OutputText,
    plan::{PLAN_FILE, PlanFile, StepState},
};
use loop_core::with_causes;
use loop_manifest::{ModelName, Overrides, plan::AgentPlan, request_plan};

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, split_word};

pub(in crate::command) struct PlanCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Model,
    name: "plan",
    aliases: &[],
    arguments: "[--force] TASK | run | next | status | show | clear --force",
    summary: "Make a plan, and perform its steps one by one",
    help: "The plan is a file, `.loop/plan.md`, which you can edit. The model makes it without tools and without the \
           conversation. `/plan next` performs the next open step in a context of its own, and checks it. Its tools \
           follow the rules of the session, and ask you as in a turn of yours. `/plan run` performs all open steps. After \
           `--`, a task can begin with a word such as `next`.",
    argument_kind: ArgumentKind::Words(&WORDS),
};

/// The words that are no task.
const WORDS: [&str; 5] = ["run", "next", "status", "show", "clear"];

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
            ("run", "") => perform(&file, "all", session).await,
            ("next", "") => perform(&file, "next", session).await,
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
            (word, _) if WORDS.contains(&word) => Err(INFO.misused(format!(
                "`{word}` takes no more words; to plan this task, write `/plan -- {arguments}`"
            ))),
            ("--force", task) => make(task.strip_prefix("-- ").unwrap_or(task), true, &file, session).await,
            ("--", task) => make(task, false, &file, session).await,
            _ => make(arguments, false, &file, session).await,
        }
    }
}

/// Asks the model for a plan, and stores it.
async fn make(task: &str, force: bool, file: &PlanFile, session: &mut Session) -> Result<(), InputError> {
    if task.trim().is_empty() {
        return Err(INFO.misused("the task is missing"));
    }
    let Some(model) = &session.dialogue.model else { return Err(InputError::NoModel) };
    let check = || if force { Ok(()) } else { file.check_replaceable() };
    check()?;
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
    session.say(&session.host().printable(plan.text()));
    // Somebody may have written a plan in the meantime.
    check()?;
    file.write(&plan)?;
    session.say(&format!("stored in {PLAN_FILE}: `/plan next` performs the next step"));
    Ok(())
}

/// Performs the next open step, or all of them.
async fn perform(file: &PlanFile, steps: &str, session: &mut Session) -> Result<(), InputError> {
    let plan = file.read()?;
    let repairs = session.context.settings.plan_repairs();
    let open = if steps == "all" { plan.count(StepState::Open).max(1) as u64 } else { 1 };
    let most = open.saturating_mul(repairs + 1).to_string();
    let mut flags = Overrides::new("/plan").with("--file", PLAN_FILE).with("--steps", steps);
    flags = flags.with("--max", &most).with_switch("--check-first");
    if !plan.goal().is_empty() {
        flags = flags.with("--goal", plan.goal());
    }
    let report = session.run_planned("performing a step of the plan", flags).await?;
    if let Some(output) = report.last_output() {
        session.say(&session.host().printable(&output.excerpt(REPLY_BYTES)));
    }
    Ok(())
}
