//! The rights of every role at mosquitto with the files of `config/mosquitto`, for every kind of topic, to read and to write; and the
//! bridge. Mosquitto accepts subscriptions that are too wide and then leaves out messages, so the tests check the messages that arrive.

use std::collections::BTreeSet;
use std::process::Command;

use rumqttc::v5::MqttOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, LastWill, PubAckReason, SubscribeReasonCode};

use crate::client::{Client, message, options, retained, text};
use crate::support::mqtt::Mosquitto;
use crate::support::mqtt::broker::print_skipped;
use crate::websocket::WebSocket;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/mosquitto");
const QOS1: QoS = QoS::AtLeastOnce;
/// A user that may read and write every topic; only the test's copy of the rules has it.
pub(crate) const WITNESS: &str = "witness";

const ROLES: [&str; 7] = ["node-07", "arbiter-anna", "chief-carol", "screen-1", "overlay-1", "organiser", "collector"];

/// A topic, in which `%u` is the user's own name, and the rights of each of [`ROLES`].
const MATRIX: &str = "
flagfall/1/public/e/1/b/state       rw r- r- r- -- r- r-
flagfall/1/public/e/1/b/moves/0     rw r- r- r- -- r- r-
flagfall/1/public/e/1/b/clock       rw r- r- r- -- r- r-
flagfall/1/public/e/1/b/move        rw r- r- r- -- r- r-
flagfall/1/public/e/1/b/revision    rw r- r- r- -- r- r-
flagfall/1/public/e/1/b/pgn         rw r- r- r- -- r- r-
flagfall/1/public/e/1/pgn           rw r- r- r- -- r- rw
flagfall/1/live/e/1/b/state         rw r- r- -- r- r- r-
flagfall/1/live/e/1/b/moves/0       rw r- r- -- r- r- r-
flagfall/1/live/e/1/b/clock         rw r- r- -- r- r- r-
flagfall/1/live/e/1/b/move          rw r- r- -- r- r- r-
flagfall/1/arbiter/e/1/b/state      rw r- r- -- -- -- --
flagfall/1/arbiter/e/1/b/moves/0    rw r- r- -- -- -- --
flagfall/1/arbiter/e/1/b/audit      rw r- r- -- -- -- --
flagfall/1/arbiter/e/1/b/alert/1    rw r- r- -- -- -- --
flagfall/1/arbiter/e/1/b/ruling     rw r- r- -- -- -- --
flagfall/1/meta/e                   r- r- r- r- r- rw r-
flagfall/1/meta/e/1                 r- r- r- -- -- rw r-
flagfall/1/cmd/%u/e/1/b/confirm     r- rw rw -- -- -w --
flagfall/1/cmd/other/e/1/b/confirm  r- r- r- -- -- -- --
flagfall/1/cmd/%u-2/e/1/b/confirm   r- r- r- -- -- -- --
flagfall/1/cmd/e/1/b/confirm        r- r- r- -- -- -- --
flagfall/1/reply/%u/1               -- r- r- -- -- r- --
flagfall/1/reply/arbiter-anna/1     -w r- r- -- -- -- --
flagfall/1/reply/other/1            -- r- r- -- -- -- --
flagfall/1/node/node-07/status      rw r- r- r- r- r- r-
flagfall/1/node/node-08/status      r- r- r- r- r- r- r-
flagfall/1/node/node-07/info        rw r- r- -- -- r- r-
flagfall/1/node/desk-collect/info   r- r- r- -- -- r- rw
flagfall/1/device/d/status          -w r- r- -- -- r- r-
flagfall/1/device/d/raw             -w r- r- -- -- r- r-
flagfall/2/public/e/1/b/state       -- -- -- -- -- -- --
other/1/public/e/1/b/state          -- -- -- -- -- -- --
public                              -- -- -- -- -- -- --
";

/// The rights of some roles.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    /// The names of the users.
    pub(crate) roles: &'a [&'a str],
    /// A topic a line, in which `%u` is the user's own name, and the rights of each of the users.
    pub(crate) matrix: &'a str,
    /// The user that may also read how many messages the broker dropped, and how many clients it has.
    pub(crate) counts: Option<&'a str>,
}

