//! Other paths of a file, over a second mount of its file system.

use std::{
    fs, io,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

/// The mounts of this thread's namespace.
#[derive(Debug)]
pub(super) struct Aliases(Vec<Mount>);

#[derive(Debug)]
struct Mount {
    /// The numbers of the file system's device.
    device: String,
    /// The folder of the file system that is mounted.
    root: PathBuf,
    place: PathBuf,
}

impl Aliases {
    /// # Errors
    /// The system's list of mounts cannot be read.
    pub(super) fn of_mounts() -> io::Result<Self> {
        Ok(Self::parse(&fs::read_to_string("/proc/thread-self/mountinfo")?))
    }

    /// Reads `proc_pid_mountinfo(5)`. A later mount covers an earlier one at the same place.
    fn parse(mounts: &str) -> Self {
        let mount = |line: &str| {
            let mut fields = line.split(' ').skip(2);
            let device = fields.next()?.to_owned();
            Some(Mount { device, root: unescaped(fields.next()?), place: unescaped(fields.next()?) })
        };
        Self(mounts.lines().filter_map(mount).collect())
    }

    /// Returns the other paths at which the file at `path`, which has no links in it, can be found.
    pub(super) fn of(&self, path: &Path) -> Vec<PathBuf> {
        let around = self.0.iter().filter(|mount| path.starts_with(&mount.place));
        let Some(own) = around.max_by_key(|mount| mount.place.components().count()) else {
            return Vec::new();
        };
        let inside = path.strip_prefix(&own.place).map(|below| own.root.join(below)).unwrap_or_default();
        let others = self.0.iter().filter(|mount| mount.device == own.device && mount.place != own.place);
        others
            .filter_map(|mount| {
                Some(mount.place.join(inside.strip_prefix(&mount.root).ok()?).components().collect())
            })
            .collect()
    }
}

/// Returns a path in which spaces, tabs, line ends and backslashes are written as three octal digits.
fn unescaped(field: &str) -> PathBuf {
    let mut parts = field.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.extend(digits);
        bytes.extend(part.bytes().skip(if digits.is_some() { 3 } else { 0 }));
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_at_each_mount_of_its_file_system() {
        let mounts = Aliases::parse(
            "20 1 8:1 / / rw - ext4 disk rw\n21 20 8:2 / /home rw - ext4 other rw\n\
             22 20 8:2 /ann/my\\040work /mnt/work rw - ext4 other rw\n23 20 8:2 /bob /mnt/bob rw - ext4 other rw\n",
        );
        let of = |path: &str| mounts.of(Path::new(path));
        assert_eq!(of("/home/ann/my work/.env"), [Path::new("/mnt/work/.env")]);
        assert_eq!(of("/mnt/work/.env"), [Path::new("/home/ann/my work/.env")]);
        assert_eq!(of("/home/ann/.env"), Vec::<PathBuf>::new());
        assert_eq!(of("/etc/shadow"), Vec::<PathBuf>::new());
    }
}
