//! Paths into the folder that lead into a tree instead.

use loop_snapshots::Relocation;

use crate::plan::Plan;

/// Returns a plan whose commands see paths into the tree in the place of those into the folder.
pub(super) fn moved_plan(plan: &Plan, relocation: &Relocation) -> Plan {
    let mut plan = plan.clone();
    let texts = plan.agent.env.set.values_mut().chain(&mut plan.evaluator.command);
    texts.for_each(|text| *text = moved(text, relocation));
    plan
}

/// Returns a text with paths into the tree in the place of those into the folder.
pub(super) fn moved(text: &str, relocation: &Relocation) -> String {
    relocation.word(text.into()).into_string().unwrap_or_else(|_| text.to_owned())
}
