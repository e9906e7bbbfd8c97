//! The rights of every role by the generated rules, for every branch of topics, to read and to write: at mosquitto, and at the embedded
//! broker with the same rights.

use super::hall::Hall;
use crate::access::{Table, WITNESS};

/// Two machines, the first with the serial numbers of its boards.
const EVENT: &str = r#"
[event]
id = "open26"
[user.anna]
role = "arbiter"
boards = ["1"]
[user.carol]
role = "chief"
[user.otto]
role = "operator"
[[board]]
id = "1"
serial = "24012"
[[board]]
id = "2"
serial = "24013"
[fleet]
broker = { name = "hall.local", address = "127.0.0.1" }
valid = { from = "2025-01-01", days = 700 }
spares = ["99"]
[fleet.node.pi-01]
boards = ["1", "2"]
[fleet.node.pi-02]
boards = ["3"]
[fleet.user.screen-1]
role = "screen"
[fleet.user.obs]
role = "overlay"
[fleet.user.office]
role = "organiser"
[fleet.user.desk]
role = "collector"
[fleet.user.witness]
role = "screen"
"#;

const TABLE: Table<'_> = Table {
    roles: &["pi-01", "pi-02", "anna", "carol", "otto", "screen-1", "obs", "office", "desk"],
    matrix: "
flagfall/1/public/open26/1/1/state       rw -- r- r- r- r- -- r- r-
flagfall/1/public/open26/1/1/moves/0     rw -- r- r- r- r- -- r- r-
flagfall/1/public/open26/1/1/clock       rw -- r- r- r- r- -- r- r-
flagfall/1/public/open26/7/2/move        rw -- r- r- r- r- -- r- r-
flagfall/1/public/open26/1/2/revision    rw -- r- r- r- r- -- r- r-
flagfall/1/public/open26/1/2/pgn         rw -- r- r- r- r- -- r- r-
flagfall/1/public/open26/1/3/state       -- rw r- r- r- r- -- r- r-
flagfall/1/public/open26/1/12/state      -- -- r- r- r- r- -- r- r-
flagfall/1/public/open27/1/1/state       -- -- r- r- r- r- -- r- r-
flagfall/1/public/open26/1/pgn           -- -- r- r- r- r- -- r- rw
flagfall/1/public/open27/1/pgn           -- -- r- r- r- r- -- r- r-
flagfall/1/live/open26/1/1/state         rw -- r- r- r- -- r- r- r-
flagfall/1/live/open26/1/1/moves/0       rw -- r- r- r- -- r- r- r-
flagfall/1/live/open26/1/2/clock         rw -- r- r- r- -- r- r- r-
flagfall/1/live/open26/1/1/move          rw -- r- r- r- -- r- r- r-
flagfall/1/live/open26/1/3/move          -- rw r- r- r- -- r- r- r-
flagfall/1/live/open26/1/pgn             -- -- r- r- r- -- r- r- r-
flagfall/1/arbiter/open26/1/1/state      rw -- r- r- r- -- -- -- --
flagfall/1/arbiter/open26/1/1/moves/0    rw -- r- r- r- -- -- -- --
flagfall/1/arbiter/open26/1/2/audit      rw -- r- r- r- -- -- -- --
flagfall/1/arbiter/open26/1/1/alert/1    rw -- r- r- r- -- -- -- --
flagfall/1/arbiter/open26/1/1/ruling     rw -- r- r- r- -- -- -- --
flagfall/1/arbiter/open26/1/3/ruling     -- rw r- r- r- -- -- -- --
flagfall/1/arbiter/open26/1/4/state      -- -- r- r- r- -- -- -- --
flagfall/1/meta/open26                   r- r- r- r- r- r- r- rw r-
flagfall/1/meta/open26/1                 r- r- r- r- r- -- -- rw r-
flagfall/1/meta/open27/1                 r- r- r- r- r- -- -- rw r-
flagfall/1/cmd/%u/open26/1/1/confirm     r- -- rw rw rw -- -- -w --
flagfall/1/cmd/%u/open26/1/3/resync      -- r- rw rw rw -- -- -w --
flagfall/1/cmd/other/open26/1/2/confirm  r- -- r- r- r- -- -- -- --
flagfall/1/cmd/other/open26/1/3/confirm  -- r- r- r- r- -- -- -- --
flagfall/1/cmd/%u-2/open26/1/1/confirm   r- -- r- r- r- -- -- -- --
flagfall/1/cmd/open26/1/1/confirm        -- -- r- r- r- -- -- -- --
flagfall/1/reply/%u/1                    -- -- r- r- r- -- -- r- --
flagfall/1/reply/pi-01/1                 -- -- r- r- r- -- -- -- --
flagfall/1/reply/anna-2/1                -- -- r- r- r- -- -- -- --
flagfall/1/reply/screen-2/1              -- -- r- r- r- -- -- -- --
flagfall/1/node/pi-01/status             rw r- r- r- r- r- r- r- r-
flagfall/1/node/pi-01/info               rw r- r- r- r- -- -- r- r-
flagfall/1/node/pi-01/health             rw r- r- r- r- -- -- r- r-
flagfall/1/node/pi-02/status             r- rw r- r- r- r- r- r- r-
flagfall/1/node/pi-02/info               r- rw r- r- r- -- -- r- r-
flagfall/1/node/pi-01-collect/info       r- r- r- r- r- -- -- r- r-
flagfall/1/node/pi-011/status            r- r- r- r- r- r- r- r- r-
flagfall/1/node/desk-collect/info        r- r- r- r- r- -- -- r- rw
flagfall/1/node/desk-collect/output/x    r- r- r- r- r- -- -- r- rw
flagfall/1/node/desk/status              r- r- r- r- r- r- r- r- r-
flagfall/1/device/dgt-24012/status       -w -w r- r- r- -- -- r- r-
flagfall/1/device/dgt-24013/raw          -w -w r- r- r- -- -- r- r-
flagfall/1/device/dgt-00099/status       -w -w r- r- r- -- -- r- r-
flagfall/1/device/board-1/status         -w -w r- r- r- -- -- r- r-
flagfall/1/device/board-3/status         -- -w r- r- r- -- -- r- r-
flagfall/1/device/dgt-9/status           -- -w r- r- r- -- -- r- r-
flagfall/2/public/open26/1/1/state       -- -- -- -- -- -- -- -- --
other/1/public/open26/1/1/state          -- -- -- -- -- -- -- -- --
public                                   -- -- -- -- -- -- -- -- --
",
    counts: Some("office"),
};

