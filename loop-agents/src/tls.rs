//! TLS for all connections of this crate: ring, and the certificates that the system trusts.

use std::sync::Arc;

use reqwest::Url;
use rustls::{ClientConfig, ConfigBuilder, Error, RootCertStore, WantsVerifier, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt;

/// Configures TLS with the certificates that the system trusts. An address without TLS needs none, and a machine that
/// only asks local servers may have none.
pub(crate) fn for_address(address: &Url) -> Result<ClientConfig, Error> {
    match address.scheme() {
        "https" => Ok(protocols()?.with_platform_verifier()?.with_no_client_auth()),
        _ => without_certificates(),
    }
}

/// Configures TLS without any trusted certificate, for connections without TLS.
pub(crate) fn without_certificates() -> Result<ClientConfig, Error> {
    Ok(protocols()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn protocols() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, Error> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
}
