//! The signals by which a person or a machine ends a run.

use std::{
    fmt, fs, io,
    time::{Duration, Instant},
};

use tokio::signal::unix::{self, SignalKind};

/// A signal that ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The terminal is gone: a dropped ssh.
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
pub(crate) struct Signals(Vec<(Signal, unix::Signal)>);

impl Signals {
    /// Listens from now on. A signal that was ignored when the command started stays ignored, so
    /// that `nohup loop run` survives the terminal.
    pub(crate) fn listen() -> io::Result<Self> {
        let ignored = ignored_at_start();
        let listen = |signal: Signal| Ok((signal, unix::signal(signal.kind())?));
        Signal::ALL
            .into_iter()
            .filter(|signal| ignored & (1 << (signal.number() - 1)) == 0)
            .map(listen)
            .collect::<io::Result<_>>()
            .map(Self)
    }

    /// The next signal.
    ///
    /// # Cancel safety
    /// Cancel safe: a signal that came is returned by the next call.
    pub(crate) async fn next(&mut self) -> Signal {
        std::future::poll_fn(|cx| {
            for (signal, listener) in &mut self.0 {
                if listener.poll_recv(cx).is_ready() {
                    return std::task::Poll::Ready(*signal);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

/// Ctrl+Z.
pub(crate) struct Suspensions(Option<unix::Signal>);

impl Suspensions {
    /// Listens from now on, unless the signal was ignored when the command started.
    pub(crate) fn listen() -> io::Result<Self> {
        let suspend = rustix::process::Signal::TSTP.as_raw();
        let ignored = ignored_at_start() & (1 << (suspend - 1)) != 0;
        let listener = (!ignored).then(|| unix::signal(SignalKind::from_raw(suspend)));
        listener.transpose().map(Self)
    }

    /// Resolves at the next Ctrl+Z.
    ///
    /// # Cancel safety
    /// Cancel safe: a signal that came is seen by the next call.
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

/// Stops this process until somebody lets it go on (`fg`); gives how long that took.
pub(crate) fn stop_here() -> Duration {
    let stopped = Instant::now();
    // It cannot fail: the signal is one of ours, to ourselves. If it did we would just go on.
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
    stopped.elapsed()
}

/// The set of ignored signals, as the kernel shows it. Where it shows none, nothing was ignored.
fn ignored_at_start() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
