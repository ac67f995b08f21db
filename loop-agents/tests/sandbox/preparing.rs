//! Descriptions that are refused, and machines that cannot enforce them.

use std::path::Path;

use loop_agents::process::sandbox::{Enforcement, Sandbox, SandboxError, SandboxSupport};

/// A machine that enforces everything, or less.
fn machine(landlock_abi: u32, seccomp: bool, mounts: bool) -> SandboxSupport {
    let mut support = SandboxSupport::detect();
    (support.landlock_abi, support.seccomp, support.mounts) = (landlock_abi, seccomp, mounts);
    support
}

fn refusal(sandbox: &Sandbox, support: SandboxSupport) -> String {
    let folder = tempfile::tempdir().unwrap();
    sandbox.prepare_with(folder.path(), support).unwrap_err().to_string()
}

#[test]
fn paths_have_to_be_absolute_and_plain() {
    for path in ["", ".", "src", "~/x", "/a/../b"] {
        for sandbox in [Sandbox::new().write(path), Sandbox::new().read(path), Sandbox::new().hide(path)] {
            assert!(matches!(sandbox.validate(), Err(SandboxError::Path { .. })), "{path}");
        }
    }
}

#[test]
fn the_whole_system_cannot_be_writable_even_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("/", &link).unwrap();
    for path in [Path::new("/"), &link] {
        let refused = refusal(&Sandbox::new().write(path), machine(7, true, true));
        assert!(refused.contains("write everywhere"), "{refused}");
    }
}

#[test]
fn a_writable_folder_has_to_exist() {
    let refused = refusal(&Sandbox::new().write("/nowhere/at/all"), machine(7, true, true));
    assert_eq!(refused, "cannot let a sandbox write to /nowhere/at/all");
}

#[test]
fn a_machine_that_cannot_hold_a_part_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().canonicalize().unwrap().join(".env");
    std::fs::write(&secret, "x").unwrap();
    let sandbox = Sandbox::new().write(folder.path()).hide(&secret);
    let refusals =
        [machine(0, true, true), machine(2, true, true), machine(7, false, true), machine(7, true, false)]
            .map(|support| refusal(&sandbox, support).replace(&*secret.to_string_lossy(), "[secret]"));
    insta::assert_snapshot!(refusals.join("\n"));
}

#[test]
fn a_warning_lists_all_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::new().write(folder.path()).enforcement(Enforcement::Warn);
    let prepared = |support| sandbox.prepare_with(folder.path(), support).unwrap();
    assert_eq!(prepared(machine(0, false, false)).shortfalls().len(), 2);
    assert!(prepared(machine(7, true, false)).shortfalls().is_empty(), "there is no file to hide");
}

#[test]
fn a_temporary_folder_is_removed_with_its_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let support = machine(7, true, false);
    let prepared = Sandbox::new().prepare_with(folder.path(), support).unwrap();
    let temporary = prepared.temporary_folder().to_owned();
    assert!(temporary.is_dir());
    drop(prepared);
    assert!(!temporary.exists());
}
