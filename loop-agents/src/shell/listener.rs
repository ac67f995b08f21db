//! A live view of what a command prints.

use std::fmt;

use crate::process::Stream;

type Hear = dyn FnMut(Stream, &[u8]) + Send;

/// Somebody who wants to see what a command prints while it does.
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
