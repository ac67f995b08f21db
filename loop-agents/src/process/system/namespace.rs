//! Namespaces, and a table of descriptors, for one thread.
#![expect(
    unsafe_code,
    reason = "`unshare` and `close_range` are unsafe for the sake of descriptors that are closed, and `ioctl` for its argument"
)]

use std::{io, net::UdpSocket, os::fd::AsRawFd};

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Moves the calling thread into a mount namespace of its own.
///
/// # Errors
/// This process lacks `CAP_SYS_ADMIN`, or a filter forbids it.
pub(in crate::process) fn unshare_mounts() -> io::Result<()> {
    // SAFETY: only `UnshareFlags::FILES` endangers memory safety, because it gives a thread descriptors of its own.
    Ok(unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?)
}

/// Moves the calling thread into a network namespace of its own, whose only device is a loopback device that is off.
///
/// # Errors
/// This process lacks `CAP_SYS_ADMIN`, or a filter forbids it.
pub(in crate::process) fn unshare_network() -> io::Result<()> {
    // SAFETY: only `UnshareFlags::FILES` endangers memory safety, because it gives a thread descriptors of its own.
    Ok(unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?)
}

/// Turns on the loopback device of the calling thread's network namespace.
///
/// # Errors
/// This process lacks `CAP_NET_ADMIN`.
pub(in crate::process) fn raise_loopback() -> io::Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_flags: libc::IFF_UP as libc::c_short },
    };
    for (place, letter) in request.ifr_name.iter_mut().zip(b"lo") {
        *place = *letter as libc::c_char;
    }
    // SAFETY: this request reads an `ifreq`, whose name ends with a zero, and stores no pointer to it.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw mut request) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Gives the calling thread a table of descriptors of its own, from which a program that it starts inherits only those that
/// are put in place for it. Descriptors that this process inherited would otherwise go along.
///
/// # Errors
/// The kernel is older than Linux 5.11, or a filter forbids it.
pub(in crate::process) fn keep_descriptors() -> io::Result<()> {
    let flags = libc::CLOSE_RANGE_UNSHARE | libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: the flag closes nothing in this process. It marks the descriptors of the thread's own table, so that they are
    // closed when a program is executed.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, flags) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
