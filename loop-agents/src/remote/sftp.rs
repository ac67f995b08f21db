//! Files of machines with a server of SSH: `sftp://USER@HOST/PATH`, through the program `sftp` of OpenSSH.
//!
//! OpenSSH knows the keys of hosts and the user's own, and bounds the lengths in packets. This module decides to which
//! address it connects, and how much it reads.

use std::{
    ffi::OsString,
    fmt, fs, io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use tokio::time::sleep;

use super::{RemoteContent, RemoteError, RemoteHost, RemoteReader, reader::Bound};
use crate::process::{Environment, Process, ProcessError, Supervisor};

/// The variables that the program sees.
const VARIABLES: [&str; 5] = ["PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK"];

/// The pause between two looks at the size of the file.
const PAUSE: Duration = Duration::from_millis(50);

/// The bytes that may be missing inside of a file while it arrives: parts of it are asked for at the same time.
const IN_FLIGHT: u64 = 1 << 20;

/// The login of the reader, and the keys of hosts.
#[derive(Clone)]
pub struct SftpAccess {
    variables: Vec<(OsString, OsString)>,
    folder: PathBuf,
    host_key: Option<String>,
    password: Option<SecretString>,
    key: Option<String>,
}

impl SftpAccess {
    /// Reads `SFTP_HOST_KEY` (a key as in `known_hosts`, without the host), `SFTP_PASSWORD`, `SFTP_KEY_PATH`, and the
    /// variables that OpenSSH needs. Without `SFTP_HOST_KEY`, `~/.ssh/known_hosts` has to know the host. A password is in
    /// the environment of the program, and nowhere else.
    pub fn from_variables(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let text =
            |name| lookup(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty());
        Self {
            variables: VARIABLES.into_iter().filter_map(|name| Some((name.into(), lookup(name)?))).collect(),
            folder: lookup("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from),
            host_key: text("SFTP_HOST_KEY"),
            password: text("SFTP_PASSWORD").map(SecretString::from),
            key: text("SFTP_KEY_PATH"),
        }
    }

    fn known_hosts(&self, folder: &Path, alias: &str) -> io::Result<String> {
        let home = self.variables.iter().find(|(name, _)| name == "HOME").map(|(_, home)| Path::new(home));
        let own = home.map(|home| home.join(".ssh/known_hosts").display().to_string()).unwrap_or_default();
        let Some(key) = &self.host_key else { return Ok(own) };
        let file = folder.join("known_hosts");
        fs::write(&file, format!("{alias} {key}\n"))?;
        Ok(file.display().to_string())
    }

    fn process(&self, place: &Place, ip: &str, folder: &Path) -> io::Result<Process> {
        let known = self.known_hosts(folder, &place.alias)?;
        let mut options = vec![
            format!("HostName={ip}"),
            format!("HostKeyAlias={}", place.alias),
            format!("Port={}", place.port),
            format!("UserKnownHostsFile=\"{known}\""),
            "StrictHostKeyChecking=yes".to_owned(),
            "UpdateHostKeys=no".to_owned(),
            "LogLevel=ERROR".to_owned(),
            "ProxyCommand=none".to_owned(),
            "ConnectTimeout=30".to_owned(),
        ];
        let mut env = Environment::new().inherit(self.variables.clone());
        if let Some(key) = &self.key {
            options.extend([format!("IdentityFile=\"{key}\""), "IdentitiesOnly=yes".to_owned()]);
        }
        if let Some(password) = &self.password {
            let ask = folder.join("ask");
            let mut file = fs::OpenOptions::new().create_new(true).write(true).mode(0o700).open(&ask)?;
            io::Write::write_all(&mut file, b"#!/bin/sh\nprintf '%s\\n' \"$SFTP_PASSWORD\"\n")?;
            env = env.with("SFTP_PASSWORD", password.expose_secret()).with("SSH_ASKPASS", ask);
            env = env.with("SSH_ASKPASS_REQUIRE", "force");
            // The first value of an option counts, and `-b` sets the other one.
            options.extend(["BatchMode=no", "NumberOfPasswordPrompts=1"].map(str::to_owned));
        }
        let options = options.into_iter().flat_map(|option| ["-o".to_owned(), option]);
        let arguments = ["-F", "none"].map(str::to_owned).into_iter().chain(options);
        let place_of = ["-R", "16", "-b", "-", place.destination.as_str()].map(str::to_owned);
        let get = format!("get \"{}\" \"{}\"\n", place.path, folder.join("file").display());
        Ok(Process::program("sftp", arguments.chain(place_of)).env(env).input(get))
    }
}

impl fmt::Debug for SftpAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SftpAccess").field("key", &self.key).finish_non_exhaustive()
    }
}

/// A file of a host, in texts that neither OpenSSH nor a server can mistake for something else.
struct Place {
    host: RemoteHost,
    port: u16,
    /// The name of the host in `known_hosts`.
    alias: String,
    /// The user and a fixed name, whose address is an option.
    destination: String,
    path: String,
}

