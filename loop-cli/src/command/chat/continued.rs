//! One more prompt of a stored session, without a person at a terminal.

use loop_core::{CancellationToken, with_causes};
use loop_manifest::{ExecutionContext, model::ConversationOptions, settings::Settings};
use loop_session::{InputError, Session};

use super::super::{Failure, printed_session::printed_host};
/// Resumes the session that `wanted` names, sends the prompt, and prints the reply. Both become part of the session.
pub(super) async fn answer(
    wanted: &str,
    prompt: &str,
    conversation: ConversationOptions,
    settings: Settings,
    cx: ExecutionContext,
) -> Result<(), Failure> {
    let mut session = Session::open(conversation, settings, cx, printed_host())?;
    session.start(Some(wanted)).await?;
    let done = session.send_prompt(prompt, CancellationToken::new()).await;
    session.end();
    done.map_err(|error| match error {
        InputError::NoModel => error.into(),
        error => Failure::Internal(anyhow::anyhow!(with_causes(&error))),
    })
}
