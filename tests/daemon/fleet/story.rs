//! Forty cards are made of one event file, and four of them are used: one Pi has a wrong clock, cards are stolen, and one gets a new
//! password in mid-game. All parts are real: `flagfall fleet`, mosquitto with the generated rules and certificates, the nodes.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use flagfall::emulate::PtyBoard;
use flagfall::system_clock::{Utc, utc};
use flagfall_hardware::emulator::script::Script;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, PubAckReason};
use serde_json::{Value, json};

use super::hall::{Hall, fleet};
use crate::client::{Client, message, retained, text};
use crate::rig::{Daemon, signal, start_with};
use crate::support::hall::table::settings;
use crate::support::mqtt::broker::print_skipped;
use crate::support::waiting::{PATIENCE, wait_until};
use crate::wrong_clock::WrongClock;

const CARDS: usize = 40;
const STARTED: [usize; 4] = [1, 2, 3, 4];
/// The number of days for which the certificates are valid already.
const BEGAN: i64 = 700;
/// The clock of the last Pi is this number of days behind.
const BEHIND: i64 = 650;
const DAY: i64 = 86_400_000_000;

fn serial(number: usize) -> u16 {
    100 + number as u16
}

/// The event's file; the broker's port with TLS is `port`.
fn event(port: u16) -> String {
    let from = Utc(utc().0 - BEGAN * DAY).to_string();
    let mut text = format!(
        "[event]\nid = \"open26\"\nround = \"1\"\ntime_control = \"600\"\ndelay = 1\n\
         [user.carol]\nrole = \"chief\"\n\
         [fleet]\nbroker = {{ name = \"localhost\", address = \"127.0.0.1\", port = {port} }}\n\
         valid = {{ from = \"{}\", days = 800 }}\n\
         [fleet.user.office]\nrole = \"organiser\"\n[fleet.user.screen-1]\nrole = \"screen\"\n",
        &from[..10]
    );
    for number in 1..=CARDS {
        // Writing to a string does not fail.
        _ = write!(
            text,
            "[[board]]\nid = \"{number}\"\nserial = \"{:05}\"\n[fleet.node.pi-{number:02}]\nboards = [\"{number}\"]\n",
            serial(number)
        );
    }
    text
}

/// A Pi with its board.
struct Pi {
    board: PtyBoard,
    daemon: Option<Daemon>,
    log: PathBuf,
}

impl Pi {
    /// Starts a Pi with the files of its card, in which only the paths differ, and with this clock.
    fn start(hall: &Hall, number: usize, clock: Option<&WrongClock>) -> Pi {
        let here = |name: &str| hall.dir.path().join(format!("{name}-{number}"));
        let board = PtyBoard::start(&number.to_string(), settings(serial(number)), &Script::new(), 1.0).expect("a board");
        board.link_at(&here("port")).expect("a link");
        let local = format!(
            "[journal]\ndir = '{}'\n[discovery]\nfolders = []\n[[board]]\nid = \"{number}\"\nport = '{}'\n",
            here("journal").display(),
            here("port").display()
        );
        std::fs::write(here("local"), local).expect("a file");
        let mut pi = Pi { board, daemon: None, log: here("log") };
        pi.switch_on(hall, number, clock);
        pi
    }

    /// Starts the program.
    fn switch_on(&mut self, hall: &Hall, number: usize, clock: Option<&WrongClock>) {
        let card = hall.out(&format!("node/pi-{number:02}"));
        let mut variables = vec![
            ("FLAGFALL__MQTT__CA_FILE", card.join("ca.pem").display().to_string()),
            ("FLAGFALL__MQTT__PASSWORD_FILE", card.join("mqtt.password").display().to_string()),
        ];
        if let Some(clock) = clock {
            variables.extend(clock.variables());
        }
        let local = hall.dir.path().join(format!("local-{number}"));
        self.daemon = Some(start_with("run", &[&card.join("event.toml"), &local], &variables, &self.log));
    }

    fn switch_off(&mut self) {
        let (status, _) = self.daemon.take().expect("it runs").terminate();
        assert!(status.success(), "{status}");
    }

