//! The prompt: the arguments, and piped input.

use std::{
    io::{self, IsTerminal, Read},
    time::Duration,
};

use super::super::{Failure, OrFail, usage};
use crate::view;

/// No model reads more than this. The limit matters because a pipe may never end.
const MAX_BYTES: u64 = 16 << 20;

/// How long a pipe may stay silent before the command explains what it waits for.
const PATIENCE: Duration = Duration::from_secs(3);

/// The kind of standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StdinKind {
    /// Standard input is a person's terminal.
    Terminal,
    /// Standard input is something else, which may be empty.
    Piped,
}

impl StdinKind {
    pub(super) fn detect() -> Self {
        if io::stdin().is_terminal() { Self::Terminal } else { Self::Piped }
    }
}

/// Returns the whole prompt. Reads standard input to its end; nothing else reads it afterwards.
pub(super) async fn read_prompt(written: Option<&str>, piped: StdinKind) -> Result<String, Failure> {
    let piped = match piped {
        StdinKind::Terminal => String::new(),
        StdinKind::Piped => piped_in().await?,
    };
    let prompt = join(&piped, written.unwrap_or_default());
    if prompt.is_empty() {
        return Err(usage!("the prompt is empty: write `--prompt TEXT`, or pipe it in"));
    }
    Ok(prompt)
}

/// Joins both parts. Models answer better when the question follows the text it is about.
fn join(piped: &str, written: &str) -> String {
    let parts: Vec<_> =
        [piped.trim_end(), written].into_iter().filter(|part| !part.trim().is_empty()).collect();
    parts.join("\n\n")
}

async fn piped_in() -> Result<String, Failure> {
    // Reads on a separate thread, so that Ctrl+C still works.
    let mut reading = tokio::task::spawn_blocking(read);
    let early = tokio::time::timeout(PATIENCE, &mut reading).await;
    let read = match early {
        Ok(read) => read,
        Err(_) => {
            view::say("waiting for the end of standard input (`< /dev/null` closes it)");
            reading.await
        }
    };
    read.or_usage(|| "cannot read standard input")?
}

fn read() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).or_usage(|| "standard input")?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(usage!("standard input is longer than 16 MiB, which no model reads: pipe in less"));
    }
    let text = String::from_utf8(bytes).ok();
    text.or_usage(|| "standard input is not UTF-8 text: pipe in text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_piped_in_stands_before_what_was_written() {
        assert_eq!(join("a diff\n\n", "Is it good?"), "a diff\n\nIs it good?");
        assert_eq!(join("", "  Is it good?"), "  Is it good?");
        assert_eq!(join("a question\n", ""), "a question");
        assert_eq!(join("\n", " "), "");
    }
}
