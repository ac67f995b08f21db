//! Ways out of a sandbox. Each has to fail inside, and to succeed without one, so that its failure means something.

use loop_agents::process::sandbox::{SandboxNetwork, SandboxSupport};

use super::scene::{Scene, can_be_tested};

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

use Needs::{Kernel, Mounts, Nothing, Root, Signals};

/// Files.
const FILES: &[(&str, Needs, &str)] = &[
    ("reads a file", Nothing, "cat $OUT/secret"),
    ("reads a file over its folder", Nothing, "cd $OUT && cat secret"),
    ("reads a file over `..`", Nothing, "cat ../outside/secret"),
    ("reads a file through a link", Nothing, "ln -s $OUT/secret link && cat link"),
    ("reads a file through a linked folder", Nothing, "ln -s $OUT folder && cat folder/secret"),
    ("reads a file over its own root in /proc", Nothing, "cat /proc/self/root$OUT/secret"),
    ("reads a file over its own folder in /proc", Nothing, "cat /proc/self/cwd/../outside/secret"),
    ("reads a file through a hard link", Nothing, "ln $OUT/secret hard && cat hard"),
    ("reads a file by moving it", Nothing, "perl -e 'rename \"$ENV{OUT}/doomed\", \"x\" or exit 1' && cat x"),
    (
        "reads a file from a daemon",
        Nothing,
        "setsid sh -c 'cat $OUT/secret >stolen' & wait; grep treasure stolen",
    ),
    ("reads the passwords of the system", Root, "cat /etc/shadow"),
    (
        "reads another file of root's settings",
        Kernel,
        "find /etc -type f ! -perm -o=r ! -name '*shadow*' -exec grep -q . {} ';' -print | grep .",
    ),
    ("reads a hidden file", Mounts, "grep treasure .env"),
    ("reads a hidden file after removing its cover", Mounts, "umount .env; grep treasure .env"),
    ("reads a hidden file through a hard link", Mounts, "ln .env hard && grep treasure hard"),
    ("reads a hidden file by moving it", Mounts, "mv .env moved && grep treasure moved"),
    (
        "reads a file by opening its path alone first",
        Kernel,
        "perl -e '$p = \"$ENV{OUT}/secret\"; $f = syscall($ENV{OPENAT}, -100, $p, 0x200000, 0); \
         open F, \"<\", \"/proc/self/fd/$f\" or exit 1; exit(<F> !~ /treasure/)'",
    ),
    (
        "reads a file by its handle",
        Root,
        "perl -e '$p = \"$ENV{OUT}/secret\"; $h = pack(\"L l x128\", 128, 0); $m = pack(\"L\", 0); \
         syscall($ENV{NAME_TO_HANDLE_AT}, -100, $p, $h, $m, 0) == 0 or exit 1; opendir D, \".\"; \
         $f = syscall($ENV{OPEN_BY_HANDLE_AT}, fileno D, $h, 0); open F, \"<&=\", $f or exit 1; exit(<F> !~ /treasure/)'",
    ),
    (
        "reads a file by exchanging it",
        Kernel,
        "perl -e '($a, $b) = (\"plain\", \"$ENV{OUT}/doomed\"); exit(syscall($ENV{RENAMEAT2}, -100, $a, -100, $b, 2) != 0)'",
    ),
    (
        "reads a file from a removed folder",
        Kernel,
        "mkdir d && cd d && rmdir ../d && cat ../../outside/secret",
    ),
    (
        "runs a program by its open path",
        Kernel,
        "perl -e '($p, $e) = (\"$ENV{OUT}/compiled\", \"\"); \
         $f = syscall($ENV{OPENAT}, -100, $p, 0x200000, 0); $a = pack(\"Q\", 0); syscall($ENV{EXECVEAT}, $f, $e, $a, $a, 0x1000); exit 1'",
    ),
    (
        "becomes root through a program",
        Root,
        "chmod 755 $IN $IN/..; cp /usr/bin/id own && chmod u+s own && test $(setpriv --reuid 65534 --clear-groups ./own -u) = 0",
    ),
    ("opens a terminal of its own", Kernel, ": <>/dev/ptmx"),
    ("lists a folder", Nothing, "ls $OUT"),
    ("runs a program", Nothing, "$OUT/tool"),
    ("creates a file", Nothing, "echo x >$OUT/new"),
    ("creates a file over /dev/shm", Kernel, "f=/dev/shm/loop-$$; echo x >$f && rm $f"),
    ("appends to a file", Nothing, "echo x >>$OUT/secret"),
    ("truncates a file by its name", Nothing, "perl -e 'truncate \"$ENV{OUT}/secret\", 0 or exit 1'"),
    ("deletes a file", Nothing, "rm $OUT/doomed"),
    ("moves a file out", Nothing, "perl -e 'rename \"plain\", \"$ENV{OUT}/plain\" or exit 1'"),
    ("creates a folder", Nothing, "mkdir $OUT/folder"),
    ("creates a link", Nothing, "ln -s /etc $OUT/link"),
    ("creates a pipe", Nothing, "mkfifo $OUT/pipe"),
    ("makes a disk's device", Root, "mknod disk b 7 0"),
    ("opens a file of the system to write", Root, ": >>/etc/hosts"),
    ("opens a setting of the kernel to write", Root, ": >>/proc/sys/kernel/core_pattern"),
    ("opens the kernel's log to write", Root, ": >>/dev/kmsg"),
];

