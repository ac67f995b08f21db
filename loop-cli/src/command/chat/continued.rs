//! One more prompt of a stored session, without a person at a terminal.

use loop_core::{CancellationToken, with_causes};
use loop_manifest::{ExecutionContext, model::ConversationOptions, settings::Settings};
use loop_session::{InputError, Session, SessionHost, SessionOutput};

use super::super::Failure;
use crate::{
    clock,
    view::{self, secrets},
};

/// Prints the reply as the result, and everything else to standard error.
struct ReplyOutput;

impl SessionOutput for ReplyOutput {
    fn say(&self, text: &str) {
        view::say(text);
    }

    fn warn(&self, text: &str) {
        view::warning(text);
    }

    fn reply(&self, text: &str) {
        view::print_or_warn(text);
    }
}

/// Resumes the session that `wanted` names, sends the prompt, and prints the reply. Both become part of the session.
pub(super) async fn answer(
    wanted: &str,
    prompt: &str,
    conversation: ConversationOptions,
    settings: Settings,
    cx: ExecutionContext,
) -> Result<(), Failure> {
    let host = SessionHost::new(ReplyOutput).with_clock(clock::now).with_secrets(secrets);
    let mut session = Session::open(conversation, settings, cx, host)?;
    session.start(Some(wanted)).await?;
    let done = session.send_prompt(prompt, CancellationToken::new()).await;
    session.end();
    done.map_err(|error| match error {
        InputError::NoModel => error.into(),
        error => Failure::Internal(anyhow::anyhow!(with_causes(&error))),
    })
}
