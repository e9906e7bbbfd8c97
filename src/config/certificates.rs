//! Reads the certificates and keys that `[mqtt]` and `[screens]` name, and makes the two sides of TLS (encryption) of them.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::secrets;
use super::types::Mqtt;
use crate::system_clock::Utc;

/// The number of days before its end from which people are warned about a certificate.
pub(crate) const ENDS_SOON: i64 = 14;

/// The largest number of bytes that are read from a file.
const LONGEST_PEM: u64 = 1 << 20;

/// What is wrong: the key in the section, and the problem, with the file if it is in one.
pub(crate) type MqttProblem = (&'static str, String);

/// The client side of TLS. The provider is named so that no other crate's choice matters.
///
/// # Errors
/// A key is missing, or its file cannot be read or has the wrong contents.
pub(crate) fn client(mqtt: &Mqtt) -> Result<ClientConfig, MqttProblem> {
    let own = match (&mqtt.certificate_file, &mqtt.key_file) {
        (None, None) => None,
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (Some(_), None) => return Err(("certificate_file", "needs mqtt.key_file, its private key".to_owned())),
        (None, Some(_)) => return Err(("key_file", "needs mqtt.certificate_file, the certificate it belongs to".to_owned())),
    };
    let Some(ca_file) = &mqtt.ca_file else {
        return Err(("tls", "needs mqtt.ca_file, the certificates that are trusted".to_owned()));
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates("ca_file", ca_file)? {
        roots.add(certificate).map_err(|error| wrong("ca_file", ca_file, &error.to_string()))?;
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ("tls", error.to_string()))?
        .with_root_certificates(roots);
    let Some((certificate, key)) = own else { return Ok(builder.with_no_client_auth()) };
    let own = certificates("certificate_file", certificate)?;
    builder.with_client_auth_cert(own, private_key(key)?).map_err(|error| wrong("key_file", key, &error.to_string()))
}

/// The same without our own certificate: for connections in the name of somebody else, who gives a password.
///
/// # Errors
/// As [`client`].
#[cfg(feature = "screens")]
pub(crate) fn client_without_certificate(mqtt: &Mqtt) -> Result<ClientConfig, MqttProblem> {
    client(&Mqtt { certificate_file: None, key_file: None, ..mqtt.clone() })
}

/// The server side of TLS with this certificate and its private key.
///
/// # Errors
/// A file cannot be read or has the wrong contents; the key is `certificate_file` or `key_file`.
pub(crate) fn server(certificate: &Path, key: &Path) -> Result<ServerConfig, MqttProblem> {
    let chain = certificates("certificate_file", certificate)?;
    let secret = private_key(key)?;
    ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ("certificate_file", error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| wrong("key_file", key, &error.to_string()))
}

fn private_key(key: &Path) -> Result<PrivateKeyDer<'static>, MqttProblem> {
    let pem = secrets::private(key).and_then(read).map_err(|why| wrong("key_file", key, &why))?;
    PrivateKeyDer::from_pem_slice(&pem).map_err(|error| wrong("key_file", key, &error.to_string()))
}

/// When the first certificate in a PEM file ends.
///
/// # Errors
/// The file cannot be read, or one of its certificates has another form.
pub(crate) fn end_of(file: &Path) -> Result<Utc, String> {
    let found = certificates("", file).map_err(|(_, why)| why)?;
    let ends: Option<Vec<Utc>> = found.iter().map(|certificate| not_after(certificate)).collect();
    let first = ends.and_then(|ends| ends.into_iter().min());
    first.ok_or_else(|| format!("{}: a certificate does not say when it ends", file.display()))
}

/// The end of a certificate's validity (RFC 5280, "Basic Certificate Fields").
fn not_after(certificate: &[u8]) -> Option<Utc> {
    let time = yasna::parse_der(certificate, |outer| {
        outer.read_sequence(|parts| {
            let end = parts.next().read_sequence(|fields| {
                // The version, which may be absent, the number, the algorithm and the issuer come first.
                fields.read_optional(|field| field.read_tagged(yasna::Tag::context(0), |version| version.read_der()))?;
                for _ in 0..3 {
                    fields.next().read_der()?;
                }
                let end = fields.next().read_sequence(|times| {
                    times.next().read_der()?;
                    times.next().read_tagged_der()
                })?;
                // The rest: the subject, its key, and extensions.
                while fields.read_optional(|field| field.read_der())?.is_some() {}
                Ok(end)
            })?;
            for _ in 0..2 {
                parts.next().read_der()?;
            }
            Ok(end)
        })
    });
    let time = time.ok()?;
    let text = std::str::from_utf8(time.value()).ok()?.strip_suffix('Z')?;
    // Two digits of a year are of 1950 to 2049.
    let century = if text < "5" { "20" } else { "19" };
    let text = if time.tag() == yasna::tags::TAG_UTCTIME { format!("{century}{text}") } else { text.to_owned() };
    let digits = text.len() == 14 && text.bytes().all(|byte| byte.is_ascii_digit());
    let part = |from: usize, to: usize| &text[from..to];
    digits.then(|| {
        Utc::parse(&format!("{}-{}-{}T{}:{}:{}Z", part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 12), part(12, 14)))
    })?
}

fn wrong(key: &'static str, file: &Path, cause: &str) -> MqttProblem {
    (key, format!("{}: {cause}", file.display()))
}

/// Reads all certificates of a PEM file, at least one.
fn certificates(key: &'static str, file: &Path) -> Result<Vec<CertificateDer<'static>>, MqttProblem> {
    let pem = secrets::plain(file).and_then(read).map_err(|why| wrong(key, file, &why))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let found = found.map_err(|error| wrong(key, file, &error.to_string()))?;
    if found.is_empty() { Err(wrong(key, file, "holds no CERTIFICATE in PEM form")) } else { Ok(found) }
}

fn read(file: File) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    file.take(LONGEST_PEM).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first fields of a certificate that ends in 2026, without what follows: version, number, algorithm, issuer, validity.
    const HEAD: &[u8] = b"\x30\x36\x30\x2e\xa0\x03\x02\x01\x02\x02\x01\x01\x30\x00\x30\x00\x30\x1e\x17\x0d250101000000Z\x17\x0d260302000000Z\x30\x00\
        \x30\x00\x03\x02\x00\x00";

    #[test]
    fn the_end_of_a_certificate() {
        assert_eq!(not_after(HEAD), Utc::parse("2026-03-02T00:00:00Z"));
    }

    #[test]
    fn damaged_certificates_have_no_end_and_cause_no_panic() {
        for at in 0..HEAD.len() {
            assert_eq!(not_after(&HEAD[..at]), None, "cut at {at}");
            for value in 0..=255 {
                let mut bytes = HEAD.to_vec();
                bytes[at] = value;
                // Some of these are other dates.
                _ = not_after(&bytes);
            }
        }
    }
}
