//! A daemon with journals of another version, and with folders that are not as they should be.
//!
//! `upgrade/older.journal` was written by `flagfall replay --journal` of commit 9c3e538 from `traces/dgt/illegal-move.trace`;
//! its session and topics were renamed to those of board `b0` here, and events 8 and 12 for arbiters got other texts, as a still older
//! version might have written them. It has a command in the old form, and neither starts nor wall times.
#![cfg(feature = "broker")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use flagfall::config::{Board, Loaded};
use flagfall::daemon::station_configs;
use flagfall::journal::{Disk, Limits, read};
use flagfall::session::recorder::Recorder;
use flagfall::session::restore::Verified;
use flagfall_protocols::trace::{Audience, Body, Record, print};

use crate::support::hall::subscriber::{ReceivedMessage, Subscriber};
use crate::support::hall::table::{Table, play, wait_until_complete};
use crate::support::hall::{EmbeddedBroker, RunningDaemon, TestHall};
use crate::support::waiting::{PATIENCE, pause};

const OLDER: &str = include_str!("upgrade/older.journal");
const FILE: &str = "00000001-ev-r1-bb0.journal";
/// The last numbers in the file, by audience: arbiter, live.
const LAST: [u64; 2] = [12, 2];

/// A hall in which board `b0` has this journal, and a table whose board nobody moves.
fn hall_with_journal(text: &str) -> (TestHall, Table, PathBuf) {
    let hall = TestHall::new();
    let dir = hall.journal().join("b0");
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join(FILE), text).expect("written");
    let table = Table::new(&hall, 0, &play(0, 4, [300, 500]));
    (hall, table, dir)
}

/// The configuration of a daemon with this broker, which runs before the daemon.
fn loaded(hall: &TestHall, table: &Table, broker: &EmbeddedBroker) -> Loaded {
    let board = Board { time_control: Some("300+5".to_owned()), ..table.by_port(hall) };
    let mut loaded = hall.loaded(vec![board]);
    loaded.config.broker.enabled = false;
    loaded.config.mqtt.port = Some(broker.tcp.port());
    loaded
}

/// The older journal with acknowledgements of the broker up to these numbers.
fn acknowledged(arbiter: u64, live: u64) -> String {
    let (mut text, last) = (OLDER.to_owned(), OLDER.lines().last().expect("lines"));
    let mut words = last.split(' ').map(|word| word.parse::<u64>().expect("a number"));
    let (seq, at) = (words.next().expect("a number"), words.next().expect("a time"));
    for (seq, (audience, number)) in (seq + 1..).zip([(Audience::Arbiter, arbiter), (Audience::Live, live)]) {
        let record =
            Record { seq, at: flagfall_protocols::time::Instant(at), body: Body::Ack { sink: "mqtt", audience, number } };
        print(&record, &mut text).expect("a record");
    }
    text
}

/// The numbers and messages of one audience, in order of arrival.
fn events(subscriber: &Subscriber, audience: &str) -> Vec<(u64, ReceivedMessage)> {
    let prefix = format!("flagfall/1/{audience}/ev/1/b0/");
    let ours = subscriber.all().into_iter().filter(|received| received.topic.starts_with(&prefix));
    ours.filter_map(|received| Some((received.message["no"].as_u64()?, received))).collect()
}

#[test]
fn an_older_journal_goes_on_and_nothing_is_sent_twice() {
    let text = acknowledged(10, 1);
    let (hall, table, dir) = hall_with_journal(&text);
    let broker = EmbeddedBroker::start();
    let subscriber = Subscriber::new(broker.tcp);
    let loaded = loaded(&hall, &table, &broker);
    // A copy shows the report of a start.
    let setting = &station_configs(&loaded.config, 0).expect("station_configs")[0].setting;
    let copy = hall.path().join("copy");
    fs::create_dir(&copy).expect("a folder");
    fs::write(copy.join(FILE), &text).expect("written");
    let disk = Box::new(Disk::open(&copy).expect("opens"));
    let (_, restored) = Recorder::open(disk, Limits::default(), setting, "ev-r1-bb0", &mut |_| Ok(())).expect("opens");
    let Verified { compared, differing, differences, .. } = &restored.verified;
    assert!(*compared as u64 >= LAST.iter().sum() && restored.inputs > 0, "{compared} compared");
    assert!(*differing >= 2 && differences.iter().any(|line| line.contains("half_move")), "{differences:#?}");

    let daemon = RunningDaemon::start(loaded);
    drop(subscriber.device("b0", &["online"], 0));
    table.board.load(&table.script).expect("hands");
    assert!(table.board.wait_done(PATIENCE));
    // The board has its first position again; every event about it comes after the older ones.
    let new = |received: &ReceivedMessage| {
        received.message["no"].as_u64().filter(|no| *no > LAST[0] && received.topic.contains("/arbiter/"))
    };
    subscriber.wait("an event after the last", 0, new);
    daemon.stop();

    let journal = fs::read_to_string(dir.join(FILE)).expect("a text");
    assert!(journal.starts_with(&text), "the older records were changed");
    let all = read(&mut Disk::reading(&dir)).expect("readable");
    assert!(all.damage.described.is_empty(), "{:?}", all.damage.described);
    for (audience, sent, last) in [(Audience::Arbiter, 10, LAST[0]), (Audience::Live, 1, LAST[1])] {
        let numbers: Vec<u64> = all
            .records()
            .filter_map(|record| match record.body {
                Body::Out { number, audience: whose, .. } if whose == audience => Some(number),
                _ => None,
            })
            .collect();
        assert!(numbers.iter().copied().eq(1..=numbers.len() as u64), "{audience:?}: {numbers:?}");
        // The broker has everything; the subscriber may still be reading.
        let (prefix, newest) = (format!("flagfall/1/{}/ev/1/b0/", audience.name()), numbers.len() as u64);
        subscriber.wait("the last event in the journal", 0, |received| {
            (received.topic.starts_with(&prefix) && received.message["no"] == newest).then_some(())
        });
        let received = events(&subscriber, audience.name());
        let came: Vec<u64> = received.iter().map(|(number, _)| *number).collect();
        assert!(came.iter().copied().eq(sent + 1..=numbers.len() as u64), "{audience:?}: {came:?} of {numbers:?}");
        // Events that were recorded and not acknowledged are published with their old texts.
        let (_, old) = received.iter().find(|(number, _)| *number == last).expect("the last of the older program");
        let line = OLDER.lines().find(|line| line.contains(&format!(" out {last} {} ", audience.name()))).expect("its record");
        let payload = &line[line.find('{').expect("JSON")..line.rfind(" *").expect("a checksum")];
        assert_eq!(*old.body(), serde_json::from_str::<serde_json::Value>(payload).expect("JSON")["body"]);
    }
}

