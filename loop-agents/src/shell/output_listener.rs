//! A live view of a command's output.

use std::fmt;

use crate::process::OutputStream;

type OutputFn = dyn FnMut(OutputStream, &[u8]) + Send;

/// Receives a command's output while it runs.
#[derive(Default)]
pub(super) struct OutputListener(Option<Box<OutputFn>>);

impl OutputListener {
    pub(super) fn new(listener: impl FnMut(OutputStream, &[u8]) + Send + 'static) -> Self {
        Self(Some(Box::new(listener)))
    }

    pub(super) fn notify(&mut self, stream: OutputStream, bytes: &[u8]) {
        if let Some(listener) = &mut self.0 {
            listener(stream, bytes);
        }
    }
}

impl fmt::Debug for OutputListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Listener" } else { "no listener" })
    }
}
