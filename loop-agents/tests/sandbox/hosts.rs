//! A network of listed hosts: what is reached through the proxy, and that nothing else is.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use loop_agents::process::sandbox::{Sandbox, SandboxError, SandboxNetwork, SandboxSupport};

use super::scene::{Scene, can_be_tested};

/// Ways past the list of hosts. Each succeeds without a sandbox, and must not inside.
const ESCAPES: &[(&str, &str)] = &[
    ("connects to a server of this machine", "direct 127.0.0.1"),
    ("asks the proxy for another port", "ask 'CONNECT localhost:OTHER HTTP/1.1'"),
    ("asks the proxy for an address", "ask 'CONNECT 127.0.0.1:PORT HTTP/1.1'"),
    ("asks the proxy for an address of version 6", "ask 'CONNECT [::ffff:127.0.0.1]:PORT HTTP/1.1'"),
    ("asks the proxy for an address as a number", "ask 'CONNECT 2130706433:PORT HTTP/1.1'"),
    ("asks the proxy for a short address", "ask 'CONNECT 127.1:PORT HTTP/1.1'"),
    ("asks the proxy for a name with a login", "ask 'CONNECT localhost@127.0.0.1:PORT HTTP/1.1'"),
    ("asks the proxy for a longer name", "ask 'CONNECT localhost.localhost:PORT HTTP/1.1'"),
    ("asks the proxy for a page elsewhere", "ask 'GET http://127.0.0.1:PORT/ HTTP/1.1|Host: localhost:PORT'"),
    ("asks the proxy as if it were a server", "ask 'GET / HTTP/1.1|Host: localhost:PORT'"),
    ("names another server in TLS", "hello evil.example.org"),
    ("names no server in TLS", "hello ''"),
];

/// `direct`, `ask` and `hello`, with the port of a server outside in `SERVER`. Without a proxy, they talk to the server.
const TOOLS: &str = r#"
export proxy=${HTTP_PROXY##*:}
talk() {
    perl -MSocket -e '
        my ($host, $port, $text) = @ARGV;
        $text =~ s/\|/\r\n/g;
        socket(S, AF_INET, SOCK_STREAM, 0) && connect(S, sockaddr_in($port, inet_aton($host))) or exit 1;
        syswrite S, "$text\r\n\r\n";
        shutdown S, 1;
        print <S>' "$@" | grep -E 'reached|200 Connection'
}
direct() { talk $1 $SERVER 'GET / HTTP/1.1'; }
ask() { talk 127.0.0.1 ${proxy:-$SERVER} "$(echo "$1" | sed "s/PORT/$SERVER/g; s/OTHER/$TCP/g")"; }
hello() {
    perl -MSocket -e '
        my ($port, $name) = @ARGV;
        my $names = length $name ? pack("n n/a", 0, pack("n/a", pack("C n/a", 0, $name))) : "";
        my $hello = pack("n a32 C/a n/a C/a n/a", 0x303, "r", "", "\x13\x01", "\0", $names);
        socket(S, AF_INET, SOCK_STREAM, 0) && connect(S, sockaddr_in($port, inet_aton("127.0.0.1"))) or exit 1;
        if ($ENV{proxy}) { syswrite S, "CONNECT localhost:$ENV{SERVER} HTTP/1.1\r\n\r\n"; <S>; <S> }
        syswrite S, pack("C n n/a", 22, 0x301, pack("C C n/a", 1, 0, $hello));
        shutdown S, 1;
        print <S>' ${proxy:-$SERVER} "$1" | grep reached
}
"#;

/// Starts a server that answers anything with `reached`. Returns its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let answer = b"HTTP/1.1 200 OK\r\n\r\nreached\n";
            // A client that ends first has seen enough.
            let _ = client.read_to_end(&mut Vec::new()).and_then(|_| client.write_all(answer));
        }
    });
    port
}

/// Runs a line after [`TOOLS`]. Returns whether it succeeded, and its output.
fn run(scene: &Scene, server: u16, line: &str, sandbox: Option<&Sandbox>) -> (bool, String) {
    let done = scene.run(&format!("export SERVER={server}\n{TOOLS}\n{line}"), sandbox);
    (done.exit.success(), String::from_utf8_lossy(&done.stdout.to_bytes()).into_owned())
}

/// A sandbox in which only `localhost` with this port can be reached.
fn limited(scene: &Scene, port: u16) -> Sandbox {
    let host = format!("localhost:{port}").parse().unwrap();
    scene.sandbox().network(SandboxNetwork::Hosts(vec![host]))
}

fn can_have_networks() -> bool {
    can_be_tested() && SandboxSupport::detect().networks
}

#[test]
fn nothing_but_the_listed_host_is_reached() {
    if !can_have_networks() {
        return;
    }
    let (port, scene) = (server(), Scene::new());
    let sandbox = limited(&scene, port);
    let mut wrong = Vec::new();
    for (name, line) in ESCAPES {
        let ((without, open), (within, output)) =
            (run(&scene, port, line, None), run(&scene, port, line, Some(&sandbox)));
        if !without {
            wrong.push(format!("\"{name}\" fails even without a sandbox: {open}"));
        }
        if within {
            wrong.push(format!("\"{name}\" succeeds inside: {output}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_listed_host_is_reached_in_each_spelling() {
    if !can_have_networks() {
        return;
    }
    let (port, scene) = (server(), Scene::new());
    let sandbox = limited(&scene, port);
    for line in [
        "ask 'CONNECT localhost:PORT HTTP/1.1'",
        "ask 'CONNECT LocalHost.:PORT HTTP/1.1'",
        "ask 'GET http://localhost:PORT/page HTTP/1.1'",
        "hello localhost",
        "test \"$HTTPS_PROXY $no_proxy\" = \"http://127.0.0.1:$proxy 127.0.0.1,::1\"",
    ] {
        let (is_reached, output) = run(&scene, port, line, Some(&sandbox));
        assert!(is_reached, "{line}: {output}");
    }
}

#[test]
fn commands_of_one_sandbox_share_its_network() {
    if !can_have_networks() {
        return;
    }
    let scene = Scene::new();
    let sandbox = scene.sandbox().network(SandboxNetwork::Hosts(Vec::new()));
    let server = "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) && bind(S, sockaddr_in(0, inet_aton(\"127.0.0.1\"))) \
                  && listen(S, 1) && socket(C, AF_INET, SOCK_STREAM, 0) && connect(C, getsockname S) or exit 1'";
    let prepared = sandbox.prepare(&std::env::temp_dir()).unwrap();
    let same = "test $(readlink /proc/self/ns/net) = $(cat net)";
    for script in [server, "readlink /proc/self/ns/net >net", same] {
        assert!(scene.try_run(script, Some(&prepared)).unwrap().exit.success(), "{script}");
    }
    assert!(!scene.run(same, None).exit.success(), "it is not the network of this machine");
}

#[test]
fn a_machine_without_networks_of_its_own_refuses_a_list_of_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::new().network(SandboxNetwork::Hosts(Vec::new()));
    let mut support = SandboxSupport::detect();
    support.networks = false;
    let refused = sandbox.prepare_with(folder.path(), support).unwrap_err();
    assert!(matches!(refused, SandboxError::Unenforceable { .. }));
    assert!(refused.to_string().contains("limited to the listed hosts"), "{refused}");
}
