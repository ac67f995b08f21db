//! Machines that lack a part, made by a filter of system calls. The support that is detected has to be what a command
//! then finds.

use std::env;

use loop_agents::process::sandbox::{Enforcement, Sandbox, SandboxSupport};
use loop_testing::{MissingPart, without};

use super::scene::{Scene, can_be_tested};

fn lenient(scene: &Scene) -> Sandbox {
    Sandbox::new().write(&scene.inside).enforcement(Enforcement::Warn)
}

#[test]
fn a_kernel_without_landlock_is_refused_and_protects_no_file() {
    if !can_be_tested() {
        return;
    }
    let scene = Scene::new();
    let (support, refused, read, traced) = without(MissingPart::Landlock, || {
        let strict = Sandbox::new().write(&scene.inside).prepare(&env::temp_dir());
        let traced = "perl -e 'exit(syscall($ENV{PTRACE}, 0, 0, 0, 0) ? 1 : 0)'";
        (
            SandboxSupport::detect(),
            strict.unwrap_err().to_string(),
            scene.run("cat $OUT/secret", Some(&lenient(&scene))).exit.success(),
            scene.run(traced, Some(&lenient(&scene))).exit.success(),
        )
    });
    assert_eq!(support.landlock_abi, 0);
    assert!(refused.contains("has no Landlock"), "{refused}");
    assert!(read, "the warning is true");
    assert!(support.seccomp && !traced, "the rest still holds");
}

#[test]
fn a_container_that_forbids_rules_of_landlock_has_no_landlock() {
    if can_be_tested() {
        let support = without(MissingPart::LandlockRules, SandboxSupport::detect);
        assert_eq!(support.landlock_abi, 0);
    }
}

#[test]
fn a_kernel_without_filters_is_refused_and_protects_files_only() {
    if !can_be_tested() {
        return;
    }
    let scene = Scene::new();
    let socket = "perl -e 'socket(S, 1, 1, 0) or exit 1'";
    let (support, refused, socket, read) = without(MissingPart::Seccomp, || {
        let strict = Sandbox::new().write(&scene.inside).prepare(&env::temp_dir());
        (
            SandboxSupport::detect(),
            strict.unwrap_err().to_string(),
            scene.run(socket, Some(&lenient(&scene))).exit.success(),
            scene.run("cat $OUT/secret", Some(&lenient(&scene))).exit.success(),
        )
    });
    assert!(!support.seccomp);
    assert!(refused.contains("cannot be filtered"), "{refused}");
    assert!(socket, "the warning is true");
    assert!(support.landlock_abi > 0 && !read, "the rest still holds");
}

#[test]
fn a_container_that_forbids_namespaces_hides_no_file_in_a_writable_folder() {
    if !can_be_tested() {
        return;
    }
    let scene = Scene::new();
    let secret = scene.inside.join(".env");
    let (support, refused, read) = without(MissingPart::Namespaces, || {
        let strict = Sandbox::new().write(&scene.inside).hide(&secret).prepare(&env::temp_dir());
        let lenient = lenient(&scene).hide(&secret);
        (
            SandboxSupport::detect(),
            strict.unwrap_err().to_string(),
            scene.run("grep treasure .env", Some(&lenient)).exit.success(),
        )
    });
    assert!(!support.mounts);
    assert!(refused.contains(".env is in a writable folder"), "{refused}");
    assert!(read, "the warning is true");
}

#[test]
fn a_hidden_file_in_a_folder_that_is_only_read_needs_no_namespace() {
    if !can_be_tested() {
        return;
    }
    let scene = Scene::new();
    let sandbox = Sandbox::new().write(&scene.inside).read(&scene.outside).hide(scene.outside.join("secret"));
    let [hidden, beside] = without(MissingPart::Namespaces, || {
        ["cat $OUT/secret", "cat $OUT/doomed && ls $OUT"]
            .map(|script| scene.run(script, Some(&sandbox)).exit.success())
    });
    assert!(!hidden && beside);
}
