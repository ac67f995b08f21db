//! Where a run's lines go: straight to standard error, or above a panel that stays at the bottom of the
//! terminal.

use std::{
    collections::VecDeque,
    fmt::Write,
    io::{self, IsTerminal},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use loop_core::{Progress, StepRecord, Usd};

use super::{DIM, echo, paint, say, text};
use crate::{drive::Audience, manifest::plan::Limits};

/// How many of the last lines of output the panel shows.
const TAIL: usize = 4;

/// How often the panel's clock moves.
const TICK: Duration = Duration::from_secs(1);

/// Where a run's lines go. Clones share the screen.
#[derive(Debug, Clone)]
pub(crate) struct Screen(Option<Arc<Panel>>);

impl Screen {
    /// A screen with a panel if standard error is a terminal that can move its cursor.
    pub(crate) fn new(limits: &Limits, audience: Audience) -> Self {
        let moves = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        let live = !audience.quiet && moves && io::stderr().is_terminal();
        let screen = Self(live.then(|| Arc::new(Panel::new(limits))));
        screen.show();
        screen
    }

    /// Prints a line for good.
    pub(crate) fn line(&self, line: &str) {
        match &self.0 {
            // A terminal that is gone is no reason to end a run.
            Some(panel) => drop(panel.bars.println(panel.shown(line.trim_end().to_owned()))),
            None => say(line),
        }
    }

    /// Shows what the run is at from now on.
    pub(crate) fn begin(&self, stage: &'static str, progress: &Progress) {
        if let Some(panel) = &self.0 {
            panel.status_of().begin(stage, progress);
        }
    }

    /// Shows what has become of the run's cost and time.
    pub(crate) fn update(&self, progress: &Progress) {
        if let Some(panel) = &self.0 {
            panel.status_of().update(progress);
        }
    }

    /// Whether lines that are not printed for good are seen at all.
    pub(crate) const fn is_live(&self) -> bool {
        self.0.is_some()
    }

    /// Shows a line that an agent or a check printed, until others take its place.
    pub(crate) fn output(&self, line: &str) {
        if let Some(panel) = &self.0 {
            panel.output(line);
        }
    }

    /// Shows the last verdict.
    pub(crate) fn verdict(&self, verdict: &str) {
        if let Some(panel) = &self.0 {
            panel.verdict.set_message(panel.shown(format!("  last check: {verdict}")));
        }
    }

    /// Whether the panel is there now.
    pub(crate) fn is_shown(&self) -> bool {
        self.0.as_ref().is_some_and(|panel| !panel.bars.is_hidden())
    }

    /// Takes the panel away, for a question or for good.
    pub(crate) fn hide(&self) {
        if let Some(panel) = &self.0 {
            echo::set(true);
            panel.status.disable_steady_tick();
            // An error here is a terminal that is gone.
            let _ = panel.bars.clear();
            panel.bars.set_draw_target(ProgressDrawTarget::hidden());
        }
    }

    /// Takes time out of what the panel's clocks show.
    pub(crate) fn skip(&self, time: Duration) {
        if let Some(panel) = &self.0 {
            panel.status_of().skip(time);
        }
    }

    /// Brings the panel back.
    pub(crate) fn show(&self) {
        if let Some(panel) = &self.0 {
            echo::set(false);
            panel.bars.set_draw_target(ProgressDrawTarget::stderr());
            panel.status.enable_steady_tick(TICK);
        }
    }
}

/// However the run ends, the terminal is left as it was.
impl Drop for Panel {
    fn drop(&mut self) {
        echo::set(true);
    }
}

#[derive(Debug)]
struct Panel {
    bars: MultiProgress,
    status: ProgressBar,
    tail: Vec<ProgressBar>,
    verdict: ProgressBar,
    coloured: bool,
    lines: Mutex<VecDeque<String>>,
    status_of: Arc<Mutex<Status>>,
}

impl Panel {
    fn new(limits: &Limits) -> Self {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let status_of = Arc::new(Mutex::new(Status::new(limits)));
        let shown = Arc::clone(&status_of);
        let status = ProgressBar::new_spinner().with_style(style("{status}").with_key(
            "status",
            move |_: &ProgressState, to: &mut dyn Write| {
                let status = lock(&shown).text(Instant::now());
                // A line that wraps would scroll the panel away.
                let width = usize::from(Term::stderr().size().1).saturating_sub(1);
                // Writing to a string does not fail.
                let _ = to.write_str(&console::truncate_str(&status, width, "…"));
            },
        ));
        let status = bars.add(status);
        let line = || bars.add(ProgressBar::new_spinner().with_style(style("{wide_msg}")));
        let tail = (0..TAIL).map(|_| line()).collect();
        let verdict = line();
        let coloured = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
        Self { status, tail, verdict, coloured, lines: Mutex::default(), status_of, bars }
    }

    fn status_of(&self) -> MutexGuard<'_, Status> {
        lock(&self.status_of)
    }

    /// Text without its colours, if they are not wanted.
    fn shown(&self, text: String) -> String {
        if self.coloured { text } else { anstream::adapter::strip_str(&text).to_string() }
    }

    fn output(&self, line: &str) {
        let mut lines = lock(&self.lines);
        if lines.len() == TAIL {
            lines.pop_front();
        }
        lines.push_back(line.to_owned());
        for (bar, line) in self.tail.iter().zip(lines.iter()) {
            bar.set_message(self.shown(paint(DIM, format_args!("  │ {line}"))));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// What the panel's first line says.
#[derive(Debug)]
struct Status {
    limits: Limits,
    stage: &'static str,
    iteration: u64,
    cost: Option<Usd>,
    /// Run time at the last event, and when that was.
    elapsed: Duration,
    seen: Instant,
    /// When this stage began.
    began: Instant,
}

impl Status {
    fn new(limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            limits: limits.clone(),
            stage: "starting",
            iteration: 1,
            cost: None,
            elapsed: Duration::ZERO,
            seen: now,
            began: now,
        }
    }

    fn begin(&mut self, stage: &'static str, progress: &Progress) {
        self.stage = stage;
        self.began = Instant::now();
        self.update(progress);
    }

    fn update(&mut self, progress: &Progress) {
        self.seen = Instant::now();
        self.iteration = progress.current_step().map_or(self.iteration, StepRecord::iteration);
        self.cost = progress.usage().cost.map(|cost| cost.usd);
        self.elapsed = progress.elapsed();
    }

    fn skip(&mut self, time: Duration) {
        self.seen += time;
        self.began += time;
    }

    fn text(&self, now: Instant) -> String {
        let of = |limit: Option<String>| limit.map(|limit| format!(" of {limit}")).unwrap_or_default();
        let cost = match self.cost {
            Some(cost) => cost.to_string(),
            None => "cost unknown".to_owned(),
        };
        format!(
            "iteration {} of {} · {} {} · run {}{} · {cost}{}",
            self.iteration,
            self.limits.max_iterations,
            self.stage,
            text::duration(now.duration_since(self.began)),
            text::duration(self.elapsed + now.duration_since(self.seen)),
            of(self.limits.max_time.map(text::duration)),
            of(self.limits.max_cost.map(|limit| limit.to_string())),
        )
    }
}
