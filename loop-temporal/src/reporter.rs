//! Sends the usage of a step to its workflow, at most once a second, and less often in a long step.

use std::{sync::Arc, time::Duration};

use loop_core::{ActionId, Usage};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};

use crate::{Link, UsageReport, UsageReports};

/// Each signal is an event in the history of the run, which has room for some ten thousand.
const BETWEEN_SIGNALS: Duration = Duration::from_secs(1);

/// The next signal comes after this part of the time that the step has taken. So a step of a day sends some 500 signals,
/// although no new history can begin during a step.
const PART_OF_STEP: u32 = 60;

/// The longest time that the end of a step waits for a signal.
const SIGNAL_TIME: Duration = Duration::from_secs(2);

/// Collects the usage of a step. [`run`](Self::run) sends it while the step is in progress.
#[derive(Debug)]
pub struct Reporter {
    usage: mpsc::UnboundedReceiver<Usage>,
    id: ActionId,
    pending: Usage,
    number: u64,
    unsent: Vec<UsageReport>,
}

impl Reporter {
    /// Creates a reporter, and the sender that it listens to.
    pub fn new(id: ActionId) -> (mpsc::UnboundedSender<Usage>, Self) {
        let (sender, usage) = mpsc::unbounded_channel();
        (sender, Self { usage, id, pending: Usage::unknown(), number: 0, unsent: Vec::new() })
    }

    /// Sends what arrives until the sender is dropped. Returns the reports that may not have arrived.
    pub async fn run(mut self, link: Arc<dyn Link>) -> Vec<UsageReport> {
        let began = Instant::now();
        let mut due = began + BETWEEN_SIGNALS;
        loop {
            let has_news = !self.pending.is_unknown() || !self.unsent.is_empty();
            tokio::select! {
                biased;
                usage = self.usage.recv() => match usage {
                    Some(usage) => self.pending += usage,
                    None => break,
                },
                () = sleep_until(due), if has_news => {
                    self.send(&*link).await;
                    due = Instant::now() + BETWEEN_SIGNALS.max(began.elapsed() / PART_OF_STEP);
                }
            }
        }
        self.close_report();
        self.unsent
    }

    async fn send(&mut self, link: &dyn Link) {
        self.close_report();
        let reports = UsageReports { id: self.id, reports: self.unsent.clone() };
        // The next signal, or the result of the step, repeats reports that may not have arrived.
        if let Ok(Ok(())) = timeout(SIGNAL_TIME, link.report(reports)).await {
            self.unsent.clear();
        }
    }

    fn close_report(&mut self) {
        let usage = std::mem::take(&mut self.pending);
        if !usage.is_unknown() {
            self.number += 1;
            self.unsent.push(UsageReport { number: self.number, usage });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use loop_core::BoxError;

    use super::*;

    /// A link that loses its first signal.
    #[derive(Default)]
    struct Lossy(Mutex<Vec<(Duration, UsageReports)>>, Option<Instant>);

    #[async_trait]
    impl Link for Lossy {
        async fn cancelled(&self) {
            std::future::pending::<()>().await;
        }
        async fn report(&self, reports: UsageReports) -> Result<(), BoxError> {
            let since = self.1.expect("a start").elapsed();
            let mut sent = self.0.lock().expect("a list");
            sent.push((since, reports));
            if sent.len() == 1 { Err("lost".into()) } else { Ok(()) }
        }
    }

    fn tokens(count: u64) -> Usage {
        Usage::unknown().with_input_tokens(count)
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_of_a_day_sends_some_hundred_signals() {
        let link = Arc::new(Lossy(Mutex::default(), Some(Instant::now())));
        let (sender, reporter) = Reporter::new(ActionId::default());
        let task = tokio::spawn(reporter.run(Arc::clone(&link) as Arc<dyn Link>));
        for _ in 0..86_400 {
            sender.send(tokens(1)).expect("a reporter");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        drop(sender);
        task.await.expect("a reporter");
        let signals = link.0.lock().expect("a list").len();
        assert!((300..600).contains(&signals), "{signals}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_signal_is_sent_at_most_once_a_second_and_a_lost_one_is_repeated() {
        let link = Arc::new(Lossy(Mutex::default(), Some(Instant::now())));
        let (sender, reporter) = Reporter::new(ActionId::default());
        let task = tokio::spawn(reporter.run(Arc::clone(&link) as Arc<dyn Link>));
        for _ in 0..25 {
            sender.send(tokens(1)).expect("a reporter");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        drop(sender);
        let unsent = task.await.expect("a reporter");
        let sent = link.0.lock().expect("a list");
        assert_eq!(sent.iter().map(|(at, _)| at.as_secs()).collect::<Vec<_>>(), [1, 2]);
        let numbers = |reports: &[UsageReport]| reports.iter().map(|it| it.number).collect::<Vec<_>>();
        assert_eq!(numbers(&sent[0].1.reports), [1]);
        assert_eq!(numbers(&sent[1].1.reports), [1, 2]);
        assert_eq!(numbers(&unsent), [3]);
        let all = sent[1].1.reports.iter().chain(&unsent).filter_map(|it| it.usage.tokens()).sum::<u64>();
        assert_eq!(all, 25);
    }
}
