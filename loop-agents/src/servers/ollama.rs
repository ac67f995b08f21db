//! The actions of a server of Ollama, through its own interface.

use std::fmt;

use reqwest::Method;
use serde_json::{Value, json};

use crate::chat::{Endpoint, GenaiError};

/// An action of a server of Ollama.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OllamaAction {
    /// Lists the models.
    List,
    /// Lists the models in memory.
    Ps,
    /// Downloads a model.
    Pull,
    /// Uploads a model.
    Push,
    /// Shows a model.
    Show,
    /// Creates a model from another one.
    Create,
    /// Copies a model.
    Cp,
    /// Removes a model.
    Rm,
    /// Measures the embedding of a model.
    Probe,
}

/// The word for an action, as people write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OllamaWord {
    /// The action.
    pub action: OllamaAction,
    /// The word.
    pub name: &'static str,
    /// The arguments, all of which are needed.
    pub arguments: &'static [&'static str],
    /// One line that says what the action does.
    pub summary: &'static str,
}

impl OllamaAction {
    /// The words of all actions.
    pub const WORDS: [OllamaWord; 9] = [
        word(Self::List, "list", &[], "List the models of the server"),
        word(Self::Ps, "ps", &[], "List the models in memory"),
        word(Self::Pull, "pull", &["MODEL"], "Download a model"),
        word(Self::Push, "push", &["MODEL"], "Upload a model"),
        word(Self::Show, "show", &["MODEL"], "Show the facts about a model"),
        word(Self::Create, "create", &["NAME", "FROM"], "Create a model from another one"),
        word(Self::Cp, "cp", &["FROM", "NAME"], "Copy a model"),
        word(Self::Rm, "rm", &["MODEL"], "Remove a model"),
        word(Self::Probe, "probe", &["MODEL"], "Show the length of one embedding of a model"),
    ];

    /// Carries out the action with these arguments, one for each of its [word](OllamaWord::arguments). `on_progress`
    /// gets the progress of a download or an upload. Returns the lines for people.
    ///
    /// # Errors
    /// [`GenaiError`] for an invalid address, and for an error of the server.
    ///
    /// # Panics
    /// An argument is missing.
    ///
    /// # Cancel safety
    /// Dropping the future ends the request. Ollama continues a download that was begun before.
    pub async fn run(
        self,
        server: &Endpoint,
        arguments: &[&str],
        on_progress: &mut (dyn FnMut(&PullProgress) + Send),
    ) -> Result<String, GenaiError> {
        let model = || json!({ "model": arguments[0] });
        Ok(match self {
            Self::List => rows(&server.page("api/tags", None).await?, "size"),
            Self::Ps => rows(&server.page("api/ps", None).await?, "size_vram"),
            Self::Show => shown(&server.page("api/show", Some(&model())).await?),
            Self::Pull => streamed(server, "api/pull", &model(), on_progress).await?,
            Self::Push => streamed(server, "api/push", &model(), on_progress).await?,
            Self::Create => {
                let body = json!({ "model": arguments[0], "from": arguments[1] });
                streamed(server, "api/create", &body, on_progress).await?
            }
            Self::Cp => {
                let body = json!({ "source": arguments[0], "destination": arguments[1] });
                server.stream(Method::POST, "api/copy", Some(&body), |_| true).await?;
                format!("{} is a copy of {}", arguments[1], arguments[0])
            }
            Self::Rm => {
                server.stream(Method::DELETE, "api/delete", Some(&model()), |_| true).await?;
                format!("{} is removed", arguments[0])
            }
            Self::Probe => {
                let body = json!({ "model": arguments[0], "input": "probe" });
                let page = server.page("api/embed", Some(&body)).await?;
                match page.pointer("/embeddings/0").and_then(Value::as_array) {
                    Some(numbers) => format!("{}: an embedding has {} numbers", arguments[0], numbers.len()),
                    None => return Err(server.unreadable(&"the answer has no embedding")),
                }
            }
        })
    }
}

const fn word(
    action: OllamaAction,
    name: &'static str,
    arguments: &'static [&'static str],
    summary: &'static str,
) -> OllamaWord {
    OllamaWord { action, name, arguments, summary }
}

/// The progress of a download or an upload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PullProgress {
    /// The step, as the server names it.
    pub status: String,
    /// The bytes that are done.
    pub completed: u64,
    /// All bytes of the step; 0 if the step has none.
    pub total: u64,
}