/// The rights of the rules in `config/mosquitto/acl`.
const TABLE: Table<'_> = Table { roles: &ROLES, matrix: MATRIX, counts: None };

impl Table<'_> {
    /// All topics for the role of this column, and those that the role may read (`what` is `r`) or write (`w`).
    pub(crate) fn column(self, index: usize, what: char) -> (Vec<String>, BTreeSet<String>) {
        let (mut topics, mut allowed) = (Vec::new(), BTreeSet::new());
        for line in self.matrix.lines().filter(|line| !line.is_empty()) {
            let cells: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(cells.len(), self.roles.len() + 1, "{line}");
            let topic = cells[0].replace("%u", self.roles[index]);
            if cells[index + 1].contains(what) {
                allowed.insert(topic.clone());
            }
            topics.push(topic);
        }
        (topics, allowed)
    }

    /// Each role writes what the table says and nothing else. `login` gives the options of a user, and the witness reads everything.
    pub(crate) async fn check_writing(self, login: impl Fn(&str) -> MqttOptions) {
        let mut witness = Client::connect(login(WITNESS)).await;
        assert_eq!(witness.subscribe("#", QOS1).await, SubscribeReasonCode::Success(QOS1));
        for (index, role) in self.roles.iter().enumerate() {
            let (topics, allowed) = self.column(index, 'w');
            let mut client = Client::connect(login(role)).await;
            for topic in &topics {
                let refused = client.publish(message(topic, *role)).await == PubAckReason::NotAuthorized;
                assert_eq!(refused, !allowed.contains(topic), "{role}: {topic}");
            }
            witness.publish(message("end", "")).await;
            assert_eq!(arrived(&mut witness, "end").await, allowed, "{role}");
        }
    }

    /// Each role reads what the table says and nothing else: retained messages, and messages as they come.
    pub(crate) async fn check_reading(self, login: impl Fn(&str) -> MqttOptions) {
        let mut witness = Client::connect(login(WITNESS)).await;
        for (index, role) in self.roles.iter().enumerate() {
            let (topics, allowed) = self.column(index, 'r');
            // Everybody who reads anything may read it.
            let end = "flagfall/1/node/end/status";
            for topic in &topics {
                witness.publish(retained(topic, "x")).await;
            }
            let mut client = Client::connect(login(role)).await;
            for filter in ["#", "flagfall/1/+/e/1/b/state", "$SYS/#"] {
                client.subscribe(filter, QOS1).await;
            }
            witness.publish(message(end, "")).await;
            let counters = ["$SYS/broker/publish/messages/dropped", "$SYS/broker/clients/connected"];
            let is_counter = |topic: &str| self.counts == Some(*role) && counters.contains(&topic);
            let ours = |topics: BTreeSet<String>| topics.into_iter().filter(|topic| !is_counter(topic)).collect::<BTreeSet<_>>();
            assert_eq!(ours(arrived(&mut client, end).await), allowed, "{role}: retained");
            for topic in &topics {
                witness.publish(retained(topic, "")).await;
            }
            witness.publish(message(end, "")).await;
            assert_eq!(ours(arrived(&mut client, end).await), allowed, "{role}: as it comes");
        }
    }
}

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{FOLDER}/{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// `flagfall.conf` on free ports of this machine, in the test's folder.
fn configuration(tls: bool) -> String {
    let text = file("flagfall.conf").replace("/etc/mosquitto/certs/", "DIR/").replace("/etc/mosquitto/", "DIR/");
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| tls || (!line.starts_with("certfile") && !line.starts_with("keyfile"))) {
        lines.push(match line {
            "listener 8883" => "listener TCP 127.0.0.1",
            "listener 9443" => "listener WEB 127.0.0.1",
            line => line,
        });
    }
    assert!(["TCP", "WEB"].iter().all(|port| lines.contains(&format!("listener {port} 127.0.0.1").as_str())), "{text}");
    lines.push("persistence_location DIR/");
    lines.join("\n")
}

