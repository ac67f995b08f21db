//! A live view of a command's output.

use std::fmt;

use crate::process::Stream;

type Hear = dyn FnMut(Stream, &[u8]) + Send;

/// Receives a command's output while it runs.
#[derive(Default)]
pub(super) struct Listener(Option<Box<Hear>>);

impl Listener {
    pub(super) fn new(listener: impl FnMut(Stream, &[u8]) + Send + 'static) -> Self {
        Self(Some(Box::new(listener)))
    }

    pub(super) fn hear(&mut self, stream: Stream, bytes: &[u8]) {
        if let Some(listener) = &mut self.0 {
            listener(stream, bytes);
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Listener" } else { "no listener" })
    }
}
