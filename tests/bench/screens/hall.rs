//! A hall of boards: a broker, the server of the pages in front of it, and the client that publishes for all boards.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use flagfall::config::{Config, Event, Mqtt, Screens};
use flagfall::screens::{self, Running};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::Packet;
use rumqttc::v5::{Client, MqttOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Process, mosquitto};
use crate::stage::made_up::{NODE, device, device_body, health_body, plain, topic};
use crate::stage::room::ROUND;
use crate::stage::write_password;
use crate::support::schemas::validate;
use crate::support::waiting::{PATIENCE, thread};
use crate::traffic::Traffic;

pub(crate) struct Hall {
    server: Option<Running>,
    pub(crate) address: SocketAddr,
    pub(crate) publisher: Publisher,
    pub(crate) traffic: Traffic,
    _broker: Process,
    _folder: TempDir,
}

impl Hall {
    /// A hall in which so many boards play from now on. The states of all of them are at the broker.
    pub(crate) fn open(boards: usize) -> Hall {
        let folder = tempfile::tempdir().expect("a folder");
        // It writes no log and knows no users: the rules of a hall are another test's.
        let (broker, port) = mosquitto(folder.path());
        let password = folder.path().join("screen-1");
        write_password(&password, "screen-1");
        let config = Config {
            event: Event { id: "open26".to_owned(), round: "5".to_owned(), ..Event::default() },
            mqtt: Mqtt { port: Some(port), ..Mqtt::default() },
            screens: Screens {
                enabled: true,
                listen: "127.0.0.1:0".to_owned(),
                public_user: Some("screen-1".to_owned()),
                public_password_file: Some(password),
                ..Screens::default()
            },
            ..Config::default()
        };
        let server = screens::start(&config, None).expect("the pages are served");
        let publisher = Publisher::connect(port);
        let names: Vec<String> = (1..=boards).map(|board| board.to_string()).collect();
        publish_node(&publisher, &names);
        let traffic = Traffic::start(publisher.client.clone(), boards);
        publisher.settle();
        Hall { address: server.address, server: Some(server), publisher, traffic, _broker: broker, _folder: folder }
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

/// The node of all boards, which is ready, its devices, and `anna`, an arbiter.
fn publish_node(publisher: &Publisher, boards: &[String]) {
    let keys: Vec<String> = boards.iter().map(|board| format!("{ROUND}/{board}")).collect();
    let info = json!({"version": "0.1.0", "capabilities": ["dgt"], "boards": keys, "rounds": [ROUND], "delay": 0, "delay_moves": 0,
        "roles": {"anna": {"role": "arbiter"}}});
    let status = json!({"state": "ready", "run": "0123456789abcdef01234567"});
    for (leaf, body) in [("status", status), ("info", info), ("health", health_body())] {
        publisher.retain(&format!("node/{NODE}/{leaf}"), &plain(&format!("node.{leaf}"), 1, body));
    }
    for board in boards {
        publisher.retain(&device(board), &plain("device.status", 1, device_body(board, "online")));
    }
}

/// A client that may write everything. It reads nothing.
pub(crate) struct Publisher {
    client: Client,
    acknowledged: Receiver<()>,
}

impl Publisher {
    fn connect(broker: u16) -> Publisher {
        let mut options = MqttOptions::new("bench", "127.0.0.1", broker);
        options.set_keep_alive(Duration::from_secs(30));
        let (client, mut connection) = Client::new(options, 4096);
        let (acknowledge, acknowledged) = sync_channel(16);
        thread("publisher", move || {
            for event in connection.iter() {
                match event {
                    Ok(rumqttc::v5::Event::Incoming(Packet::PubAck(_))) => _ = acknowledge.try_send(()),
                    Ok(_) => {}
                    // The broker ends with the bench.
                    Err(_) => return,
                }
            }
        });
        Publisher { client, acknowledged }
    }

    /// Publishes a state, which must keep to its schema.
    pub(crate) fn retain(&self, topic: &str, message: &Value) {
        let topic = format!("flagfall/1/{topic}");
        validate(&topic, message.to_string()).unwrap_or_else(|problem| panic!("{problem}"));
        self.client.publish(topic, QoS::AtMostOnce, true, message.to_string()).expect("the client runs");
    }

    /// Deletes a state.
    pub(crate) fn delete(&self, topic: &str) {
        self.client.publish(format!("flagfall/1/{topic}"), QoS::AtMostOnce, true, "").expect("the client runs");
    }

    /// Waits until the broker has everything that was published before.
    pub(crate) fn settle(&self) {
        self.client.publish("flagfall/1/bench", QoS::AtLeastOnce, false, "").expect("the client runs");
        self.acknowledged.recv_timeout(PATIENCE).expect("the broker answers");
    }
}

/// The topic of an alarm of a board.
pub(crate) fn alarm_topic(board: &str, id: u64) -> String {
    topic("arbiter", board, &format!("alert/{id}"))
}
