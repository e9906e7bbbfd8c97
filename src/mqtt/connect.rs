//! Connects to the broker and waits until the broker accepts the connection.

use std::io::{Error, ErrorKind};
use std::time::Duration;

use rumqttc::v5::mqttbytes::v5::{ConnAck, ConnectReturnCode, Packet};
use rustls::pki_types::ServerName;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::connection::{ConnectionEnd, ended_by_broker};
use super::identity::Identity;
use super::outbox::IN_FLIGHT;
use super::packets::{self, Client};
use super::types::Settings;
use super::wire::{Socket, Wire};

/// The time limit for the connection, TLS and the broker's acceptance together.
const CONNECT: Duration = Duration::from_secs(5);

/// Connects and returns the broker's welcome.
pub(super) async fn connect(settings: &Settings, client: &Client) -> Result<(Wire, ConnAck), ConnectionEnd> {
    let Ok(welcomed) = tokio::time::timeout(CONNECT, welcome(settings, client)).await else {
        return Err(ConnectionEnd::Lost(settings.identity.silent().words()));
    };
    welcomed
}

async fn welcome(settings: &Settings, client: &Client) -> Result<(Wire, ConnAck), ConnectionEnd> {
    let identity = &settings.identity;
    let socket = socket(identity).await.map_err(|error| ConnectionEnd::Lost(identity.io_trouble(&error).words()))?;
    let mut wire = Wire::new(socket);
    packets::connect(settings, client, &mut wire.outgoing).map_err(|error| ConnectionEnd::Lost(error.to_string()))?;
    let first = wire.read_packet().await.map_err(|end| match end {
        ConnectionEnd::Lost(why) => ConnectionEnd::Lost(identity.no_welcome(&why).words()),
        ConnectionEnd::BadPacket(why) => ConnectionEnd::BadPacket(identity.no_welcome(&why).words()),
        other => other,
    });
    match first? {
        Packet::ConnAck(welcome) if welcome.code == ConnectReturnCode::Success => {
            let properties = welcome.properties.as_ref();
            let is_nothing =
                properties.is_some_and(|all| all.receive_max == Some(0) || all.max_packet_size.is_some_and(|most| most == 0));
            if is_nothing {
                return Err(ConnectionEnd::BadPacket("the broker's welcome allows nothing to be sent".to_owned()));
            }
            Ok((wire, welcome))
        }
        Packet::ConnAck(refusal) => Err(refused(identity, refusal.code)),
        Packet::Disconnect(disconnect) => Err(ended_by_broker(&disconnect)),
        _ => Err(ConnectionEnd::BadPacket("the broker's first packet is not a welcome".to_owned())),
    }
}

async fn socket(identity: &Identity) -> Result<Box<dyn Socket>, Error> {
    let tcp = TcpStream::connect((identity.host.as_str(), identity.port)).await?;
    tcp.set_nodelay(true)?;
    // What the operating system has taken is sent before everything that waits here, also clock times, which nobody acknowledges.
    SockRef::from(&tcp).set_send_buffer_size(IN_FLIGHT)?;
    let Some(tls) = identity.tls() else { return Ok(Box::new(tcp)) };
    let name = ServerName::try_from(identity.host.clone()).map_err(|error| Error::new(ErrorKind::InvalidInput, error))?;
    Ok(Box::new(TlsConnector::from(tls).connect(name, tcp).await?))
}

fn refused(identity: &Identity, code: ConnectReturnCode) -> ConnectionEnd {
    let trouble = identity.refused(code);
    if trouble.bad_login { ConnectionEnd::Refused(trouble.words()) } else { ConnectionEnd::Lost(trouble.words()) }
}
