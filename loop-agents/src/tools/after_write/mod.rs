//! Programs that run after a tool wrote a file: formatters, which change it, and sensors, which judge it.
//!
//! A model that sees the words of a compiler within its turn repairs the mistake at once. These programs run without a
//! question, so none of them comes from the workspace: their names are in this library or in the user's own settings,
//! and they are found outside of the workspace.

mod formatter;
mod kept_words;
mod style_file;
#[cfg(test)]
mod tests;
mod vet;

use std::{collections::BTreeSet, future::pending, time::Duration};

use glob::{MatchOptions, Pattern};
use loop_core::with_causes;

use super::{CommandRun, FileChange, ToolContext, size_limits};
pub use formatter::FormatOutcome;

/// The most time that a formatter has.
const FORMAT_TIME: Duration = Duration::from_secs(30);

/// The most time that a sensor has.
const SENSOR_TIME: Duration = Duration::from_secs(60);

/// The most time of the sensor for Go, which runs without being asked for.
const VET_TIME: Duration = Duration::from_secs(15);

/// The most bytes of the output of sensors.
const SENSOR_BYTES: usize = 2_000;

/// A command line for files with some names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCommand {
    files: Pattern,
    command: String,
}

/// A pattern of file names that cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{pattern}` is not a pattern of file names: {why}")]
pub struct FilePatternError {
    pattern: String,
    why: &'static str,
}

impl FileCommand {
    /// Creates a command for the files that match `files`: their names, or their whole paths if there is a `/` in the
    /// pattern. A shell in the workspace reads the command line, in which `$LOOP_FILE` is the file.
    ///
    /// # Errors
    /// The pattern cannot be read.
    ///
    /// ```
    /// use loop_agents::tools::FileCommand;
    ///
    /// assert!(FileCommand::new("*.rs", "cargo check -q").is_ok());
    /// assert!(FileCommand::new("[", "true").is_err());
    /// ```
    pub fn new(files: &str, command: impl Into<String>) -> Result<Self, FilePatternError> {
        let pattern = Pattern::new(files);
        let files =
            pattern.map_err(|error| FilePatternError { pattern: files.to_owned(), why: error.msg })?;
        Ok(Self { files, command: command.into() })
    }

    fn is_for(&self, path: &str) -> bool {
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
        let is_path = self.files.as_str().contains('/');
        let name = if is_path { path } else { path.rsplit('/').next().unwrap_or(path) };
        self.files.matches_with(name, options)
    }
}

/// The formatters and sensors of a [`Toolbox`](super::Toolbox).
///
/// # Default
/// `rustfmt`, `gofmt`, `clang-format`, `black` and `prettier` format the files of their languages if they are installed,
/// and `go vet` examines those of Go in a module if the toolbox has a [sandbox](super::CommandSandbox) of which all holds: it
/// reads more files than the one that was written.
///
/// ```
/// use loop_agents::tools::{AfterWrite, FileCommand};
///
/// let check = FileCommand::new("*.rs", "cargo check -q")?;
/// let after = AfterWrite::default().sensors([check]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct AfterWrite {
    formats: bool,
    formatters: Vec<FileCommand>,
    format_time: Duration,
    sensors: Vec<FileCommand>,
}

impl Default for AfterWrite {
    fn default() -> Self {
        Self { formats: true, formatters: Vec::new(), format_time: FORMAT_TIME, sensors: Vec::new() }
    }
}

impl AfterWrite {
    /// Sets whether files are formatted after a tool wrote them. Otherwise only [`Toolbox::format`](super::Toolbox::format)
    /// does so.
    #[must_use]
    pub fn formats(self, formats: bool) -> Self {
        Self { formats, ..self }
    }

    /// Sets further formatters, which come before the built-in ones. Each reads the file from its standard input and
    /// prints the new file.
    #[must_use]
    pub fn formatters(self, formatters: impl IntoIterator<Item = FileCommand>) -> Self {
        Self { formatters: formatters.into_iter().collect(), ..self }
    }

