//! Ways out of a sandbox. Each has to fail inside, and to succeed without one, so that its failure means something.

use loop_agents::process::sandbox::{SandboxNetwork, SandboxSupport};

use super::scene::{Scene, can_be_tested};
use Needs::{Kernel, Mounts, Root, Signals};
use files::FILES;
use processes::{KERNEL, PROCESSES};
use sockets::{NETWORK, SOCKETS};

#[path = "escapes/files.rs"]
mod files;
#[path = "escapes/processes.rs"]
mod processes;
#[path = "escapes/sockets.rs"]
mod sockets;

/// The conditions under which an escape succeeds without a sandbox.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Needs {
    Nothing,
    /// The rights of root.
    Root,
    /// A part of the kernel that not every kernel has, or that a container may forbid.
    Kernel,
    /// Hiding a file in a writable folder.
    Mounts,
    /// Landlock's scope of signals.
    Signals,
}

/// A name, the conditions, and a script.
type Escape = (&'static str, Needs, &'static str);

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Tries each escape without a sandbox and inside one. Returns those that did not behave, and how many were tried.
fn try_all(escapes: &[Escape], network: &SandboxNetwork) -> (Vec<String>, usize) {
    let support = SandboxSupport::detect();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for (name, needs, script) in escapes {
        let reason = match needs {
            Root if !is_root() => Some("only root can"),
            Mounts if !support.mounts => Some("this process may not mount"),
            Signals if support.landlock_abi < SandboxSupport::SIGNALS_LANDLOCK_ABI => {
                Some("Landlock is too old")
            }
            _ => None,
        };
        if let Some(reason) = reason {
            eprintln!("not tried: \"{name}\": {reason}");
            continue;
        }
        let without = Scene::new().run(script, None);
        if !without.exit.success() && matches!(needs, Kernel | Root) {
            eprintln!("not tried: \"{name}\": it fails on this machine without a sandbox");
            continue;
        }
        tried += 1;
        let scene = Scene::new();
        let within = scene.run(script, Some(&scene.sandbox().network(network.clone())));
        let output = |of: &loop_agents::process::ProcessOutput| {
            String::from_utf8_lossy(&of.stdout.to_bytes()).trim().to_owned()
        };
        if !without.exit.success() {
            wrong.push(format!("\"{name}\" fails even without a sandbox: {}", output(&without)));
        }
        if within.exit.success() {
            wrong.push(format!("\"{name}\" succeeds inside: {}", output(&within)));
        }
    }
    (wrong, tried)
}

fn none_succeeds(escapes: &[Escape], network: &SandboxNetwork, least: usize) {
    if can_be_tested() {
        let (wrong, tried) = try_all(escapes, network);
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(tried >= least, "only {tried} of {} escapes mean anything here", escapes.len());
    }
}

#[test]
fn no_way_to_files_outside_succeeds() {
    none_succeeds(FILES, &SandboxNetwork::All, 20);
}

#[test]
fn no_way_to_other_processes_and_the_kernel_succeeds() {
    none_succeeds(PROCESSES, &SandboxNetwork::All, 3);
    none_succeeds(KERNEL, &SandboxNetwork::All, 3);
}

#[test]
fn no_socket_but_tcp_and_udp_can_be_created() {
    none_succeeds(SOCKETS, &SandboxNetwork::All, 2);
}

#[test]
fn no_network_means_no_sockets_of_any_kind() {
    none_succeeds(SOCKETS, &SandboxNetwork::None, 2);
    none_succeeds(NETWORK, &SandboxNetwork::None, 3);
}
