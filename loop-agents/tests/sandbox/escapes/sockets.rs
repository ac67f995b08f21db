//! Ways out over sockets.

use super::{
    Escape,
    Needs::{Kernel, Nothing, Root},
};

/// Sockets that a sandbox refuses even if it allows the network.
pub(super) const SOCKETS: &[Escape] = &[
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
    (
        "changes a network device",
        Root,
        "perl -e 'socket(S, 2, 2, 0) or exit 1; $r = pack(\"a16 x24\", \"lo\"); ioctl(S, 0x8913, $r) && ioctl(S, 0x8914, $r) or exit 1'",
    ),
    ("takes over a connection", Root, "perl -e 'socket(S, 2, 1, 0) && setsockopt(S, 6, 19, 1) or exit 1'"),
];

/// The network, where a sandbox has none.
pub(super) const NETWORK: &[Escape] = &[
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
