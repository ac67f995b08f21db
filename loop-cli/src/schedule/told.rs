//! What a person is told while jobs fire.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use jiff::tz::TimeZone;
use loop_schedule::{Event, Fire, JobId, Notice, Slots, Stage, Switch, Zone};
use loop_telemetry::words::instant;

use super::{
    Fired,
    page::{Page, Phase},
    rows::cut,
};
use crate::view::{BAD, BOLD, Board, DIM, GOOD, WARN, paint, text};

/// A longer prompt is cut.
const PROMPT: usize = 100;

/// A longer error is cut; `loop schedule show` has all of it.
const ERROR: usize = 200;

/// Tells what happens, line by line, and on the page beneath.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) board: Arc<Board>,
    pub(crate) page: Arc<Mutex<Page>>,
    pub(crate) zone: Zone,
    /// Whether jobs may fire at all.
    pub(crate) switch: Switch,
    /// Whether they are fired here.
    pub(crate) firing: AtomicBool,
    /// Only what is wrong is said.
    pub(crate) quiet: bool,
}

impl Told {
    /// Says what the scheduler is at.
    pub(crate) fn phase(&self) {
        let phase = match (self.switch.is_on(), self.firing.load(Ordering::Relaxed)) {
            (false, _) => Phase::Off,
            (true, true) => Phase::Firing,
            (true, false) => Phase::Waiting,
        };
        self.page.lock().unwrap_or_else(PoisonError::into_inner).phase = Some(phase);
        self.board.refresh();
        self.say(match phase {
            Phase::Waiting => "another process fires these jobs: this one takes over when that ends",
            Phase::Firing => "jobs fire from now on",
            Phase::Off => "everything is stopped: `loop schedule on` lets jobs fire again",
        });
    }

    /// A job's prompt is on its way.
    pub(crate) fn fired(&self, fire: &Fire) {
        let prompt = cut(&text::one_line(&fire.job.prompt), PROMPT);
        let why = match fire.slots {
            None => " (asked for)".to_owned(),
            Some(slots) if slots.count > 1 => {
                format!(" (for {} slots)", text::grouped(u64::from(slots.count)))
            }
            Some(_) if fire.is_catch_up => " (late)".to_owned(),
            Some(_) => String::new(),
        };
        self.of(fire.job.id, &format!("{} {prompt}{}", paint(BOLD, "fires"), paint(DIM, why)));
    }

    /// A line that a run printed.
    pub(crate) fn heard(&self, id: JobId, line: &str) {
        if !self.quiet {
            self.board.line(&format!("  {} {}", paint(DIM, format_args!("{id} │")), text::one_line(line)));
        }
    }

    /// It is over.
    pub(crate) fn over(&self, fired: &Fired) {
        let run = fired.run_id.as_ref().map(|run| format!(" · run {run}")).unwrap_or_default();
        if fired.is_good() {
            self.of(fired.job, &format!("{}{}", paint(GOOD, fired.word()), paint(DIM, run)));
            return;
        }
        let error = fired
            .error
            .as_ref()
            .map(|error| format!(": {}", cut(&text::one_line(error), ERROR)))
            .unwrap_or_default();
        self.wrong(fired.job, &format!("{}{error}{}", paint(BAD, fired.word()), paint(DIM, run)));
    }

    /// What the runner says.
    pub(crate) fn notice(&self, notice: &Notice) {
        match notice {
            Notice::Firing => {
                self.firing.store(true, Ordering::Relaxed);
                self.phase();
            }
            Notice::Event(event) => self.event(event),
            Notice::Dropped(fire) => self.of(fire.job.id, "does not fire: it was deleted or paused"),
            Notice::Unfinished { job, fire } => {
                let how = match fire.stage() {
                    Stage::Claimed | Stage::Lost => "was to fire, and nothing began",
                    _ => "was cut off",
                };
                self.wrong(job.id, &format!("{how}: whoever fired it is gone"));
            }
            Notice::Store(warning) => self.warn(&warning.to_string()),
            Notice::Panicked { id } => self.wrong(*id, "was lost: a mistake of this program"),
            other => self.warn(&format!("{other:?}")),
        }
    }

    fn event(&self, event: &Event) {
        match event {
            Event::Missed { job, slots } => {
                self.of(job.id, &format!("was due {} while nobody was awake: dropped", self.slots(*slots)));
            }
            Event::Asked { job, slots } => {
                let (id, slots) = (job.id, self.slots(*slots));
                self.wrong(
                    id,
                    &format!(
                        "was due {slots} while nobody was awake: `loop schedule fire {id}` does it now, \
                         `loop schedule delete {id}` drops it"
                    ),
                );
            }
            Event::Skipped { job, slots } => {
                self.of(job.id, &format!("was due {} and still runs: skipped", self.slots(*slots)));
            }
            Event::Superseded { job } => self.of(job.id, "is due again: its run is ended"),
            Event::Overdue { job, since } => {
                let since = instant(*since, self.zone.rules());
                self.of(job.id, &format!("is due since {since}, and waits: another run works in this folder"));
            }
            Event::Ended { id, .. } => self.of(*id, "is over"),
            Event::ClockWentBack { by } => self.warn(&format!(
                "the clock was set back by {by:#}: what has fired does not fire again when its time comes again"
            )),
            // A fire is told when it begins.
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

    /// What is wrong with the schedule itself.
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
