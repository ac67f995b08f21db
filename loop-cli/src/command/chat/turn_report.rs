//! The output of a turn: piece by piece for people, and at the end for programs.

use loop_manifest::model::Model;
use std::time::Duration;

use loop_agents::{
    chat::{Delta, ToolCall, TurnEvent, TurnOutput},
    tools::{CommandRun, FileChange, ToolOutcome, ToolReport},
};
use loop_core::{RunCost, Usd, with_causes};
use loop_telemetry::{CostState, TokenTotals};
use serde::Serialize;
use serde_json::Value;

use super::super::runs::json;
use crate::view::{self, DIM, ReplySender, WARN, paint, text};

/// Shows an event of the turn to a person.
pub(crate) fn show(to: &ReplySender, event: TurnEvent<'_>) {
    match event {
        TurnEvent::Delta(Delta::Text(text)) => to.text(text),
        TurnEvent::Replied => to.whole(),
        TurnEvent::Delta(Delta::Restarted) => {
            to.note(paint(WARN, "the reply broke off and starts again"));
        }
        TurnEvent::Delta(Delta::Retrying(why)) => to.note(paint(DIM, format_args!("{why}; asked again"))),
        TurnEvent::Delta(Delta::SmallerWindow(smaller)) => to.note(paint(WARN, smaller)),
        TurnEvent::Calling(call) => to.note(paint(DIM, view::tool_call_line(call))),
        TurnEvent::Called(report) => {
            if let Some(note) = view::tool_error_line(report) {
                to.note(note);
            }
            view::unenforced_lines(report).into_iter().for_each(|line| to.note(line));
            if let Some(hint) = view::allow_hint(report) {
                to.note(hint);
            }
        }
        TurnEvent::Summarising(measure) => {
            to.note(paint(DIM, format_args!("{measure}: the older messages are summarised")));
        }
        TurnEvent::Summarised { replaced, measure } => {
            to.note(paint(
                DIM,
                format_args!("summarised {}; {measure}", text::count(replaced as u64, "message")),
            ));
        }
        TurnEvent::Unsummarised(error) => {
            to.note(paint(WARN, format_args!("they stay as they are: {}", with_causes(error))));
        }
        TurnEvent::Full(measure) => {
            to.note(paint(
                WARN,
                format_args!("{measure}: the model may refuse this, or forget its beginning"),
            ));
        }
        _ => {}
    }
}

/// Collects the data that programs receive.
#[derive(Debug)]
pub(super) struct TurnReport {
    model: String,
    calls: Vec<CallJson>,
}

/// The JSON output.
#[derive(Debug, Serialize)]
struct ChatJson<'a> {
    reply: &'a str,
    model: &'a str,
    tool_calls: &'a [CallJson],
    rounds: u64,
    /// True if the model was still calling tools when its rounds ran out.
    out_of_rounds: bool,
    /// True if the reply reached its maximum length.
    truncated: bool,
    /// As in the record of a run: unreported values are `null`.
    usage: TokenTotals,
    estimated_cost_usd: Option<f64>,
    cost_state: CostState,
    /// True if part of the turn has no reported cost. Omitted if every part reported its cost.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cost_is_lower_bound: bool,
    elapsed_seconds: f64,
}

#[derive(Debug, Serialize)]
struct CallJson {
    tool: String,
    arguments: Value,
    /// `null` if no tool was available.
    outcome: Option<ToolOutcome>,
    files: Vec<FileChange>,
    commands: Vec<CommandRun>,
}

impl TurnReport {
    pub(super) fn of(model: &Model) -> Self {
        Self { model: model.id().to_owned(), calls: Vec::new() }
    }

    /// Takes an event of the turn.
    pub(super) fn on_event(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Calling(ToolCall { name, arguments, .. }) => self.calls.push(CallJson {
                tool: name.clone(),
                arguments: arguments.clone(),
                outcome: None,
                files: Vec::new(),
                commands: Vec::new(),
            }),
            TurnEvent::Called(ToolReport { outcome, files, commands, .. }) => {
                if let Some(call) = self.calls.last_mut() {
                    call.outcome = Some(*outcome);
                    files.clone_into(&mut call.files);
                    commands.clone_into(&mut call.commands);
                }
            }
            _ => {}
        }
    }

    /// Returns the turn as one line of JSON, without secrets.
    pub(super) fn json(&self, output: &TurnOutput, elapsed: Duration) -> String {
        let cost = RunCost::reported(output.usage.cost);
        let answer = ChatJson {
            reply: &output.text,
            model: &self.model,
            tool_calls: &self.calls,
            rounds: output.rounds,
            out_of_rounds: output.out_of_rounds,
            truncated: output.truncated,
            usage: TokenTotals::from(&output.usage),
            estimated_cost_usd: cost.usd().map(Usd::as_f64),
            cost_state: CostState::from(cost),
            cost_is_lower_bound: matches!(cost, RunCost::AtLeast(_)),
            elapsed_seconds: elapsed.as_secs_f64(),
        };
        json(&answer)
    }
}
