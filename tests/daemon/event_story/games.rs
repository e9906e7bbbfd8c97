//! The games of the story and the hands that play them. Each game ends on its board, by mate or stalemate.

use std::time::Duration;

use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::time::ClockTime;
use shakmaty::Chess;

/// The last two are short; the second round has only such games.
const GAMES: [&str; 5] = [
    "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 O-O-O Rd8 Rxd7 Rxd7 Rd1 Qe6 \
     Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#",
    "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Nf6 Qd3 e5 dxe5 Qa5+ Bd2 Qxe5 O-O-O Nxe4 Qd8+ Kxd8 Bg5+ Kc7 Bd8#",
    "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6",
    "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5 Bxd1 Bxf7+ Ke7 Nd5#",
    "d4 Nf6 Nd2 e5 dxe5 Ng4 h3 Ne3 fxe3 Qh4+ g3 Qxg3#",
];
/// The time control, in PGN notation and on the clocks.
pub(super) const TIME_CONTROL: &str = "5400+30";
const MAIN: ClockTime = ClockTime::hms(1, 30, 0);
const ADDED: ClockTime = ClockTime(30_000);
/// What a move needs beside the thought, in blitz.
const MOTION: Duration = Duration::from_millis(650);
/// After a game the clock is stopped and set, and the men are set up again.
const SET_UP: &str =
    "0.1 stop\n0.2 press right\n0.4 set left 1:30:30 right 1:30:30\n0.6 board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\n";

/// A board with its clock.
pub(super) fn settings(serial: u16) -> Settings {
    let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, MAIN, ADDED);
    Settings { clock: Some(clock), serial, ..Settings::default() }
}

/// The hands that prepare the next game.
pub(super) fn set_up() -> Script {
    Script::parse(SET_UP).expect("a script")
}

/// The hands at this board in this round. The game lasts about as long as this, or as long as blitz needs.
pub(super) fn hands(round: u32, board: usize, lasts: Duration) -> Script {
    let number = board + round as usize;
    let mut rng = fastrand::Rng::with_seed(number as u64);
    let games = if round == 1 { &GAMES[..] } else { &GAMES[3..] };
    let sans: Vec<&str> = games[number % games.len()].split_whitespace().collect();
    let think = (lasts / sans.len() as u32).saturating_sub(MOTION).max(Duration::from_millis(200));
    let mut turn = |san: &&str| Turn {
        san: (*san).to_owned(),
        think: think * rng.u32(50..150) / 100,
        manner: if rng.bool() { Manner::Slide } else { Manner::Straight },
    };
    let turns = sans.iter().map(&mut turn).collect();
    let end = End { stop_after: Some(Duration::from_secs(1)), ..End::default() };
    let play = Play { start: Chess::default(), turns, end, rotated: false };
    play.script(&Habits { adjusts: 0, ..Habits::default() }, number as u64).expect("legal moves")
}
