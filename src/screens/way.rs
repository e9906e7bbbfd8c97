//! The way from the relay to the broker.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;

use crate::config::{self, Mqtt};

/// Where the broker is.
#[derive(Clone)]
pub enum Broker {
    /// The broker in this program, at 127.0.0.1.
    Own(SocketAddr),
    /// Another one, by name and port, with TLS or without.
    Other {
        /// Its name or address.
        host: String,
        /// Its port.
        port: u16,
        /// TLS without a certificate of our own: that one would log in this node, and not the user of the page.
        tls: Option<Arc<ClientConfig>>,
    },
}

impl Broker {
    /// The broker of the configuration, or `own`.
    ///
    /// # Errors
    /// The trusted certificates cannot be read.
    pub fn new(mqtt: &Mqtt, own: Option<SocketAddr>) -> Result<Broker> {
        if let Some(own) = own {
            return Ok(Broker::Own(own));
        }
        let tls = mqtt.tls.then(|| config::tls_client_without_certificate(mqtt).map(Arc::new)).transpose();
        let tls = tls.map_err(|(key, why)| anyhow!("mqtt.{key}: {why}"))?;
        Ok(Broker::Other { host: mqtt.host.clone(), port: mqtt.port(), tls })
    }
}

pub(super) trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Connection for T {}

/// Connects on behalf of a visitor.
///
/// # Errors
/// The broker cannot be reached.
pub(super) async fn connect(broker: &Broker, visitor: IpAddr) -> io::Result<Box<dyn Connection>> {
    let tcp = match broker {
        Broker::Own(address) => connect_own(*address, visitor).await?,
        Broker::Other { host, port, .. } => TcpStream::connect((host.as_str(), *port)).await?,
    };
    tcp.set_nodelay(true)?;
    let Broker::Other { host, tls: Some(tls), .. } = broker else { return Ok(Box::new(tcp)) };
    let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
    Ok(Box::new(TlsConnector::from(Arc::clone(tls)).connect(name, tcp).await?))
}

/// The broker in this program counts wrong passwords by address, so each visitor has an address of its own there.
async fn connect_own(address: SocketAddr, visitor: IpAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((stand_in(visitor), 0).into())?;
    socket.connect(address).await
}

/// An address of this machine that stands for a visitor: the same one for the same visitor, or, with IPv6, for the same network of 64
/// bits. The relay itself counts by full address, before the broker does.
fn stand_in(visitor: IpAddr) -> Ipv4Addr {
    let [b, c, d] = match visitor {
        IpAddr::V4(v4) => {
            let [_, b, c, d] = v4.octets();
            [b, c, d]
        }
        IpAddr::V6(v6) if v6.is_loopback() => [0, 0, 1],
        IpAddr::V6(v6) => {
            let network = v6.octets();
            let part = |from: usize| network[from] ^ network[from + 3] ^ network[(from + 6) % 8];
            [part(0), part(1), part(2)]
        }
    };
    match [b, c, d] {
        // The ends of the range are no addresses of a machine.
        [0, 0, 0] | [255, 255, 255] => Ipv4Addr::new(127, 1, 1, 1),
        [b, c, d] => Ipv4Addr::new(127, b, c, d),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_visitor_has_an_address_of_its_own_at_the_broker() {
        for (visitor, address) in
            [("127.0.0.1", "127.0.0.1"), ("192.168.1.20", "127.168.1.20"), ("10.0.0.0", "127.1.1.1"), ("::1", "127.0.0.1")]
        {
            assert_eq!(stand_in(visitor.parse().expect("an address")).to_string(), address, "{visitor}");
        }
        let of = |text: &str| stand_in(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2::5"), of("2001:db8:1:2:ffff::9"), "one network");
        assert_ne!(of("2001:db8:1:2::5"), of("2001:db8:1:3::5"));
        assert!(of("2001:db8:1:2::5").is_loopback());
    }
}
