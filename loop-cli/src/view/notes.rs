//! What is odd about the usage that an agent reports.

use std::sync::{Arc, OnceLock};

use super::{Screen, WARN, paint, text};

/// Says what is odd at once: a limit that cannot hold, since a model has no price for example, is of no use to who
/// learns of it when the run is over. Clones speak in the same place; until that is known, they are silent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes(Arc<OnceLock<Screen>>);

impl Notes {
    /// Says each note there from now on.
    pub(crate) fn say_on(&self, screen: &Screen) {
        // A run has one screen.
        let _ = self.0.set(screen.clone());
    }

    /// Says a note, if anybody wants to know.
    pub(crate) fn add(&self, note: &str) {
        if let Some(screen) = self.0.get() {
            let note = text::printable(note);
            screen.line(&format!("{} of the usage that the agent prints: {note}", paint(WARN, "warning:")));
        }
    }
}
