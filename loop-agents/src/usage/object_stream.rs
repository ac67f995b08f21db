//! Finds the JSON objects of a stream.
//!
//! Agents print one object per line, or one object over many lines, and other programs print into the same stream. So
//! an object begins at the beginning of a line, and ends with its last brace, even if other text follows. Text that
//! only begins like an object is skipped, without losing readable objects after it: a line that begins with a brace
//! always begins a new object, because inside of an object over several lines such a line is indented.

use std::borrow::Cow;

use serde::Deserialize;

use super::{
    brace_counter::BraceCounter,
    dialect::Dialect,
    figures, lenient_json,
    line_splitter::{LineSplitter, StreamLine},
    report_collector::ReportCollector,
};
use crate::output::json_objects::{self, ParsedJson};

/// The longest line, and the longest object, to read: 8 MiB. An agent that reads a large file prints all of it in one
/// line.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The note about an object that is not at the beginning of its line.
const BEHIND_TEXT: &str = "an object of the agent follows other text on its line, so it was not read: does \
                           another program print to the same output?";

/// The only part of an object to read before we know whether it is of interest.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
}

/// Finds the objects of one stream and passes them to a [`Dialect`].
#[derive(Debug)]
pub(super) struct ObjectStream {
    lines: LineSplitter,
    found: ObjectFinder,
}

#[derive(Debug, Default)]
struct ObjectFinder {
    /// The object whose end has not come.
    open: Option<PartialObject>,
    /// Whether the agent has printed anything.
    anything: bool,
    /// Whether any of it has this agent's own form, which no other agent prints.
    own: bool,
}

/// The beginning of an object that goes over several lines.
#[derive(Debug, Default)]
struct PartialObject {
    text: Vec<u8>,
    braces: BraceCounter,
}

impl Default for ObjectStream {
    fn default() -> Self {
        Self { lines: LineSplitter::with_max(MAX_BYTES), found: ObjectFinder::default() }
    }
}

impl ObjectStream {
    /// Reads the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8], dialect: &mut dyn Dialect, collector: &mut ReportCollector) {
        let Self { lines, found } = self;
        lines.feed(bytes, |line| found.line(line, dialect, collector));
    }

    /// Ends the stream. A last line without a newline is complete then.
    pub(super) fn finish(&mut self, dialect: &mut dyn Dialect, collector: &mut ReportCollector) {
        let Self { lines, found } = self;
        lines.finish(|line| found.line(line, dialect, collector));
        found.break_off(collector);
    }

    /// Returns true if there was output, and none of it has this agent's own form.
    pub(super) fn are_foreign(&self) -> bool {
        self.found.anything && !self.found.own
    }
}

impl ObjectFinder {
    fn line(&mut self, line: StreamLine<'_>, dialect: &mut dyn Dialect, collector: &mut ReportCollector) {
        self.anything = true;
        let StreamLine::Whole(mut rest) = line else {
            self.break_off(collector);
            return collector.notes.add(&format!("refused: a line of more than {MAX_BYTES} bytes"));
        };
        if rest.first() == Some(&b'{') {
            self.break_off(collector);
        }
        while !rest.is_empty() {
            let mut open = match self.open.take() {
                Some(open) => open,
                None if rest.trim_ascii_start().first() == Some(&b'{') => PartialObject::default(),
                None => return self.look_behind(rest, dialect, collector),
            };
            let Some(end) = open.braces.follow(rest) else { return self.keep(open, rest, collector) };
            let (last, after) = rest.split_at(end);
            if open.text.is_empty() {
                // Nearly all objects end in their first line. Do not copy these.
                self.object(last, dialect, collector);
            } else {
                open.text.extend_from_slice(last);
                self.object(&open.text, dialect, collector);
            }
            rest = after;
        }
    }

    /// Continues the object in the next line, if possible.
    fn keep(&mut self, mut open: PartialObject, line: &[u8], collector: &mut ReportCollector) {
        if open.braces.is_in_string() {
            return refuse(collector);
        }
        if open.text.len() + line.len() > MAX_BYTES {
            return collector.notes.add(&format!("refused: an object of more than {MAX_BYTES} bytes"));
        }
        open.text.extend_from_slice(line);
        open.text.push(b'\n');
        self.open = Some(open);
    }

    /// Drops the open object, whose end will not come.
    fn break_off(&mut self, collector: &mut ReportCollector) {
        if self.open.take().is_some() {
            collector.notes.add("an object began and did not end, so it counts as text");
        }
    }

    fn object(&mut self, bytes: &[u8], dialect: &mut dyn Dialect, collector: &mut ReportCollector) {
        // Invalid UTF-8 comes from the output of tools. Numbers beside it count all the same.
        let text = String::from_utf8_lossy(bytes);
        if !self.read(&text, dialect, collector)
            && !self.read(&lenient_json::repaired(&text), dialect, collector)
        {
            refuse(collector);
        }
    }

    /// Passes an object on, if it is of interest. Returns false if it is unreadable.
    fn read(&mut self, text: &str, dialect: &mut dyn Dialect, collector: &mut ReportCollector) -> bool {
        let Ok(Head { kind }) = serde_json::from_str(text) else { return false };
        let is_read = kind.as_deref().map_or(dialect.has_documents(), |kind| dialect.reads(kind));
        if is_read {
            let Ok(ParsedJson { value: object, duplicate_keys }) = json_objects::read(text) else {
                return false;
            };
            for key in &duplicate_keys {
                collector.notes.add(&format!("refused: {}", figures::twice(key)));
            }
            collector.begin_object(!duplicate_keys.is_empty());
            match kind.as_deref() {
                Some(kind) => dialect.line(kind, &object, collector),
                None => self.own |= dialect.document(&object, collector),
            }
        }
        self.own |= kind.as_deref().is_some_and(|kind| dialect.is_own(kind));
        true
    }

    /// Notes an object after other text in its line. The program that printed the text has hidden the agent's report.
    fn look_behind(&self, line: &[u8], dialect: &dyn Dialect, collector: &mut ReportCollector) {
        let Some(start) = line.windows(2).position(|signs| signs == b"{\"") else { return };
        let Ok(text) = std::str::from_utf8(&line[start..]) else { return };
        if let Ok(Head { kind: Some(kind) }) = serde_json::from_str(text)
            && dialect.reads(&kind)
        {
            collector.notes.add(BEHIND_TEXT);
        }
    }
}

fn refuse(collector: &mut ReportCollector) {
    collector.notes.add("something that begins like an object cannot be read, so it counts as text");
}
