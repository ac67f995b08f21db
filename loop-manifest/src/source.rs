//! A manifest's file: where it is, what it holds, and the format that its name promises.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use super::{
    diagnostics::{COMMAND_LINE, Diagnostic, Diagnostics, Span},
    format::Format,
    named_secrets,
    overrides::Overrides,
};

/// The maximum size of a manifest. A larger file was named by mistake, and reading all of it would fill the memory
/// before the error.
const MAX_BYTES: u64 = 16 << 20;

/// The text of a manifest.
#[derive(Debug, Clone)]
pub struct Source {
    path: PathBuf,
    text: String,
    format: Format,
    overrides: Overrides,
}

impl Source {
    /// Reads the manifest at `path`. Messages show the path as the user wrote it.
    ///
    /// # Errors
    /// A path that is missing, a folder, unreadable, too large, not text, empty, or of a name that
    /// promises no known format.
    pub fn open(path: &Path) -> Result<Self, Diagnostics> {
        let bytes = read(path).map_err(|finding| Diagnostics::of_file(path, finding))?;
        Self::from_bytes(path, bytes)
    }

    /// The manifest that `path` would be if it held `bytes`.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn from_bytes(path: &Path, mut bytes: Vec<u8>) -> Result<Self, Diagnostics> {
        let format = Format::of(path).ok_or_else(|| Diagnostics::of_file(path, unknown_format()))?;
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            bytes.drain(..3);
        }
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))?;
        // Convert CRLF to LF, so that a prompt does not depend on the system where the file was saved.
        let text = if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text };
        if text.trim().is_empty() {
            let finding = Diagnostic::error("this manifest is empty")
                .help("a manifest has at least `goal`, `agent`, `evaluator` and `guardrails`");
            return Err(Diagnostics::of_file(path, finding));
        }
        Ok(Self { path: path.to_owned(), text, format, overrides: Overrides::default() })
    }

    /// Creates the manifest of a loop with this name that only the command line describes.
    pub fn of_flags(name: &str, overrides: Overrides) -> Self {
        let text = serde_json::json!({ "name": name }).to_string();
        Self::stored(Path::new(COMMAND_LINE), text).overridden(overrides)
    }

    /// Creates the manifest that `path` was with overrides. `text` is its [`effective`](Self::effective) text, in JSON.
    pub fn stored(path: &Path, text: String) -> Self {
        Self { path: path.to_owned(), text, format: Format::Json, overrides: Overrides::default() }
    }

    /// Adds values from the command line. They replace those in the file.
    #[must_use]
    pub fn overridden(self, overrides: Overrides) -> Self {
        Self { overrides, ..self }
    }

    /// The text that locations point into: that of the file, and the command line.
    pub(crate) fn located_text(&self) -> String {
        format!("{}\n{}", self.text, self.overrides.line())
    }

    /// Returns the values from the command line.
    pub fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    /// Returns the values in a text of this manifest whose names look like those of secrets, as they are written. The
    /// manifest need not be valid.
    pub fn secrets_in<'t>(&self, text: &'t str) -> Vec<&'t str> {
        named_secrets::find(&self.path.display().to_string(), text)
    }

    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text, without a byte order mark, and with every line ending in a line feed alone.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The format, by the file's name.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The file's name without its extension.
    pub fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The folder that the file is in.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// `findings`, together with the text that they point into.
    pub(crate) fn report(self, findings: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::with_line(self.path.display().to_string(), self.text, self.overrides.line(), findings)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Diagnostic::error("there is no such file")
            .help("the path of a manifest is relative to the folder where you called `loop`, not to `--cwd`"),
        _ => Diagnostic::error(format!("this file cannot be read: {error}")),
    };
    if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Err(Diagnostic::error("this is a folder, not a manifest")
            .help("name the manifest's file, for example `loop.yaml`"));
    }
    // Check the name before reading: a device or a pipe might never end.
    Format::of(path).ok_or_else(unknown_format)?;
    let mut bytes = Vec::new();
    // Do not wait for the writer of a pipe.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(Diagnostic::error("this is a pipe or a device, not a file")
            .help("a manifest has to be a regular file: write it into one, for example `loop.yaml`"));
    }
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Diagnostic::error("this file is larger than 16 MiB, so it cannot be a manifest"));
    }
    Ok(bytes)
}

fn unknown_format() -> Diagnostic {
    Diagnostic::error("the name of this file does not show its format")
        .help("the name of a manifest ends in `.yaml`, `.yml`, `.toml` or `.json`")
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Diagnostics {
    let bytes = error.as_bytes();
    let finding = Diagnostic::error("this file is not UTF-8 text");
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Diagnostics::of_file(path, finding.help("it looks like UTF-16: save it as UTF-8"));
    }
    // The text before the bad byte is kept as it is, so the offset is the same in the shown text.
    let place = error.utf8_error().valid_up_to();
    let shown = String::from_utf8_lossy(bytes).into_owned();
    let label = format!("the byte 0x{:02X} cannot start a character", bytes[place]);
    let finding = finding.at(place..place + char::REPLACEMENT_CHARACTER.len_utf8(), label);
    Diagnostics::new(path.display().to_string(), shown, vec![finding.help("save the file as UTF-8")])
}

/// The place of the occurrence of `part` in the text at `span` after `skip` earlier ones; all of
/// `span` if escapes hide it.
pub(crate) fn find(text: &str, span: &Span, part: &str, skip: usize) -> Span {
    let found = text.get(span.clone()).and_then(|written| written.match_indices(part).nth(skip));
    found.map_or(span.clone(), |(offset, _)| span.start + offset..span.start + offset + part.len())
}