    /// Sets further sensors. The model reads what they print.
    #[must_use]
    pub fn sensors(self, sensors: impl IntoIterator<Item = FileCommand>) -> Self {
        Self { sensors: sensors.into_iter().collect(), ..self }
    }

    /// Formats and examines the files that a call wrote. Returns the words about it for the model.
    pub(super) async fn run(&self, files: &[FileChange], cx: &ToolContext) -> String {
        let mut said = String::new();
        for file in files {
            let outcome = if self.formats { self.format(&file.path, cx).await } else { continue };
            if !matches!(outcome, FormatOutcome::Unchanged | FormatOutcome::NoFormatter) {
                said.push_str(&format!("\n{outcome}"));
            }
        }
        for sensor in self.sensors_of(files, cx).await {
            said.push_str(&examined(&sensor, cx).await);
        }
        said
    }

    /// Formats a file of the workspace.
    pub(super) async fn format(&self, path: &str, cx: &ToolContext) -> FormatOutcome {
        let own = self.formatters.iter().find(|formatter| formatter.is_for(path));
        formatter::format(path, own.map(|own| own.command.as_str()), self.format_time, cx).await
    }

    /// Returns the sensors for these files, each once.
    async fn sensors_of(&self, files: &[FileChange], cx: &ToolContext) -> BTreeSet<Sensor> {
        let mut found = BTreeSet::new();
        for file in files {
            let of_file = self.sensors.iter().filter(|sensor| sensor.is_for(&file.path));
            found.extend(of_file.map(|sensor| Sensor::Chosen(sensor.command.clone())));
            if file.path.ends_with(".go") && vet::is_in_module(&file.path, cx).await {
                let folder = file.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
                found.insert(Sensor::Vet(vet::line(folder)));
            }
        }
        found
    }
}

/// A command that examines files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Sensor {
    /// The user chose it.
    Chosen(String),
    /// The one for Go, which nobody chose.
    Vet(String),
}

/// Runs a sensor, and returns what it says. A sensor that says nothing and ends with 0 has nothing to say.
async fn examined(sensor: &Sensor, cx: &ToolContext) -> String {
    let (command, limit) = match sensor {
        Sensor::Chosen(command) => (command, SENSOR_TIME),
        Sensor::Vet(command) => (command, VET_TIME),
    };
    let process = cx.process().found_outside(cx.workspace().root()).line(command).merged();
    let process = process.max_time(limit).capture_limit(SENSOR_BYTES);
    let process = match sensor {
        Sensor::Chosen(_) => match cx.confined_script(process).await {
            Ok((process, missing)) => {
                cx.lacks(missing);
                process
            }
            Err(error) => return format!("\n`{command}` did not run: {error}"),
        },
        Sensor::Vet(_) => match cx.confined_examiner(process).await {
            Some(process) => process,
            // The user can choose it as a sensor of their own.
            None => return String::new(),
        },
    };
    let printed = |_, bytes: &[u8]| {
        if let Sensor::Chosen(_) = sensor {
            cx.printed(bytes);
        }
    };
    match process.run(pending(), printed).await {
        Ok(finished) => {
            let exit_code = finished.exit.shell_code();
            // The shell found no such program: a helper that is missing is no failure.
            if exit_code == 127 {
                return String::new();
            }
            let timed_out = finished.cut.is_some();
            cx.ran(CommandRun { line: command.clone(), exit_code, timed_out });
            let output = finished.stdout.excerpt(SENSOR_BYTES);
            let output = match sensor {
                Sensor::Chosen(_) => output,
                Sensor::Vet(_) => vet::of_readable_files(output, cx).await,
            };
            match (exit_code, output.trim()) {
                (0, "") => String::new(),
                (_, output) => {
                    let cut = finished.cut.map(|cut| format!(", it was ended {cut}")).unwrap_or_default();
                    let end = size_limits::notice(&format!("`{command}`: exit {exit_code}{cut}"));
                    format!("\n{output}\n{end}")
                }
            }
        }
        Err(error) => format!("\n`{command}` did not run: {}", with_causes(&error)),
    }
}
