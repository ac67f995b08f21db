//! `!COMMAND`: commands that a person types. They run as that person would run them, with a shell and a terminal, and
//! the policy does not judge them.

use std::{ffi::OsString, path::Path};

use loop_agents::{
    output::Capture,
    process::{Environment, Process, TerminalOutput},
};
use loop_core::with_causes;
use loop_telemetry::words::style::{BAD, paint};

use super::state::Session;
use crate::InputError;

/// How many bytes of the output to keep at its beginning, and as many at its end.
const KEPT_BYTES: usize = 256 << 10;

/// The escapes that switch to another screen and back, as editors do. The text on that screen is no output.
const OTHER_SCREEN: [&str; 2] = ["\u{1b}[?1049h", "\u{1b}[?1049l"];

/// A person's own command, ready to run.
#[derive(Debug)]
pub struct OwnCommand {
    process: Process,
    shell: String,
    line: String,
}

/// The result of a person's own command.
#[derive(Debug)]
pub struct OwnCommandOutput {
    exit_code: i32,
    text: String,
    /// Whether the cursor is at the beginning of a line.
    pub ends_line: bool,
}

impl OwnCommand {
    /// Runs the command at the controlling terminal.
    ///
    /// # Errors
    /// There is no terminal, or the command cannot start.
    ///
    /// # Cancel safety
    /// Dropping the future kills the command.
    pub async fn run(self) -> Result<OwnCommandOutput, InputError> {
        let words = [self.shell.as_str(), "-c", self.line.as_str()];
        let done = self.process.run_on_terminal(&words, KEPT_BYTES).await;
        let TerminalOutput { exit, output, .. } =
            done.map_err(|error| InputError::refused(with_causes(&error)))?;
        let text = shown(&output);
        Ok(OwnCommandOutput {
            exit_code: exit.shell_code(),
            ends_line: text.is_empty() || text.ends_with('\n'),
            text,
        })
    }
}

impl Session {
    /// Prepares a command that a person typed after `!`. Only lines that a person typed may run this way; all others
    /// are for [`run_line`](Self::run_line), under the policy.
    pub fn own_command(&self, line: &str) -> OwnCommand {
        let execution = &self.context.execution;
        let variables = execution.variables().iter().cloned();
        let shell = execution.variable("SHELL").and_then(|shell| shell.into_string().ok());
        let shell =
            shell.filter(|shell| Path::new(shell).is_absolute()).unwrap_or_else(|| "/bin/sh".to_owned());
        let process = Process::shell("")
            .dir(execution.folder())
            .env(Environment::new().inherit(variables.collect::<Vec<(OsString, OsString)>>()))
            .supervisor(execution.supervisor().clone());
        OwnCommand { process, shell, line: line.to_owned() }
    }

    /// Notes that a person's own command was interrupted. Its effects remain, so the model must know.
    pub fn abandon_own_command(&mut self, line: &str) {
        self.begin(&format!("!{line}"), Default::default());
        self.add_excerpt_to_context(&format!("I ran: {line}"), "(interrupted)");
    }

    /// Adds the output of a person's own command to the model's context, without escapes and secrets.
    ///
    /// # Errors
    /// The command failed.
    pub fn finish_own_command(&mut self, line: &str, output: &OwnCommandOutput) -> Result<(), InputError> {
        self.begin(&format!("!{line}"), Default::default());
        let text = format!("{}\n(exit {})", output.text.trim_end(), output.exit_code);
        self.add_excerpt_to_context(&format!("I ran: {line}"), &self.host().printable(&text));
        match output.exit_code {
            0 => Ok(()),
            code => Err(InputError::refused(format!("the command exited with {}", paint(BAD, code)))),
        }
    }
}

/// Returns the text that stays on the screen.
fn shown(output: &Capture) -> String {
    let text = String::from_utf8_lossy(&output.to_bytes()).replace("\r\n", "\n");
    let [begin, end] = OTHER_SCREEN;
    let mut parts = text.split(begin);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(end).map_or("", |(_, after)| after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editors_screen_is_no_output() {
        let mut capture = Capture::with_limit(100);
        capture.push(b"a\r\n\x1b[?1049hvim\x1b[?1049lb\x1b[?1049hcut");
        assert_eq!(shown(&capture), "a\nb");
    }
}
