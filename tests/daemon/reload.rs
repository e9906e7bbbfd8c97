//! SIGHUP: a daemon that runs reads users, passwords and certificates again, and nothing ends it.
#![cfg(feature = "broker")]

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::ConnectReturnCode;
use serde_json::{Value, json};

use crate::client::{Client, message, options, text};
use crate::program::{RunningProgram, flagfall};
use crate::rig::{ROUND, Rig, Seat, signal};
use crate::support::mqtt::Mosquitto;
use crate::support::ports::free_address;

/// The user `node` with the password `the right one`, as `mosquitto_passwd` writes it.
const NODE: &str = "node:\
    $7$101$58SVeQFPhj6pO4OP$87lPXZpv0fAq4caFRjAUbJjdrZWrr25G0VIs4b8BNv0U30tl07c9dXTTRY5FZJk/OU/UmM6EqfdJZG3z3El12g==\n";

async fn log_in(port: u16, name: &str, password: &str) -> Result<Client, ConnectReturnCode> {
    let mut options = options(([127, 0, 0, 1], port).into(), name);
    options.set_credentials(name, password);
    Client::try_connect(options).await
}

/// Sends a command as this user and returns the code of the answer.
async fn code(client: &mut Client, user: &str, id: &str) -> String {
    let topic = format!("flagfall/1/cmd/{user}/{ROUND}/b1/resync");
    let body = json!({"v": "1.0", "type": "cmd.resync", "id": id, "body": {}});
    client.publish(message(&topic, body.to_string())).await;
    loop {
        let (topic, payload) = client.next_text().await;
        // The other topics of a subscriber to everything are not all JSON: one of them is PGN.
        if !topic.starts_with(&format!("flagfall/1/reply/{user}/")) {
            continue;
        }
        let answer: Value = serde_json::from_str(&payload).expect("JSON");
        if answer["body"]["stage"] != "accepted" {
            return answer["body"]["code"].as_str().expect("a code").to_owned();
        }
    }
}

#[tokio::test]
async fn users_and_passwords_of_the_embedded_broker_are_read_again() {
    let tcp = free_address();
    let rig = Rig::new(tcp.port(), "", &[Seat { id: "b1", time_control: "600" }]);
    rig.password("anna");
    let ben = rig.password("ben");
    rig.add(&format!(
        "[broker]\nenabled = true\ntcp = \"{tcp}\"\n[broker.user.anna]\npassword_file = '{}'\nread = [\"flagfall/1/#\"]\n",
        rig.password("anna").display()
    ));
    let good = std::fs::read_to_string(rig.config()).expect("a configuration");
    let mut daemon = RunningProgram::start(flagfall(&["run", "--config"]).arg(rig.config()));
    daemon.wait_for_line("broker: MQTT on");
    let mut anna = log_in(tcp.port(), "anna", "secret of anna").await.expect("anna");
    anna.subscribe("flagfall/1/#", QoS::AtLeastOnce).await;
    while !text(&anna.next().await.payload).contains("\"state\":\"ready\"") {}
    assert_eq!(log_in(tcp.port(), "ben", "secret of ben").await.err(), Some(ConnectReturnCode::BadUserNamePassword));

    // With errors in it nothing changes, and nothing ends.
    rig.add("[nonsense]\n");
    signal(daemon.child.id(), "HUP");
    daemon.wait_for_line("the configuration has errors");
    std::fs::write(rig.config(), good).expect("a configuration");
    let before = code(&mut anna, "anna", "one").await;

    rig.add(&format!("[broker.user.ben]\npassword_file = '{}'\n[user.ben]\nrole = \"arbiter\"\n", ben.display()));
    signal(daemon.child.id(), "HUP");
    daemon.wait_for_line("users, passwords and certificates were read again");
    let mut new = log_in(tcp.port(), "ben", "secret of ben").await.expect("ben");
    new.subscribe("flagfall/1/reply/ben/#", QoS::AtLeastOnce).await;
    assert_eq!(code(&mut new, "ben", "two").await, before, "ben may send commands");
    assert_eq!(code(&mut anna, "anna", "three").await, before, "anna's connection was not touched");

    std::fs::write(rig.password("anna"), "another\n").expect("a password");
    signal(daemon.child.id(), "HUP");
    daemon.wait_for_line("users, passwords and certificates were read again");
    anna.wait_for_end().await;
    log_in(tcp.port(), "anna", "another").await.expect("the new password");
    daemon.stop("-TERM");
}

#[tokio::test]
async fn the_password_at_another_broker_is_read_again() {
    let Some(broker) = Mosquitto::with_files("listener TCP 127.0.0.1\npassword_file DIR/passwords", &[("passwords", NODE)])
    else {
        return;
    };
    let rig = Rig::new(broker.port(), "", &[Seat { id: "b1", time_control: "600" }]);
    let file = rig.password("node");
    rig.add(&format!("[mqtt]\npassword_file = '{}'\n", file.display()));
    let text = std::fs::read_to_string(rig.config()).expect("a configuration");
    // The first section has no name, so its keys of `mqtt` are moved into this one.
    let port = format!("mqtt.port = {}\n", broker.port());
    let text = text.replace(&port, "").replace("[mqtt]\n", &format!("[mqtt]\nport = {}\nuser = \"node\"\n", broker.port()));
    std::fs::write(rig.config(), text).expect("a configuration");
    let mut daemon = RunningProgram::start(flagfall(&["run", "--config"]).arg(rig.config()));
    daemon.wait_for_line("refuses us: user name or password is wrong");
    std::fs::write(&file, "the right one\n").expect("a password");
    signal(daemon.child.id(), "HUP");
    daemon.wait_for_line("users, passwords and certificates were read again");
    broker.logged("as flagfall-pi-1");
    daemon.stop("-TERM");
}
