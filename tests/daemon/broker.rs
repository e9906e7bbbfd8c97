//! The embedded broker: logins, rights, and the settings with which it refuses to start.
#![cfg(feature = "broker")]

mod guesses;
mod settings;

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flagfall::broker::{self, BrokerError, Running};
use flagfall::config::{Broker, BrokerUser, Config, Event, Role, User};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, PubAckReason, SubscribeReasonCode};
use tokio::net::TcpSocket;

use crate::client::{Client, PATIENCE, message, options, text};
use crate::support::ports::{free_address, is_free};
use crate::websocket::WebSocket;

const ANY: &str = "127.0.0.1:0";

pub(crate) fn open_settings() -> Broker {
    Broker { enabled: true, tcp: ANY.to_owned(), websocket: ANY.to_owned(), ..Broker::default() }
}

fn write_password_file(folder: &Path, name: &str, line: &str, mode: u32) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, line).expect("password file is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode is set");
    path
}

pub(crate) fn broker_user(folder: &Path, name: &str, read: &[&str], write: &[&str]) -> (String, BrokerUser) {
    let password_file = write_password_file(folder, name, &format!("secret of {name}\nnot this\n"), 0o600);
    let list = |filters: &[&str]| filters.iter().map(|filter| (*filter).to_owned()).collect();
    (name.to_owned(), BrokerUser { password_file, read: list(read), write: list(write) })
}

/// A broker with four users: a node with all rights, an arbiter that may read all, a screen, and one that may read nothing.
fn guarded_settings(folder: &Path) -> Broker {
    let users = [
        broker_user(folder, "node", &["flagfall/1/cmd/#"], &["flagfall/1/public/#", "flagfall/1/live/#", "flagfall/1/arbiter/#"]),
        broker_user(folder, "anna", &["flagfall/1/#"], &[]),
        broker_user(folder, "screen", &["flagfall/1/public/#"], &[]),
        broker_user(folder, "sender", &[], &[]),
    ];
    Broker { user: users.into(), ..open_settings() }
}

pub(crate) async fn login(at: SocketAddr, id: &str, name: &str, password: &str) -> Result<Client, ConnectReturnCode> {
    let mut options = options(at, id);
    options.set_credentials(name, password);
    Client::try_connect(options).await
}

pub(crate) async fn login_as(at: SocketAddr, name: &str) -> Client {
    login(at, name, name, &format!("secret of {name}")).await.unwrap_or_else(|code| panic!("{name}: {code:?}"))
}

/// The configuration of a node with this broker, at which `anna`, `ben` and `sender` have a role.
pub(crate) fn configured(settings: &Broker) -> Config {
    let roles = ["anna", "ben", "sender"].map(|name| (name.to_owned(), User { role: Role::Arbiter, boards: Vec::new() }));
    let event = Event { id: "e".to_owned(), ..Event::default() };
    Config { broker: settings.clone(), user: roles.into(), event, ..Config::default() }
}

async fn start(settings: &Broker) -> Running {
    broker::start(&configured(settings), "node-1").await.unwrap_or_else(|error| panic!("{error}"))
}

async fn start_error(settings: &Broker) -> BrokerError {
    match broker::start(&configured(settings), "node-1").await {
        Err(error) => error,
        Ok(_) => panic!("started: {settings:?}"),
    }
}

#[tokio::test]
async fn strangers_and_wrong_passwords_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    let anonymous = Client::try_connect(options(running.tcp, "x")).await.err();
    assert_eq!(anonymous, Some(ConnectReturnCode::BadUserNamePassword));
    for (name, password) in [("anna", "wrong"), ("anna", ""), ("anna", "not this"), ("nobody", "secret of anna")] {
        let answer = login(running.tcp, "x", name, password).await.err();
        assert_eq!(answer, Some(ConnectReturnCode::BadUserNamePassword), "{name}, {password}");
    }

    let at = running.websocket.expect("WebSocket is on");
    for login in [None, Some(("screen", "wrong"))] {
        let code = WebSocket::open(at).await.connect("w", login).await;
        assert!(code.is_none_or(|code| code != 0), "{login:?}: {code:?}");
    }
    assert_eq!(WebSocket::open(at).await.connect("w", Some(("screen", "secret of screen"))).await, Some(0));
    running.stop().await;
}