    /// The hands begin to play.
    fn play(&self, script: &str) {
        self.board.load(&Script::parse(script).expect("a script")).expect("it runs");
    }
}

impl Drop for Pi {
    #[allow(clippy::print_stderr, reason = "a test that failed prints the daemon's log")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- {}\n{}---", self.log.display(), std::fs::read_to_string(&self.log).unwrap_or_default());
        }
    }
}

/// Reads messages until one on this topic is as it should be, and returns it.
async fn on(client: &mut Client, topic: &str, is: impl Fn(&Value) -> bool) -> Value {
    loop {
        let message = client.next().await;
        let json: Value = serde_json::from_slice(&message.payload).unwrap_or_default();
        if text(&message.topic) == topic && is(&json) {
            return json;
        }
    }
}

/// Another reader of everything, which begins with what is retained.
async fn reader(hall: &Hall, name: &str) -> Client {
    let mut options = hall.login("carol");
    options.set_client_id(name.to_owned());
    let mut client = Client::connect(options).await;
    client.subscribe("flagfall/1/#", QoS::AtLeastOnce).await;
    client
}

/// How far the time of a message is from ours, in days.
fn days_off(json: &Value) -> i64 {
    let at = json["t"]["utc"].as_str().and_then(Utc::parse).unwrap_or_else(|| panic!("no time: {json}"));
    (utc().0 - at.0 + DAY / 2).div_euclid(DAY)
}

fn moves(count: usize) -> impl Fn(&Value) -> bool {
    move |json| json["body"]["moves"].as_array().is_some_and(|moves| moves.len() == count)
}

fn state(audience: &str, number: usize) -> String {
    format!("flagfall/1/{audience}/open26/1/{number}/state")
}

#[tokio::test]
async fn an_event_with_forty_cards() {
    _ = rustls::crypto::ring::default_provider().install_default();
    let Some(hall) = Hall::new(event, "") else { return };
    let folders = std::fs::read_dir(hall.out("node")).expect("a folder").count();
    assert_eq!(folders, CARDS);

    let clock = WrongClock::new(hall.dir.path().join("clock"), -BEHIND * DAY / 1_000_000);
    if clock.is_none() {
        print_skipped("faketime is not installed: no Pi has a wrong clock");
    }
    let clock_of = |number| clock.as_ref().filter(|_| number == 4);
    let mut pis: Vec<Pi> = STARTED.iter().map(|number| Pi::start(&hall, *number, clock_of(*number))).collect();
    for number in STARTED {
        // Each has a reader of its own: if a Pi is connected late, what it retains may be published in another order.
        let node = format!("flagfall/1/node/pi-{number:02}/status");
        on(&mut reader(&hall, "start").await, &node, |json| json["body"]["state"] == "ready").await;
        let device = format!("flagfall/1/device/dgt-{:05}/status", serial(number));
        on(&mut reader(&hall, "device").await, &device, |json| json["body"]["state"] == "online").await;
        on(&mut reader(&hall, "armed").await, &state("arbiter", number), |json| json["body"]["stage"] == "armed").await;
    }

    the_organiser_sees_who_is_missing(&hall, clock.is_some());
    if let Some(clock) = &clock {
        a_clock_steps_to_the_present_time(&hall, clock, &pis[3]).await;
    }
    a_stolen_card_speaks_for_its_own_board(&hall).await;
    a_claim_is_not_a_right(&hall, &mut pis[0]).await;
    a_password_changes_in_mid_game(&hall, &pis[1]).await;
    the_broker_gets_another_certificate(&hall).await;
    pis.iter_mut().for_each(Pi::switch_off);
}

