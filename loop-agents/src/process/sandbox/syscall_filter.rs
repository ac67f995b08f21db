//! The system calls that a sandbox refuses.

use std::{collections::BTreeMap, env::consts::ARCH};

use libc::{c_int, c_long};
use seccompiler::{
    BpfProgram, SeccompAction,
    SeccompCmpArgLen::{Dword, Qword},
    SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::SandboxError;

/// Calls of newer kernels, with the same number on each architecture.
const QUOTACTL_FD: c_long = 443;
const OPEN_TREE_ATTR: c_long = 467;
const FILE_SETATTR: c_long = 469;

/// Refused whatever the arguments are: ways to other processes, to the kernel's own state, and around Landlock.
const REFUSED: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // Requests that the kernel carries out outside of system calls.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Keyrings are shared with processes outside.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Shared memory, semaphores and queues of messages are found by a number, or by a name that is not a path.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Namespaces and mounts.
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    // Files without a path, and events of all files.
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // The kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_quotactl,
    QUOTACTL_FD,
    // Flags of any file, such as "immutable", which outlive the run.
    FILE_SETATTR,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
];

/// The flags of `clone` and `unshare` that make a namespace.
const NAMESPACES: &[c_int] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Of `unshare` only: `clone` uses this bit for something else.
const CLONE_NEWTIME: c_int = 0x80;

/// The bits of a socket's type that are not flags.
const SOCKET_TYPE: u64 = 0xf;

/// The kinds of sockets that are neither streams nor datagrams. The last one is an old way to ask for a packet socket.
const OTHER_SOCKETS: [c_int; 5] = [libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP, 10];

/// Requests to open files and devices that are refused.
const REQUESTS: &[u32] = &[
    // Typing into a terminal.
    0x5412, // TIOCSTI
    0x541c, // TIOCLINUX
    // Flags, which outlive the run. A file that is open for reading is enough.
    0x4008_6602, // FS_IOC_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4080_6685, // FS_IOC_ENABLE_VERITY
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    // Snapshots of a part of btrfs show what is hidden in it, and Landlock does not ask for the folder that gets them.
    0x5000_9401, // BTRFS_IOC_SNAP_CREATE
    0x5000_9417, // BTRFS_IOC_SNAP_CREATE_V2
    0x5000_940e, // BTRFS_IOC_SUBVOL_CREATE
    0x5000_9418, // BTRFS_IOC_SUBVOL_CREATE_V2
    0x5000_940f, // BTRFS_IOC_SNAP_DESTROY
    0x5000_943f, // BTRFS_IOC_SNAP_DESTROY_V2
    0x4008_941a, // BTRFS_IOC_SUBVOL_SETFLAGS
];

/// The numbers from here on are those of the x32 interface on x86-64, which has every call a second time.
const X32: u32 = 0x4000_0000;

/// The programs that the kernel runs before each system call.
#[derive(Debug, Clone)]
pub(super) struct SyscallFilter {
    refusing: BpfProgram,
    /// Answers that a call does not exist, so that a program uses an older one.
    denying: BpfProgram,
}

impl SyscallFilter {
    /// Without network, no socket at all can be created.
    ///
    /// # Errors
    /// The architecture is unknown.
    pub(super) fn new(is_online: bool) -> Result<Self, SandboxError> {
        // The flags of `clone3` are in memory, which a filter cannot read.
        let missing = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
        let build = || -> Result<Self, seccompiler::BackendError> {
            let mut denying = hide_x32();
            denying.extend(program(missing, libc::ENOSYS)?);
            Ok(Self { refusing: program(refused(is_online)?, libc::EPERM)?, denying })
        };
        build().map_err(|error| SandboxError::Filter(error.to_string()))
    }

    /// Filters the system calls of the calling thread, and of the processes that it starts from now on.
    ///
    /// # Errors
    /// The kernel has no seccomp, or this process may not use it.
    pub(super) fn apply(&self) -> Result<(), seccompiler::Error> {
        apply_filter(&self.denying)?;
        apply_filter(&self.refusing)
    }
}

