//! A workspace, the world outside of it, and a command that tries to get there.

use std::{
    env, fs,
    future::pending,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::PermissionsExt,
            net::{SocketAddr, UnixDatagram, UnixListener},
        },
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use loop_agents::process::{
    Environment, Process, ProcessError, ProcessOutput,
    sandbox::{PreparedSandbox, Sandbox, SandboxSupport},
};
use tempfile::TempDir;

/// Numbers of system calls, which differ between architectures.
const CALLS: &[(&str, libc::c_long)] = &[
    ("ADD_KEY", libc::SYS_add_key),
    ("BPF", libc::SYS_bpf),
    ("CHROOT", libc::SYS_chroot),
    ("CLONE", libc::SYS_clone),
    ("EXECVEAT", libc::SYS_execveat),
    ("FANOTIFY_INIT", libc::SYS_fanotify_init),
    ("FANOTIFY_MARK", libc::SYS_fanotify_mark),
    ("IO_URING_SETUP", libc::SYS_io_uring_setup),
    ("KCMP", libc::SYS_kcmp),
    ("KEYCTL", libc::SYS_keyctl),
    ("LINKAT", libc::SYS_linkat),
    ("MQ_OPEN", libc::SYS_mq_open),
    ("MQ_UNLINK", libc::SYS_mq_unlink),
    ("NAME_TO_HANDLE_AT", libc::SYS_name_to_handle_at),
    ("OPENAT", libc::SYS_openat),
    ("OPEN_BY_HANDLE_AT", libc::SYS_open_by_handle_at),
    ("PERF_EVENT_OPEN", libc::SYS_perf_event_open),
    ("PIDFD_GETFD", libc::SYS_pidfd_getfd),
    ("PIDFD_OPEN", libc::SYS_pidfd_open),
    ("PIDFD_SEND_SIGNAL", libc::SYS_pidfd_send_signal),
    ("PRLIMIT64", libc::SYS_prlimit64),
    ("PROCESS_VM_READV", libc::SYS_process_vm_readv),
    ("PROCESS_VM_WRITEV", libc::SYS_process_vm_writev),
    ("PTRACE", libc::SYS_ptrace),
    ("RENAMEAT2", libc::SYS_renameat2),
    ("SETHOSTNAME", libc::SYS_sethostname),
    ("SETNS", libc::SYS_setns),
    ("SETXATTR", libc::SYS_setxattr),
    ("SYSLOG", libc::SYS_syslog),
    ("TGKILL", libc::SYS_tgkill),
    ("UNSHARE", libc::SYS_unshare),
    ("USERFAULTFD", libc::SYS_userfaultfd),
];

/// Everything that a command can reach if nothing stops it. Removed at the end.
pub(crate) struct Scene {
    _folder: TempDir,
    pub(crate) inside: PathBuf,
    pub(crate) outside: PathBuf,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    _sockets: [UnixListener; 2],
    _datagrams: UnixDatagram,
}

impl Drop for Scene {
    fn drop(&mut self) {
        // It may be gone already, if the command could kill it.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (inside, outside) = (root.join("inside"), root.join("outside"));
        for folder in [&inside, &outside] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(outside.join("secret"), "treasure\n").unwrap();
        fs::write(outside.join("doomed"), "treasure\n").unwrap();
        fs::copy("/bin/true", outside.join("compiled")).unwrap();
        fs::write(inside.join(".env"), "treasure\n").unwrap();
        fs::write(inside.join("plain"), "plain\n").unwrap();
        let tool = outside.join("tool");
        fs::write(&tool, "#!/bin/sh\nexit 0\n").unwrap();
        fs::set_permissions(&tool, PermissionsExt::from_mode(0o755)).unwrap();
        let abstract_name = SocketAddr::from_abstract_name(root.as_os_str().as_encoded_bytes()).unwrap();
        let victim = Command::new("sleep")
            .arg("600")
            .env("TREASURE", "treasure")
            .current_dir(&outside)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            _datagrams: UnixDatagram::bind(outside.join("datagrams")).unwrap(),
            _sockets: [
                UnixListener::bind(outside.join("socket")).unwrap(),
                UnixListener::bind_addr(&abstract_name).unwrap(),
            ],
            inside,
            outside,
            victim,
            _folder: folder,
        }
    }

    /// A sandbox whose only writable folder is the workspace, in which `.env` is hidden if this machine can do that.
    pub(crate) fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::new().write(&self.inside);
        if SandboxSupport::detect().mounts { sandbox.hide(self.inside.join(".env")) } else { sandbox }
    }

    /// Runs a script in the workspace, in this sandbox or without one.
    pub(crate) fn run(&self, script: &str, sandbox: Option<&Sandbox>) -> ProcessOutput {
        let prepared = sandbox.map(|sandbox| sandbox.prepare(&env::temp_dir()).unwrap());
        self.try_run(script, prepared.as_ref()).unwrap()
    }

    /// Runs a script in the workspace, in a sandbox that earlier scripts may have used. Fails if it refuses the start.
    pub(crate) fn try_run(
        &self,
        script: &str,
        sandbox: Option<&PreparedSandbox>,
    ) -> Result<ProcessOutput, ProcessError> {
        let text = |number: u32| number.to_string();
        let mut env = Environment::new()
            .with("PATH", env::var_os("PATH").unwrap_or_default())
            .with("IN", &self.inside)
            .with("OUT", &self.outside)
            .with("VICTIM", text(self.victim.id()))
            .with("TCP", text(self.tcp.local_addr().unwrap().port().into()))
            .with("UDP", text(self.udp.local_addr().unwrap().port().into()));
        for (name, number) in CALLS {
            env = env.with(name, number.to_string());
        }
        let mut command = Process::shell(script).env(env).dir(&self.inside).merged();
        if let Some(sandbox) = sandbox {
            command = command.sandbox(sandbox.clone());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(command.run(pending(), |_, _| {}))
    }
}

/// Returns true if this machine can hold a sandbox, and prints the reason if it cannot.
pub(crate) fn can_be_tested() -> bool {
    let support = SandboxSupport::detect();
    let can = support.landlock_abi >= SandboxSupport::MIN_LANDLOCK_ABI && support.seccomp;
    if !can {
        eprintln!("not tested: this machine has {support:?}");
    }
    can
}
