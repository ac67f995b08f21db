//! The switch that stops everything.

use tokio::sync::watch;

/// A switch that stops all firing, also while runs go on: they are cancelled. Clones are the same switch.
///
/// # Default
/// It is on.
///
/// ```
/// let switch = loop_schedule::Switch::default();
/// switch.clone().set(false);
/// assert!(!switch.is_on());
/// ```
#[derive(Debug, Clone)]
pub struct Switch(watch::Sender<bool>);

impl Switch {
    /// Turns it on or off.
    pub fn set(&self, on: bool) {
        self.0.send_replace(on);
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is set.
    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

impl Default for Switch {
    fn default() -> Self {
        Self(watch::Sender::new(true))
    }
}