#[test]
fn a_newer_format_is_refused_and_the_board_beside_it_is_served() {
    let newer = "# flagfall trace 2\n# session: ev-r1-bb0\n1 0 whatever\n";
    let (hall, table, dir) = hall_with_journal(newer);
    let other = Table::new(&hall, 1, &play(1, 4, [300, 500]));
    let (daemon, subscriber) = RunningDaemon::heard(hall.loaded(vec![table.by_port(&hall), other.by_port(&hall)]));
    subscriber.wait_until_armed("b1");
    let refused = |received: &ReceivedMessage| {
        received.device("b0")?;
        let problem = received.body()["problem"].as_str()?;
        (problem.contains("newer format") && problem.contains(FILE)).then_some(())
    };
    subscriber.wait("the reason why the board is not served", 0, refused);
    let failed = |received: &ReceivedMessage| (received.body()["failed_boards"] == serde_json::json!(["b0"])).then_some(());
    subscriber.wait("the node's health", 0, failed);
    other.board.load(&other.script).expect("hands");
    assert!(other.board.wait_done(PATIENCE));
    wait_until_complete(&subscriber, &[other]);
    daemon.stop();
    assert_eq!(fs::read_to_string(dir.join(FILE)).expect("a text"), newer, "the file is not changed");
}

#[test]
fn a_torn_tail_is_kept_aside() {
    let torn = &OLDER[..OLDER.len() - 7];
    let (hall, table, dir) = hall_with_journal(torn);
    let broker = EmbeddedBroker::start();
    let subscriber = Subscriber::new(broker.tcp);
    let daemon = RunningDaemon::start(loaded(&hall, &table, &broker));
    drop(subscriber.device("b0", &["online"], 0));
    subscriber.wait("the last event of the file", 0, |received| {
        (received.message["no"] == LAST[0] && received.topic.contains("/arbiter/")).then_some(())
    });
    daemon.stop();
    let names: Vec<String> = fs::read_dir(&dir)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    assert!(names.iter().any(|name| name.starts_with(FILE) && name.ends_with(".torn")), "{names:?}");
    let whole_lines = &torn[..=torn.rfind('\n').expect("lines")];
    assert!(fs::read_to_string(dir.join(FILE)).expect("a text").starts_with(whole_lines));
}

/// File permissions do not stop root, so the test puts a file in the place of the folder.
#[test]
fn a_folder_that_cannot_be_written_does_not_keep_a_board_from_being_served() {
    let hall = TestHall::new();
    fs::create_dir(hall.journal()).expect("a folder");
    fs::write(hall.journal().join("b0"), "no folder").expect("written");
    let table = Table::new(&hall, 0, &play(0, 8, [300, 500]));
    // The first event is published at once: numbers of an earlier start may be given again.
    let broker = EmbeddedBroker::start();
    let subscriber = Subscriber::new(broker.tcp);
    let daemon = RunningDaemon::start(loaded(&hall, &table, &broker));
    subscriber.wait_until_armed("b0");
    table.board.load(&table.script).expect("hands");
    let ok = |value: bool| move |received: &ReceivedMessage| (received.body()["journal_ok"] == value).then_some(());
    subscriber.wait("the node's health", 0, ok(false));
    assert!(table.board.wait_done(Duration::from_secs(60)));
    wait_until_complete(&subscriber, std::slice::from_ref(&table));
    // Now the folder can be created.
    let from = subscriber.count();
    fs::remove_file(hall.journal().join("b0")).expect("removed");
    subscriber.wait("the node's health after the repair", from, ok(true));
    pause(Duration::from_millis(100));
    daemon.stop();
    assert!(hall.journal().join("b0").is_dir());
}
