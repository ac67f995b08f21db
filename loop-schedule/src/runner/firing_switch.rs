//! The switch that stops all firing.

use tokio::sync::watch;

/// A switch that stops all firing and cancels current runs. Clones share their state.
///
/// # Default
/// On.
///
/// ```
/// let switch = loop_schedule::FiringSwitch::default();
/// switch.clone().set(false);
/// assert!(!switch.is_on());
/// ```
#[derive(Debug, Clone)]
pub struct FiringSwitch(watch::Sender<bool>);

impl FiringSwitch {
    /// Switches it on or off.
    pub fn set(&self, on: bool) {
        self.0.send_replace(on);
    }

    /// Returns whether it is on.
    pub fn is_on(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns a receiver for changes of the switch.
    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

impl Default for FiringSwitch {
    fn default() -> Self {
        Self(watch::Sender::new(true))
    }
}
