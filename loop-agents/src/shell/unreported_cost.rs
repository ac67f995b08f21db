//! Accounts for commands that cost money and do not report how much.

use loop_core::{Cost, Meter, Usage, Usd};

use super::Shell;

/// Marks the cost and the tokens as lower bounds if a command adds nothing to the usage file, even if the command is dropped.
pub(super) struct UnreportedCostGuard {
    shell: Shell,
    meter: Meter,
    lines: u64,
}

impl UnreportedCostGuard {
    pub(super) fn new(shell: &Shell, meter: &Meter) -> Self {
        Self { shell: shell.clone(), meter: meter.clone(), lines: shell.reported_lines() }
    }
}

impl Drop for UnreportedCostGuard {
    fn drop(&mut self) {
        if self.shell.reported_lines() == self.lines {
            self.meter.add(Usage::unknown().with_cost(Cost::at_least(Usd::ZERO)).with_partial_tokens());
        }
    }
}