/// `flagfall fleet status` names the cards that are in the box, and the wrong clock.
fn the_organiser_sees_who_is_missing(hall: &Hall, wrong_clock: bool) {
    let ran = fleet(hall.dir.path(), &["status", "event.toml", "OUT", "--json", "--wait", "1"]);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(report["broker"]["dropped"], json!(0), "{report:#}");
    let nodes = report["nodes"].as_array().expect("nodes");
    assert_eq!(nodes.len(), CARDS);
    for (number, node) in (1..).zip(nodes) {
        assert_eq!(node["node"], format!("pi-{number:02}"));
        let problems = node["problems"].as_array().expect("problems").iter().map(|text| text.as_str().expect("a text"));
        // Whether the clock of this machine is synchronised is not a matter of this test.
        let problems: Vec<&str> = problems.filter(|text| *text != "its clock is not synchronised").collect();
        match number {
            4 if wrong_clock => assert!(problems[0].starts_with("its clock is wrong: it says "), "{problems:?}"),
            number if STARTED.contains(&number) => assert_eq!(problems, Vec::<&str>::new(), "pi-{number:02}"),
            _ => assert_eq!(problems, ["was never there: is it on, and does its card belong to this event?"]),
        }
    }
}

/// A Pi whose clock is far behind is in the hall all the same, and its messages have the right time as soon as it knows the time.
async fn a_clock_steps_to_the_present_time(hall: &Hall, clock: &WrongClock, pi: &Pi) {
    let mut carol = reader(hall, "clock").await;
    let before = on(&mut carol, &state("arbiter", 4), |_| true).await;
    assert_eq!(days_off(&before), BEHIND);
    clock.set(0);
    pi.play("0.5 run\n1.0 move e2 e4\n2.0 press left\n");
    let after = on(&mut carol, &state("live", 4), moves(1)).await;
    assert_eq!(days_off(&after), 0);
}

/// Whoever has the card of board 3 has its password, and with it nothing but board 3.
async fn a_stolen_card_speaks_for_its_own_board(hall: &Hall) {
    let mut thief = Client::connect(hall.card("pi-03")).await;
    for (topic, is_own) in [
        ("public/open26/1/3/move", true),
        ("live/open26/1/3/move", true),
        ("arbiter/open26/1/3/audit", true),
        ("device/dgt-00103/raw", true),
        ("node/pi-03/x", true),
        ("public/open26/1/1/move", false),
        ("live/open26/1/1/move", false),
        ("arbiter/open26/1/1/audit", false),
        ("arbiter/open26/1/1/ruling", false),
        ("device/dgt-00101/status", false),
        ("node/pi-01/status", false),
        ("node/pi-01/info", false),
        ("node/pi-03-collect/info", false),
        ("reply/screen-1/x", false),
        ("cmd/pi-03/open26/1/3/resync", false),
        ("meta/open26", false),
        ("cmd/carol/open26/1/3/declare-result", false),
        ("public/open26/1/pgn", false),
    ] {
        let answer = thief.publish(message(&format!("flagfall/1/{topic}"), "x")).await;
        assert_eq!(answer != PubAckReason::NotAuthorized, is_own, "{topic}: {answer:?}");
    }
    thief.subscribe("flagfall/1/#", QoS::AtLeastOnce).await;
    let end = "flagfall/1/arbiter/open26/1/3/end";
    thief.publish(message(end, "")).await;
    let read: Vec<String> = thief.until(end).await.iter().map(|message| text(&message.topic)).collect();
    assert!(read.iter().any(|topic| *topic == state("arbiter", 3)), "{read:?}");
    let own = ["arbiter/open26/1/3/", "live/open26/1/3/", "public/open26/1/3/", "node/"].map(|own| format!("flagfall/1/{own}"));
    let foreign: Vec<&String> = read.iter().filter(|topic| !own.iter().any(|own| topic.starts_with(own))).collect();
    assert_eq!(foreign, Vec::<&String>::new());
}