pub(super) fn hall() -> Option<Hall> {
    Hall::new(|_| EVENT.to_owned(), &format!("\nuser {WITNESS}\ntopic readwrite #\n"))
}

#[tokio::test]
async fn each_role_writes_what_the_table_says() {
    let Some(hall) = hall() else { return };
    TABLE.check_writing(|name| hall.login(name)).await;
}

#[tokio::test]
async fn each_role_reads_what_the_table_says() {
    let Some(hall) = hall() else { return };
    TABLE.check_reading(|name| hall.login(name)).await;
}

/// Answers are written by machines, to those who may send commands about their boards, and to nobody else.
#[tokio::test]
async fn machines_answer_those_who_may_command() {
    use rumqttc::v5::mqttbytes::v5::PubAckReason;

    use crate::client::{Client, message};

    let Some(hall) = hall() else { return };
    let table: [(&str, &[&str]); 6] = [
        ("pi-01", &["anna", "carol", "otto", "office"]),
        // Anna has board 1 only.
        ("pi-02", &["carol", "otto", "office"]),
        ("anna", &[]),
        ("office", &[]),
        ("screen-1", &[]),
        ("desk", &[]),
    ];
    for (user, answers) in table {
        let mut client = Client::connect(hall.login(user)).await;
        for to in ["anna", "carol", "otto", "office", "screen-1", "desk", "pi-01", "other"] {
            let answer = client.publish(message(&format!("flagfall/1/reply/{to}/1"), "x")).await;
            assert_eq!(answer != PubAckReason::NotAuthorized, answers.contains(&to), "{user}: reply/{to}");
        }
    }
}

#[cfg(feature = "broker")]
mod embedded {
    use flagfall::broker;
    use flagfall::config::{Broker, BrokerUser, load_venue};
    use flagfall::fleet::rights;
    use rumqttc::v5::mqttbytes::QoS;
    use rumqttc::v5::mqttbytes::v5::{PubAckReason, SubscribeReasonCode};

    use super::TABLE;
    use crate::client::{Client, message, options};
    use crate::fleet::hall::fleet;

    /// The embedded broker refuses a subscription that is too wide, so each topic is asked for by itself.
    #[tokio::test]
    async fn the_embedded_broker_gives_the_same_rights() {
        let dir = tempfile::tempdir().expect("a folder");
        let event = dir.path().join("event.toml");
        std::fs::write(&event, super::EVENT).expect("a file");
        assert!(fleet(dir.path(), &["make", "event.toml", "OUT"]).status.success());
        let venue = load_venue(&event).expect("an event");
        let file = |user: &str| dir.path().join("OUT/secrets/passwords").join(user);
        let users = rights(&venue.config).into_iter().map(|rights| {
            let user = BrokerUser { password_file: file(&rights.user), read: rights.read, write: rights.write };
            (rights.user, user)
        });
        let any = || "127.0.0.1:0".to_owned();
        let settings = Broker { enabled: true, tcp: any(), websocket: String::new(), user: users.collect() };
        let running = broker::start(&flagfall::config::Config { broker: settings, ..venue.config.clone() }, "node-1")
            .await
            .expect("it starts");
        for (index, role) in TABLE.roles.iter().enumerate() {
            let password = std::fs::read_to_string(file(role)).expect("a password");
            let mut options = options(running.tcp, role);
            options.set_credentials(*role, password.trim_end());
            let mut client = Client::connect(options).await;
            let (topics, readable) = TABLE.column(index, 'r');
            let (_, writable) = TABLE.column(index, 'w');
            // The broker inside gives these to each user, beside the lists.
            let given = ["cmd", "reply"].map(|branch| format!("flagfall/1/{branch}/{role}/"));
            for topic in topics.iter().filter(|topic| !given.iter().any(|given| topic.starts_with(given))) {
                let answer = client.subscribe(topic, QoS::AtLeastOnce).await;
                let granted = matches!(answer, SubscribeReasonCode::Success(_));
                assert_eq!(granted, readable.contains(topic), "{role} reads {topic}: {answer:?}");
                let answer = client.publish(message(topic, "x")).await;
                assert_eq!(answer != PubAckReason::NotAuthorized, writable.contains(topic), "{role} writes {topic}: {answer:?}");
            }
        }
        running.stop().await;
    }
}