/// Other processes, and the kernel.
const PROCESSES: &[(&str, Needs, &str)] = &[
    ("reads a file over the root of a process", Kernel, "cat /proc/$VICTIM/root$OUT/secret"),
    ("reads a file over the folder of a process", Kernel, "cat /proc/$VICTIM/cwd/secret"),
    ("reads the variables of a process", Nothing, "grep -a treasure /proc/$VICTIM/environ"),
    ("opens the memory of a process", Kernel, ": </proc/$VICTIM/mem"),
    (
        "traces a process",
        Kernel,
        "perl -e 'exit(syscall($ENV{PTRACE}, 0x4206, $ENV{VICTIM}+0, 0, 0) ? 1 : 0)'",
    ),
    (
        "compares itself with a process",
        Kernel,
        "perl -e 'exit(syscall($ENV{KCMP}, $$, $ENV{VICTIM}+0, 2, 0, 0) < 0)'",
    ),
    (
        "takes a descriptor of a process",
        Kernel,
        "perl -e '$p = syscall($ENV{PIDFD_OPEN}, $ENV{VICTIM}+0, 0); exit(syscall($ENV{PIDFD_GETFD}, $p, 1, 0) < 0)'",
    ),
    ("follows the descriptors of a process", Kernel, "readlink /proc/$VICTIM/fd/0"),
    ("reads where the memory of a process is", Kernel, "grep . /proc/$VICTIM/maps"),
    ("ends a process", Signals, "kill $VICTIM"),
    (
        "ends a thread of a process",
        Signals,
        "perl -e 'exit(syscall($ENV{TGKILL}, $ENV{VICTIM}+0, $ENV{VICTIM}+0, 15) < 0)'",
    ),
    (
        "ends a process by its descriptor",
        Signals,
        "perl -e '$p = syscall($ENV{PIDFD_OPEN}, $ENV{VICTIM}+0, 0); \
         exit(syscall($ENV{PIDFD_SEND_SIGNAL}, $p, 15, 0, 0) < 0)'",
    ),
    (
        "limits a process",
        Kernel,
        "perl -e '$l = pack(\"QQ\", 5, 5); exit(syscall($ENV{PRLIMIT64}, $ENV{VICTIM}+0, 7, $l, 0) < 0)'",
    ),
    ("uses io_uring", Kernel, "perl -e '$p = \"\\0\" x 120; exit(syscall($ENV{IO_URING_SETUP}, 1, $p) < 0)'"),
    ("looks up a keyring", Kernel, "perl -e 'exit(syscall($ENV{KEYCTL}, 0, -4, 1) < 0)'"),
    (
        "adds a key",
        Kernel,
        "perl -e '($t, $d, $p) = (\"user\", \"loop\", \"x\"); exit(syscall($ENV{ADD_KEY}, $t, $d, $p, 1, -2) < 0)'",
    ),
    ("enters a user namespace", Kernel, "perl -e 'exit(syscall($ENV{UNSHARE}, 0x10000000) < 0)'"),
    (
        "starts a process in a user namespace",
        Kernel,
        "perl -e '$p = syscall($ENV{CLONE}, 0x10000011, 0, 0, 0, 0); exit($p < 0)'",
    ),
    ("enters a mount namespace", Root, "perl -e 'exit(syscall($ENV{UNSHARE}, 0x20000) < 0)'"),
    ("enters a network namespace", Root, "perl -e 'exit(syscall($ENV{UNSHARE}, 0x40000000) < 0)'"),
    (
        "joins the namespace of a process",
        Root,
        "perl -e 'open F, \"/proc/$ENV{VICTIM}/ns/uts\" or exit 1; exit(syscall($ENV{SETNS}, fileno F, 0) < 0)'",
    ),
    (
        "changes the flags of a file",
        Kernel,
        "perl -e '($f, $a) = (\"$ENV{OUT}/secret\", pack(\"Q L4\", 0x80, 0, 0, 0, 0)); \
         exit(syscall(469, -100, $f, $a, 24, 0) < 0)'",
    ),
    (
        "changes the flags of an open file",
        Kernel,
        "perl -e 'open F, \"<\", \"plain\"; $f = pack(\"Q\", 0); ioctl(F, 0x80086601, $f) && ioctl(F, 0x40086602, $f) or exit 1'",
    ),
    (
        "holds the right to mount",
        Root,
        "test $((0x$(sed -n 's/^CapEff:\t//p' /proc/self/status) >> 21 & 1)) = 1",
    ),
    ("opens a file system", Root, "perl -e '$n = \"tmpfs\"; exit(syscall(430, $n, 0) < 0)'"),
    ("copies a part of the mounts", Root, "perl -e '$n = \"/\"; exit(syscall(428, -100, $n, 1) < 0)'"),
    (
        "starts a process in a user namespace by the newer call",
        Kernel,
        "perl -e '$a = pack(\"Q11\", 0x10000000, 0, 0, 0, 17); $p = syscall(435, $a, 88); exit($p < 0)'",
    ),
    ("changes its root", Root, "perl -e '$d = \"/\"; exit(syscall($ENV{CHROOT}, $d) < 0)'"),
    ("mounts a folder", Root, "mkdir m && mount -t tmpfs none m && umount m"),
    (
        "loads a program into the kernel",
        Kernel,
        "perl -e '$a = pack(\"L4 x112\", 1, 4, 4, 1); exit(syscall($ENV{BPF}, 0, $a, 128) < 0)'",
    ),
    ("asks for page faults", Kernel, "perl -e 'exit(syscall($ENV{USERFAULTFD}, 1) < 0)'"),
];

