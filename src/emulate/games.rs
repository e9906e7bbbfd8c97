//! Contains the games of the demonstration, and what must be published about each of them.

use std::time::Duration;

use fastrand::Rng;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::{Action, Script};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::ClockTime;
use shakmaty::Chess;

use super::hands::{End, Habits, Manner, Play, Shown, Turn};

/// The number of games.
pub const GAMES: usize = 2;

/// The first game. Black castles long and White short. White's 20th move is made and never pressed, and the flag falls.
const FLAG: &str = "e4 d5 exd5 Qxd5 Nc3 Qa5 d4 c6 Nf3 Bg4 Be2 Nd7 O-O O-O-O h3 Bh5 a3 e6 b4 Qc7 b5 Nb6 bxc6 bxc6 Bf4 Bd6 \
    Bxd6 Qxd6 Ne4 Bxf3 Nxd6+ Rxd6 Bxf3 Nf6 a4 Rhd8 a5 Nbd5 a6";
/// The second game. White castles long and Black short. The attack of White's queen lets Black mate. The kings are put in the
/// centre.
const MATE: &str = "d4 d5 Nc3 Nf6 Bg5 e6 e3 Be7 f4 O-O Nf3 b6 Bd3 Bb7 Qe2 Nbd7 O-O-O c5 Ne5 Rc8 h4 Nxe5 fxe5 Ne4 Bxe4 dxe4 \
    Bxe7 Qxe7 h5 cxd4 exd4 b5 h6 g6 Nxe4 Bxe4 Qxe4 Qc7 Qf4 Qxc2#";

/// How long after a game the clock is set.
const SET_AFTER: Duration = Duration::from_secs(1);

/// A game of the demonstration.
#[derive(Clone, Debug)]
pub struct DemoGame {
    /// For people.
    pub white: &'static str,
    /// For people.
    pub black: &'static str,
    /// The time control, as the daemon is configured with it.
    pub time_control: &'static str,
    clock: ClockSettings,
    play: Play,
    seed: u64,
}

/// What must have arrived when a game is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The sure moves, as arbiters see them, SAN.
    pub moves: Vec<String>,
    /// One more move that was made and never pressed: the live audience sees it as a move, arbiters as pending.
    pub unpressed: Option<String>,
    /// Whose flag fell, `white` or `black`.
    pub flag: Option<&'static str>,
    /// What ended the game by itself.
    pub ending: Option<&'static str>,
}

/// Returns game `number`, from 0; the games repeat.
pub fn game(number: usize) -> DemoGame {
    match number % GAMES {
        0 => DemoGame {
            white: "Ada",
            black: "Boris",
            time_control: "32",
            clock: clock(32),
            play: play(FLAG, 11, End { pressed: false, stop_after: Some(Duration::from_secs(13)), kings: None }),
            seed: 5,
        },
        _ => DemoGame {
            white: "Chiara",
            black: "Dan",
            time_control: "60",
            clock: clock(60),
            play: play(
                MATE,
                12,
                End { stop_after: Some(Duration::from_secs(2)), kings: Some(Shown::BlackWon), ..End::default() },
            ),
            seed: 6,
        },
    }
}

impl DemoGame {
    /// The settings of the board and clock.
    pub fn settings(&self, serial: u16) -> Settings {
        Settings { clock: Some(self.clock.clone()), serial, ..Settings::default() }
    }

    /// The hand motions: 60 to 75 seconds.
    pub fn script(&self) -> Script {
        // Every move is legal: a test plays all games.
        self.play.script(&Habits::default(), self.seed).unwrap_or_default()
    }

    /// The hand motions after a game: the men are put back, and both times are set as before it.
    pub fn set_up_again(&self) -> Script {
        let time = self.clock.periods.first().map_or(ClockTime(0), |period| period.time);
        let mut script = Script::new();
        script.push(Duration::ZERO, Action::Board(Placement::initial()));
        script.push(SET_AFTER, Action::Set { left: time, right: time });
        // White begins: Black's lever is down.
        script.push(SET_AFTER * 2, Action::Press(self.clock.white().other()));
        script
    }

    /// The same game played by other hands; the length differs by a few seconds.
    pub fn seeded(self, seed: u64) -> DemoGame {
        DemoGame { seed, ..self }
    }

    /// What must have arrived in the end.
    pub fn expected(&self) -> Expected {
        let mut moves: Vec<String> = self.play.turns.iter().map(|turn| turn.san.clone()).collect();
        let unpressed = if self.play.end.pressed { None } else { moves.pop() };
        let ending = moves.last().is_some_and(|last| last.ends_with('#')).then_some("checkmate");
        // The player who does not press loses on time.
        let mover = if moves.len().is_multiple_of(2) { "white" } else { "black" };
        let flag = unpressed.as_ref().map(|_| mover);
        Expected { moves, unpressed, flag, ending }
    }
}

/// A DGT 3000 with this many seconds for the game.
fn clock(seconds: u32) -> ClockSettings {
    ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(seconds * 1000), ClockTime(0))
}

/// Makes a blitz game: about half a second of thought for a move, and now and then more.
fn play(moves: &str, seed: u64, end: End) -> Play {
    let mut rng = Rng::with_seed(seed);
    let mut turn = |san: &str| {
        let millis = if rng.u8(0..8) == 0 { rng.u64(1200..2000) } else { rng.u64(250..750) };
        let manner = if rng.bool() { Manner::Slide } else { Manner::ByChance };
        Turn { san: san.to_owned(), think: Duration::from_millis(millis), manner }
    };
    Play { start: Chess::default(), turns: moves.split_whitespace().map(&mut turn).collect(), end, rotated: false }
}
