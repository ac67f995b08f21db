//! Counts what happens to the file of a name.
//!
//! A log can be rotated several times between two looks at it. The lines in the files between the first and the last one
//! are lost then, and the last file does not show this. The system's events do.

use std::{io, path::Path};

/// The events at a name since the last time.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameEvents {
    /// How often the name got another file. A file from another folder counts twice, because the system joins such events.
    pub(super) replaced: u32,
    /// How often something opened the file, changed it and closed it, at least once.
    pub(super) changed: u32,
}

pub(super) use system::NameWatch;

#[cfg(target_os = "linux")]
mod system {
    use std::{
        ffi::OsString,
        mem::MaybeUninit,
        os::{fd::OwnedFd, unix::ffi::OsStrExt},
    };

    use rustix::{
        fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
        io::Errno,
    };

    use super::{NameEvents, Path, io};

    /// The size of the buffer for events, in bytes: a few of them with long names.
    const BUFFER_BYTES: usize = 4096;

    /// Watches a name in its folder.
    #[derive(Debug)]
    pub(in super::super) struct NameWatch {
        events: OwnedFd,
        name: OsString,
    }

    impl NameWatch {
        /// Watches the name at the end of this path from now on.
        pub(in super::super) fn on(path: &Path) -> io::Result<Self> {
            let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            // The system joins equal events in a row. The end of a file's name and of a change are between them.
            let wanted = WatchFlags::CREATE
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE;
            inotify::add_watch(&events, folder.unwrap_or(Path::new(".")), wanted)?;
            Ok(Self { events, name })
        }

        /// Returns the events since the last call. If some of them were lost, the result counts many.
        pub(in super::super) fn take(&self) -> NameEvents {
            let (mut found, mut is_changing, mut moved) = (NameEvents::default(), false, None);
            let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
            let mut reader = Reader::new(&self.events, &mut buffer);
            loop {
                let event = match reader.next() {
                    Ok(event) => event,
                    Err(Errno::INTR) => continue,
                    Err(Errno::AGAIN) => return found,
                    Err(_) => return NameEvents { replaced: u32::MAX, changed: u32::MAX },
                };
                let kind = event.events();
                if kind.contains(ReadFlags::QUEUE_OVERFLOW) {
                    found = NameEvents { replaced: u32::MAX, changed: u32::MAX };
                    continue;
                }
                if kind.contains(ReadFlags::MOVED_FROM) {
                    moved = Some(event.cookie());
                }
                if event.file_name().is_none_or(|name| name.to_bytes() != self.name.as_bytes()) {
                    continue;
                }
                if kind.contains(ReadFlags::CREATE) {
                    found.replaced = found.replaced.saturating_add(1);
                } else if kind.contains(ReadFlags::MOVED_TO) {
                    let is_from_here = moved == Some(event.cookie());
                    found.replaced = found.replaced.saturating_add(if is_from_here { 1 } else { 2 });
                }
                let is_change = kind.contains(ReadFlags::MODIFY);
                if is_change && !is_changing {
                    found.changed = found.changed.saturating_add(1);
                }
                is_changing = is_change;
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{NameEvents, Path, io};

    /// Cannot count here: a file that replaced another one counts as the only one.
    #[derive(Debug)]
    pub(in super::super) struct NameWatch;

    impl NameWatch {
        pub(in super::super) fn on(_path: &Path) -> io::Result<Self> {
            Ok(Self)
        }

        pub(in super::super) fn take(&self) -> NameEvents {
            NameEvents::default()
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_file_of_the_name_and_each_change_counts() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str| fs::write(at(name), "x").unwrap();
        write("log");
        let watch = NameWatch::on(&at("log")).unwrap();
        assert_eq!(watch.take(), NameEvents::default());
        write("log");
        assert_eq!(watch.take(), NameEvents { replaced: 0, changed: 1 });
        write("log");
        write("other");
        write("log");
        assert_eq!(watch.take(), NameEvents { replaced: 0, changed: 2 });
        for _ in 0..3 {
            fs::rename(at("log"), at("old")).unwrap();
            write("log");
        }
        assert_eq!(watch.take(), NameEvents { replaced: 3, changed: 3 });
        for _ in 0..3 {
            write("new");
            fs::rename(at("new"), at("log")).unwrap();
        }
        fs::remove_file(at("log")).unwrap();
        assert_eq!(watch.take().replaced, 3);
        let other = tempfile::tempdir_in(folder.path()).unwrap();
        for _ in 0..3 {
            fs::write(other.path().join("log"), "x").unwrap();
            fs::rename(other.path().join("log"), at("log")).unwrap();
        }
        assert!(watch.take().replaced > 1);
    }
}
