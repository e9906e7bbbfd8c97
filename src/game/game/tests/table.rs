//! A board whose moves are entered directly, a clock, and a desk.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::event::{ByteRange, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::square::Color::{self, White};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::Position;

use super::clock::{TIMING, five_minutes};
use crate::arbiter_entries::{Entered, Statement};
use crate::clock::control::TimeControl;
use crate::config::GameConfig;
use crate::effect::Effect;
use crate::game::Game;
use crate::input::{Command, Input};
use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::outcome::Outcome;
use crate::laws::rulebook::Rulebook;

pub(super) const KINGS_AND_PAWNS: &str = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1";
pub(super) const BLACK_BARE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

pub(super) struct Table {
    pub(super) game: Game,
    pub(super) now: Instant,
    pub(super) out: Vec<Effect>,
    pub(super) clock: ClockReading,
}

impl Table {
    /// A game from this position; White's clock runs.
    pub(super) fn new(rulebook: &str, control: &str, fen: &str) -> Table {
        let config = GameConfig {
            time_control: Some(TimeControl::parse(control).expect("a time control")),
            rulebook: Rulebook::parse(rulebook).expect("a rulebook"),
            ..GameConfig::default()
        };
        let (game, clock) = (Game::new(config, TIMING), five_minutes());
        let mut table = Table { game, now: Instant(1_000_000), out: Vec::new(), clock };
        table.command(Command::StartGame { fen: Some(fen.to_string()) }).stand();
        table.report();
        table.clock.baseline = false;
        table.clock.running = true;
        table.report();
        table
    }

    pub(super) fn feed(&mut self, input: Input) -> &mut Table {
        while let Some(due) = self.game.deadline().filter(|&due| due < self.now) {
            self.game.step(due, &Input::Deadline, &mut self.out);
        }
        self.game.step(self.now, &input, &mut self.out);
        self
    }

    pub(super) fn command(&mut self, command: Command) -> &mut Table {
        self.feed(Input::Command(command))
    }

    /// The men stand as in the game's position.
    pub(super) fn stand(&mut self) -> &mut Table {
        let board = self.game.seen.play.decoder.record.node().position.board().board_fen().to_string();
        self.device(DeviceEvent::Frame(Placement::parse(&board).expect("a placement")))
    }

    pub(super) fn device(&mut self, event: DeviceEvent) -> &mut Table {
        self.feed(Input::Device { event, source: ByteRange::default() })
    }

    pub(super) fn report(&mut self) -> &mut Table {
        let reading = self.clock;
        self.device(DeviceEvent::Clock(reading))
    }

    /// Time passes, and the clock that runs reports it.
    pub(super) fn wait(&mut self, seconds: u64) -> &mut Table {
        for _ in 0..seconds {
            self.now = self.now.after(Duration::from_secs(1));
            if self.clock.running {
                let face = if self.clock.lever_up == ClockSide::Left { &mut self.clock.left } else { &mut self.clock.right };
                face.time.0 = face.time.0.saturating_sub(1000);
                self.report();
            }
        }
        self.feed(Input::Deadline)
    }

    pub(super) fn press(&mut self) -> &mut Table {
        self.clock.lever_up = self.clock.lever_up.other();
        self.clock.turn = Some(self.clock.lever_up);
        self.report()
    }

    /// A move is entered, stands on the board, and is pressed.
    pub(super) fn play(&mut self, moves: &str) -> &mut Table {
        for uci in moves.split(' ') {
            let plies = self.game.seen.play.decoder.record.moves().len() as u32;
            self.wait(1).command(Command::CorrectMove { plies, uci: uci.to_string() }).stand().wait(1);
            // The press belongs to a known move; here the clock only changes over.
            self.clock.running = false;
            self.report();
            self.clock.lever_up = self.clock.lever_up.other();
            self.report();
            self.clock.running = true;
            self.report();
        }
        self.wait(1)
    }

    pub(super) fn flag(&mut self, side: Color) -> &mut Table {
        let face = if side == White { &mut self.clock.left } else { &mut self.clock.right };
        face.time = ClockTime(1000);
        self.wait(0).report().wait(0);
        self.now = self.now.after(Duration::from_secs(1));
        let face = if side == White { &mut self.clock.left } else { &mut self.clock.right };
        face.time = ClockTime(0);
        face.flag_shown = true;
        self.report()
    }

    pub(super) fn enter(&mut self, side: Color, what: Entered) -> &mut Table {
        self.wait(1);
        let at = Interval { earliest: self.now, latest: self.now };
        self.game
            .entries
            .enter(Statement { side, what, happened: at, entered: self.now, command: None, claim: None })
            .expect("room");
        self.game.reports.arbiter_dirty = true;
        self.feed(Input::Deadline)
    }

    pub(super) fn claim(&mut self, side: Color, ground: Ground, standing: Standing) -> &mut Table {
        self.enter(side, Entered::Claim { ground, standing })
    }

    /// The row, the outcome and the unknown inputs of every finding.
    pub(super) fn findings(&self) -> Vec<(&'static str, Outcome, Vec<&'static str>)> {
        self.game.findings().iter().map(|it| (it.row, it.outcome, it.unknown.clone())).collect()
    }

    pub(super) fn row(&self) -> (&'static str, Outcome) {
        let last = self.game.deciding_finding().expect("a finding");
        (last.row, last.outcome)
    }
}
