//! Configures TLS (encryption) for the connection to the broker: the trusted certificates, and the certificate of this node.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use super::identity::{IdentityError, read};
use crate::config::Mqtt;

/// The client side of TLS. The provider is named so that no other crate's choice matters.
pub(super) fn config(mqtt: &Mqtt) -> Result<ClientConfig, IdentityError> {
    let Some(ca_file) = &mqtt.ca_file else {
        return Err(IdentityError { key: "ca_file", file: None, cause: "is needed with tls = true".to_owned() });
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates("ca_file", ca_file)? {
        roots.add(certificate).map_err(|error| wrong("ca_file", ca_file, &error.to_string()))?;
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| IdentityError { key: "tls", file: None, cause: error.to_string() })?
        .with_root_certificates(roots);
    match (&mqtt.certificate_file, &mqtt.key_file) {
        (None, None) => Ok(builder.with_no_client_auth()),
        (Some(certificate), Some(key)) => {
            let own = certificates("certificate_file", certificate)?;
            let pem = read("key_file", key)?;
            let secret = PrivateKeyDer::from_pem_slice(&pem).map_err(|error| wrong("key_file", key, &error.to_string()))?;
            builder.with_client_auth_cert(own, secret).map_err(|error| wrong("key_file", key, &error.to_string()))
        }
        (Some(_), None) => {
            Err(IdentityError { key: "key_file", file: None, cause: "is needed with certificate_file".to_owned() })
        }
        (None, Some(_)) => {
            Err(IdentityError { key: "certificate_file", file: None, cause: "is needed with key_file".to_owned() })
        }
    }
}

fn wrong(key: &'static str, file: &Path, cause: &str) -> IdentityError {
    IdentityError { key, file: Some(file.to_owned()), cause: cause.to_owned() }
}

/// Reads all certificates of a PEM file, at least one.
fn certificates(key: &'static str, file: &Path) -> Result<Vec<CertificateDer<'static>>, IdentityError> {
    let pem = read(key, file)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let found = found.map_err(|error| wrong(key, file, &error.to_string()))?;
    if found.is_empty() { Err(wrong(key, file, "has no certificate in PEM")) } else { Ok(found) }
}