impl Place {
    fn of(address: &str) -> Result<Self, RemoteError> {
        let wrong = |why: &str| RemoteError::Address(why.to_owned());
        let url = Url::parse(address).map_err(|error| RemoteError::Address(error.to_string()))?;
        if url.password().is_some() {
            return Err(RemoteError::Login);
        }
        let is_plain = |text: &str, also: &str| {
            text.chars().all(|letter| letter.is_ascii_alphanumeric() || also.contains(letter))
        };
        let user = url.username();
        if user.starts_with('-') || !is_plain(user, "._-") {
            return Err(wrong(
                "the name of the user has other characters than letters, digits, `.`, `_` and `-`",
            ));
        }
        let host = RemoteHost::of(&url);
        let name = host.to_string();
        if name.is_empty() || !is_plain(&name, ".-_:") {
            return Err(wrong("write it as `sftp://USER@HOST/PATH`"));
        }
        let port = url.port().unwrap_or(22);
        let alias = if port == 22 { name } else { format!("[{name}]:{port}") };
        let destination = if user.is_empty() { "host".to_owned() } else { format!("{user}@host") };
        // The address as it was written, because the parsed one encodes some characters.
        let path = address.splitn(4, '/').nth(3).map(|path| format!("/{path}")).filter(|path| path.len() > 1);
        let path = path.ok_or_else(|| wrong("write it as `sftp://USER@HOST/PATH`"))?;
        // OpenSSH reads these as quotes or patterns.
        if path.contains(|letter: char| letter.is_control() || "\"'\\*?[]{}%".contains(letter)) {
            return Err(wrong("the path has quotes, `%`, or characters of a pattern"));
        }
        Ok(Self { host, port, alias, destination, path })
    }
}

impl RemoteReader {
    /// Reads files of machines with SSH too.
    #[must_use]
    pub fn sftp(mut self, access: SftpAccess) -> Self {
        self.sftp = Some(access);
        self
    }

    /// Lets this supervisor end the program that reads files of machines with SSH, if this program is killed.
    #[must_use]
    pub fn supervisor(mut self, supervisor: Supervisor) -> Self {
        self.supervisor = Some(supervisor);
        self
    }

    pub(super) async fn file(
        &self,
        access: &SftpAccess,
        address: &str,
        bound: Bound,
    ) -> Result<RemoteContent, RemoteError> {
        let place = Place::of(address)?;
        let addresses = self.checked(&place.host, place.port).await?;
        let failed = |source: io::Error| RemoteError::Folder { folder: access.folder.clone(), source };
        let folder =
            tempfile::Builder::new().prefix("loop-sftp-").tempdir_in(&access.folder).map_err(failed)?;
        let file = folder.path().join("file");
        let ip = addresses.first().map(|address| address.ip().to_string()).unwrap_or_default();
        let mut process = access.process(&place, &ip, folder.path()).map_err(failed)?;
        if let Some(supervisor) = &self.supervisor {
            process = process.supervisor(supervisor.clone());
        }
        let length = || fs::metadata(&file).map_or(0, |data| data.len());
        let is_too_long = async {
            while length() <= bound.most + IN_FLIGHT {
                sleep(PAUSE).await;
            }
        };
        let output = process.run(is_too_long, |_, _| {}).await.map_err(|error| match error {
            ProcessError::NotFound { .. } => RemoteError::NoSftp,
            source => {
                RemoteError::Sftp { address: address.to_owned(), said: loop_core::with_causes(&source) }
            }
        })?;
        if output.cut.is_none() && !output.exit.success() {
            let said = String::from_utf8_lossy(&output.stderr.to_bytes()).trim().to_owned();
            return Err(refused(address, &place.host, &said));
        }
        let is_cut = length() > bound.most;
        if is_cut && !bound.is_cut_there {
            return Err(RemoteError::TooLarge { address: address.to_owned(), most: bound.most });
        }
        let mut bytes = Vec::new();
        let open = fs::File::open(&file).map_err(failed)?;
        io::Read::read_to_end(&mut io::Read::take(open, bound.most), &mut bytes).map_err(failed)?;
        Ok(RemoteContent { address: address.to_owned(), media_type: String::new(), bytes, is_cut })
    }
}

/// Builds the error for what OpenSSH said.
fn refused(address: &str, host: &RemoteHost, said: &str) -> RemoteError {
    let host = host.clone();
    if said.contains("IDENTIFICATION HAS CHANGED") {
        return RemoteError::HostKeyChanged { host };
    }
    if said.contains("Host key verification failed") {
        return RemoteError::HostKeyUnknown { host };
    }
    let said = said.lines().next_back().unwrap_or("sftp failed").to_owned();
    RemoteError::Sftp { address: address.to_owned(), said }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_becomes_an_option_a_pattern_or_a_second_command() {
        for wrong in [
            "sftp://-oProxyCommand=x@host/a",
            "sftp://a:secret@host/a",
            "sftp://host",
            "sftp://host/",
            "sftp://host/a*",
            "sftp://host/a\"b",
            "sftp://host/a%0ab",
            "sftp://ho%22st/a",
            "sftp:///a",
        ] {
            assert!(Place::of(wrong).is_err(), "{wrong}");
        }
        let place = Place::of("sftp://me@example.org:2222/srv/a.md").expect("a place");
        assert_eq!((place.alias.as_str(), place.destination.as_str()), ("[example.org]:2222", "me@host"));
        assert_eq!(
            (place.path.as_str(), Place::of("scp://h/a").expect("a place").alias),
            ("/srv/a.md", "h".to_owned())
        );
    }
}
