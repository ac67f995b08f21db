//! An agent that works on a prompt, and whose actions are recorded.

mod chat;
mod shell;

use async_trait::async_trait;
use loop_core::{IterationContext, WorkError};

#[cfg(feature = "plan")]
pub(crate) use self::shell::is_own_call;
pub use self::{chat::ChatWorker, shell::ShellWorker};
use super::{ActionLog, CallListener};

/// An agent that works on a prompt, and whose actions are recorded. It starts afresh each time.
///
/// # Contract
/// - The action log contains the agent's actions, even if the work then fails. Nothing is in it only because the agent
///   claims it.
/// - The worker reports its usage to the context's meter.
#[async_trait]
pub trait Worker: Send {
    /// Works on the prompt, and returns the agent's last words.
    ///
    /// # Errors
    /// Returns a [`WorkError`], as an [`Iteration`](loop_core::Iteration) does.
    ///
    /// # Cancel safety
    /// Dropping the future ends the work.
    async fn work(
        &mut self,
        prompt: String,
        actions: &mut ActionLog,
        cx: IterationContext<()>,
    ) -> Result<String, WorkError>;

    /// Sets the listener for the agent's calls. By default, a worker reports none.
    fn on_call(&mut self, listener: CallListener) {
        drop(listener);
    }

    /// Lets the next work continue the conversation of the last one, and returns whether it will. By default, every work
    /// starts afresh.
    fn continue_next(&mut self) -> bool {
        false
    }

    /// Returns whether the listener hears of every call, so that work without calls has done nothing. Default: true.
    fn reports_calls(&self) -> bool {
        true
    }
}

#[async_trait]
impl<W: Worker + ?Sized> Worker for Box<W> {
    async fn work(
        &mut self,
        prompt: String,
        actions: &mut ActionLog,
        cx: IterationContext<()>,
    ) -> Result<String, WorkError> {
        (**self).work(prompt, actions, cx).await
    }

    fn on_call(&mut self, listener: CallListener) {
        (**self).on_call(listener);
    }

    fn continue_next(&mut self) -> bool {
        (**self).continue_next()
    }

    fn reports_calls(&self) -> bool {
        (**self).reports_calls()
    }
}

/// The number of bytes of an agent's last words to keep. The `STATUS` line and the verdict are at the end.
pub(crate) const SAID_BYTES: usize = 64 * 1024;
