//! The bytes that bring about what is to be seen.

use std::{
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use loop_telemetry::words::plain;

use loop_telemetry::words::harmless;

use super::{WARN, paint, panel::Pinned, queue::Item};

/// How texts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// For people, with our colours.
    Coloured,
    /// For people who want none.
    Plain,
    /// Byte for byte: whoever hands them over has looked at them.
    Given,
}

/// What stands at the bottom of a terminal, and how it came there.
#[derive(Debug)]
pub(super) struct Canvas {
    ink: Ink,
    panel: Option<Arc<Mutex<dyn Pinned>>>,
    /// The widths of the lines that stand there, of which the cursor is in the last.
    drawn: Vec<usize>,
    /// When they were drawn.
    at: Instant,
}

impl Canvas {
    pub(super) fn new(ink: Ink) -> Self {
        Self { ink, panel: None, drawn: Vec::new(), at: Instant::now() }
    }

    /// When the panel was drawn, if there is one.
    pub(super) fn drawn_at(&self) -> Option<Instant> {
        self.panel.is_some().then_some(self.at)
    }

    /// What has to be printed on a terminal of this many rows and columns to get all this done. The panel
    /// is drawn anew in any case.
    pub(super) fn draw(&mut self, items: Vec<Item>, size: impl FnOnce() -> (u16, u16)) -> String {
        let mut text = String::new();
        for item in items {
            match item {
                Item::Text(more) => text.push_str(&more),
                Item::Lost(bytes) => {
                    let lost =
                        format!("  … {bytes} bytes are not shown: they came faster than they were read");
                    text.push_str(&paint(WARN, lost));
                    text.push('\n');
                }
                Item::Show(panel) => self.panel = Some(panel),
                Item::Hide => self.panel = None,
            }
        }
        if self.panel.is_none() && self.drawn.is_empty() {
            return self.shown(text);
        }
        let (rows, columns) = size();
        let (rows, columns) = (usize::from(rows), usize::from(columns).max(2));
        let mut frame = self.erased(columns);
        frame.push_str(&self.shown(text));
        let lines = self.lines(rows, columns);
        self.drawn = lines.iter().map(|line| console::measure_text_width(line)).collect();
        self.at = Instant::now();
        frame.push_str(&lines.join("\n"));
        frame
    }

    /// Takes the panel off a terminal of this width. Lines wrap that were drawn when it was wider.
    fn erased(&self, columns: usize) -> String {
        let rows: usize = self.drawn.iter().map(|width| width.div_ceil(columns).max(1)).sum();
        let mut erased = String::new();
        if rows > 0 {
            erased.push('\r');
        }
        if rows > 1 {
            // Writing to a string does not fail.
            let _ = write!(erased, "\x1b[{}A", rows - 1);
        }
        if rows > 0 {
            erased.push_str("\x1b[J");
        }
        erased
    }

    /// The panel's lines as far as they fit: one that wraps would scroll the panel away.
    fn lines(&self, rows: usize, columns: usize) -> Vec<String> {
        let Some(panel) = &self.panel else { return Vec::new() };
        let lines = panel.lock().unwrap_or_else(PoisonError::into_inner).lines(Instant::now());
        let fits = |line: String| console::truncate_str(&line, columns - 1, "…").into_owned();
        lines.into_iter().take(rows).map(|line| self.shown(fits(line))).collect()
    }

    /// Text as it may be shown.
    fn shown(&self, text: String) -> String {
        match self.ink {
            Ink::Coloured => harmless(&text).into_owned(),
            Ink::Plain => plain(&text).into_owned(),
            Ink::Given => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{super::panel::Panel, *};
    use loop_manifest::{Plan, Source};

    #[derive(Debug, Clone)]
    enum Deed {
        Say(String),
        Glimpse(String),
        Show,
        Hide,
    }

    fn deeds() -> impl Strategy<Value = Vec<Deed>> {
        let deed = prop_oneof![
            3 => "[a-z]{1,50}".prop_map(Deed::Say),
            3 => "[A-Z]{1,50}".prop_map(Deed::Glimpse),
            1 => Just(Deed::Show),
            1 => Just(Deed::Hide),
        ];
        prop::collection::vec(deed, 0..30)
    }

    fn panel() -> Arc<Mutex<Panel>> {
        let manifest = r#"{"goal": "g", "agent": {"command": "a", "prompt": "p"},
            "evaluator": {"command": "c"}, "guardrails": {"max_iterations": 3}}"#;
        let source = Source::from_bytes(Path::new("loop.json"), manifest.into()).expect("a manifest");
        let limits = Plan::of(source).expect("a plan").plan.limits;
        Arc::new(Mutex::new(Panel::new(&limits)))
    }

    /// The rows that are not empty, one after the other.
    fn seen(sent: &str, (rows, columns): (u16, u16)) -> String {
        let mut emulator = vt100::Parser::new(rows, columns, 0);
        // The terminal's driver does this.
        emulator.process(sent.replace('\n', "\r\n").as_bytes());
        emulator.screen().rows(0, columns).collect()
    }

    proptest! {
        #[test]
        fn what_is_said_stays_and_the_panel_leaves_nothing_behind(
            deeds in deeds(), rows in 2..12_u16, columns in 10..60_u16
        ) {
            let (mut canvas, panel) = (Canvas::new(Ink::Plain), panel());
            let (mut sent, mut said) = (String::new(), String::new());
            for deed in deeds.into_iter().chain([Deed::Hide]) {
                let mut items = Vec::new();
                match deed {
                    Deed::Say(text) => {
                        said.push_str(&text);
                        items.push(Item::Text(text + "\n"));
                    }
                    Deed::Glimpse(line) => {
                        panel.lock().unwrap().tail.push(format!("{line}\n").as_bytes());
                    }
                    Deed::Show => items.push(Item::Show(panel.clone())),
                    Deed::Hide => items.push(Item::Hide),
                }
                sent.push_str(&canvas.draw(items, || (rows, columns)));
            }
            // On a terminal that is high enough nothing has left it at the top.
            prop_assert_eq!(seen(&sent, (200, columns)), &said[..]);
            prop_assert!(said.ends_with(&seen(&sent, (rows, columns))));
        }
    }

    #[test]
    fn a_panel_that_wraps_since_the_terminal_is_narrower_now_is_taken_away_whole() {
        let mut canvas = Canvas::new(Ink::Plain);
        canvas.draw(vec![Item::Show(panel())], || (24, 60));
        let width = canvas.drawn[0];
        let erased = canvas.draw(vec![Item::Hide], || (24, 20));
        assert_eq!(erased, format!("\r\x1b[{}A\x1b[J", width.div_ceil(20) - 1));
    }
}