/// The width of a progress bar, in characters.
const BAR: u64 = 30;

impl PullProgress {
    fn of(line: &Value) -> Self {
        let number = |key: &str| line.get(key).and_then(Value::as_u64).unwrap_or_default();
        let status = line.get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { status, completed: number("completed"), total: number("total") }
    }

    /// Returns the share that is done, in percent; `None` if the step has no bytes.
    pub fn percent(&self) -> Option<u64> {
        // A server may claim more than all.
        let done = u128::from(self.completed.min(self.total)) * 100;
        u64::try_from(done.checked_div(self.total.into())?).ok()
    }
}

impl fmt::Display for PullProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(percent) = self.percent() else { return f.write_str(&self.status) };
        let done = percent * BAR / 100;
        let part = |letter: &str, count: u64| letter.repeat(usize::try_from(count).unwrap_or_default());
        let (full, empty) = (part("#", done), part("-", BAR - done));
        write!(f, "{} [{full}{empty}] {percent} % of {} MB", self.status, self.total / 1_000_000)
    }
}

/// The longest line of a stream, in bytes.
const MAX_LINE: usize = 1 << 20;

/// Sends a request whose answer is a stream of lines of JSON. A line with an error ends it.
async fn streamed(
    server: &Endpoint,
    path: &str,
    body: &Value,
    on_progress: &mut (dyn FnMut(&PullProgress) + Send),
) -> Result<String, GenaiError> {
    let (mut rest, mut failure, mut last) = (Vec::new(), None, PullProgress::default());
    let mut read = |line: &[u8]| match serde_json::from_slice::<Value>(line) {
        _ if line.trim_ascii().is_empty() => {}
        Ok(line) => match line.get("error") {
            Some(error) => failure = Some(error.as_str().map_or_else(|| error.to_string(), str::to_owned)),
            None => {
                last = PullProgress::of(&line);
                on_progress(&last);
            }
        },
        Err(error) => failure = Some(error.to_string()),
    };
    server
        .stream(Method::POST, path, Some(body), |bytes| {
            rest.extend_from_slice(bytes);
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                read(&rest.drain(..=end).collect::<Vec<_>>());
            }
            rest.len() <= MAX_LINE
        })
        .await?;
    read(&rest);
    match failure {
        Some(failure) => Err(server.unreadable(&failure)),
        // Otherwise a connection that breaks would look like a complete download.
        None if last.status != "success" => {
            Err(server.unreadable(&"the answer ended before the end of the work"))
        }
        None => Ok(last.status),
    }
}

/// Returns a line for each model of a page, with this size.
fn rows(page: &Value, size: &str) -> String {
    let models = page.get("models").and_then(Value::as_array).into_iter().flatten();
    let row = |model: &Value| {
        let name = model.get("name").and_then(Value::as_str).unwrap_or_default();
        let bytes = model.get(size).and_then(Value::as_u64).unwrap_or_default();
        format!("{name}  {} MB", bytes / 1_000_000)
    };
    let rows: Vec<_> = models.map(row).collect();
    if rows.is_empty() { "none".to_owned() } else { rows.join("\n") }
}

/// Returns the facts of the page about a model, without its template and its licence.
fn shown(page: &Value) -> String {
    let parts = ["details", "model_info"].into_iter().filter_map(|part| page.get(part)?.as_object());
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let mut lines: Vec<_> =
        parts.flatten().filter_map(|(key, value)| Some(format!("{key}: {}", plain(value)?))).collect();
    let can = page.get("capabilities").and_then(Value::as_array).into_iter().flatten();
    let can: Vec<_> = can.filter_map(Value::as_str).collect();
    if !can.is_empty() {
        lines.push(format!("capabilities: {}", can.join(", ")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_a_bar_that_never_exceeds_its_width() {
        let bar =
            |completed, total| PullProgress { status: "pulling a".into(), completed, total }.to_string();
        assert_eq!(bar(0, 0), "pulling a");
        let half = format!("pulling a [{}{}] 50 % of 4000 MB", "#".repeat(15), "-".repeat(15));
        assert_eq!(bar(2_000_000_000, 4_000_000_000), half);
        for (completed, total) in [(9, 3), (u64::MAX, u64::MAX)] {
            assert!(bar(completed, total).contains(&"#".repeat(30)), "{completed}");
        }
    }
}
