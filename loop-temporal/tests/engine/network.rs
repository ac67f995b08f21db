//! A network between a worker and the server, which a test can cut.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Passes connections on to a server. While it is cut, nothing arrives, and no connection ends: as on a real network.
pub(crate) struct Network {
    port: u16,
    is_cut: Arc<AtomicBool>,
}

impl Network {
    pub(crate) fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let is_cut = Arc::new(AtomicBool::new(false));
        let cut = Arc::clone(&is_cut);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let ends = [(&near, &far), (&far, &near)];
                for (from, to) in ends.map(|(from, to)| (from.try_clone(), to.try_clone())) {
                    let cut = Arc::clone(&cut);
                    let (from, to) = (from.expect("a socket"), to.expect("a socket"));
                    thread::spawn(move || pass(from, to, &cut));
                }
            }
        });
        Self { port, is_cut }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn set_cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Release);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        while is_cut.load(Ordering::Acquire) {
            thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    // The other end may be gone.
    let _ = to.shutdown(Shutdown::Write);
}
