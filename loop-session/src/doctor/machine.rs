//! The restrictions that this machine can enforce.

use std::num::NonZeroU64;

use loop_agents::process::{ResourceLimits, Supervisor, has_control_groups, sandbox::SandboxSupport};
use loop_core::with_causes;

use super::{Finding, Health};

pub(super) fn findings(supervisor: &Supervisor) -> Vec<Finding> {
    let mut findings = of(SandboxSupport::detect());
    findings.push(if has_control_groups() {
        let says = "a run ends everything that it started, also after its mark was removed";
        Finding::new("machine", "control groups", Health::Good, says)
    } else {
        let says = "a process that drops its environment and its parents can outlive its run";
        Finding::new("machine", "control groups", Health::Missing, says)
    });
    findings.push(limits(supervisor));
    findings
}

fn limits(supervisor: &Supervisor) -> Finding {
    let both = ResourceLimits { processes: NonZeroU64::new(64), memory: NonZeroU64::new(1 << 30) };
    let (health, says) = match supervisor.try_limits(both) {
        Ok(()) => (Health::Good, "`limits` of a manifest hold for all commands of a run together".to_owned()),
        Err(error) => {
            (Health::Missing, format!("`limits` of a manifest are refused: {}", with_causes(&error)))
        }
    };
    Finding::new("machine", "limits", health, says)
}

fn of(support: SandboxSupport) -> Vec<Finding> {
    let finding = |name: &str, health, says: &str| Finding::new("machine", name, health, says);
    let (abi, least) = (support.landlock_abi, SandboxSupport::MIN_LANDLOCK_ABI);
    let landlock = match abi {
        0 => finding(
            "landlock",
            Health::Missing,
            "no sandbox can protect files: use Linux 6.2 or newer, with `landlock` in its boot option `lsm=`",
        ),
        old if old < least => {
            let says = format!("version {old} lets a command truncate files outside; {least} is needed");
            finding("landlock", Health::Missing, &says)
        }
        _ => finding("landlock", Health::Good, &format!("version {abi} protects files")),
    };
    let signals = if abi >= SandboxSupport::SIGNALS_LANDLOCK_ABI {
        finding("signals", Health::Good, "a command in a sandbox signals only its own processes")
    } else {
        finding(
            "signals",
            Health::Missing,
            "a command in a sandbox can signal your other processes (Linux 6.12)",
        )
    };
    let calls = if support.seccomp {
        finding("seccomp", Health::Good, "sockets, ptrace and namespaces can be refused")
    } else {
        finding("seccomp", Health::Missing, "neither the network nor ptrace can be refused")
    };
    let mounts = if support.mounts {
        finding("mounts", Health::Good, "secrets in writable folders can be hidden")
    } else {
        let says = "secrets in writable folders cannot be hidden, which needs CAP_SYS_ADMIN";
        finding("mounts", Health::Missing, says)
    };
    let uncovered =
        "file modes, owners, times and extended attributes, scheduling priorities, resource limits";
    let networks = if support.networks {
        finding("networks", Health::Good, "`sandbox.network` can be a list of hosts")
    } else {
        let says = "a list of hosts in `sandbox.network` is refused, which needs CAP_SYS_ADMIN";
        finding("networks", Health::Missing, says)
    };
    vec![landlock, signals, calls, mounts, networks, finding("not covered", Health::Missing, uncovered)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_switched_off_is_missing() {
        let mut all = SandboxSupport::detect();
        (all.landlock_abi, all.seccomp, all.mounts, all.networks) = (6, true, true, true);
        let health = |support| -> Vec<_> { of(support).iter().map(|finding| finding.health).collect() };
        assert_eq!(health(all)[..5], [Health::Good; 5]);
        for (index, change) in [
            (0, (0, true, true, true)),
            (1, (5, true, true, true)),
            (2, (6, false, true, true)),
            (3, (6, true, false, true)),
            (4, (6, true, true, false)),
        ] {
            let mut support = all;
            (support.landlock_abi, support.seccomp, support.mounts, support.networks) = change;
            assert_eq!(health(support)[index], Health::Missing, "{support:?}");
        }
    }
}
