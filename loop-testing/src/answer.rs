//! The answers of the server.

use crate::Gate;

/// One answer of the script.
#[derive(Debug, Clone)]
pub struct Answer(pub(crate) AnswerKind);

#[derive(Debug, Clone)]
pub(crate) enum AnswerKind {
    Reply(Reply),
    Status { code: u16, headers: Vec<(String, String)>, message: String },
}

/// A streamed reply.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pub(crate) deltas: Vec<String>,
    pub(crate) calls: Vec<Call>,
    pub(crate) usage: Option<(u64, u64)>,
    pub(crate) truncated: bool,
    pub(crate) gate: Option<Gate>,
    pub(crate) end: ReplyEnd,
    /// Texts and their replacements.
    pub(crate) replaced: Vec<(String, String)>,
}

impl Reply {
    /// Returns the frame with the replacements.
    pub(crate) fn spoilt(&self, frame: String) -> String {
        self.replaced.iter().fold(frame, |frame, (text, with)| frame.replace(text, with))
    }
}

/// How a reply ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ReplyEnd {
    #[default]
    Properly,
    /// The connection breaks.
    Breaks,
    /// The connection closes as if the reply were complete.
    Closes,
    /// The connection stays open, but sends nothing more.
    Stalls,
}

/// A tool call, with its arguments in pieces. Dialects that send whole calls join the pieces.
#[derive(Debug, Clone)]
pub struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) chunks: Vec<String>,
}

impl Call {
    /// Creates a call of this tool with these pieces of JSON.
    pub fn new<'a>(id: &str, name: &str, chunks: impl IntoIterator<Item = &'a str>) -> Self {
        let chunks = chunks.into_iter().map(str::to_owned).collect();
        Self { id: id.to_owned(), name: name.to_owned(), chunks }
    }

    pub(crate) fn arguments(&self) -> serde_json::Value {
        serde_json::from_str(&self.chunks.concat()).unwrap_or_default()
    }
}

impl Answer {
    /// Creates a reply in these pieces, without usage.
    pub fn deltas<'a>(deltas: impl IntoIterator<Item = &'a str>) -> Self {
        let deltas = deltas.into_iter().map(str::to_owned).collect();
        Self(AnswerKind::Reply(Reply { deltas, ..Reply::default() }))
    }

    /// Creates a reply that consists of these calls.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Self(AnswerKind::Reply(Reply { calls: calls.into_iter().collect(), ..Reply::default() }))
    }

    /// Creates an answer with this status and no reply.
    pub fn status(code: u16) -> Self {
        Self(AnswerKind::Status { code, headers: Vec::new(), message: "as the script says".to_owned() })
    }

    /// Adds a header, if the answer is a status.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let AnswerKind::Status { headers, .. } = &mut self.0 {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Sets the text, if the answer is a status.
    #[must_use]
    pub fn message(mut self, text: &str) -> Self {
        if let AnswerKind::Status { message, .. } = &mut self.0 {
            text.clone_into(message);
        }
        self
    }

    /// Sets the usage, in input and output tokens. A reply that is cut reports it before the cut, except in the dialect
    /// of Ollama.
    #[must_use]
    pub fn usage(self, input: u64, output: u64) -> Self {
        self.reply(|reply| reply.usage = Some((input, output)))
    }

    /// Replaces `text` with `with` everywhere in the reply, to simulate a server that sends invalid data.
    #[must_use]
    pub fn replaced(self, text: &str, with: &str) -> Self {
        self.reply(|reply| reply.replaced.push((text.to_owned(), with.to_owned())))
    }

    /// Marks the reply as cut at its maximum length.
    #[must_use]
    pub fn truncated(self) -> Self {
        self.reply(|reply| reply.truncated = true)
    }

    /// Makes each piece after the first wait for this gate.
    #[must_use]
    pub fn gated(self, gate: &Gate) -> Self {
        self.reply(|reply| reply.gate = Some(gate.clone()))
    }

    /// Breaks the connection after the pieces.
    #[must_use]
    pub fn breaks(self) -> Self {
        self.reply(|reply| reply.end = ReplyEnd::Breaks)
    }

    /// Closes the connection after the pieces, as if the reply were complete.
    #[must_use]
    pub fn closes(self) -> Self {
        self.reply(|reply| reply.end = ReplyEnd::Closes)
    }

    /// Sends nothing more after the pieces.
    #[must_use]
    pub fn stalls(self) -> Self {
        self.reply(|reply| reply.end = ReplyEnd::Stalls)
    }

    fn reply(mut self, change: impl FnOnce(&mut Reply)) -> Self {
        if let AnswerKind::Reply(reply) = &mut self.0 {
            change(reply);
        }
        self
    }
}
