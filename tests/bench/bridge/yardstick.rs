//! The least work of a bridge: bytes from a port are published on a fixed topic without a change.
//!
//! It has no session, no game and no journal, and sends one message for each read. Serial port and MQTT client are those of the daemon.

use std::path::PathBuf;
use std::time::Duration;

use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::serial::Serial;
use rumqttc::NetworkOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::{AsyncClient, MqttOptions};

/// The mode of the board with field updates, and with clock messages that have changed.
const UPDATE_NICE: u8 = 0x4b;
/// Longer than any wait in this file.
const EVER: Duration = Duration::from_secs(3600);

/// Serves these ports until it is killed.
pub(crate) fn run(broker: u16, ports: Vec<PathBuf>) {
    let mut options = MqttOptions::new("yardstick", "127.0.0.1", broker);
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    options.set_network_options(network).set_outgoing_inflight_upper_limit(64);
    let (client, mut polled) = AsyncClient::new(options, 4096);
    for (number, path) in ports.into_iter().enumerate() {
        let client = client.clone();
        let copy = move || copy(&format!("yardstick/{number}"), &path, &client);
        std::thread::Builder::new().name(format!("port-{number}")).spawn(copy).expect("a thread");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { while polled.poll().await.is_ok() {} });
}

fn copy(topic: &str, path: &std::path::Path, client: &AsyncClient) {
    let mut port = Serial::open(path, 9600).expect("the port");
    port.write(&[UPDATE_NICE]).expect("the port");
    let mut buffer = [0; 4096];
    loop {
        match port.read(&mut buffer, EVER) {
            Ok(count) => client.try_publish(topic, QoS::AtLeastOnce, false, buffer[..count].to_vec()).expect("the client"),
            Err(LinkError::TimedOut) => {}
            Err(_) => return,
        }
    }
}
