//! The signals with which a person or a machine ends a run.

use std::{
    fmt, fs, io,
    time::{Duration, Instant},
};

use tokio::signal::unix::{self, SignalKind};

/// A signal that ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The terminal is gone, for example after a dropped ssh connection.
    Hangup,
    /// Ctrl+C.
    Interrupt,
    /// A polite `kill`.
    Terminate,
}

impl Signal {
    const ALL: [Self; 3] = [Self::Hangup, Self::Interrupt, Self::Terminate];

    /// The signal's number, which POSIX fixes for these three.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Hangup => 1,
            Self::Interrupt => 2,
            Self::Terminate => 15,
        }
    }

    const fn kind(self) -> SignalKind {
        match self {
            Self::Hangup => SignalKind::hangup(),
            Self::Interrupt => SignalKind::interrupt(),
            Self::Terminate => SignalKind::terminate(),
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hangup => "SIGHUP",
            Self::Interrupt => "SIGINT (Ctrl+C)",
            Self::Terminate => "SIGTERM",
        })
    }
}

/// Waits for signals.
pub(crate) struct Signals {
    listeners: Vec<(Signal, unix::Signal)>,
    /// While this listens, a file that reaches the size limit makes a write fail, which is reported. Otherwise it would
    /// end the process without a word. Programs that we start get the signal as usual.
    _file_size: unix::Signal,
}

impl Signals {
    /// Starts to listen. A signal that was ignored when the command started stays ignored, so that `nohup loop run`
    /// survives its terminal.
    pub(crate) fn listen() -> io::Result<Self> {
        let ignored = ignored_at_start();
        let listen = |signal: Signal| Ok((signal, unix::signal(signal.kind())?));
        let heard = Signal::ALL.into_iter().filter(|signal| ignored & (1 << (signal.number() - 1)) == 0);
        let file_size = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
        Ok(Self {
            listeners: heard.map(listen).collect::<io::Result<_>>()?,
            _file_size: unix::signal(file_size)?,
        })
    }

    /// Returns the next signal.
    ///
    /// # Cancel safety
    /// This is cancel safe: the next call returns a signal that has arrived.
    pub(crate) async fn next(&mut self) -> Signal {
        std::future::poll_fn(|cx| {
            for (signal, listener) in &mut self.listeners {
                if listener.poll_recv(cx).is_ready() {
                    return std::task::Poll::Ready(*signal);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

/// Waits for Ctrl+Z. The default hears nothing.
#[derive(Debug, Default)]
pub(crate) struct SuspendSignals(Option<unix::Signal>);

impl SuspendSignals {
    /// Starts to listen, unless the signal was ignored when the command started.
    pub(crate) fn listen() -> io::Result<Self> {
        let suspend = rustix::process::Signal::TSTP.as_raw();
        let ignored = ignored_at_start() & (1 << (suspend - 1)) != 0;
        let listener = (!ignored).then(|| unix::signal(SignalKind::from_raw(suspend)));
        listener.transpose().map(Self)
    }

    /// Resolves at the next Ctrl+Z.
    ///
    /// # Cancel safety
    /// This is cancel safe: the next call sees a signal that has arrived.
    pub(crate) async fn next(&mut self) {
        let heard = match &mut self.0 {
            Some(listener) => listener.recv().await,
            None => None,
        };
        if heard.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

/// How long all threads of this process may take to stop.
const STOP_TIME: Duration = Duration::from_millis(50);

/// Stops this process until somebody continues it (`fg`). Returns how long that took.
pub(crate) fn stop_here() -> Duration {
    let stopped = Instant::now();
    loop_agents::process::suspend(|| {
        // This cannot fail, because the process signals itself. If it did, the process would just continue.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        // The system may give the signal to another thread. This one must not touch the terminal before it stops, too.
        std::thread::sleep(STOP_TIME);
    });
    stopped.elapsed()
}

/// Returns the set of ignored signals that the kernel reports; empty if it reports none.
fn ignored_at_start() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
