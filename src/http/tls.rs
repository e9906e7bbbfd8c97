//! The server side of TLS, with a certificate that can be replaced while the listener works.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio::time;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::HEAD_WITHIN;
use crate::strangers::NetworkRates;
use crate::system_clock;

/// The number of handshakes in a second of one network, and of all. One with an RSA key takes a millisecond, on a Raspberry Pi several, and
/// nothing else is served meanwhile.
const HANDSHAKES: [u32; 2] = [100, 200];
/// The longest wait for a turn.
const TURN_WITHIN: Duration = Duration::from_secs(10);

/// The certificate of a listener.
#[derive(Debug)]
pub struct Certificate {
    current: RwLock<Arc<ServerConfig>>,
    handshakes: Mutex<NetworkRates>,
}

impl Certificate {
    /// A certificate with its private key.
    pub fn new(config: ServerConfig) -> Certificate {
        let [of_network, of_all] = HANDSHAKES;
        Certificate { current: RwLock::new(Arc::new(config)), handshakes: Mutex::new(NetworkRates::new(of_network, of_all)) }
    }

    /// Takes another certificate, for the next connections.
    pub fn replace(&self, config: ServerConfig) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
    }

    /// Makes the handshake with a client that has begun one, in the turn of its network.
    ///
    /// # Errors
    /// The client says nothing, or nothing that is TLS, or its network has had no turn for long.
    pub(super) async fn accept(&self, stream: TcpStream, from: IpAddr) -> io::Result<TlsStream<TcpStream>> {
        time::timeout(HEAD_WITHIN, stream.readable()).await??;
        let turn = async {
            while let Err(pause) = self.take_turn(from) {
                time::sleep(pause).await;
            }
        };
        time::timeout(TURN_WITHIN, turn).await?;
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        time::timeout(HEAD_WITHIN, TlsAcceptor::from(current).accept(stream)).await?
    }

    fn take_turn(&self, from: IpAddr) -> Result<(), Duration> {
        self.handshakes.lock().unwrap_or_else(PoisonError::into_inner).take(from, 1, system_clock::monotonic())
    }
}
