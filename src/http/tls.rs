//! The server side of TLS, with a certificate that can be replaced while the listener works.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The certificate of a listener.
#[derive(Debug)]
pub struct Certificate {
    current: RwLock<Arc<ServerConfig>>,
}

impl Certificate {
    /// A certificate with its private key.
    pub fn new(config: ServerConfig) -> Certificate {
        Certificate { current: RwLock::new(Arc::new(config)) }
    }

    /// Takes another certificate, for the next connections.
    pub fn replace(&self, config: ServerConfig) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        TlsAcceptor::from(current).accept(stream).await
    }
}