#[tokio::test]
async fn pages_from_elsewhere_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for settings in [open_settings(), guarded_settings(folder.path())] {
        let running = start(&settings).await;
        let at = running.websocket.expect("WebSocket is on");
        for (origin, is_accepted) in
            [("http://localhost:8080", true), ("https://evil.example", false), ("null", false), ("http://127.0.0.1", true)]
        {
            let page = WebSocket::open_as(at, "127.0.0.1", Some(origin)).await;
            assert_eq!(page.is_ok(), is_accepted, "{origin}: {:?}", page.err());
        }
        running.stop().await;
    }
}

#[tokio::test]
async fn users_change_while_it_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = guarded_settings(folder.path());
    let running = start(&settings).await;
    let own = running.own.clone().expect("a user");
    let mut daemon = login(running.tcp, "daemon", &own.user, &own.password).await.expect("is let in");
    let anna = login_as(running.tcp, "anna").await;
    let mut screen = login_as(running.tcp, "screen").await;
    let reload = |settings: &Broker| running.reload(&configured(settings), "node-1");

    write_password_file(folder.path(), "anna", "another secret\n", 0o600);
    let mut changed = settings.clone();
    changed.user.insert("ben".to_owned(), broker_user(folder.path(), "ben", &["flagfall/1/#"], &[]).1);
    reload(&changed).expect("the new users");
    anna.wait_for_end().await;
    assert_eq!(login(running.tcp, "x", "anna", "secret of anna").await.err(), Some(ConnectReturnCode::BadUserNamePassword));
    login(running.tcp, "x", "anna", "another secret").await.expect("the new password");
    login_as(running.tcp, "ben").await;

    // Others notice nothing, also when the settings are wrong.
    write_password_file(folder.path(), "anna", "", 0o600);
    let error = reload(&changed).expect_err("a password is missing");
    assert!(matches!(error, BrokerError::User(_, "password_file", _)), "{error:?}");
    assert!(matches!(reload(&open_settings()), Err(BrokerError::Restart)));
    let granted = SubscribeReasonCode::Success(QoS::AtLeastOnce);
    let without_acknowledgement = SubscribeReasonCode::Success(QoS::AtMostOnce);
    assert_eq!(screen.subscribe("flagfall/1/public/#", QoS::AtLeastOnce).await, without_acknowledgement);
    assert_eq!(daemon.subscribe("flagfall/1/cmd/#", QoS::AtLeastOnce).await, granted);
    login(running.tcp, "x", "anna", "another secret").await.expect("still the same");
    running.stop().await;
}

#[tokio::test]
async fn a_command_under_anothers_name_does_not_arrive() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    let mut node = login_as(running.tcp, "node").await;
    assert_eq!(node.subscribe("flagfall/1/cmd/#", QoS::AtLeastOnce).await, SubscribeReasonCode::Success(QoS::AtLeastOnce));

    let mut anna = login_as(running.tcp, "anna").await;
    for topic in ["flagfall/1/cmd/screen/e/1/b/confirm", "flagfall/1/cmd/node/e/1/b/confirm", "flagfall/1/live/e/1/b/state", "x"]
    {
        assert_eq!(anna.publish(message(topic, "no")).await, PubAckReason::NotAuthorized, "{topic}");
    }
    let mut screen = WebSocket::open(running.websocket.expect("WebSocket is on")).await;
    assert_eq!(screen.connect("w", Some(("screen", "secret of screen"))).await, Some(0));
    let answer = screen.publish("flagfall/1/cmd/anna/e/1/b/confirm", "no").await;
    // A PUBACK as in MQTT 5, which 3.1.1 does not have, or the end of the connection.
    assert!(answer.as_ref().is_none_or(|packet| packet[..2] != [0x40, 2]), "{answer:?}");

    assert_eq!(anna.publish(message("flagfall/1/cmd/anna/e/1/b/confirm", "yes")).await, PubAckReason::Success);
    assert_eq!(node.next_text().await, ("flagfall/1/cmd/anna/e/1/b/confirm".to_owned(), "yes".to_owned()));
    running.stop().await;
}

#[tokio::test]
async fn a_will_obeys_the_rules_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    let mut node = login_as(running.tcp, "node").await;
    node.subscribe("flagfall/1/cmd/#", QoS::AtLeastOnce).await;
    let connect = async |topic, payload| {
        let mut options = options(running.tcp, "anna");
        options.set_credentials("anna", "secret of anna");
        options.set_last_will(rumqttc::v5::mqttbytes::v5::LastWill::new(topic, payload, QoS::AtLeastOnce, false, None));
        Client::try_connect(options).await
    };
    let refused = connect("flagfall/1/cmd/screen/e/1/b/confirm", "no").await.err();
    assert_eq!(refused, Some(ConnectReturnCode::NotAuthorized));
    connect("flagfall/1/cmd/anna/e/1/b/confirm", "yes").await.expect("her own command").vanish().await;
    assert_eq!(text(&node.next().await.payload), "yes");
    running.stop().await;
}

