//! The verdict about the state before the first iteration.

use std::{fs, path::PathBuf};

use loop_core::{EvaluationContext, Evaluator as _, Verdict, WorkError, with_causes};
use loop_snapshots::{Error, Relocation};

use super::{
    check::{OpenCheck, SealedRun, failed},
    floor::TestsRun,
    moving::moved,
};
use crate::compose::AgentOutput;

impl SealedRun {
    /// Notes the tests that run before the first iteration, and refuses a pass that proves nothing.
    pub(super) async fn first_verdict(
        &self,
        open: OpenCheck,
        tests: TestsRun,
        verdict: Verdict,
        cx: EvaluationContext<AgentOutput>,
    ) -> Result<(OpenCheck, Verdict), WorkError> {
        if verdict.passed() && tests.count == Some(0) {
            let why = format!("`{}` passes although no test ran: it would call any work done", self.line);
            return Err(failed(&why).into());
        }
        if verdict.passed() && self.passes_without_files(open.tree.temporary(), cx).await? {
            let why = "the check also passes in an empty folder, so a pass says nothing about the work";
            self.cx.warn(why);
        }
        let (mut open, touched) = self.with_tree(open, |tree, _, _| tree.touched()).await?;
        (open.notes.tests, open.notes.touched) = (Some(tests), touched);
        let (notes, place) = (open.notes.clone(), self.place.clone());
        self.blocking(move |_, _| notes.write(&place)).await?;
        if !verdict.passed() {
            return Ok((open, verdict));
        }
        let evaluator = &self.plan.evaluator;
        let is_alone =
            evaluator.confidence.is_none() && evaluator.judge.is_none() && evaluator.review.is_none();
        let verdict = if is_alone {
            verdict
        } else {
            Verdict::fail()
                .with_text(verdict.text())
                .with_feedback("the command passes; the other checks judge the first iteration")
        };
        Ok((open, verdict))
    }

    /// Returns whether the command passes in an empty folder.
    async fn passes_without_files(
        &self,
        temporary: PathBuf,
        cx: EvaluationContext<AgentOutput>,
    ) -> Result<bool, WorkError> {
        let empty = temporary.join("empty");
        let made = empty.clone();
        self.blocking(move |_, _| {
            let created = fs::create_dir(&made);
            Ok(created.map_err(|source| Error::File { path: made, source })?)
        })
        .await?;
        let relocation = Relocation::new(self.cx.folder(), &empty);
        let line = moved(&self.line, &relocation);
        let command =
            self.plan.command_that_judges(&line, &self.cx.in_sealed(&empty, &temporary, &relocation));
        let mut command = command.map_err(|error| failed(&with_causes(&error)))?;
        // A program of the folder is not there, for example.
        Ok(command.evaluate(cx).await.is_ok_and(|verdict| verdict.passed()))
    }
}
