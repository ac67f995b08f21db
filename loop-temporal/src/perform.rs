//! Performs the work of a step within its limits: what the driver of `loop-core` does around work, on a worker.

use std::{future::Future, pin::pin, sync::Arc};

use loop_core::{ActionId, Usage, Work, WorkError, WorkResult};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::{Cut, Link, Reporter, StepLimits, UsageReport};

/// The end of the work of a step.
#[derive(Debug)]
pub struct Performed<T> {
    /// The result.
    pub result: WorkResult<T>,
    /// Reports that no signal has delivered for certain.
    pub reports: Vec<UsageReport>,
    /// Why the work was ended, if it was.
    pub cut: Option<Cut>,
}

/// Runs `future` to its end, and interrupts it if it crosses a limit, if its time is over, or if the workflow cancels it.
/// Interrupted work that does not end within its grace time is dropped.
pub async fn perform<T>(
    work: &Work,
    id: ActionId,
    limits: StepLimits,
    link: Arc<dyn Link>,
    future: impl Future<Output = Result<T, WorkError>>,
) -> Performed<T> {
    let (sender, reporter) = Reporter::new(id);
    let reporter = tokio::spawn(reporter.run(Arc::clone(&link)));
    let performing = Performing { work, limits, sender, spent: Usage::unknown(), held: Usage::unknown() };
    let (result, cut) = performing.run(&*link, future).await;
    // Usage that arrived with the end is in the notes of the work.
    let reports = reporter.await.unwrap_or_default();
    Performed { result, reports, cut }
}

/// Work in progress.
struct Performing<'a> {
    work: &'a Work,
    limits: StepLimits,
    sender: mpsc::UnboundedSender<Usage>,
    spent: Usage,
    /// Usage that crosses a limit: the workflow hears of it only if the work does not end soon by itself.
    held: Usage,
}

enum WorkState {
    Running,
    OverLimit(Instant),
    Interrupted(Instant, Cut),
}

impl Performing<'_> {
    async fn run<T>(
        mut self,
        link: &dyn Link,
        future: impl Future<Output = Result<T, WorkError>>,
    ) -> (WorkResult<T>, Option<Cut>) {
        let mut future = pin!(future);
        let deadline = self.limits.left.time.and_then(|left| Instant::now().checked_add(left));
        let mut state = WorkState::Running;
        loop {
            let (due, cut) = match state {
                WorkState::Running => (None, None),
                WorkState::OverLimit(at) => (Some(at), None),
                WorkState::Interrupted(at, cut) => (Some(at), Some(cut)),
            };
            tokio::select! {
                biased;
                result = &mut future => {
                    self.tell_held();
                    return (result.into(), cut);
                }
                () = link.cancelled(), if cut.is_none() => state = self.interrupt(Cut::Cancelled),
                () = self.work.reported() => state = self.reported(state),
                () = reach(deadline), if deadline.is_some() && cut.is_none() => {
                    state = self.interrupt(Cut::Deadline);
                }
                () = reach(due), if due.is_some() => match cut {
                    Some(cut) => return (WorkError::failed("interrupted").into(), Some(cut)),
                    None => state = self.interrupt(Cut::Usage),
                },
            }
        }
    }

    /// Handles usage that the work has reported.
    fn reported(&mut self, state: WorkState) -> WorkState {
        let usage = self.work.take_usage();
        self.spent += usage;
        match state {
            WorkState::Running if self.limits.are_crossed_by(&self.spent) => {
                self.held += usage;
                WorkState::OverLimit(Instant::now() + self.limits.overrun)
            }
            WorkState::OverLimit(_) => {
                self.held += usage;
                self.interrupt(Cut::Usage)
            }
            other => {
                self.tell(usage);
                other
            }
        }
    }

    fn interrupt(&mut self, cut: Cut) -> WorkState {
        self.tell_held();
        self.work.interrupt();
        WorkState::Interrupted(Instant::now() + self.limits.grace, cut)
    }

    fn tell_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.tell(held);
    }

    fn tell(&self, usage: Usage) {
        if !usage.is_unknown() {
            // The reporter listens until this sender is dropped.
            let _ = self.sender.send(usage);
        }
    }
}

async fn reach(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
