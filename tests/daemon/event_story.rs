//! A live event from the organiser's laptop to lichess, with everything that goes wrong on such a day. All parts are real: `flagfall event`,
//! nodes and collector as processes, mosquitto. Only lichess is our own. In the end the files and the chapters at lichess are what
//! `outputs::pgn` makes of the nodes' journals, and nobody has ever read a game that got shorter.

mod after;
mod games;
mod hall;
mod organiser;
mod readers;
mod soak;
mod troubles;
mod truth;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use flagfall::outputs::pgn::Profile;
use flagfall::system_clock::monotonic;
use serde_json::{Value, json};

use self::hall::{Hall, Size};
use self::readers::Readers;
use self::troubles::Troubles;
use crate::collect::plies;
use crate::lichess::fake::{ROUND, ROUND_2, chapters_of};
use crate::support::mqtt::{Mosquitto, MosquittoSub};
use crate::support::waiting::{PATIENCE, pause, wait_until};

#[test]
fn two_rounds_of_eight_boards() {
    let seconds = Duration::from_secs;
    let size = Size { nodes: 2, boards: 8, speed: 2.5, rounds: [seconds(16), seconds(6)], of_event: 2, delay: 2 };
    let troubles = Troubles { kills: [3, 1], between: Duration::from_millis(1500), cut: seconds(6) };
    tell(size, troubles);
}

#[test]
#[ignore = "thirteen minutes; tests/soak plays it"]
fn two_rounds_of_forty_boards() {
    let seconds = Duration::from_secs;
    let size = Size { nodes: 4, boards: 40, speed: 1.0, rounds: [seconds(640), seconds(15)], of_event: 2, delay: 5 };
    // The last minutes of the cut are without kills, so the collector's waits grow to their longest.
    let troubles = Troubles { kills: [95, 4], between: seconds(10), cut: seconds(600) };
    tell(size, troubles);
}

fn tell(size: Size, troubles: Troubles) {
    let mut hall = Hall::new(size, "lip_wrongwrongwrong", Mosquitto::start());
    let readers = Readers::start(&hall);
    ready(&hall);
    hall.start_collector();
    hall.play(1);
    troubles.happen(&mut hall);
    finish(&hall, 1);

    // Half of the players set the men up before the round changes, and the others after it.
    hall.set_up(0);
    hall.organiser.publishes(&["round", "2"]);
    let nodes: Vec<String> = (1..=size.nodes).map(|number| format!("flagfall/1/node/pi-{number}/info")).collect();
    on_each(&hall, &nodes, |info| info["body"]["rounds"] == json!(["open26/2"]));
    hall.set_up(1);
    armed(&hall, 2);
    hall.play(2);
    hall.start_collector();
    finish(&hall, 2);
    after::results_are_taken_over(&hall);
    // The first round is as it was.
    finish(&hall, 1);

    readers.end(&hall);
    wait_until("all outputs work", PATIENCE, || hall.organiser.asks(&["status"]).0 == Some(0));
    hall.end();
}

/// Waits until the last message on each of these topics is as it should be.
fn on_each(hall: &Hall, topics: &[String], is: impl Fn(&Value) -> bool) {
    let filters: Vec<&str> = topics.iter().map(String::as_str).collect();
    let messages = MosquittoSub::new(hall.broker.port(), &filters);
    let mut left: BTreeSet<&String> = topics.iter().collect();
    messages.wait(&format!("all of {topics:?}"), |received| {
        if let Some(topic) = topics.iter().find(|topic| **topic == received.topic) {
            let _ = if is(&received.json) { left.remove(topic) } else { left.insert(topic) };
        }
        left.is_empty().then_some(())
    });
}

/// Waits until all games of a round may begin.
fn armed(hall: &Hall, round: u32) {
    let topic = |board| format!("flagfall/1/arbiter/open26/{round}/{board}/state");
    on_each(hall, &(1..=hall.size.boards).map(topic).collect::<Vec<_>>(), |state| state["body"]["stage"] == "armed");
}

/// The organiser enters that a player is absent, and waits until everything but one player is ready.
fn ready(hall: &Hall) {
    let absent = hall.forfeit(1).expect("a board").to_string();
    hall.organiser.publishes(&["result", &absent, "+/-"]);
    let missing = json!({"3": ["White's name is \"unknown\"; receivers get White 3", "White has no number of FIDE"]});
    wait_until("everything but one name is ready", PATIENCE, || {
        let (code, printed) = hall.organiser.asks(&["ready", "--json"]);
        let report: Value = serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
        let boards = report["boards"].as_array().expect("boards").iter();
        let wrong = boards.filter(|board| board["problems"] != json!([]));
        let wrong: serde_json::Map<String, Value> =
            wrong.map(|board| (board["board"].as_str().expect("an id").to_owned(), board["problems"].clone())).collect();
        code == Some(1) && report["problems"] == json!([]) && Value::Object(wrong) == missing
    });
    armed(hall, 1);
}

/// Waits for the end of all games of a round; then files and lichess have what is in the journals.
fn finish(hall: &Hall, round: u32) {
    for board in &hall.boards {
        assert!(board.wait_done(hall.size.rounds[round as usize - 1] + PATIENCE), "{:?}", board.status());
        assert!(board.status().impossible.is_empty());
    }
    let expected = || hall.pgn(round, Profile::Full);
    soon("every game has ended", || expected().contains("[Result \"*\"]"), || false);
    soon("the file", || std::fs::read_to_string(hall.games(round)).unwrap_or_default(), expected);
    let id = [ROUND, ROUND_2][round as usize - 1];
    let chapters = || chapters_of(&hall.pgn(round, Profile::Relay));
    soon("lichess", || hall.lichess.with_round(id, |round| round.chapters.clone()), chapters);
    assert_eq!(chapters().len(), hall.size.boards);
    assert!(plies(&expected()).values().filter(|plies| **plies >= 12).count() >= hall.size.boards - 1, "{}", expected());
}

/// Waits until both are the same.
#[track_caller]
fn soon<T: PartialEq + Debug>(what: &str, found: impl Fn() -> T, expected: impl Fn() -> T) {
    let until = monotonic().after(PATIENCE);
    loop {
        let (found, expected) = (found(), expected());
        if found == expected {
            return;
        }
        assert!(monotonic() < until, "{what}: {found:#?} is not {expected:#?}");
        pause(Duration::from_millis(300));
    }
}