/// Names and hashed passwords, made by `mosquitto_passwd`; a user's password is `secret of <name>`.
fn passwords() -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("passwords");
    let lines = ROLES.iter().chain([&WITNESS]).map(|name| format!("{name}:secret of {name}\n"));
    std::fs::write(&path, lines.collect::<String>()).expect("file is written");
    match Command::new("mosquitto_passwd").arg("-U").arg(&path).status() {
        Err(error) => {
            print_skipped(&format!("mosquitto_passwd: {error}"));
            None
        }
        Ok(status) => {
            assert!(status.success(), "mosquitto_passwd: {status}");
            let made = std::fs::read_to_string(&path).expect("file is read");
            assert!(!made.contains("secret of"), "hashed");
            Some(made)
        }
    }
}

fn started(more: &str) -> Option<Mosquitto> {
    start(&format!("{}\n{more}", configuration(false)), &[])
}

fn start(configuration: &str, files: &[(&str, &str)]) -> Option<Mosquitto> {
    let rules = format!("{}\nuser {WITNESS}\ntopic readwrite #\n", file("acl"));
    let passwords = passwords()?;
    let own = [("flagfall.acl", rules.as_str()), ("flagfall.passwords", passwords.as_str())];
    Mosquitto::with_files(configuration, &[&own, files].concat())
}

/// Certificate and key, made with the command of README.md, but for this machine.
fn certificate() -> Option<(String, String)> {
    let text = file("README.md");
    let (_, command) = text.split_once("sudo openssl").expect("README.md says how");
    let command = command.split_once("```").expect("its end").0;
    let folder = tempfile::tempdir().expect("a folder");
    let here = format!("{}/", folder.path().display());
    let command = command.replace("/etc/mosquitto/certs/", &here).replace("192.168.1.10", "127.0.0.1");
    let output = Command::new("sh").arg("-c").arg(format!("openssl {command}")).output().expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(127) {
        print_skipped("openssl is not installed");
        return None;
    }
    assert!(output.status.success(), "openssl: {errors}");
    let read = |name| std::fs::read_to_string(folder.path().join(name)).expect("it was made");
    Some((read("flagfall.crt"), read("flagfall.key")))
}

fn login(broker: &Mosquitto, name: &str) -> MqttOptions {
    let mut options = options(broker.tcp, name);
    options.set_credentials(name, format!("secret of {name}"));
    options
}

async fn witness(broker: &Mosquitto, filter: &str) -> Client {
    let mut client = Client::connect(login(broker, WITNESS)).await;
    assert_eq!(client.subscribe(filter, QOS1).await, SubscribeReasonCode::Success(QOS1));
    client
}

/// The topics of all messages until the one on topic `end`, which the witness sends.
async fn arrived(client: &mut Client, end: &str) -> BTreeSet<String> {
    client.until(end).await.iter().map(|message| text(&message.topic)).collect()
}

#[tokio::test]
async fn each_role_writes_what_the_table_says() {
    let Some(broker) = started("") else { return };
    TABLE.check_writing(|name| login(&broker, name)).await;
}

#[tokio::test]
async fn each_role_reads_what_the_table_says() {
    let Some(broker) = started("") else { return };
    TABLE.check_reading(|name| login(&broker, name)).await;
}

#[tokio::test]
async fn strangers_are_refused() {
    let Some(broker) = started("") else { return };
    let mut wrong = login(&broker, "arbiter-anna");
    wrong.set_credentials("arbiter-anna", "secret of screen-1");
    for options in [options(broker.tcp, "x"), wrong] {
        assert_eq!(Client::try_connect(options).await.err(), Some(ConnectReturnCode::NotAuthorized));
    }
    for (login, code) in [(None, 5), (Some(("screen-1", "wrong")), 5), (Some(("screen-1", "secret of screen-1")), 0)] {
        assert_eq!(WebSocket::open(broker.websocket).await.connect("w", login).await, Some(code), "{login:?}");
    }
}

#[tokio::test]
async fn a_will_obeys_the_rules_too() {
    let Some(broker) = started("") else { return };
    let mut witness = witness(&broker, "flagfall/#").await;
    for (topic, payload) in
        [("flagfall/1/cmd/screen-1/e/1/b/confirm", "no"), ("flagfall/1/cmd/arbiter-anna/e/1/b/confirm", "yes")]
    {
        let mut options = login(&broker, "arbiter-anna");
        options.set_last_will(LastWill::new(topic, payload, QOS1, false, None));
        if let Ok(client) = Client::try_connect(options).await {
            client.vanish().await;
        }
    }
    assert_eq!(witness.next_text().await.1, "yes");
}