#[tokio::test]
async fn reading_is_limited_to_the_lists() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    // User, filter, whether it is granted.
    for (name, filter, allowed) in [
        ("screen", "flagfall/1/public/#", true),
        ("screen", "flagfall/1/public/e/+/b/state", true),
        ("screen", "flagfall/1/node/+/status", true),
        ("screen", "flagfall/1/node/n1/status", true),
        ("screen", "flagfall/1/node/+/info", false),
        ("screen", "flagfall/1/node/#", false),
        ("screen", "flagfall/1/meta/e", true),
        ("screen", "flagfall/1/meta/e/1", false),
        ("screen", "flagfall/1/meta/#", false),
        ("sender", "flagfall/1/node/+/status", false),
        ("sender", "flagfall/1/meta/e", false),
        ("sender", "flagfall/1/reply/sender/#", true),
        ("screen", "flagfall/1/reply/screen/#", false),
        ("screen", "flagfall/1/reply/anna/#", false),
        ("screen", "flagfall/1/cmd/screen/#", false),
        ("screen", "flagfall/1/live/#", false),
        ("screen", "flagfall/1/+/e/1/b/state", false),
        ("screen", "flagfall/1/#", false),
        ("screen", "#", false),
        ("screen", "$SYS/#", false),
        ("anna", "flagfall/1/#", true),
        ("anna", "flagfall/1/cmd/anna/#", true),
        ("anna", "#", false),
        ("node", "flagfall/1/cmd/#", true),
        ("node", "flagfall/1/arbiter/#", false),
    ] {
        let answer = login_as(running.tcp, name).await.subscribe(filter, QoS::AtLeastOnce).await;
        let qos = if name == "screen" { QoS::AtMostOnce } else { QoS::AtLeastOnce };
        let wanted = if allowed { SubscribeReasonCode::Success(qos) } else { SubscribeReasonCode::NotAuthorized };
        assert_eq!(answer, wanted, "{name}: {filter}");
    }
    running.stop().await;
}

#[tokio::test]
async fn the_daemon_of_the_same_program_reads_its_boards_and_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    let own = running.own.clone().expect("a login of the daemon");
    let mut node = login(running.tcp, "own", &own.user, &own.password).await.expect("accepted");
    for (filter, allowed) in [("arbiter/#", true), ("live/#", true), ("public/#", true), ("cmd/#", true), ("reply/#", false)] {
        let granted = node.subscribe(&format!("flagfall/1/{filter}"), QoS::AtLeastOnce).await;
        assert_eq!(granted == SubscribeReasonCode::Success(QoS::AtLeastOnce), allowed, "{filter}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_session_belongs_to_its_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    let session = |name: &str| {
        let mut options = options(running.tcp, "one-id");
        options.set_clean_start(false).set_session_expiry_interval(Some(60));
        options.set_credentials(name, format!("secret of {name}"));
        options
    };
    let mut anna = Client::connect(session("anna")).await;
    anna.subscribe("flagfall/1/arbiter/#", QoS::AtLeastOnce).await;
    anna.vanish().await;
    login_as(running.tcp, "node").await.publish(message("flagfall/1/arbiter/e/1/b/audit", "for arbiters")).await;

    let mut screen = Client::connect(session("screen")).await;
    screen.subscribe("flagfall/1/public/#", QoS::AtLeastOnce).await;
    login_as(running.tcp, "node").await.publish(message("flagfall/1/public/end", "")).await;
    assert_eq!(screen.until("flagfall/1/public/end").await, [], "messages that waited for another user");
    let mut anna = Client::connect(session("anna")).await;
    let waited = anna.next_text().await;
    assert_eq!(
        waited,
        ("flagfall/1/arbiter/e/1/b/audit".to_owned(), "for arbiters".to_owned()),
        "the screen has another session"
    );
    running.stop().await;
}

