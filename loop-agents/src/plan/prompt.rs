//! The prompts of plans.

use std::fmt::Write as _;

use super::PlanDocument;
use crate::shell::PromptMemory;

/// The request for a plan. It is sent without tools and without history.
pub fn request(task: &str) -> String {
    format!(
        "{task}\n\n\
         Do not begin with this task yet. Write a plan for it, as Markdown: a heading `# Plan: ` with the goal, and \
         below it one line `- [ ] TITLE` for each step, in the order in which they are to be done. Write from 2 to 20 \
         steps. Someone who sees only the plan has to be able to do each step alone, so every title names the files \
         and the result.\n\n\
         Where it can be checked that a step is done, append how to its title:\n\
         - `[validate: command cargo test]` for a command that has to exit with 0\n\
         - `[validate: file_exists src/lib.rs]`, `[validate: file_not_exists old.txt]`\n\
         - `[validate: contains TEXT]`, `[validate: not_contains TEXT]` or `[validate: regex PATTERN]` for the last \
         reply of the step\n\
         - `[validate: no_errors]` if no call may fail\n\n\
         Reply with the plan alone."
    )
}

/// The prompt for a step. If a step asks for memories, they follow its title.
pub(super) fn step(plan: &PlanDocument, index: usize, recalled: &str) -> String {
    let mut prompt = format!("# Plan: {}\n\n", plan.goal());
    for step in plan.steps() {
        // Writing to a string cannot fail.
        let _ = writeln!(prompt, "- [{}] {}", step.state.sign(), without_mark(&step.title));
    }
    let title = without_mark(&plan.steps()[index].title);
    let recalled = if recalled.is_empty() { "" } else { &format!("{}\n\n", recalled.trim_end()) };
    let _ = write!(
        prompt,
        "\nThe boxes show what is done (`x`), what failed (`!`), and what is open.\n\n\
         Do step {} of {} now, and no other step: {title}\n\n\
         {recalled}Leave the plan's file alone: the boxes are set for you once the step was checked. At the end, say in a few \
         sentences what you did.",
        index + 1,
        plan.steps().len()
    );
    prompt
}

/// The prompt for a repair. An agent that has not seen the step's prompt gets it as well.
pub(super) fn repair(
    plan: &PlanDocument,
    index: usize,
    feedback: &str,
    is_in_context: bool,
    recalled: &str,
) -> String {
    if is_in_context {
        return feedback.to_owned();
    }
    format!("{}\n\nThis step was begun already. {feedback}", step(plan, index, recalled))
}

/// Removes the placeholder of memories from a title.
fn without_mark(title: &str) -> String {
    if !title.contains(PromptMemory::MARK) {
        return title.to_owned();
    }
    title.replace(PromptMemory::MARK, "").split_whitespace().collect::<Vec<_>>().join(" ")
}
