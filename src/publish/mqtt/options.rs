//! How the client is set up for one connection.

use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectProperties, Filter, LastWill, LastWillProperties, PublishProperties};
use rumqttc::v5::{AsyncClient, MqttOptions};
use rumqttc::{NetworkOptions, TlsConfiguration, Transport};

use super::types::Settings;
use crate::publish::outbox::{Publication, Quality, WINDOW};

/// A larger packet from the broker ends the connection.
pub(super) const LARGEST: u32 = 256 * 1024;
/// Between two signs of life.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Seconds for the connection, TLS and the broker's welcome together.
const CONNECT: u64 = 5;
/// Seconds that the broker keeps what came for us while we are away.
const SESSION: u32 = 3600;
/// Seconds of absence before we count as lost.
const WILL_DELAY: u32 = 5;
/// Messages that the broker may send without our acknowledgement.
const INCOMING: u16 = 32;

/// `clean` forgets what the broker kept for us.
pub(super) fn options(settings: &Settings, will: String, clean: bool) -> MqttOptions {
    let identity = &settings.identity;
    let mut options = MqttOptions::new(format!("flagfall-{}", settings.node), &identity.host, identity.port);
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    network.set_connection_timeout(CONNECT);
    let mut properties = ConnectProperties::new();
    properties.session_expiry_interval = Some(SESSION);
    properties.receive_maximum = Some(INCOMING);
    properties.max_packet_size = Some(LARGEST);
    let about_will = LastWillProperties {
        delay_interval: Some(WILL_DELAY),
        payload_format_indicator: Some(1),
        message_expiry_interval: None,
        content_type: Some(JSON.to_owned()),
        response_topic: None,
        correlation_data: None,
        user_properties: Vec::new(),
    };
    options
        .set_keep_alive(KEEP_ALIVE)
        .set_connection_timeout(CONNECT)
        .set_clean_start(clean)
        .set_network_options(network)
        .set_connect_properties(properties)
        // Room for twice the window, since packet ids are given in turn and acknowledgements may come out of turn; the
        // default would take megabytes.
        .set_outgoing_inflight_upper_limit(2 * WINDOW as u16)
        .set_last_will(LastWill::new(settings.status_topic(), will, QoS::AtLeastOnce, true, Some(about_will)));
    if let Some((user, password)) = &identity.user {
        options.set_credentials(user, password);
    }
    if let Some(tls) = &identity.tls {
        options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(tls.clone())));
    }
    options
}

const JSON: &str = "application/json";

/// What we want to hear, in two requests: our own status, whose answer comes before that to the second; then commands for
/// the round that is served, and which nodes there are.
pub(super) fn filters(settings: &Settings) -> [Vec<Filter>; 2] {
    let Settings { root, event, round, .. } = settings;
    let mut commands = Filter::new(format!("{root}/1/cmd/+/{event}/{round}/+/+"), QoS::AtLeastOnce);
    // Else a retained command would look like any other when it is sent.
    commands.preserve_retain = true;
    let node = |leaf: &str| Filter::new(format!("{root}/1/node/+/{leaf}"), QoS::AtLeastOnce);
    let own = Filter::new(settings.status_topic(), QoS::AtLeastOnce);
    [vec![own], vec![commands, node("info"), node("status")]]
}

/// Gives a publication to the client; false = the client takes no more, because its connection is gone.
pub(super) fn publish(client: &AsyncClient, publication: Publication) -> bool {
    let Publication { topic, payload, quality, retain, expiry, correlation, .. } = publication;
    let seconds = |time: Duration| u32::try_from(time.as_secs().max(1)).unwrap_or(u32::MAX);
    let properties = PublishProperties {
        payload_format_indicator: Some(1),
        message_expiry_interval: expiry.map(seconds),
        content_type: Some(JSON.to_owned()),
        correlation_data: correlation.map(Into::into),
        ..PublishProperties::default()
    };
    let quality = match quality {
        Quality::AtMostOnce => QoS::AtMostOnce,
        Quality::AtLeastOnce => QoS::AtLeastOnce,
    };
    client.try_publish_with_properties(topic, quality, retain, payload, properties).is_ok()
}

impl Settings {
    /// Where this node's life cycle is published.
    pub(super) fn status_topic(&self) -> String {
        format!("{}/1/node/{}/status", self.root, self.node)
    }
}
