//! Ways to other processes and to the kernel.

use super::{
    Escape,
    Needs::{Kernel, Nothing, Root, Signals},
};

/// Other processes.
pub(super) const PROCESSES: &[Escape] = &[
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
        "perl -e 'exit(syscall($ENV{KCMP}, $$+0, $ENV{VICTIM}+0, 2, 0, 0) < 0)'",
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
    (
        "reads the memory of a process by a call",
        Kernel,
        // Address 8 is unmapped, so that a call that may read it answers EFAULT.
        "perl -e '$b = \"x\" x 8; $l = pack(\"PQ\", $b, 8); $r = pack(\"QQ\", 8, 8); \
         exit(syscall($ENV{PROCESS_VM_READV}, $ENV{VICTIM}+0, $l, 1, $r, 1, 0) < 0 && $! != 14)'",
    ),
    (
        "writes the memory of a process by a call",
        Kernel,
        "perl -e '$b = \"x\" x 8; $l = pack(\"PQ\", $b, 8); $r = pack(\"QQ\", 8, 8); \
         exit(syscall($ENV{PROCESS_VM_WRITEV}, $ENV{VICTIM}+0, $l, 1, $r, 1, 0) < 0 && $! != 14)'",
    ),
    (
        "counts the events of a process",
        Kernel,
        "perl -e '$a = pack(\"L2 x120\", 1, 128); exit(syscall($ENV{PERF_EVENT_OPEN}, $a, $ENV{VICTIM}+0, -1, -1, 0) < 0)'",
    ),
    (
        "ends a process by making it the owner of a pipe",
        Signals,
        // Its end makes the descriptor of the process readable.
        "perl -e '$p = syscall($ENV{PIDFD_OPEN}, $ENV{VICTIM}+0, 0); pipe(R, W); fcntl(R, 8, $ENV{VICTIM}+0) or exit 1; \
         fcntl(R, 10, 15); fcntl(R, 4, 020000) or exit 1; syswrite(W, \"x\"); \
         vec($v, $p, 1) = 1; exit(select($v, undef, undef, 0.5) != 1)'",
    ),
];

/// The kernel, and what it shares between all programs.
pub(super) const KERNEL: &[Escape] = &[
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
    (
        "watches the files of a folder",
        Kernel,
        "perl -e '$p = $ENV{OUT}; $f = syscall($ENV{FANOTIFY_INIT}, 0x200, 0); \
         exit(syscall($ENV{FANOTIFY_MARK}, $f, 1, 2, -100, $p) < 0)'",
    ),
    (
        "creates shared memory",
        Kernel,
        "perl -e '$i = shmget(0, 4096, 01600); defined $i or exit 1; shmctl($i, 0, 0)'",
    ),
    (
        "creates semaphores",
        Kernel,
        "perl -e '$i = semget(0, 1, 01600); defined $i or exit 1; semctl($i, 0, 0, 0)'",
    ),
    (
        "creates a queue of messages",
        Kernel,
        "perl -e '$i = msgget(0, 01600); defined $i or exit 1; msgctl($i, 0, 0)'",
    ),
    (
        "opens a queue of messages by its name",
        Kernel,
        "perl -e '$n = \"loop-$$\"; $q = syscall($ENV{MQ_OPEN}, $n, 0102, 0600, 0); \
         syscall($ENV{MQ_UNLINK}, $n); exit($q < 0)'",
    ),
    (
        "changes a mount",
        Root,
        "perl -e '$n = \"/\"; $a = \"\\0\" x 32; exit(syscall(442, -100, $n, 0, $a, 32) < 0)'",
    ),
    ("changes a mounted file system", Root, "perl -e '$n = \"/\"; exit(syscall(433, -100, $n, 0) < 0)'"),
    (
        "names the machine",
        Root,
        "perl -e 'chomp($n = `hostname`); exit(syscall($ENV{SETHOSTNAME}, $n, length $n) < 0)'",
    ),
    (
        "reads the kernel's log",
        Kernel,
        "perl -e '$b = \"x\" x 16; exit(syscall($ENV{SYSLOG}, 3, $b, 16) < 0)'",
    ),
    ("reads addresses of the kernel", Root, "head -n 1 /proc/kallsyms | grep -v '^0000000000000000 '"),
    ("reads the memory of the kernel", Root, "test $(head -c 1 /proc/kcore | wc -c) = 1"),
    ("reads the memory of the machine", Root, "test $(head -c 1 /dev/mem | wc -c) = 1"),
    (
        "creates a Unix socket by a call for 32-bit programs",
        Kernel,
        // A program for x86-64 with `int 0x80`: its exit code tells whether the call failed.
        "perl -e 'print pack(\"H*\", \"7f454c4602010100\" . \"00\" x 8 . \"02003e0001000000\" . \"7800400000000000\" . \
         \"4000000000000000\" . \"00\" x 8 . \"00000000\" . \"4000\" . \"3800\" . \"0100\" . \"0000\" x 3 . \
         \"0100000005000000\" . \"00\" x 8 . \"0000400000000000\" x 2 . \"a000000000000000\" x 2 . \"0010000000000000\" . \
         \"b867010000\" . \"bb01000000\" . \"b901000000\" . \"31d2\" . \"cd80\" . \"89c7\" . \"c1ef1f\" . \"b83c000000\" . \"0f05\" . \
         \"00\" x 9)' >program && chmod +x program && ./program",
    ),
];
