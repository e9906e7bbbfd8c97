//! Sends requests to lichess with the token of the account. Nothing that it returns contains the token.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::http::HeaderValue;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::config;

/// The time limit for a request.
const LIMIT: Duration = Duration::from_secs(20);
/// The largest answer that is read, in bytes.
const LARGEST_ANSWER: u64 = 1 << 20;

/// A client for one account.
pub(super) struct Client {
    url: String,
    token_file: PathBuf,
    /// Made at the first request, because the certificates of the system are read then.
    agent: Option<Agent>,
}

/// What is done with the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    /// The status code.
    pub(super) status: u16,
    /// The text; what is longer than [`LARGEST_ANSWER`] is an error.
    pub(super) text: String,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The token cannot be used.
    Token(String),
    /// The network or the receiver.
    Network(String),
}

impl Client {
    pub(super) fn new(url: String, token_file: PathBuf) -> Client {
        Client { url, token_file, agent: None }
    }

    /// Sends a request. The token is read each time, so that it can be changed at any time.
    pub(super) fn request(&mut self, method: Method, path: &str, body: &str) -> Result<Reply, Fault> {
        let token = self.token()?;
        let url = format!("{}{path}", self.url);
        let agent = match &self.agent {
            Some(agent) => agent,
            None => self.agent.insert(agent(self.url.starts_with("https:")).map_err(Fault::Network)?),
        };
        let sent = match method {
            Method::Get => agent.get(&url).header("authorization", token).call(),
            Method::Post => agent.post(&url).header("authorization", token).content_type("text/plain").send(body),
        };
        let failed = |error: ureq::Error| Fault::Network(format!("lichess cannot be reached: {error}. It is tried again."));
        let mut response = sent.map_err(failed)?;
        let status = response.status().as_u16();
        let text = response.body_mut().with_config().limit(LARGEST_ANSWER).read_to_string().map_err(failed)?;
        Ok(Reply { status, text })
    }

    fn token(&self) -> Result<HeaderValue, Fault> {
        let file = self.token_file.display();
        let token = config::password(&self.token_file)
            .map_err(|why| Fault::Token(format!("The file {file} {}.", why.replace("the password", "the token"))))?;
        let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
            .map_err(|_| Fault::Token(format!("The first line of the file {file} is no token of lichess.")))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

fn agent(with_tls: bool) -> Result<Agent, String> {
    let mut builder = Agent::config_builder()
        .timeout_global(Some(LIMIT))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("flagfall/", env!("CARGO_PKG_VERSION")));
    if with_tls {
        let found = rustls_native_certs::load_native_certs();
        if found.certs.is_empty() {
            return Err("This machine has no list of trusted certificates. Install the package ca-certificates.".to_owned());
        }
        let trusted = found.certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(trusted)))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
        builder = builder.tls_config(tls.build());
    }
    Ok(builder.build().into())
}
