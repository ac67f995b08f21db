//! One fire: this program as its own child.

use std::{path::Path, time::Duration};

use loop_agents::process::{
    Environment, Exit, OutputStream, Process, ProcessError, ProcessOutput, Supervisor,
};
use loop_telemetry::Record;

/// How long a run may take to end after TERM. Its agent has five seconds, and then the run still records its end.
const GRACE: Duration = Duration::from_secs(20);

/// The maximum length of a record's line.
const RECORD_BYTES: usize = 64 << 10;

/// The command that starts this program for a fire.
#[derive(Debug)]
pub(crate) struct FireProcess {
    process: Process,
}

/// A finished child.
#[derive(Debug)]
pub(crate) struct FireProcessExit {
    pub(crate) exit: Exit,
    /// The end of its run, if one began.
    pub(crate) record: Option<Record>,
    /// Its last line on standard error.
    pub(crate) last_words: Option<String>,
}

impl FireProcess {
    /// Prepares `program` in this folder, with the user's own variables. A run itself hides variables from its agent.
    pub(crate) fn new(program: &str, arguments: Vec<String>, dir: &Path, supervisor: Supervisor) -> Self {
        let env = Environment::new().inherit(std::env::vars_os());
        let process =
            Process::program(program, arguments).dir(dir).env(env).grace(GRACE).supervisor(supervisor);
        Self { process: process.capture_limit(RECORD_BYTES) }
    }

    /// Adds these variables.
    pub(crate) fn also_env(self, variables: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self { process: self.process.also_env(variables) }
    }

    /// Runs the child to its end, or until `stop`. `hear` receives each line of its output, except its record.
    ///
    /// # Errors
    /// The child could not start, or was lost.
    ///
    /// # Cancel safety
    /// Dropping the future kills the child, whose watchdog then kills everything that it started.
    pub(crate) async fn run(
        self,
        stop: impl Future<Output = ()>,
        mut hear: impl FnMut(&str),
    ) -> Result<FireProcessExit, ProcessError> {
        let (mut out, mut err) = (LineSplitter::default(), LineSplitter::default());
        // The record is the last line on standard output, and only the end of the output shows which line is the last.
        let mut held: Option<String> = None;
        let finished = self.process.run(stop, |stream, bytes| match stream {
            OutputStream::Stderr => err.push(bytes, &mut hear),
            OutputStream::Stdout | OutputStream::Merged => out.push(bytes, |line| {
                if let Some(earlier) = held.replace(line.to_owned()) {
                    hear(&earlier);
                }
            }),
        });
        let ProcessOutput { exit, stderr, .. } = finished.await?;
        let record = held.as_deref().and_then(|line| serde_json::from_str(line).ok());
        if let Some(line) = held.filter(|_| record.is_none()) {
            hear(&line);
        }
        out.end(&mut hear);
        err.end(hear);
        let last_words = crate::view::text::last_line(&stderr.last_text(RECORD_BYTES), 200);
        Ok(FireProcessExit { exit, record, last_words })
    }
}

/// Output, line by line.
#[derive(Debug, Default)]
struct LineSplitter {
    begun: Vec<u8>,
}

impl LineSplitter {
    fn push(&mut self, mut bytes: &[u8], mut hear: impl FnMut(&str)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.begun.extend_from_slice(&bytes[..end]);
            self.end(&mut hear);
            bytes = &bytes[end + 1..];
        }
        self.begun.extend_from_slice(bytes);
        // Output without line ends must not fill the memory.
        if self.begun.len() > RECORD_BYTES {
            self.end(&mut hear);
        }
    }

    fn end(&mut self, mut hear: impl FnMut(&str)) {
        if !self.begun.is_empty() {
            hear(&String::from_utf8_lossy(&self.begun));
            self.begun.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_heard_whole_whatever_they_come_in() {
        let (mut lines, mut heard) = (LineSplitter::default(), Vec::new());
        for piece in ["a", "b\nc\n\nd", "e"] {
            lines.push(piece.as_bytes(), |line| heard.push(line.to_owned()));
        }
        lines.end(|line| heard.push(line.to_owned()));
        assert_eq!(heard, ["ab", "c", "de"]);
    }
}
