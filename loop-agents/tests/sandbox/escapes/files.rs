//! Ways to files outside.

use super::{
    Escape,
    Needs::{Kernel, Mounts, Nothing, Root},
};

/// Files.
pub(super) const FILES: &[Escape] = &[
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
    (
        "reads a file by linking its open path",
        Root,
        "perl -e '($p, $e, $l) = (\"$ENV{OUT}/secret\", \"\", \"hard\"); $f = syscall($ENV{OPENAT}, -100, $p, 0x200000, 0); \
         exit(syscall($ENV{LINKAT}, $f, $e, -100, $l, 0x1000) != 0)'",
    ),
    (
        "creates a file without a name",
        Kernel,
        "perl -e '$p = $ENV{OUT}; exit(syscall($ENV{OPENAT}, -100, $p, 0x410002, 0600) < 0)'",
    ),
    ("runs a program through the loader", Kernel, "$(ls /lib*/ld-linux-*.so.* | head -n 1) $OUT/compiled"),
    (
        "gives a program rights of root",
        Root,
        "perl -e '($p, $n) = (\"$ENV{OUT}/compiled\", \"security.capability\"); $c = pack(\"L5\", 0x2000000, 0x200000, 0, 0, 0); \
         exit(syscall($ENV{SETXATTR}, $p, $n, $c, 20, 0) != 0)'",
    ),
    ("opens a device for file systems", Kernel, ": <>/dev/fuse"),
    ("opens a device for networks", Root, ": <>/dev/net/tun"),
    ("opens a device for virtual machines", Kernel, ": <>/dev/kvm"),
    ("reads a disk", Root, "test $(find /dev -type b -exec head -c 1 {} ';' | wc -c) -gt 0"),
    (
        "leaves its control group",
        Root,
        "echo $$ >/sys/fs/cgroup/cgroup.procs || echo $$ >/sys/fs/cgroup/unified/cgroup.procs",
    ),
];