/// Sockets that a sandbox refuses even if it allows the network.
const SOCKETS: &[(&str, Needs, &str)] = &[
    (
        "connects to a Unix socket",
        Nothing,
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un(\"$ENV{OUT}/socket\")) or exit 1'",
    ),
    (
        "connects to an abstract Unix socket",
        Nothing,
        "perl -MSocket -e '$n = $ENV{IN} =~ s,/inside$,,r; socket(S, AF_UNIX, SOCK_STREAM, 0) \
         && connect(S, pack(\"S a*\", AF_UNIX, \"\\0$n\")) or exit 1'",
    ),
    (
        "sends to a Unix socket from a pair of datagram sockets",
        Nothing,
        "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) && \
         send(A, \"out\", 0, sockaddr_un(\"$ENV{OUT}/datagrams\")) or exit 1'",
    ),
    (
        "sends to a Unix socket from a pair of raw sockets",
        Nothing,
        "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_RAW, 0) && \
         send(A, \"out\", 0, sockaddr_un(\"$ENV{OUT}/datagrams\")) or exit 1'",
    ),
    ("talks to the host of a virtual machine", Kernel, "perl -e 'socket(S, 40, 1, 0) or exit 1'"),
    ("uses the kernel's ciphers", Kernel, "perl -e 'socket(S, 38, 5, 0) or exit 1'"),
    ("sends raw packets", Root, "perl -e 'socket(S, 2, 3, 1) or exit 1'"),
    ("sends raw packets of version 6", Kernel, "perl -e 'socket(S, 10, 3, 58) or exit 1'"),
    ("listens to what the kernel says about devices", Kernel, "perl -e 'socket(S, 16, 3, 15) or exit 1'"),
    ("asks for the sockets of others", Kernel, "perl -e 'socket(S, 16, 3, 4) or exit 1'"),
    ("sends messages to programs outside over netlink", Kernel, "perl -e 'socket(S, 16, 3, 2) or exit 1'"),
    ("sends echo requests", Kernel, "perl -e 'socket(S, 2, 2, 1) or exit 1'"),
    ("sends echo requests of version 6", Kernel, "perl -e 'socket(S, 10, 2, 58) or exit 1'"),
    ("opens an association", Kernel, "perl -e 'socket(S, 2, 5, 132) or socket(S, 2, 1, 132) or exit 1'"),
    ("opens a stream of datagrams", Kernel, "perl -e 'socket(S, 2, 6, 33) or exit 1'"),
    ("tunnels datagrams", Kernel, "perl -e 'socket(S, 2, 2, 115) or exit 1'"),
    ("connects over several paths", Kernel, "perl -e 'socket(S, 2, 1, 262) or exit 1'"),
    ("reads all packets", Root, "perl -e 'socket(S, 17, 3, 0x300) or exit 1'"),
    ("reads all packets in the old way", Kernel, "perl -e 'socket(S, 2, 10, 0x300) or exit 1'"),
];

/// The network, where a sandbox has none.
const NETWORK: &[(&str, Needs, &str)] = &[
    (
        "connects over TCP",
        Nothing,
        "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) \
         && connect(S, sockaddr_in($ENV{TCP}, inet_aton(\"127.0.0.1\"))) or exit 1'",
    ),
    (
        "sends over UDP",
        Nothing,
        "perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0) \
         && send(S, \"x\", 0, sockaddr_in($ENV{UDP}, inet_aton(\"127.0.0.1\"))) or exit 1'",
    ),
    (
        "listens",
        Nothing,
        "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) \
         && bind(S, sockaddr_in(0, inet_aton(\"127.0.0.1\"))) && listen(S, 1) or exit 1'",
    ),
    ("opens a socket of version 6", Kernel, "perl -e 'socket(S, 10, 1, 0) or exit 1'"),
    ("asks for the addresses of this machine", Kernel, "perl -e 'socket(S, 16, 3, 0) or exit 1'"),
];

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Tries each escape without a sandbox and inside one. Returns those that did not behave, and how many were tried.
fn try_all(escapes: &[(&str, Needs, &str)], network: &SandboxNetwork) -> (Vec<String>, usize) {
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

fn none_succeeds(escapes: &[(&str, Needs, &str)], network: &SandboxNetwork, least: usize) {
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
