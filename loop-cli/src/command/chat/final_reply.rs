//! Keeps away from standard output what is no part of the reply: calls that a model writes into its text, and, for a
//! program that reads it, the beginning of a reply that breaks off and starts again.

use loop_agents::chat::{Delta, TurnEvent};
use loop_manifest::ToolMode;

use super::turn_report;
use crate::view::ReplySender;

/// Shows a turn. If the model writes calls into its text, it shows only the text of the last reply.
#[derive(Debug)]
pub(super) struct FinalReply {
    to: ReplySender,
    /// The text of the current reply that may still turn out to be a call.
    held: String,
    /// Whether each reply is held until it is whole.
    holds_all: bool,
    /// Whether a reply may consist of a call, although the model got tools in another way.
    may_hold: bool,
    /// Whether a part of the current reply was shown.
    is_shown: bool,
}

impl FinalReply {
    /// Begins a turn. Only a person at a terminal sees text that may have to be discarded.
    pub(super) fn new(to: ReplySender, mode: ToolMode, is_terminal: bool) -> Self {
        let (holds_all, may_hold) = (mode == ToolMode::Prose || !is_terminal, mode == ToolMode::Auto);
        Self { to, held: String::new(), holds_all, may_hold, is_shown: false }
    }

    pub(super) fn show(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Delta(Delta::Text(text)) => {
                self.held.push_str(text);
                if !self.holds_all && (self.is_shown || !self.may_hold || !may_begin_call(&self.held)) {
                    self.is_shown = true;
                    self.release();
                }
                return;
            }
            TurnEvent::Delta(Delta::Restarted) => self.held.clear(),
            TurnEvent::Replied if !self.held.is_empty() => return,
            TurnEvent::Calling(call) => {
                if call.in_text {
                    self.holds_all = true;
                    self.held.clear();
                }
                self.end_reply(true);
            }
            _ => {}
        }
        turn_report::show(&self.to, event);
    }

    /// Shows what was held back. Call this after the turn. A reply that broke off is not whole.
    pub(super) fn end_reply(&mut self, is_whole: bool) {
        self.is_shown = false;
        if !self.held.is_empty() {
            self.release();
            if is_whole {
                self.to.whole();
            }
        }
    }

    fn release(&mut self) {
        self.to.text(&std::mem::take(&mut self.held));
    }
}

/// Returns whether a reply that begins like this may consist of a fenced block.
fn may_begin_call(text: &str) -> bool {
    let text = text.trim_start();
    ["```", "~~~"].iter().any(|fence| text.starts_with(fence) || fence.starts_with(text))
}
