//! A table: an emulated board, its clock, and a quick game.

use std::time::Duration;

use flagfall::cli::demo::check::Check;
use flagfall::config::Board;
use flagfall::emulate::PtyBoard;
use flagfall::emulate::games::Expected;
use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::{Action, Script};
use flagfall_protocols::time::ClockTime;
use shakmaty::Chess;

use super::TestHall;
use super::subscriber::Subscriber;
use crate::support::waiting::PATIENCE;

/// Openings, 20 plies each.
const GAMES: [&str; 4] = [
    "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O h3 a6 Re1 Ba7 Nbd2 Re8 Bb3 h6",
    "d4 d5 c4 dxc4 Nf3 Nf6 e3 e6 Bxc4 c5 O-O a6 dxc5 Qxd1 Rxd1 Bxc5 Nbd2 b5 Be2 Bb7",
    "e4 d5 exd5 Qxd5 Nc3 Qa5 d4 c6 Bd2 Bf5 Bc4 e6 Nf3 Nf6 Qe2 Nbd7 O-O-O O-O-O a3 Qc7",
    "c4 e5 Nc3 Nf6 g3 d5 cxd5 Nxd5 Bg2 Nxc3 bxc3 Bd6 Nf3 O-O O-O c6 d4 exd4 cxd4 Bf5",
];

/// The first `plies` of game `number`, with a random time of thought from this range, in milliseconds, before each move.
pub(crate) fn play(number: usize, plies: usize, think: [u64; 2]) -> Play {
    let mut rng = fastrand::Rng::with_seed(number as u64);
    let mut turn = |san: &str| Turn {
        san: san.to_owned(),
        think: Duration::from_millis(rng.u64(think[0]..think[1])),
        manner: if rng.bool() { Manner::Slide } else { Manner::Straight },
    };
    let turns = GAMES[number % GAMES.len()].split(' ').take(plies).map(&mut turn).collect();
    Play { start: Chess::default(), turns, end: End::default(), rotated: false }
}

/// A board with a clock of ten minutes.
pub(crate) fn settings(serial: u16) -> Settings {
    let clock = ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(600_000), ClockTime(0));
    Settings { clock: Some(clock), serial, ..Settings::default() }
}

/// A table whose game has not begun.
pub(crate) struct Table {
    pub(crate) id: String,
    pub(crate) board: PtyBoard,
    pub(crate) moves: Vec<String>,
    pub(crate) script: Script,
}

impl Table {
    /// The board's port is the link `ports/board-<number>`.
    pub(crate) fn new(hall: &TestHall, number: usize, play: &Play) -> Table {
        let id = format!("b{number}");
        let board = PtyBoard::start(&id, settings(1000 + number as u16), &Script::new(), 1.0).expect("a board");
        board.link_at(&hall.port(&format!("board-{number}"))).expect("a link");
        let script = play.script(&Habits::default(), number as u64).expect("legal");
        Table { id, board, moves: play.turns.iter().map(|turn| turn.san.clone()).collect(), script }
    }

    /// The configuration of its board, which names the port.
    pub(crate) fn by_port(&self, hall: &TestHall) -> Board {
        let port = hall.port(&format!("board-{}", &self.id[1..]));
        Board { id: self.id.clone(), port: Some(port), ..Board::default() }
    }

    /// When the clock is pressed, in the script's time.
    pub(crate) fn presses(&self) -> Vec<Duration> {
        let presses = self.script.steps().iter().filter(|step| matches!(step.action, Action::Press(_)));
        presses.map(|step| step.at).collect()
    }

    /// The messages of its game that a subscriber must get.
    pub(crate) fn expected(&self) -> (String, Expected) {
        let expected = Expected { moves: self.moves.clone(), unpressed: None, flag: None, ending: None };
        (self.id.clone(), expected)
    }
}

/// Waits until every audience has every move and event of the games at these tables.
#[track_caller]
pub(crate) fn wait_until_complete(subscriber: &Subscriber, tables: &[Table]) {
    let mut check = Check::new(tables.iter().map(Table::expected), true);
    let known = subscriber.all();
    known.iter().for_each(|received| check.handle_message(&received.topic, &received.bytes));
    if check.missing().is_empty() {
        return;
    }
    let arrived = subscriber.find(known.len(), PATIENCE, |received| {
        check.handle_message(&received.topic, &received.bytes);
        check.missing().is_empty().then_some(())
    });
    assert!(arrived.is_some(), "{:#?}", check.missing());
}
