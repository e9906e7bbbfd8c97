//! An id at lichess belongs to one round of the event.

use super::fake::{FakeLichess, ROUND, ROUND_2, TOKEN};
use super::{lines, token};
use crate::collect::{CollectHall, Published};
use crate::support::mqtt::{Mosquitto, MosquittoSub};
use crate::support::waiting::{PATIENCE, wait_until};

/// The next round never comes into the round before at lichess, whatever restarts: the output stops with words, and goes on with another id
/// or when the round comes back. A late move of the round before still arrives there.
#[test]
fn an_id_at_lichess_belongs_to_one_round() {
    let broker = Mosquitto::start();
    let hall = CollectHall::new(broker.port(), "pi-9", "");
    let (lichess, token) = (FakeLichess::start(), token(TOKEN));
    hall.add_lines(&lines(&lichess, &token));
    hall.publish_event();
    let mut board = Published::new("b1", 1);
    board.play(3);
    board.publish(broker.port());
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/node/#"]);
    let status = |what: &str, is: &dyn Fn(&serde_json::Value) -> bool| {
        let output = "flagfall/1/node/pi-9-collect/output/lichess";
        subscriber.wait(what, |received| (received.topic == output && is(received.body())).then_some(received.body().clone()))
    };
    let says =
        |words: &'static str| move |body: &serde_json::Value| body["message"].as_str().is_some_and(|text| text.contains(words));
    let collector = hall.start();
    status("round 5 is there", &|body| body["state"] == "ok" && body["plies"] == 3);

    // The round changes, and the key stays: nothing is pushed, before and after a restart.
    hall.change_to(2, 6, None);
    let stopped = status("it stops", &|body| body["state"] == "refused");
    assert!(says("abcd1234 shows round 5 of open26")(&stopped) && says("Round 6 is not sent")(&stopped), "{stopped}");
    let said = collector.stop("-TERM");
    assert_eq!(said.matches("abcd1234 shows round 5").count(), 1, "the log says it once: {said}");
    subscriber.wait("its end", |received| (received.body()["state"] == "stopped").then_some(()));
    let collector = hall.start();
    status("it is still stopped", &|body| body["state"] == "refused" && says("Round 6 is not sent")(body));
    let config = hall.path("organiser.toml");
    std::fs::write(&config, format!("[mqtt]\nport = {}\n", broker.port())).expect("written");
    let shown = crate::program::run(&["event", "status", "--config", crate::program::text(&config)]);
    let shown = (shown.status.code(), String::from_utf8_lossy(&shown.stdout).into_owned());
    assert!(shown.0 == Some(1) && shown.1.contains("abcd1234 shows round 5"), "{shown:?}");
    // A move of round 5 that comes late goes where its round is.
    board.play(1);
    board.publish(broker.port());
    wait_until("the late move", PATIENCE, || {
        lichess.with(|round| round.chapters.iter().any(|chapter| chapter.moves.len() == 4 && chapter.tag("Board") == "1"))
    });

    // Another id for this round, and the first one when its round comes back.
    hall.change_to(3, 6, Some(ROUND_2));
    status("round 6 has its own", &|body| body["state"] == "ok");
    assert_eq!(lichess.with_round(ROUND_2, |round| round.chapters.len()), 2);
    hall.change_to(4, 5, None);
    status("round 5 again", &|body| body["state"] == "ok" && body["plies"] == 4);
    let rounds =
        |id: &str| lichess.with_round(id, |round| round.chapters.iter().map(|c| c.tag("Round").to_owned()).collect::<Vec<_>>());
    assert_eq!(
        (rounds(ROUND), rounds(ROUND_2)),
        (vec!["5.1".to_owned(), "5.2".to_owned()], vec!["6.1".to_owned(), "6.2".to_owned()])
    );
    collector.stop("-TERM");
}
