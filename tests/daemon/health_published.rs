//! The health of a device: its messages during a game, and after a restart of the daemon.
#![cfg(feature = "broker")]

use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall::emulate::hands::Habits;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::{Action, Script};
use flagfall_protocols::square::Square;
use serde_json::{Value, json};

use crate::support::hall::subscriber::ReceivedMessage;
use crate::support::hall::table::{Table, play, settings, wait_until_complete};
use crate::support::hall::{RunningDaemon, TestHall};

const PLIES: usize = 4;
/// Twice as many dropouts as make a square weak: on a busy machine a late message can turn a dropout into a lift.
const DROPOUTS: u32 = 16;
/// The weak square; its man does not move in this game.
const WEAK: &str = "h8";

/// A board over Bluetooth's serial port with a low battery. After its game Black's rook drops out again and again, and no man moves.
fn table(hall: &TestHall) -> Table {
    let game = play(0, PLIES, [1_200, 1_700]);
    let mut table = Table::new(hall, 0, &game);
    // No man is straightened: if the port is read late, a lift and its place have one time, as in a dropout.
    table.script = game.script(&Habits { adjusts: 0, ..Habits::default() }, 0).expect("legal");
    let worn = Settings { battery: Some(18), ..settings(1000) };
    table.board = PtyBoard::start("b0", worn, &Script::new(), 1.0).expect("a board");
    table.board.link_at(&hall.port("board-0")).expect("a link");
    let square = Square::parse(WEAK).expect("a square");
    let end = table.script.end();
    for number in 1..=DROPOUTS {
        let at = end + number * Duration::from_millis(1_100);
        table.script.push(at, Action::Dropout { square, lasts: Duration::from_millis(300) });
    }
    table
}

/// The status of the board's device, if this message is one and `is` accepts it.
fn status(received: &ReceivedMessage, is: impl Fn(&Value) -> bool) -> Option<Value> {
    (received.device("b0").is_some() && is(received.body())).then(|| received.body().clone())
}

#[test]
fn a_weak_square_and_a_low_battery_are_published() {
    let hall = TestHall::new();
    let tables = [table(&hall)];
    let (daemon, subscriber) = RunningDaemon::heard(hall.loaded(vec![tables[0].by_port(&hall)]));
    subscriber.device("b0", &["online"], 0);
    let battery = subscriber.wait("the battery", 0, |received| status(received, |body| body["battery_percent"] == 18));
    assert_eq!(battery["charging"], false);
    subscriber.wait_until_armed("b0");
    tables[0].board.load(&tables[0].script).expect("hands");
    assert!(tables[0].board.wait_done(Duration::from_secs(90)), "the game does not end");
    wait_until_complete(&subscriber, &tables);
    let seen = subscriber.wait("the weak square", 0, |received| status(received, |body| !body["weak_squares"][0].is_null()));
    assert_eq!((&seen["weak_squares"][0]["square"], &seen["weak_men"]), (&json!(WEAK), &Value::Null));
    assert_eq!(seen["warnings"], json!(["battery_low", "weak_squares"]));
    for (kind, says) in [("weak_square", "Square h8 lost its man"), ("battery_low", "The board's battery has 18 %")] {
        let alarm = |received: &ReceivedMessage| {
            let ours = received.topic.contains("/arbiter/") && received.body()["kind"] == kind;
            ours.then(|| received.body()["sentence"].as_str().unwrap_or_default().to_owned())
        };
        let text = subscriber.wait(kind, 0, alarm);
        assert!(text.starts_with(says), "{text}");
    }
    for received in subscriber.all() {
        let text = String::from_utf8_lossy(&received.bytes);
        let theirs = ["/live/", "/public/"].iter().any(|audience| received.topic.contains(audience));
        assert!(!theirs || !["weak", "battery", "dropout"].iter().any(|word| text.contains(word)), "{}: {text}", received.topic);
    }
    daemon.stop();
    let dropouts = |body: &Value| body["dropouts"].as_u64().unwrap_or_default();
    let counted = subscriber.all().iter().filter_map(|received| status(received, |_| true)).map(|body| dropouts(&body)).max();
    let counted = counted.expect("statuses");
    assert_eq!(dropouts(&seen), seen["weak_squares"][0]["dropouts"], "no other square has dropouts");
    drop(subscriber);

    // No man moves any more: the dropouts that are published now were counted from the journal.
    let (again, subscriber) = RunningDaemon::heard(hall.loaded(vec![tables[0].by_port(&hall)]));
    let known = subscriber.wait("the dropouts of the journal", 0, |received| status(received, |body| dropouts(body) >= counted));
    assert_eq!(known["weak_squares"], json!([{ "square": WEAK, "dropouts": known["dropouts"] }]));
    assert_eq!(known["warnings"], seen["warnings"]);
    again.stop();
}
