//! Ways out of a sandbox that one command prepares and a later one takes, and descriptors from before.

use std::{env, fs, os::fd::AsRawFd, thread};

use loop_agents::process::sandbox::{Sandbox, SandboxSupport};
use rustix::{
    io::{FdFlags, fcntl_setfd},
    mount::{MountPropagationFlags, mount_bind, mount_change},
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, configure_capability_in_ambient_set,
        set_capabilities, unshare_unsafe,
    },
};

use super::scene::{Scene, can_be_tested};

/// The first script changes the workspace. The second one escapes through what it left.
const ESCAPES: &[(&str, &str, &str)] = &[
    (
        "reads through a link at a writable folder",
        "mv build old && ln -s $OUT build",
        "grep treasure $OUT/secret",
    ),
    ("writes through a link at a writable folder", "mv build old && ln -s $OUT build", "echo x >$OUT/new"),
    (
        "reads through a link at a readable folder",
        "mv data old && ln -s $OUT data",
        "grep treasure $OUT/secret",
    ),
    (
        "reads through a link above a readable folder",
        "mv deep old && ln -s $OUT deep",
        "grep treasure $OUT/below/treasure",
    ),
    ("reads a secret whose folder was moved", "mv conf moved", "grep treasure moved/.env"),
    (
        "reads a secret whose folder was moved and replaced",
        "mv conf moved; mkdir conf",
        "grep treasure moved/.env",
    ),
    (
        "reads a secret whose folder was moved and linked",
        "mv conf moved; ln -s moved conf",
        "grep treasure moved/.env || grep treasure conf/.env",
    ),
];

/// A scene with folders in the workspace that a sandbox names.
fn scene() -> (Scene, Sandbox) {
    let scene = Scene::new();
    for folder in ["build", "data", "deep/below", "conf"] {
        fs::create_dir_all(scene.inside.join(folder)).unwrap();
    }
    fs::create_dir(scene.outside.join("below")).unwrap();
    fs::write(scene.outside.join("below/treasure"), "treasure").unwrap();
    fs::write(scene.inside.join("conf/.env"), "treasure").unwrap();
    let mut sandbox = scene.sandbox().write(scene.inside.join("build"));
    for folder in ["data", "deep/below"] {
        sandbox = sandbox.read(scene.inside.join(folder));
    }
    if SandboxSupport::detect().mounts {
        sandbox = sandbox.hide(scene.inside.join("conf/.env"));
    }
    (scene, sandbox)
}

#[test]
fn no_way_that_an_earlier_command_prepared_succeeds() {
    if !can_be_tested() {
        return;
    }
    let mut wrong = Vec::new();
    for (name, first, second) in ESCAPES {
        if name.contains("secret") && !SandboxSupport::detect().mounts {
            eprintln!("not tried: \"{name}\": this process may not mount");
            continue;
        }
        let (open, _) = scene();
        open.try_run(first, None).unwrap();
        if !open.try_run(second, None).unwrap().exit.success() {
            wrong.push(format!("\"{name}\" fails even without a sandbox"));
        }
        let (scene, sandbox) = scene();
        let prepared = sandbox.prepare(&env::temp_dir()).unwrap();
        scene.try_run(first, Some(&prepared)).unwrap();
        if scene.try_run(second, Some(&prepared)).is_ok_and(|output| output.exit.success()) {
            wrong.push(format!("\"{name}\" succeeds inside"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_link_at_a_listed_folder_refuses_the_start_and_names_it() {
    if can_be_tested() {
        let (scene, sandbox) = scene();
        let prepared = sandbox.prepare(&env::temp_dir()).unwrap();
        scene.try_run("mv build old && ln -s $OUT build", Some(&prepared)).unwrap();
        let refused = loop_core::with_causes(&scene.try_run("true", Some(&prepared)).unwrap_err());
        assert!(refused.contains("inside/build is or contains a link now"), "{refused}");
    }
}

#[test]
fn a_folder_that_is_made_anew_is_allowed_again() {
    if can_be_tested() {
        let (scene, sandbox) = scene();
        let prepared = sandbox.prepare(&env::temp_dir()).unwrap();
        for script in ["rm -r build", "mkdir build", "echo x >build/new && rm conf/.env || true"] {
            assert!(scene.try_run(script, Some(&prepared)).unwrap().exit.success(), "{script}");
        }
    }
}

/// Runs `inside` on a thread that root has given a mount namespace and all its rights, so that a program could get them.
fn as_root_in_own_mounts<T: Send>(inside: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            #[expect(unsafe_code, reason = "only `UnshareFlags::FILES` endangers memory safety")]
            // SAFETY: that flag is not among these.
            unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.unwrap();
            mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).unwrap();
            inside()
        });
        thread.join().unwrap()
    })
}

#[test]
fn a_hidden_file_stays_hidden_at_a_second_mount_of_its_folder() {
    if !can_be_tested() || !SandboxSupport::detect().mounts {
        return;
    }
    let scene = Scene::new();
    as_root_in_own_mounts(|| {
        mount_bind(&scene.inside, &scene.outside).unwrap();
        assert!(scene.run("grep treasure $OUT/.env", None).exit.success());
        assert!(!scene.run("grep treasure $OUT/.env", Some(&scene.sandbox())).exit.success());
    });
}

#[test]
fn rights_that_programs_inherit_end_at_the_boundary() {
    if !can_be_tested() || !SandboxSupport::detect().mounts {
        return;
    }
    let scene = Scene::new();
    let mounts = "test $((0x$(sed -n 's/^CapEff:\t//p' /proc/self/status) >> 21 & 1)) = 1";
    as_root_in_own_mounts(|| {
        let sets = capabilities(None).unwrap();
        set_capabilities(None, CapabilitySets { inheritable: sets.permitted, ..sets }).unwrap();
        configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true).unwrap();
        assert!(scene.run(mounts, None).exit.success());
        assert!(!scene.run(mounts, Some(&scene.sandbox())).exit.success());
    });
}

#[test]
fn a_descriptor_from_before_is_not_passed_on() {
    if can_be_tested() {
        let scene = Scene::new();
        let file = fs::File::options().read(true).append(true).open(scene.outside.join("secret")).unwrap();
        fcntl_setfd(&file, FdFlags::empty()).unwrap();
        let script = format!("cat /proc/self/fd/{0} || cat <&{0} || echo x >&{0}", file.as_raw_fd());
        let script = format!("bash -c '{script}'");
        assert!(scene.run(&script, None).exit.success());
        assert!(!scene.run(&script, Some(&scene.sandbox())).exit.success());
    }
}
