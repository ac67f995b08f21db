//! The connection to the server.

use std::{fs, io, path::PathBuf, time::Duration};

use loop_manifest::settings::TemporalSettings;
use temporalio_client::{
    Client, ClientOptions, ClientTlsOptions, Connection, ConnectionOptions, TlsOptions,
    errors::ClientConnectError,
};
use temporalio_common::data_converters::{DataConverter, DefaultFailureConverter, PayloadConverter};
use url::Url;

use crate::encryption::Encryption;

/// The address of a server on this machine, as `temporal server start-dev` has it.
const DEFAULT_ADDRESS: &str = "127.0.0.1:7233";

const DEFAULT_NAMESPACE: &str = "default";

/// The longest time until a server answers.
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// The server, as the user's settings name it.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The table `[engine.temporal]`.
    pub table: TemporalSettings,
    /// The value of the variable that `key_env` names.
    pub key: Option<String>,
    /// The value of the variable that `encryption_key_env` names.
    pub encryption_key: Option<String>,
}

/// A server that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The address cannot be read.
    #[error("`engine.temporal.address` is `{0}`, which is no address; write it as `host:7233`")]
    Address(String),
    /// The variable with the key is not set.
    #[error("`engine.temporal` names the variable {0}, which is not set")]
    Key(String),
    /// The key for payloads has another form.
    #[error("`engine.temporal.encryption_key_env` names a variable with no key: {0}")]
    EncryptionKey(&'static str),
    /// A file of the settings cannot be read.
    #[error("cannot read {path}, which `engine.temporal` names: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// Only one half of the client's certificate is there.
    #[error(
        "`engine.temporal` has one of `certificate_file` and `key_file`; a client certificate needs both"
    )]
    Certificate,
    /// The server does not answer.
    #[error(
        "the Temporal server at {address} does not answer: {error}. Start it, or set `address` in `[engine.temporal]` of \
         your settings"
    )]
    Server {
        /// The address.
        address: String,
        /// The cause.
        error: String,
    },
}

impl Settings {
    /// Returns the address of the server.
    pub fn address(&self) -> &str {
        self.table.address.as_deref().unwrap_or(DEFAULT_ADDRESS)
    }

    /// Returns the namespace of the runs.
    pub fn namespace(&self) -> &str {
        self.table.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE)
    }

    fn is_encrypted(&self) -> bool {
        let TemporalSettings { tls, ca_file, certificate_file, key_env, server_name, .. } = &self.table;
        let implied =
            ca_file.is_some() || certificate_file.is_some() || key_env.is_some() || server_name.is_some();
        tls.unwrap_or(implied)
    }

    fn url(&self) -> Result<Url, ConnectError> {
        let scheme = if self.is_encrypted() { "https" } else { "http" };
        let url = Url::parse(&format!("{scheme}://{}", self.address())).ok();
        let url = url.filter(|url| url.has_host() && url.path() == "/" && url.port().is_some());
        url.ok_or_else(|| ConnectError::Address(self.address().to_owned()))
    }

    fn tls(&self) -> Result<Option<TlsOptions>, ConnectError> {
        if !self.is_encrypted() {
            return Ok(None);
        }
        let read = |path: &Option<PathBuf>| match path {
            Some(path) => {
                fs::read(path).map(Some).map_err(|error| ConnectError::File { path: path.clone(), error })
            }
            None => Ok(None),
        };
        let client = match (read(&self.table.certificate_file)?, read(&self.table.key_file)?) {
            (Some(certificate), Some(key)) => {
                Some(ClientTlsOptions::builder().client_cert(certificate).client_private_key(key).build())
            }
            (None, None) => None,
            _ => return Err(ConnectError::Certificate),
        };
        Ok(Some(
            TlsOptions::builder()
                .maybe_server_root_ca_cert(read(&self.table.ca_file)?)
                .maybe_domain(self.table.server_name.clone())
                .maybe_client_tls_options(client)
                .build(),
        ))
    }
}

/// Connects to the server.
///
/// # Errors
/// The settings are wrong, or the server does not answer within 5 seconds.
pub async fn connect(settings: &Settings, identity: &str) -> Result<Client, ConnectError> {
    let Settings { table, key, encryption_key } = settings;
    for (name, value) in [(&table.key_env, key), (&table.encryption_key_env, encryption_key)] {
        if let (Some(name), None) = (name, value) {
            return Err(ConnectError::Key(name.clone()));
        }
    }
    let encryption = Encryption::new(encryption_key.as_deref()).map_err(ConnectError::EncryptionKey)?;
    // The messages of failures are texts of a run, too.
    let failures = DefaultFailureConverter::new(encryption_key.is_some());
    let converter = DataConverter::new(PayloadConverter::default(), failures, encryption);
    let options = ConnectionOptions::new(settings.url()?)
        .identity(identity)
        .connect_timeout(CONNECT_TIME)
        .maybe_tls_options(settings.tls()?)
        .maybe_api_key(settings.key.clone())
        .build();
    let failed = |error: String| ConnectError::Server { address: settings.address().to_owned(), error };
    let connected = tokio::time::timeout(CONNECT_TIME, Connection::connect(options)).await;
    let connection = connected
        .map_err(|_| failed("it took more than 5 seconds".to_owned()))?
        .map_err(|error| failed(cause(&error)))?;
    Client::new(connection, ClientOptions::new(settings.namespace()).data_converter(converter).build())
        .map_err(|error| failed(error.to_string()))
}

/// Returns the innermost cause: the outer ones show the inner ones with their fields.
fn cause(error: &ClientConnectError) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(address: &str) -> Settings {
        Settings {
            table: TemporalSettings { address: Some(address.to_owned()), ..TemporalSettings::default() },
            ..Settings::default()
        }
    }

    #[test]
    fn a_key_or_a_certificate_turns_encryption_on() {
        let plain = settings("h:1");
        assert_eq!(plain.url().expect("an address").as_str(), "http://h:1/");
        let mut with_key = plain.clone();
        with_key.table.key_env = Some("K".to_owned());
        assert_eq!(with_key.url().expect("an address").as_str(), "https://h:1/");
        with_key.table.tls = Some(false);
        assert_eq!(with_key.url().expect("an address").as_str(), "http://h:1/");
    }

    #[test]
    fn an_address_has_a_host_and_a_port() {
        for wrong in ["h", "", "http://h:1", "h:1/x", "h:x"] {
            let error = settings(wrong).url().expect_err(wrong);
            assert!(error.to_string().contains("is no address"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_missing_key_is_named() {
        let mut settings = settings("127.0.0.1:1");
        settings.table.key_env = Some("MY_KEY".to_owned());
        let error = connect(&settings, "test").await.expect_err("no key");
        assert!(error.to_string().contains("the variable MY_KEY, which is not set"), "{error}");
    }

    #[tokio::test]
    async fn an_absent_server_is_named() {
        let error = connect(&settings("127.0.0.1:1"), "test").await.expect_err("no server");
        assert!(
            error.to_string().starts_with("the Temporal server at 127.0.0.1:1 does not answer"),
            "{error}"
        );
    }
}
