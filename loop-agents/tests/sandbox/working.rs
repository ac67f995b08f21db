//! Ordinary work inside a sandbox.

use std::fs;

use loop_agents::process::sandbox::{Sandbox, SandboxNetwork, SandboxSupport};

use super::scene::{Scene, can_be_tested};

/// Scripts that succeed inside.
const WORK: &[(&str, &str)] = &[
    (
        "reads and writes its workspace",
        "echo new >file && cat file plain && mkdir -p a/b && mv file a/b/file",
    ),
    ("runs a program of its workspace", "printf '#!/bin/sh\\nexit 0\\n' >tool && chmod +x tool && ./tool"),
    ("has a temporary folder", "f=$(mktemp) && echo x >$f && rm $f"),
    (
        "reads the settings of the system",
        "cat /etc/passwd /proc/self/status >/dev/null && ls /usr/bin >/dev/null",
    ),
    ("uses devices", "head -c 8 /dev/urandom >/dev/null && : </dev/zero"),
    ("uses pipes and jobs", "yes | head -n 1000 | wc -l && sleep 0 & wait"),
    ("signals its own processes", "sleep 600 & kill $! && ! wait $!"),
    ("reads about its own processes", "sleep 600 & cat /proc/$!/environ >/dev/null && kill $!"),
    ("connects a pair of sockets", "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or exit 1'"),
    ("sets its own limits", "ulimit -n 64"),
    (
        "starts threads and processes",
        "perl -e 'for (1..20) { defined(my $p = fork) or exit 1; $p or exit } 1 while wait > 0'",
    ),
    (
        "works with git",
        "git init -q . && git add plain && git -c user.name=a -c user.email=b commit -qm c && git log",
    ),
];

#[test]
fn ordinary_work_succeeds_inside() {
    if !can_be_tested() {
        return;
    }
    for network in [SandboxNetwork::All, SandboxNetwork::None] {
        for (name, script) in WORK {
            let scene = Scene::new();
            let done = scene.run(script, Some(&scene.sandbox().network(network.clone())));
            let output = String::from_utf8_lossy(&done.stdout.to_bytes()).into_owned();
            assert!(done.exit.success(), "\"{name}\" with {network:?}: {output}");
        }
    }
}

#[test]
fn the_network_works_unless_it_is_turned_off() {
    if can_be_tested() {
        let scene = Scene::new();
        let script = "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) \
                      && connect(S, sockaddr_in($ENV{TCP}, inet_aton(\"127.0.0.1\"))) or exit 1'";
        assert!(scene.run(script, Some(&scene.sandbox())).exit.success());
    }
}

#[test]
fn each_command_has_the_boundary_of_its_own_sandbox() {
    if !can_be_tested() {
        return;
    }
    let scene = Scene::new();
    let wide = scene.sandbox().write(&scene.outside);
    assert!(scene.run("cat $OUT/secret", Some(&wide)).exit.success());
    assert!(!scene.run("cat $OUT/secret", Some(&scene.sandbox())).exit.success());
}

#[test]
fn the_compiler_of_go_has_a_cache() {
    if can_be_tested() {
        let scene = Scene::new();
        let script = "test \"$GOCACHE\" = \"$TMPDIR/go-build\" && mkdir \"$GOCACHE\"";
        assert!(scene.run(script, Some(&scene.sandbox())).exit.success());
        let go = "if command -v go; then printf 'module m\n' >go.mod; \
                  printf 'package main\nfunc main() {}\n' >main.go; go build && go vet; fi";
        assert!(scene.run(go, Some(&scene.sandbox())).exit.success());
    }
}

#[test]
fn a_workspace_that_is_a_link_works() {
    if can_be_tested() {
        let scene = Scene::new();
        let link = scene.outside.join("link");
        std::os::unix::fs::symlink(&scene.inside, &link).unwrap();
        let sandbox = Sandbox::new().write(&link);
        assert!(scene.run("echo x >new && cat new", Some(&sandbox)).exit.success());
        assert!(!scene.run("cat $OUT/secret", Some(&sandbox)).exit.success());
    }
}

#[test]
fn this_process_stays_outside() {
    if can_be_tested() {
        let scene = Scene::new();
        assert!(scene.run("true", Some(&scene.sandbox().network(SandboxNetwork::None))).exit.success());
        assert_eq!(fs::read_to_string(scene.outside.join("secret")).unwrap(), "treasure\n");
        assert_eq!(fs::read_to_string(scene.inside.join(".env")).unwrap(), "treasure\n");
        assert!(std::net::TcpListener::bind("127.0.0.1:0").is_ok());
    }
}

#[test]
fn a_hidden_folder_may_contain_hidden_files() {
    if !can_be_tested() || !SandboxSupport::detect().mounts {
        return;
    }
    let scene = Scene::new();
    let logins = scene.inside.join(".ssh");
    fs::create_dir(&logins).unwrap();
    let keys: Vec<_> = (0..9).map(|number| logins.join(format!("key{number}"))).collect();
    keys.iter().for_each(|key| fs::write(key, "treasure").unwrap());
    let sandbox = keys.into_iter().fold(scene.sandbox().hide(&logins), Sandbox::hide);
    assert!(scene.run("test -d .ssh && test -z \"$(ls .ssh)\"", Some(&sandbox)).exit.success());
}