#[tokio::test]
async fn on_loopback_without_users_it_is_open() {
    let running = start(&open_settings()).await;
    assert!(running.tcp.ip().is_loopback() && running.websocket.is_some_and(|at| at.ip().is_loopback()));
    let mut watcher = Client::plain(running.tcp, "watcher").await;
    watcher.subscribe("#", QoS::AtLeastOnce).await;
    let mut page = WebSocket::open(running.websocket.expect("WebSocket is on")).await;
    assert_eq!(page.connect("page", None).await, Some(0));
    assert_eq!(page.publish("a/b", "hello").await, Some(vec![0x40, 2, 0, 7]));
    assert_eq!(watcher.next_text().await, ("a/b".to_owned(), "hello".to_owned()));
    page.announce(256 << 10).await;
    assert!(page.is_closed().await, "a frame that nobody needs is not kept in the memory");
    running.stop().await;
}

/// The pages of this program give each visitor an address below 127, wherever the broker listens.
#[tokio::test]
async fn this_program_reaches_it_at_every_address_of_loopback() {
    let folder = tempfile::tempdir().expect("a folder");
    for (tcp, is_same) in [("127.0.0.1:0", true), ("0.0.0.0:0", true), ("[::1]:0", false)] {
        let running = start(&Broker { tcp: tcp.to_owned(), ..guarded_settings(folder.path()) }).await;
        assert_eq!(
            (running.local.ip(), running.local.port() == running.tcp.port()),
            (Ipv4Addr::LOCALHOST.into(), is_same),
            "{tcp}"
        );
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 3, 2, 1], 0).into()).expect("an address");
        socket.connect(running.local).await.expect("it is reached");
        drop(login_as(running.local, "screen").await);
        running.stop().await;
    }
}

#[tokio::test]
async fn without_websocket_there_is_none() {
    let running = start(&Broker { websocket: String::new(), ..open_settings() }).await;
    assert_eq!(running.websocket, None);
    running.stop().await;
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let taken = TcpListener::bind(ANY).expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let port = taken.local_addr().expect("its address").port().to_string();
    for (settings, key) in [
        (Broker { tcp: address.clone(), ..open_settings() }, "broker.tcp"),
        (Broker { websocket: address.clone(), ..open_settings() }, "broker.websocket"),
        (Broker { tcp: address.clone(), websocket: address.clone(), ..open_settings() }, "broker.tcp"),
    ] {
        let error = start_error(&settings).await;
        assert!(matches!(error, BrokerError::Listen(..)), "{error:?}");
        let message = error.to_string();
        assert!(
            [port.as_str(), "127.0.0.1", key, "taken", "choose another port"].iter().all(|part| message.contains(part)),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_start_that_failed_leaves_no_port_open() {
    let taken = TcpListener::bind(ANY).expect("a port");
    let free = free_address();
    let websocket = taken.local_addr().expect("its address").to_string();
    start_error(&Broker { tcp: free.to_string(), websocket, ..open_settings() }).await;
    free_again(free).await;
}

/// Waits until nobody listens at this address. A program that another test starts has a copy of every socket for a short time.
async fn free_again(address: SocketAddr) {
    let free = async {
        while !is_free(address) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, free).await.expect("the port is free again");
}

#[tokio::test]
async fn stopped_with_clients_its_ports_are_free() {
    let settings = Broker { tcp: free_address().to_string(), websocket: free_address().to_string(), ..open_settings() };
    let running = start(&settings).await;
    let clients = [Client::plain(running.tcp, "a").await, Client::plain(running.tcp, "b").await];
    let (tcp, websocket) = (running.tcp, running.websocket.expect("WebSocket is on"));
    running.stop().await;
    drop(clients);
    free_again(tcp).await;
    free_again(websocket).await;
    start(&settings).await.stop().await;
}

#[tokio::test]
async fn the_daemon_has_a_user_of_its_own_where_the_others_log_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    let own = running.own.clone().expect("a user");
    assert_eq!(own.user, "node-1");
    assert!(!format!("{running:?}").contains(&own.password), "the password is not printed");
    let mut daemon = login(running.tcp, "daemon", &own.user, &own.password).await.expect("is let in");
    let topics = ["cmd/#", "meta/#", "node/#"].map(|topic| format!("flagfall/1/{topic}"));
    for topic in &topics {
        let granted = SubscribeReasonCode::Success(QoS::AtLeastOnce);
        assert_eq!(daemon.subscribe(topic, QoS::AtLeastOnce).await, granted, "{topic}");
    }
    running.stop().await;

    let unguarded = start(&open_settings()).await;
    assert!(unguarded.own.is_none(), "there are no users");
    unguarded.stop().await;
}