/// `bridge.conf` with the other broker's address and without TLS and password.
fn bridge(to: &Mosquitto) -> String {
    let ours = file("bridge.conf").replace("relay.example.org:8883", &to.tcp.to_string());
    let lines = ours.lines().filter(|line| !["bridge_capath", "remote_"].iter().any(|start| line.starts_with(start)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The topics of the last messages through both connections of a bridge.
fn ends(name: &str) -> [String; 2] {
    ["state", "move"].map(|leaf| format!("{ENDS}{name}/b/{leaf}"))
}

/// The topics of all messages that arrive before the last ones of both connections.
async fn arrived_through_both(client: &mut Client, name: &str) -> BTreeSet<String> {
    let (mut open, mut came) = (BTreeSet::from(ends(name)), BTreeSet::new());
    while !open.is_empty() {
        let (topic, _) = client.next_text().await;
        // A retained message may arrive again.
        if !open.remove(&topic) && !topic.starts_with(ENDS) {
            came.insert(topic);
        }
    }
    came
}

const ENDS: &str = "flagfall/1/public/end/";

#[tokio::test]
async fn the_bridge_carries_what_the_public_may_know_and_only_outwards() {
    let outside = Mosquitto::with_files("listener TCP 127.0.0.1\nlistener WEB 127.0.0.1\nallow_anonymous true", &[]);
    let Some(outside) = outside else { return };
    let mut world = Client::plain(outside.tcp, "world").await;
    world.subscribe("#", QOS1).await;
    let Some(inside) = started(&bridge(&outside)) else { return };
    let mut witness = witness(&inside, "#").await;

    let (topics, _) = TABLE.column(0, 'w');
    for topic in &topics {
        witness.publish(retained(topic, "first")).await;
    }
    let known = ["flagfall/1/node/node-07/status", "flagfall/1/node/node-08/status", "flagfall/1/meta/e"];
    let open = |topic: &&String| topic.starts_with("flagfall/1/public/") || known.contains(&topic.as_str());
    let public: BTreeSet<String> = topics.iter().filter(open).cloned().collect();
    assert_eq!(public.len(), 7 + known.len());
    for end in ["first", "second"] {
        for topic in &topics {
            witness.publish(message(topic, "x")).await;
        }
        for topic in ends(end) {
            witness.publish(retained(&topic, "end")).await;
        }
        assert_eq!(arrived_through_both(&mut world, end).await, public, "{end}");
    }

    // In the other direction nothing arrives before the witness gets a message of its own broker.
    witness.publish(message("end", "")).await;
    arrived(&mut witness, "end").await;
    for topic in &topics {
        world.publish(message(topic, "from outside")).await;
    }
    for topic in ends("third") {
        witness.publish(retained(&topic, "end")).await;
    }
    arrived_through_both(&mut world, "third").await;
    witness.publish(message("end", "")).await;
    let came = arrived(&mut witness, "end").await;
    assert_eq!(came, BTreeSet::from(ends("third")));
}

#[tokio::test]
async fn a_certificate_made_as_the_readme_says_is_trusted_and_another_is_not() {
    let (Some(ours), Some(other)) = (certificate(), certificate()) else { return };
    let files = [("flagfall.crt", ours.0.as_str()), ("flagfall.key", ours.1.as_str())];
    let Some(broker) = start(&configuration(true), &files) else { return };
    _ = rustls::crypto::ring::default_provider().install_default();
    let over_tls = |trusted: &str| {
        let mut options = login(&broker, "arbiter-anna");
        options.set_transport(rumqttc::Transport::tls(trusted.as_bytes().to_vec(), None, None));
        options
    };
    let mut anna = Client::connect(over_tls(&ours.0)).await;
    anna.subscribe("flagfall/1/cmd/arbiter-anna/#", QOS1).await;
    anna.publish(message("flagfall/1/cmd/arbiter-anna/x", "over TLS")).await;
    assert_eq!(anna.next_text().await.1, "over TLS");

    for options in [over_tls(&other.0), login(&broker, "arbiter-anna")] {
        let answer = rumqttc::v5::EventLoop::new(options, 1).poll().await;
        assert!(answer.is_err(), "{answer:?}");
    }
}