fn program(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    errno: c_int,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    let arch: TargetArch = ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?.try_into()
}

/// Instructions that answer calls of the x32 interface with "no such call". Other numbers go on to the next
/// instruction.
fn hide_x32() -> BpfProgram {
    if !cfg!(target_arch = "x86_64") {
        return Vec::new();
    }
    let instruction = |code: u32, jf, k| sock_filter { code: code as u16, jt: 0, jf, k };
    let load_number = instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0);
    // If it is not, skip one instruction.
    let is_x32 = instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1, X32);
    let answer = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    vec![load_number, is_x32, instruction(libc::BPF_RET | libc::BPF_K, 0, answer)]
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn refused(is_online: bool) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let flag = |flag: &c_int| {
        let bits = u64::from(flag.unsigned_abs());
        rule([SeccompCondition::new(0, Qword, SeccompCmpOp::MaskedEq(bits), bits)])
    };
    rules.insert(libc::SYS_clone, NAMESPACES.iter().map(flag).collect::<Result<_, _>>()?);
    let unshared = NAMESPACES.iter().chain([&CLONE_NEWTIME]);
    rules.insert(libc::SYS_unshare, unshared.map(flag).collect::<Result<_, _>>()?);
    let requests = REQUESTS.iter().map(|request| rule([equals(1, *request)]));
    rules.insert(libc::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    // Setting the limits of another process.
    let other = SeccompCondition::new(0, Dword, SeccompCmpOp::Ne, 0);
    let new_limit = SeccompCondition::new(2, Qword, SeccompCmpOp::Ne, 0);
    rules.insert(libc::SYS_prlimit64, vec![rule([other, new_limit])?]);
    rules.insert(libc::SYS_socket, sockets(is_online)?);
    // One end of a pair of datagram sockets can still send to the path of another program's socket. The kernel makes such
    // a pair of raw sockets, too.
    let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW].map(|kind| rule([of_type(kind)]));
    let pairs = [rule([differs(0, libc::AF_UNIX)])].into_iter().chain(kinds);
    rules.insert(libc::SYS_socketpair, pairs.collect::<Result<_, _>>()?);
    Ok(rules)
}

/// The sockets to refuse. No rule at all refuses the call altogether.
fn sockets(is_online: bool) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    if !is_online {
        return Ok(Vec::new());
    }
    // The C library asks over netlink which addresses this machine has.
    let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    let others = rule(families.map(|family| differs(0, family)));
    // Other protocols of netlink reach programs outside, and tell about them.
    let netlink = rule([equals(0, libc::AF_NETLINK), differs(2, libc::NETLINK_ROUTE)]);
    let internet = [libc::AF_INET, libc::AF_INET6].into_iter().flat_map(|family| {
        let kinds = OTHER_SOCKETS.map(|kind| rule([equals(0, family), of_type(kind)]));
        // By number 0, the kernel chooses TCP or UDP.
        let protocols = [0, libc::IPPROTO_TCP, libc::IPPROTO_UDP].map(|protocol| differs(2, protocol));
        let [any, tcp, udp] = protocols;
        kinds.into_iter().chain([rule([equals(0, family), any, tcp, udp])])
    });
    [others, netlink].into_iter().chain(internet).collect()
}

type Condition = Result<SeccompCondition, seccompiler::BackendError>;

fn rule<const N: usize>(conditions: [Condition; N]) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?)
}

fn equals(argument: u8, value: impl TryInto<u32>) -> Condition {
    SeccompCondition::new(argument, Dword, SeccompCmpOp::Eq, number(value))
}

/// Compares the type of a new socket, without its flags.
fn of_type(kind: c_int) -> Condition {
    SeccompCondition::new(1, Dword, SeccompCmpOp::MaskedEq(SOCKET_TYPE), number(kind))
}

fn differs(argument: u8, value: impl TryInto<u32>) -> Condition {
    SeccompCondition::new(argument, Dword, SeccompCmpOp::Ne, number(value))
}

/// Families, requests and kinds are small numbers.
fn number(value: impl TryInto<u32>) -> u64 {
    value.try_into().map_or(u64::MAX, u64::from)
}
