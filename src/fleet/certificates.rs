//! The certificates of the hall: an authority that all machines trust, and the broker's certificate. Both begin on a day in the past,
//! because a Pi without a battery for its clock must reach the broker before it knows the time.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose, SanType,
    SerialNumber,
};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use crate::config::{FleetBroker, Valid};
use crate::random;
use crate::system_clock::Utc;

/// What both certificates say about themselves.
pub(super) struct Subject<'a> {
    pub(super) event: &'a str,
    pub(super) broker: &'a FleetBroker,
    pub(super) valid: &'a Valid,
}

/// A new private key, PEM.
pub(super) fn key() -> Result<String, String> {
    Ok(KeyPair::generate().map_err(|error| error.to_string())?.serialize_pem())
}

/// Reads a private key as the machines do that get it: rcgen's own reader takes more than theirs.
fn read_key(pem: &str) -> Result<KeyPair, String> {
    let key: PrivateKeyDer<'_> = only(pem).ok_or("it has not one private key in PEM and nothing else")?;
    KeyPair::try_from(&key).map_err(|error| error.to_string())
}

/// What the text has in PEM, if that is one whole thing: machines refuse a file with a broken second one.
fn only<Item: PemObject>(pem: &str) -> Option<Item> {
    let mut all = Item::pem_slice_iter(pem.as_bytes());
    all.next().and_then(Result::ok).filter(|_| all.next().is_none())
}

/// The first bytes of the public part of a private key, by which two keys differ.
///
/// # Errors
/// The key cannot be read.
pub(super) fn mark(key: &str) -> Result<String, String> {
    let key = read_key(key)?;
    Ok(key.public_key_raw().iter().take(9).map(|byte| format!("{byte:02x}")).collect())
}

impl Subject<'_> {
    /// What the certificate of the authority depends on; `mark` is that of its key.
    pub(super) fn of_authority(&self, mark: &str) -> String {
        format!("# authority {mark} of {}, {} days from {}\n", self.event, self.valid.days, self.valid.from)
    }

    /// What the broker's certificate depends on; `marks` are those of the authority's key and of its own.
    pub(super) fn of_broker(&self, marks: [&str; 2]) -> String {
        let (FleetBroker { name, address, .. }, [authority, own]) = (self.broker, marks);
        format!(
            "# {name} and {address} in {}, {} days from {}, {own} by {authority}\n",
            self.event, self.valid.days, self.valid.from
        )
    }

    /// The authority's certificate, PEM.
    ///
    /// # Errors
    /// The key cannot be read, or there are no random numbers.
    pub(super) fn authority(&self, key: &str) -> Result<String, String> {
        let key = read_key(key)?;
        Ok(self.authority_params()?.self_signed(&key).map_err(|error| error.to_string())?.pem())
    }

    /// The broker's certificate, PEM, signed by the authority.
    ///
    /// # Errors
    /// A key cannot be read, or there are no random numbers.
    pub(super) fn server(&self, authority_key: &str, key: &str) -> Result<String, String> {
        let (authority_key, key) = (read_key(authority_key)?, read_key(key)?);
        let authority = self.authority_params()?;
        let mut params = self.params(&self.broker.name)?;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let name = self.broker.name.as_str().try_into().map_err(|error: rcgen::Error| error.to_string())?;
        params.subject_alt_names = vec![SanType::DnsName(name)];
        if let Ok(address) = self.broker.address.parse::<IpAddr>() {
            params.subject_alt_names.push(SanType::IpAddress(address));
        }
        let issuer = Issuer::from_params(&authority, &authority_key);
        Ok(params.signed_by(&key, &issuer).map_err(|error| error.to_string())?.pem())
    }

    /// Checks that a machine that trusts the authority accepts the broker at its address, on the first day.
    ///
    /// # Errors
    /// A certificate is damaged, or is not of this authority.
    pub(super) fn check(&self, authority: &str, certificate: &str) -> Result<(), String> {
        let read = |pem| only::<CertificateDer<'_>>(pem).ok_or("it has not one certificate in PEM and nothing else");
        let mut roots = RootCertStore::empty();
        roots.add(read(authority)?).map_err(|error| error.to_string())?;
        let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::new(ring::default_provider())).build();
        let name = ServerName::try_from(self.broker.address.as_str()).map_err(|error| error.to_string())?;
        let begin = Utc::parse(&format!("{}T00:00:00Z", self.valid.from)).unwrap_or_default();
        let begin = UnixTime::since_unix_epoch(Duration::from_micros(begin.0.unsigned_abs()));
        let accepted =
            verifier.map_err(|error| error.to_string())?.verify_server_cert(&read(certificate)?, &[], &name, &[], begin);
        accepted.map(drop).map_err(|error| error.to_string())
    }

    fn authority_params(&self) -> Result<CertificateParams, String> {
        let mut params = self.params(&format!("flagfall {}", self.event))?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        Ok(params)
    }

    fn params(&self, name: &str) -> Result<CertificateParams, String> {
        let mut params = CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        // A browser refuses two certificates of one authority with the same number.
        let mut number = random::bytes(16).map_err(|error| error.to_string())?;
        number[0] &= 0x7f;
        params.serial_number = Some(SerialNumber::from_slice(&number));
        let mut parts = self.valid.from.splitn(3, '-').map(|part| part.parse::<u16>().unwrap_or_default());
        let mut part = || parts.next().unwrap_or_default();
        let (year, month, day) = (part(), part(), part());
        params.not_before = rcgen::date_time_ymd(year.into(), month as u8, day as u8);
        params.not_after = params.not_before + Duration::from_secs(u64::from(self.valid.days) * 86_400);
        Ok(params)
    }
}
