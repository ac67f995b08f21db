//! An agent that works on a prompt, and whose deeds are accounted for.

mod chat;
mod shell;

use async_trait::async_trait;
use loop_core::{IterationContext, WorkError};

pub use self::{chat::ChatWorker, shell::ShellWorker};
use super::Account;

/// An agent that works on a prompt, and whose deeds are accounted for. It begins anew each time.
///
/// # Contract
/// - What is done is in the account, also if the work then fails; nothing is there because the agent says so.
/// - What it uses is reported to the context's meter.
#[async_trait]
pub trait Worker: Send {
    /// Works, and gives the agent's last words.
    ///
    /// # Errors
    /// [`WorkError`], as an [`Iteration`](loop_core::Iteration)'s.
    ///
    /// # Cancel safety
    /// Dropping the future ends the work.
    async fn work(
        &mut self,
        prompt: String,
        account: &mut Account,
        cx: IterationContext<()>,
    ) -> Result<String, WorkError>;
}

#[async_trait]
impl<W: Worker + ?Sized> Worker for Box<W> {
    async fn work(
        &mut self,
        prompt: String,
        account: &mut Account,
        cx: IterationContext<()>,
    ) -> Result<String, WorkError> {
        (**self).work(prompt, account, cx).await
    }
}

/// How much of an agent's last words is kept. A `STATUS` and a verdict stand at the end.
const SAID_BYTES: usize = 64 * 1024;
