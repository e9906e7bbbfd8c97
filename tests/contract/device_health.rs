//! Noisy games on boards with a weak square or a weak man: only the weak one is named, in whatever pieces the bytes come, and only
//! arbiters learn of it.

use std::fmt::Write;
use std::time::Duration;

use fastrand::Rng;
use flagfall::emulate::boards::BoardKind;
use flagfall::emulate::dice::Dice;
use flagfall::emulate::noise::Noise;
use flagfall::emulate::players::{Performance, perform_at};
use flagfall::emulate::score_sheet::{self, ScoreSheet};
use flagfall::emulate::simulated_game;
use flagfall::publish::Message;
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::topics::Board;
use flagfall_game::health::Health;
use flagfall_hardware::emulator::script::Action;
use flagfall_protocols::drivers;
use flagfall_protocols::square::Square;
use flagfall_protocols::trace::{Audience, Body, Trace};

use crate::support::schemas;

/// Openings, 20 plies each.
const GAMES: [&str; 4] = [
    "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O h3 a6 Re1 Ba7 Nbd2 Re8 Bb3 h6",
    "d4 d5 c4 dxc4 Nf3 Nf6 e3 e6 Bxc4 c5 O-O a6 dxc5 Qxd1 Rxd1 Bxc5 Nbd2 b5 Be2 Bb7",
    "e4 d5 exd5 Qxd5 Nc3 Qa5 d4 c6 Bd2 Bf5 Bc4 e6 Nf3 Nf6 Qe2 Nbd7 O-O-O O-O-O a3 Qc7",
    "c4 e5 Nc3 Nf6 g3 d5 cxd5 Nxd5 Bg2 Nxc3 bxc3 Bd6 Nf3 O-O O-O c6 d4 exd4 cxd4 Bf5",
];
/// A square of each game on which a man stands all the time.
const STANDING: [&str; 4] = ["a1", "g7", "h8", "a2"];

/// The score sheets of the games; each move takes half a minute, a game ten minutes.
fn score_sheets() -> Vec<ScoreSheet> {
    let mut pgn = String::new();
    for game in GAMES {
        pgn.push_str("[White \"One\"]\n[Black \"Two\"]\n[Result \"1/2-1/2\"]\n[TimeControl \"900+10\"]\n\n");
        for (ply, san) in game.split(' ').enumerate() {
            let left = 900 - 20 * (ply / 2 + 1);
            let number = if ply % 2 == 0 { format!("{}. ", ply / 2 + 1) } else { String::new() };
            write!(pgn, "{number}{san} {{ [%clk 0:{:02}:{:02}] }} ", left / 60, left % 60).expect("text");
        }
        pgn.push_str("1/2-1/2\n\n");
    }
    let games = score_sheet::read(pgn.as_bytes()).expect("games");
    assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [20; 4]);
    games
}

fn perform(sheet: &ScoreSheet, level: &str, seed: u64) -> Performance {
    let noise = Noise { irregularities: 0.0, ..Noise::level(level).expect("a level").expect("a good table") };
    perform_at(BoardKind::for_driver(drivers::find("dgt").expect("registered")), sheet, &noise, &mut Dice::new(seed, 1))
}

/// The sensor of `square` sees nothing for a moment, again and again between these times.
fn drop_out(play: &mut Performance, square: &str, [from, to]: [Duration; 2], rng: &mut Rng) {
    let square = Square::parse(square).expect("a square");
    let mut at = from;
    while at < to {
        play.script.push(at, Action::Dropout { square, lasts: Duration::from_millis(rng.u64(250..500)) });
        at += Duration::from_millis(rng.u64(15_000..30_000));
    }
}

/// The inputs of a station as a trace.
fn trace(play: &Performance) -> String {
    let driver = drivers::find("dgt").expect("registered");
    let outcome = simulated_game::run(driver, play, Some("test")).expect("played");
    assert_eq!(outcome.impossible, [""; 0]);
    outcome.trace.expect("a trace")
}

/// Feeds a trace to a station, with its bytes cut into pieces by `cut`; returns the station and its messages.
fn run_station(trace: &str, mut cut: impl FnMut(usize) -> usize) -> (Station, Vec<Message>) {
    let mut station = Station::new(drivers::find("dgt").expect("registered"), Default::default(), Board::default(), "test");
    let mut out = Vec::new();
    for record in Trace::new(trace.as_bytes()).expect("a trace").records() {
        let (_, record) = record.expect("a record");
        match &record.body {
            Body::Rx { channel, bytes, .. } => {
                let mut rest = &bytes[..];
                while !rest.is_empty() {
                    let (piece, after) = rest.split_at(cut(rest.len()).clamp(1, rest.len()));
                    station.feed(record.at, &StationInput::bytes(*channel, piece), &mut out);
                    rest = after;
                }
            }
            Body::Link { up, .. } => station.feed(record.at, &StationInput::link(*up), &mut out),
            _ => {}
        }
    }
    let message = |output| if let StationOutput::Message(message) = output { Some(message) } else { None };
    (station, out.into_iter().filter_map(message).collect())
}

