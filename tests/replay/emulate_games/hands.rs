//! Random legal games with every manner of hand motions.

use std::time::Duration;

use fastrand::Rng;
use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall::wire::topics::Board;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::time::ClockTime;
use proptest::prelude::*;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Move};

use crate::games::legal;
use crate::support::seeds::campaign;
use crate::support::table;

fn sans(start: &Chess, moves: &[Move]) -> Vec<String> {
    let mut position = start.clone();
    moves.iter().map(|&mv| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string()).collect()
}

fn settings(rotated: bool) -> Settings {
    let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(600_000), ClockTime(5_000));
    let placement = Settings::default().placement;
    Settings {
        placement: if rotated { placement.rotated() } else { placement },
        clock: Some(ClockSettings { left_is_white: !rotated, ..clock }),
        ..Settings::default()
    }
}

fn play(rng: &mut Rng, moves: &[Move], manner: Option<Manner>, rotated: bool) -> Play {
    let mut turn = |san: String| {
        let think = Duration::from_micros(rng.u64(400_000..3_000_000));
        Turn { san, think, manner: manner.unwrap_or_default() }
    };
    let start = Chess::default();
    let turns = sans(&start, moves).into_iter().map(&mut turn).collect();
    Play { start, turns, end: End::default(), rotated }
}

fn check(play: &Play, habits: &Habits, seed: u64) {
    let script = play.script(habits, seed).expect("legal");
    assert_eq!(script, play.script(habits, seed).expect("legal"), "the same seed, the same script");
    let outcome = table::run(settings(play.rotated), &script, Some("600+5"), Board::default(), 3_000_000);
    let expected: Vec<String> = play.turns.iter().map(|turn| turn.san.clone()).collect();
    assert_eq!(outcome.moves(), expected, "seed {seed}\n{script}");
    assert!(outcome.state.pending.is_empty(), "seed {seed}: {:?}", outcome.state.pending);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn hand_motions_are_read_as_they_were_played(seed in any::<u64>(), rotated in any::<bool>(), adjusts in 0..60u8) {
        let mut rng = Rng::with_seed(seed);
        let moves = legal::game(&mut rng, 90);
        check(&play(&mut rng, &moves, None, rotated), &Habits { adjusts, ..Habits::default() }, seed);
    }
}

#[test]
fn every_manner_of_hands_is_read() {
    let manners = [
        Manner::Straight,
        Manner::Slide,
        Manner::VictimFirst,
        Manner::VictimLast,
        Manner::BothHands,
        Manner::RookFirst,
        Manner::Pause,
        Manner::SeenTwice,
    ];
    campaign("manners of hands", 0..1, |seed| {
        let played = manners.map(|manner| {
            let mut rng = Rng::with_seed(seed);
            let moves = legal::game(&mut rng, 110);
            check(&play(&mut rng, &moves, Some(manner), false), &Habits::default(), seed);
            moves.len() as u64
        });
        played.iter().sum()
    });
}

#[test]
fn an_illegal_game_is_named() {
    let turns = ["e4", "e4"].map(|san| Turn { san: san.to_owned(), think: Duration::ZERO, manner: Manner::Straight });
    let play = Play { start: Chess::default(), turns: turns.to_vec(), end: End::default(), rotated: false };
    let error = play.script(&Habits::default(), 0).expect_err("no pawn can go there");
    assert_eq!(error.to_string(), "ply 2: `e4` is no legal move");
}
