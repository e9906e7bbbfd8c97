use proptest::prelude::*;

use super::*;
use crate::collect::model::{Fixed, RoundBoards};
use crate::outputs::picture::Picture;

const MOVES: [&str; 10] = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7"];

fn model() -> Model {
    let [event, round, node] = ["e", "1", "c"].map(str::to_owned);
    let mut model = Model::new(Fixed { event, round, node, release_orphans: true, ..Fixed::default() });
    model.gathered(at(0));
    model
}

fn at(second: u64) -> MonotonicTime {
    MonotonicTime((second + 1) * 1_000_000)
}

fn picture(plies: usize, result: bool) -> Picture {
    let moves: Vec<String> =
        MOVES[..plies].iter().map(|san| format!(r#"{{"san":"{san}","white_ms":null,"black_ms":null}}"#)).collect();
    let initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let result = if result { "\"1-0\"" } else { "null" };
    let body = format!(r#"{{"game_no":1,"initial_fen":"{initial}","moves":[{}],"result":{result}}}"#, moves.join(","));
    let text = format!(r#"{{"game":"g","rev":{plies},"node":"n","boot":1,"body":{body}}}"#);
    Picture::read(text.as_bytes()).expect("a state")
}

fn node(model: &mut Model, state: &str, delay: Option<Delay>, now: MonotonicTime) {
    model.take_status("n", format!(r#"{{"boot":1,"body":{{"state":"{state}"}}}}"#).as_bytes(), now);
    let delay = delay.map(|delay| format!(r#","delay":{},"delay_moves":{}"#, delay.seconds, delay.plies)).unwrap_or_default();
    model.take_info("n", format!(r#"{{"body":{{"boards":["e/1/b"]{delay}}}}}"#).as_bytes(), now);
}

/// Half-moves and result that the public has.
fn public(model: &Model) -> (usize, bool) {
    let board = model.rounds.get(&(OutputAudience::Public, "1".to_owned())).and_then(|round| round.boards.get("b"));
    let whole = board.and_then(|board| board.games.last()).map(|game| game.whole(false)).unwrap_or_default();
    (whole.plies(), whole.result.is_some())
}

#[test]
fn a_node_that_is_gone_is_replaced_after_its_delay() {
    let (seconds, plies) = (Delay { seconds: 60, plies: 0 }, Delay { seconds: 60, plies: 3 });
    for (state, delay, ended, expected) in [
        ("stopped", Some(seconds), false, (4, false)),
        ("lost", Some(seconds), true, (4, true)),
        ("ready", Some(seconds), true, (2, false)),
        ("lost", None, true, (2, false)),
        ("lost", Some(plies), false, (2, false)),
        ("lost", Some(plies), true, (4, true)),
    ] {
        let mut model = model();
        node(&mut model, "ready", delay, at(0));
        model.take_picture((OutputAudience::Public, "1", "b"), picture(2, false), at(0)).expect("a game");
        model.take_picture((OutputAudience::Live, "1", "b"), picture(4, ended), at(10)).expect("a game");
        node(&mut model, state, delay, at(20));
        model.wake(at(69));
        assert_eq!(public(&model), (2, false), "{state} {delay:?}");
        model.wake(at(70));
        assert_eq!(public(&model), expected, "{state} {delay:?} {ended}");
    }
}

/// What `live/` shows of a made move, `public/` must not show before its press, of which nothing is known here.
#[test]
fn where_moves_wait_for_their_press_in_public_only_the_end_releases_them() {
    for (waits, ended, expected) in
        [(r#"["public"]"#, false, (2, false)), (r#"["public"]"#, true, (4, true)), (r#"["live","public"]"#, false, (4, false))]
    {
        let mut model = model();
        model.take_picture((OutputAudience::Public, "1", "b"), picture(2, false), at(0)).expect("a game");
        model.take_picture((OutputAudience::Live, "1", "b"), picture(4, ended), at(10)).expect("a game");
        node(&mut model, "lost", None, at(20));
        let info = format!(r#"{{"body":{{"boards":["e/1/b"],"delay":60,"delay_moves":0,"until_press":{waits}}}}}"#);
        model.take_info("n", info.as_bytes(), at(20));
        model.wake(at(70));
        assert_eq!(public(&model), expected, "{waits} {ended}");
    }
}

#[test]
fn the_delay_of_the_organiser_may_be_longer_and_the_key_switches_it_off() {
    let event = |delay| {
        format!(
            r#"{{"v":"1.1","type":"meta.event","rev":1,"body":{{"uuid":"{:032}","name":"E","rounds":3,"round":"1","delay":{delay}}}}}"#,
            0
        )
    };
    for (release, plies_at_70, plies_at_100) in [(true, 0, 4), (false, 0, 0)] {
        let mut model = model();
        model.fixed.release_orphans = release;
        model.take_event(event(90).as_bytes()).expect("an event");
        model.take_picture((OutputAudience::Live, "1", "b"), picture(4, false), at(10)).expect("a game");
        node(&mut model, "lost", Some(Delay { seconds: 60, plies: 0 }), at(20));
        model.wake(at(70));
        assert_eq!(public(&model).0, plies_at_70);
        model.wake(at(100));
        assert_eq!(public(&model).0, plies_at_100);
    }
}

#[test]
fn a_node_that_comes_back_does_not_make_the_game_shorter() {
    let mut model = model();
    let delay = Some(Delay { seconds: 60, plies: 0 });
    model.take_picture((OutputAudience::Public, "1", "b"), picture(2, false), at(0)).expect("a game");
    model.take_picture((OutputAudience::Live, "1", "b"), picture(4, true), at(0)).expect("a game");
    node(&mut model, "lost", delay, at(0));
    model.wake(at(60));
    assert_eq!(public(&model), (4, true));
    node(&mut model, "ready", delay, at(70));
    for (second, boot, plies, ended) in [(71, 2, 2, false), (200, 2, 3, false), (300, 2, 4, false), (400, 2, 4, true)] {
        let state = Picture { boot, ..picture(plies, ended) };
        model.take_picture((OutputAudience::Public, "1", "b"), state, at(second)).expect("a game");
        model.wake(at(second + 61));
        assert_eq!(public(&model), (4, true), "{second}");
    }
    model.take_picture((OutputAudience::Public, "1", "b"), Picture { boot: 2, ..picture(6, false) }, at(500)).expect("a game");
    assert_eq!(public(&model), (6, false), "the node is believed again");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Against a reference: a half-move may be public when the delay has passed since it was made. The collector is started anew now
    /// and then, and the node comes and goes.
    #[test]
    fn nothing_is_early(
        made in prop::collection::vec(0..40_u64, 1..10),
        delay in 0..90_u32,
        restarts in prop::collection::vec(0..300_u64, 0..4),
        away in prop::collection::vec((0..300_u64, any::<bool>()), 0..8),
    ) {
        let mut now = 0;
        let made: Vec<u64> = made.iter().map(|wait| { now += wait; now }).collect();
        let announced = Some(Delay { seconds: delay, plies: 0 });
        let mut model = model();
        let (mut was_away, mut longest) = (false, 0);
        for second in 0..400 {
            if restarts.contains(&second) {
                let kept: Vec<_> = model.rounds.iter().map(|(key, boards)| (key.clone(), serde_json::to_string(boards).expect("JSON"))).collect();
                model = self::model();
                for ((audience, round), text) in kept {
                    model.restore(audience, &round, serde_json::from_str::<RoundBoards>(&text).expect("boards"));
                }
            }
            if let Some((_, is_away)) = away.iter().find(|(from, _)| *from == second) {
                was_away = *is_away;
            }
            node(&mut model, if was_away { "lost" } else { "ready" }, announced, at(second));
            let plies = made.iter().filter(|made| **made <= second).count();
            model.take_picture((OutputAudience::Live, "1", "b"), picture(plies, false), at(second)).expect("a game");
            model.wake(at(second));
            let allowed = made.iter().filter(|made| **made + u64::from(delay) <= second).count();
            let (shown, _) = public(&model);
            prop_assert!(shown <= allowed, "{} of {} in second {}", shown, allowed, second);
            prop_assert!(shown >= longest);
            longest = shown;
        }
    }
}