fn weak_places(health: &Health) -> Vec<String> {
    let men = health.weak_men.iter().map(|man| format!("{}{}", man.man, man.began));
    health.weak_squares.iter().map(|weak| weak.square.clone()).chain(men).collect()
}

#[test]
fn boards_that_are_well_have_no_weak_squares() {
    for (number, sheet) in score_sheets().iter().enumerate() {
        for level in ["typical", "rough"] {
            let (station, messages) = run_station(&trace(&perform(sheet, level, number as u64)), |all| all);
            let health = station.game().health();
            assert_eq!(weak_places(&health), [""; 0], "game {number}, {level}: {:?}", station.game().dropouts());
            assert!(level == "typical" || health.dropouts > 0, "the noise has dropouts");
            assert!(!messages.iter().any(|message| message.payload.contains("\"weak_")));
        }
    }
}

#[test]
fn a_weak_square_is_named_and_no_other() {
    let mut rng = Rng::with_seed(1);
    for (number, sheet) in score_sheets().iter().enumerate() {
        let mut play = perform(sheet, "rough", number as u64);
        let end = play.script.end();
        drop_out(&mut play, STANDING[number], [Duration::from_secs(20), end], &mut rng);
        let (station, messages) = run_station(&trace(&play), |all| all);
        let health = station.game().health();
        assert_eq!(weak_places(&health), [STANDING[number]], "game {number}: {:?}", station.game().dropouts());
        let about: Vec<&Message> = messages.iter().filter(|message| message.payload.contains("\"weak_square\"")).collect();
        assert!(about.iter().any(|message| message.payload.contains(&format!("Square {} lost its man", STANDING[number]))));
        assert!(about.iter().all(|message| message.audience == Audience::Arbiter));
        for message in messages.iter().filter(|message| message.audience != Audience::Arbiter && !message.payload.is_empty()) {
            let payload = serde_json::from_str(&message.payload).expect("JSON");
            assert_eq!(schemas::arbiters_only::forbidden(&payload), [""; 0], "{}", message.payload);
        }
    }
}

/// The knight's chip is weak: the knight drops out on g8, and on f6 after the fourth move.
#[test]
fn a_weak_man_is_named_wherever_he_stands() {
    let (sheet, mut rng) = (&score_sheets()[0], Rng::with_seed(2));
    for seed in 0..4 {
        let mut play = perform(sheet, "typical", seed);
        let goes = |action: String| action.contains("g8") && (action.starts_with("lift") || action.starts_with("slide"));
        let moved = play.script.steps().iter().find(|step| goes(step.action.to_string())).expect("he moves").at;
        let end = play.script.end();
        drop_out(&mut play, "g8", [Duration::from_secs(10), moved - Duration::from_secs(3)], &mut rng);
        drop_out(&mut play, "f6", [moved + Duration::from_secs(5), end], &mut rng);
        let (station, _) = run_station(&trace(&play), |all| all);
        assert_eq!(weak_places(&station.game().health()), ["ng8"], "seed {seed}: {:?}", station.game().dropouts());
    }
}

#[test]
fn the_weak_square_does_not_depend_on_how_the_bytes_are_cut() {
    let mut rng = Rng::with_seed(3);
    let mut play = perform(&score_sheets()[3], "rough", 7);
    let end = play.script.end();
    drop_out(&mut play, "a2", [Duration::from_secs(20), end], &mut rng);
    let trace = trace(&play);
    let (whole, messages) = run_station(&trace, |all| all);
    assert_eq!(weak_places(&whole.game().health()), ["a2"]);
    let numbered = |messages: Vec<Message>| -> Vec<String> {
        messages.into_iter().filter(|message| message.number > 0).map(|message| message.payload).collect()
    };
    let expected = numbered(messages);
    let same = |cut: &mut dyn FnMut(usize) -> usize| {
        let (station, messages) = run_station(&trace, cut);
        assert_eq!(station.game().health(), whole.game().health());
        assert_eq!(station.game().dropouts(), whole.game().dropouts());
        assert_eq!(numbered(messages), expected);
    };
    same(&mut |_| 1);
    (0..3).for_each(|_| same(&mut |all| rng.usize(0..=all)));
}
