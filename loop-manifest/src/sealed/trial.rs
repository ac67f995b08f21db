//! A try of a sealed check, beside the same check in the folder itself.

use loop_core::Verdict;

use super::{
    check::SealedCheck,
    floor::TestsRun,
    verification::{VerificationError, evaluate},
};
use crate::{context::ExecutionContext, plan::Plan, snapshots::SnapshotError};

/// The verdicts of a check about the same files, in the folder and in a sealed tree.
#[derive(Debug)]
#[non_exhaustive]
pub struct SealTrial {
    /// The verdict in the folder.
    pub bare: Verdict,
    /// The verdict in the sealed tree.
    pub sealed: Verdict,
}

impl Plan {
    /// Runs the command of a sealed check in the folder and in a sealed tree, once each. The tree and its snapshot are
    /// deleted afterwards.
    ///
    /// # Errors
    /// The plan has no command or no seal, or the check comes to no verdict in one of the places.
    ///
    /// # Cancel safety
    /// Dropping the future kills the check at once. The tree stays until [`discard_copies`](crate::discard_copies).
    pub async fn try_seal(&self, cx: &ExecutionContext) -> Result<SealTrial, VerificationError> {
        let (Some(line), Some(seal)) = (self.evaluator.command.as_deref(), &self.evaluator.seal) else {
            return Err(VerificationError::NoCommand);
        };
        let Some(mut command) = self.check_command(cx)? else { return Err(VerificationError::NoCommand) };
        let bare = evaluate(&mut command, 0).await?;
        let mut check = SealedCheck::new(self, seal, line, cx)?;
        let sealed = evaluate(&mut check, 0).await;
        cx.supervisor().end_async().await;
        let discarded = self.forget_trial(cx).await;
        let sealed = sealed?;
        discarded?;
        Ok(SealTrial { bare, sealed })
    }

    async fn forget_trial(&self, cx: &ExecutionContext) -> Result<(), SnapshotError> {
        let Some(folder) = cx.snapshots(&self.snapshots) else { return Ok(()) };
        let sealed_cx = cx.clone();
        let forget = folder.blocking(cx.supervisor().run(), move |folder, run| {
            folder.forget(&[run])?;
            sealed_cx.discard_sealed_tree()
        });
        forget.await
    }
}

impl SealTrial {
    /// Returns in which way the sealed check judges otherwise, in words; `None` if both agree.
    pub fn difference(&self) -> Option<String> {
        let outcomes = [&self.bare, &self.sealed].map(Verdict::outcome);
        if self.bare.passed() != self.sealed.passed() {
            return Some(format!(
                "the check says {} in the folder, and {} in the sealed tree",
                outcomes[0], outcomes[1]
            ));
        }
        // More tests are fine: a sealed check also runs those after the first failure.
        match [&self.bare, &self.sealed].map(|verdict| TestsRun::of(verdict.text()).count) {
            [Some(bare), sealed] if sealed.is_none_or(|sealed| sealed < bare) => Some(format!(
                "the check runs {bare} tests in the folder, and {} in the sealed tree",
                sealed.unwrap_or_default()
            )),
            _ => None,
        }
    }
}
