//! Progress reports while jobs fire.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use jiff::tz::TimeZone;
use loop_schedule::{Fire, FireStage, FiringSwitch, JobId, RunnerNotice, SchedulerEvent, Slots, Zone};
use loop_session::fires::FireResult;
use loop_telemetry::words::instant;

use super::{
    job_rows::cut,
    jobs_panel::{JobsPanel, SchedulerPhase},
};
use crate::view::{BAD, BOLD, DIM, GOOD, StatusBoard, WARN, paint, text};

/// The width of a prompt, after which it is cut.
const PROMPT: usize = 100;

/// The width of an error, after which it is cut. `loop schedule show` has all of it.
const ERROR: usize = 200;

/// Reports events line by line, and on the page below.
#[derive(Debug)]
pub(crate) struct FireReporter {
    pub(crate) board: Arc<StatusBoard>,
    pub(crate) page: Arc<Mutex<JobsPanel>>,
    pub(crate) zone: Zone,
    /// Whether jobs may fire at all.
    pub(crate) switch: FiringSwitch,
    /// True if this process fires them.
    pub(crate) firing: AtomicBool,
    /// Report only problems.
    pub(crate) quiet: bool,
}

impl FireReporter {
    /// Reports the state of the scheduler.
    pub(crate) fn phase(&self) {
        let phase = match (self.switch.is_on(), self.firing.load(Ordering::Relaxed)) {
            (false, _) => SchedulerPhase::Off,
            (true, true) => SchedulerPhase::Firing,
            (true, false) => SchedulerPhase::Waiting,
        };
        self.page.lock().unwrap_or_else(PoisonError::into_inner).phase = Some(phase);
        self.board.refresh();
        self.say(match phase {
            SchedulerPhase::Waiting => "another process fires these jobs: this one takes over when that ends",
            SchedulerPhase::Firing => "jobs fire from now on",
            SchedulerPhase::Off => "everything is stopped: `loop schedule on` lets jobs fire again",
        });
    }

    /// Reports that a job's prompt fired.
    pub(crate) fn fired(&self, fire: &Fire) {
        let prompt = cut(&text::one_line(&fire.job.prompt), PROMPT);
        let why = match fire.slots {
            None => " (on request)".to_owned(),
            Some(slots) if slots.count > 1 => {
                format!(" (for {} slots)", text::grouped(u64::from(slots.count)))
            }
            Some(_) if fire.is_catch_up => " (late)".to_owned(),
            Some(_) => String::new(),
        };
        self.of(fire.job.id, &format!("{} {prompt}{}", paint(BOLD, "fires"), paint(DIM, why)));
    }

    /// Reports a line that a run printed.
    pub(crate) fn output_line(&self, id: JobId, line: &str) {
        if !self.quiet {
            self.board.line(&format!("  {} {}", paint(DIM, format_args!("{id} │")), text::one_line(line)));
        }
    }

    /// Reports the end of a fire.
    pub(crate) fn ended(&self, result: &FireResult) {
        let run = result.run_id.as_ref().map(|run| format!(" · run {run}")).unwrap_or_default();
        if result.succeeded() {
            self.of(result.job, &format!("{}{}", paint(GOOD, result.word()), paint(DIM, run)));
            return;
        }
        let error = result
            .error
            .as_ref()
            .map(|error| format!(": {}", cut(&text::one_line(error), ERROR)))
            .unwrap_or_default();
        self.wrong(result.job, &format!("{}{error}{}", paint(BAD, result.word()), paint(DIM, run)));
    }

    /// Reports a notice of the runner.
    pub(crate) fn notice(&self, notice: &RunnerNotice) {
        match notice {
            RunnerNotice::Firing => {
                self.firing.store(true, Ordering::Relaxed);
                self.phase();
            }
            RunnerNotice::Event(event) => self.event(event),
            RunnerNotice::Dropped(fire) => self.of(fire.job.id, "does not fire: it was deleted or paused"),
            RunnerNotice::Unfinished { job, fire } => {
                let how = match fire.stage() {
                    FireStage::Claimed | FireStage::Lost => "was due to fire, but nothing started",
                    _ => "was cut off",
                };
                self.wrong(job.id, &format!("{how}: the process that fired it is gone"));
            }
            RunnerNotice::Store(warning) => self.warn(&warning.to_string()),
            RunnerNotice::Panicked { id } => self.wrong(*id, "was lost: this is a bug in loop"),
            other => self.warn(&format!("{other:?}")),
        }
    }

    fn event(&self, event: &SchedulerEvent) {
        match event {
            SchedulerEvent::Missed { job, slots } => {
                self.of(job.id, &format!("was due {} while nothing fired jobs: dropped", self.slots(*slots)));
            }
            SchedulerEvent::Asked { job, slots } => {
                let (id, slots) = (job.id, self.slots(*slots));
                self.wrong(
                    id,
                    &format!(
                        "was due {slots} while nothing fired jobs: `loop schedule fire {id}` fires it now, `loop \
                         schedule delete {id}` deletes it"
                    ),
                );
            }
            SchedulerEvent::Skipped { job, slots } => {
                self.of(job.id, &format!("was due {} and still runs: skipped", self.slots(*slots)));
            }
            SchedulerEvent::Superseded { job } => self.of(job.id, "is due again: loop ends its run"),
            SchedulerEvent::Overdue { job, since } => {
                let since = instant(*since, self.zone.rules());
                self.of(
                    job.id,
                    &format!("is due since {since}, and waits: another run works in this folder"),
                );
            }
            SchedulerEvent::Ended { id, .. } => self.of(*id, "is over"),
            SchedulerEvent::ClockWentBack { by } => self
                .warn(&format!("the clock was set back by {by:#}: slots that have fired do not fire again")),
            // A fire is reported when it begins.
            _ => {}
        }
    }

    fn slots(&self, slots: Slots) -> String {
        let first = instant(slots.first, self.zone.rules());
        match slots.count {
            1 => first,
            count => format!(
                "{} times from {first} to {}",
                text::grouped(u64::from(count)),
                instant(slots.last, self.zone.rules())
            ),
        }
    }

    /// Warns about the schedule itself.
    pub(crate) fn warn(&self, what: &str) {
        self.line(&format!("{} {what}", paint(WARN, "warning:")));
    }

    fn of(&self, id: JobId, what: &str) {
        self.say(&format!("{id} {what}"));
    }

    fn wrong(&self, id: JobId, what: &str) {
        self.line(&format!("{id} {what}"));
    }

    fn say(&self, what: &str) {
        if !self.quiet {
            self.line(what);
        }
    }

    fn line(&self, what: &str) {
        let now = crate::clock::now().to_zoned(TimeZone::clone(self.zone.rules())).strftime("%H:%M:%S");
        self.board.line(&format!("{} {what}", paint(DIM, now)));
    }
}
