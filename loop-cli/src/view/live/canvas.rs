//! The bytes that draw lines and a panel on a terminal.

use std::{
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use loop_telemetry::words::plain;

use loop_telemetry::words::harmless;

use super::{print_queue::PrintAction, run_panel::PanelContent};
use crate::view::{WARN, paint};

/// Begins and ends a frame (mode 2026 of terminals). All between them appears at once, without flicker.
const BEGIN_FRAME: &str = "\x1b[?2026h";
const END_FRAME: &str = "\x1b[?2026l";

/// The style of printed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextStyle {
    /// For people, in colour.
    Coloured,
    /// For people, without colour.
    Plain,
    /// Byte for byte: the caller has already checked the text.
    Verbatim,
}

/// The panel at the bottom of a terminal, and its drawing state.
#[derive(Debug)]
pub(super) struct Canvas {
    ink: TextStyle,
    panel: Option<Arc<Mutex<dyn PanelContent>>>,
    /// The widths of the drawn lines; the cursor is in the last one.
    drawn: Vec<usize>,
    /// The time of the last draw.
    at: Instant,
}

impl Canvas {
    pub(super) fn new(ink: TextStyle) -> Self {
        Self { ink, panel: None, drawn: Vec::new(), at: Instant::now() }
    }

    /// Returns when the panel was drawn, if there is one.
    pub(super) fn drawn_at(&self) -> Option<Instant> {
        self.panel.is_some().then_some(self.at)
    }

    /// Returns the bytes that carry out all items on a terminal of this many rows and columns. The panel is always
    /// redrawn.
    pub(super) fn draw(&mut self, items: Vec<PrintAction>, size: impl FnOnce() -> (u16, u16)) -> String {
        let (mut text, mut controls) = (String::new(), String::new());
        for item in items {
            match item {
                PrintAction::Text(more) => text.push_str(&more),
                PrintAction::Control(sequence) => controls.push_str(&sequence),
                PrintAction::Lost(bytes) => {
                    let lost = format!(
                        "  … {bytes} bytes are not shown: they arrived faster than the terminal could \
                                 show them"
                    );
                    text.push_str(&paint(WARN, lost));
                    text.push('\n');
                }
                PrintAction::Show(panel) => self.panel = Some(panel),
                PrintAction::Hide => self.panel = None,
            }
        }
        if self.panel.is_none() && self.drawn.is_empty() {
            return self.shown(text) + &controls;
        }
        let (rows, columns) = size();
        let (rows, columns) = (usize::from(rows), usize::from(columns).max(2));
        // Terminals that know it show the frame at once; others ignore it.
        let mut frame = format!("{BEGIN_FRAME}{}", self.erased(columns));
        frame.push_str(&self.shown(text));
        frame.push_str(&controls);
        let lines = self.lines(rows, columns);
        self.drawn = lines.iter().map(|line| console::measure_text_width(line)).collect();
        self.at = Instant::now();
        frame.push_str(&lines.join("\n"));
        frame.push_str(END_FRAME);
        frame
    }

    /// Erases the panel from a terminal of this width. Lines drawn on a wider terminal have wrapped since.
    fn erased(&self, columns: usize) -> String {
        let rows: usize = self.drawn.iter().map(|width| width.div_ceil(columns).max(1)).sum();
        let mut erased = String::new();
        if rows > 0 {
            erased.push('\r');
        }
        if rows > 1 {
            // Writing to a string cannot fail.
            let _ = write!(erased, "\x1b[{}A", rows - 1);
        }
        if rows > 0 {
            erased.push_str("\x1b[J");
        }
        erased
    }

    /// Returns the panel's lines, cut to fit: a wrapped line would scroll the panel away.
    fn lines(&self, rows: usize, columns: usize) -> Vec<String> {
        let Some(panel) = &self.panel else { return Vec::new() };
        let lines = panel.lock().unwrap_or_else(PoisonError::into_inner).lines(Instant::now());
        let fits = |line: String| console::truncate_str(&line, columns - 1, "…").into_owned();
        lines.into_iter().take(rows).map(|line| self.shown(fits(line))).collect()
    }

    /// Returns the text in this style.
    fn shown(&self, text: String) -> String {
        match self.ink {
            TextStyle::Coloured => harmless(&text).into_owned(),
            TextStyle::Plain => plain(&text).into_owned(),
            TextStyle::Verbatim => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{super::run_panel::RunPanel, *};
    use loop_manifest::{Plan, Source};

    #[derive(Debug, Clone)]
    enum Operation {
        Say(String),
        Glimpse(String),
        Show,
        Hide,
    }

    fn operations() -> impl Strategy<Value = Vec<Operation>> {
        let operation = prop_oneof![
            3 => "[a-z]{1,50}".prop_map(Operation::Say),
            3 => "[A-Z]{1,50}".prop_map(Operation::Glimpse),
            1 => Just(Operation::Show),
            1 => Just(Operation::Hide),
        ];
        prop::collection::vec(operation, 0..30)
    }

    fn panel() -> Arc<Mutex<RunPanel>> {
        let manifest = r#"{"goal": "g", "agent": {"command": "a", "prompt": "p"},
            "evaluator": {"command": "c"}, "guardrails": {"max_iterations": 3}}"#;
        let source = Source::from_bytes(Path::new("loop.json"), manifest.into()).expect("a manifest");
        let limits = Plan::of(source).expect("a plan").plan.limits;
        Arc::new(Mutex::new(RunPanel::new(&limits)))
    }

    /// Returns the rows that are not empty, in order.
    fn seen(sent: &str, (rows, columns): (u16, u16)) -> String {
        let mut emulator = vt100::Parser::new(rows, columns, 0);
        // The terminal driver does this.
        emulator.process(sent.replace('\n', "\r\n").as_bytes());
        emulator.screen().rows(0, columns).collect()
    }

    proptest! {
        #[test]
        fn what_is_said_stays_and_the_panel_leaves_nothing_behind(
            operations in operations(), rows in 2..12_u16, columns in 10..60_u16
        ) {
            let (mut canvas, panel) = (Canvas::new(TextStyle::Plain), panel());
            let (mut sent, mut said) = (String::new(), String::new());
            for operation in operations.into_iter().chain([Operation::Hide]) {
                let mut items = Vec::new();
                match operation {
                    Operation::Say(text) => {
                        said.push_str(&text);
                        items.push(PrintAction::Text(text + "\n"));
                    }
                    Operation::Glimpse(line) => {
                        panel.lock().unwrap().tail.push(format!("{line}\n").as_bytes());
                    }
                    Operation::Show => items.push(PrintAction::Show(panel.clone())),
                    Operation::Hide => items.push(PrintAction::Hide),
                }
                sent.push_str(&canvas.draw(items, || (rows, columns)));
            }
            // On a tall enough terminal, no row has scrolled off the top.
            prop_assert_eq!(seen(&sent, (200, columns)), &said[..]);
            prop_assert!(said.ends_with(&seen(&sent, (rows, columns))));
        }
    }

    #[test]
    fn a_panel_that_wraps_since_the_terminal_is_narrower_now_is_taken_away_whole() {
        let mut canvas = Canvas::new(TextStyle::Plain);
        canvas.draw(vec![PrintAction::Show(panel())], || (24, 60));
        let width = canvas.drawn[0];
        let erased = canvas.draw(vec![PrintAction::Hide], || (24, 20));
        let up = width.div_ceil(20) - 1;
        assert_eq!(erased, format!("{BEGIN_FRAME}\r\x1b[{up}A\x1b[J{END_FRAME}"));
    }
}