/// Whoever has the card of board 5 says that it serves board 1 too and sends the games. The Pi of board 1 is switched on again and goes on
/// with it, and the organiser reads who claims what.
async fn a_claim_is_not_a_right(hall: &Hall, pi: &mut Pi) {
    let mut thief = Client::connect(hall.card("pi-05")).await;
    let places = ["1", "5"].map(|board| format!("open26/1/{board}"));
    for (leaf, body) in [
        ("status", json!({"state": "ready"})),
        ("info", json!({"version": env!("CARGO_PKG_VERSION"), "boards": places, "collects": ["open26/1"]})),
    ] {
        let message = json!({"node": "pi-05", "boot": 1, "body": body}).to_string();
        let answer = thief.publish(retained(&format!("flagfall/1/node/pi-05/{leaf}"), message)).await;
        assert_ne!(answer, PubAckReason::NotAuthorized, "{leaf}");
    }
    pi.switch_off();
    pi.switch_on(hall, 1, None);
    let again = |json: &Value| json["body"]["state"] == "ready" && json["boot"].as_u64() > Some(1);
    on(&mut reader(hall, "again").await, "flagfall/1/node/pi-01/status", again).await;
    let info = on(&mut reader(hall, "claims").await, "flagfall/1/node/pi-01/info", |_| true).await;
    assert_eq!(info["body"]["boards"], json!(["open26/1/1"]), "it is withheld");
    let mut carol = reader(hall, "play").await;
    let online = |json: &Value| json["body"]["state"] == "online" && json["boot"].as_u64() > Some(1);
    on(&mut carol, "flagfall/1/device/dgt-00101/status", online).await;
    pi.play("0.5 run\n1.0 move e2 e4\n2.0 press left\n");
    on(&mut carol, &state("live", 1), moves(1)).await;
    let ran = fleet(hall.dir.path(), &["status", "event.toml", "OUT", "--wait", "1"]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(said.contains("-> claims board 1, the broadcast, which is not its own by this file"), "{said}");
}

/// The card of board 2 gets another password, without a restart of anything.
async fn a_password_changes_in_mid_game(hall: &Hall, pi: &Pi) {
    let mut carol = reader(hall, "password").await;
    pi.play("0.5 run\n1.0 move e2 e4\n2.0 press left\n");
    on(&mut carol, &state("live", 2), moves(1)).await;
    let old = hall.card("pi-02");
    let made = fleet(hall.dir.path(), &["make", "event.toml", "OUT", "--rotate", "pi-02"]);
    assert!(made.status.success(), "{made:?}");
    signal(pi.daemon.as_ref().expect("it runs").pid(), "HUP");
    let is_read = || std::fs::read_to_string(&pi.log).unwrap_or_default().contains("passwords and certificates were read again");
    wait_until("the new password is read", PATIENCE, is_read);
    hall.broker.reload();
    assert_eq!(Client::try_connect(old).await.err(), Some(ConnectReturnCode::NotAuthorized), "the old password");
    Client::connect(hall.card("pi-02")).await.leave().await;
    // The others notice nothing, and the game goes on.
    pi.play("0.2 move e7 e5\n1.0 press right\n");
    on(&mut carol, &state("live", 2), moves(2)).await;
    let state = "flagfall/1/node/pi-02/status";
    on(&mut reader(hall, "after").await, state, |json| json["body"]["state"] == "ready").await;
}

/// The broker uses a new key after a reload, and the cards trust it.
async fn the_broker_gets_another_certificate(hall: &Hall) {
    let shown = || {
        let address = format!("127.0.0.1:{}", hall.port);
        let asked =
            Command::new("openssl").args(["s_client", "-connect", &address]).stdin(Stdio::null()).output().expect("openssl");
        let text = String::from_utf8_lossy(&asked.stdout).into_owned();
        let end = "-----END CERTIFICATE-----\n";
        let pem = text.find("-----BEGIN CERTIFICATE-----").zip(text.find(end)).map(|(begin, at)| &text[begin..at + end.len()]);
        pem.unwrap_or_else(|| panic!("no certificate: {asked:?}")).to_owned()
    };
    let on_disk = || std::fs::read_to_string(hall.out("hall/certs/flagfall.crt")).expect("a certificate").replace('\r', "");
    let before = shown();
    assert_eq!(before, on_disk());
    let made = fleet(hall.dir.path(), &["make", "event.toml", "OUT", "--rotate", "certificate"]);
    assert!(made.status.success(), "{made:?}");
    hall.broker.reload();
    let after = shown();
    assert_eq!((after == before, &after), (false, &on_disk()));
    Client::connect(hall.card("pi-01")).await.leave().await;
}
