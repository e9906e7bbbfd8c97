//! The states of the game that are published, one for each audience.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::square::{Color, Square};
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, EnPassantMode};

use super::Game;
use crate::alarm::AlarmKind;
use crate::alert::alert;
use crate::clock::flag::FlagFall;
use crate::effect::Audience;
use crate::health::Health;
use crate::laws::adjudicate::Subject;
use crate::laws::claim::Ground;
use crate::laws::claims::Checked;
use crate::laws::finding::Finding;
use crate::laws::outcome::GameResult;
use crate::laws::outcome::Phase;
use crate::men::{self, color_name};
use crate::message::{
    AlertBody, ArbiterState, ClockBody, ClockStatus, Decision, FlagBody, LiveMove, LiveState, MoveBody, Ruling, Stage,
};
use crate::pair::Pair;
use crate::reconstruct::line::Tentative;
use crate::reconstruct::promoted::unproved;

impl Game {
    /// The number of the game on this board, from 1; 0 before the first game.
    pub fn number(&self) -> u32 {
        self.seen.phase.number
    }

    /// Counts the changes for this audience: for arbiters the moves, findings and decisions; for the live audience only what
    /// it may see, so that the number reveals nothing that is only for arbiters.
    pub fn rev(&self, audience: Audience) -> u32 {
        match audience {
            Audience::Arbiter => self.reports.rev,
            Audience::Live => self.reports.live_rev,
        }
    }

    /// The stage of the game.
    pub fn stage(&self) -> Stage {
        self.seen.phase.stage
    }

    /// The health of the devices.
    pub fn health(&self) -> Health {
        self.health.report(&self.seen.board, &self.seen.play)
    }

    /// A number that changes whenever [`Game::health`] changes. It is cheap to read.
    pub fn health_rev(&self) -> u32 {
        self.health.rev()
    }

    /// The squares that lost their man for moments and showed it again, each with its count since the board was first seen.
    pub fn dropouts(&self) -> Vec<(Square, u32)> {
        let count = |square: Square| (square, self.seen.board.dropouts().count(square.index()));
        Square::all().map(count).filter(|(_, count)| *count > 0).collect()
    }

    /// True if a flag has fallen in this game and was not taken back.
    pub fn has_fallen_flag(&self) -> bool {
        self.seen.clock.chessclock.flags().any()
    }

    /// True if a flag has fallen before the end of the game, has no ruling yet, and the game has no result.
    pub fn awaits_ruling(&self) -> bool {
        self.rulings.flag_awaits_ruling(&self.seen.clock.chessclock)
    }

    /// The decisions of the game in their order, at most the last 64.
    pub fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.rulings.decisions.iter()
    }

    /// The result, if it is known.
    pub fn result(&self) -> Option<GameResult> {
        self.rulings.result
    }

    /// The moves that were published to the live audience.
    pub fn told(&self) -> Vec<LiveMove> {
        self.reports.told.since(0)
    }

    /// The number of these moves.
    pub fn told_plies(&self) -> usize {
        self.reports.told.moves().len()
    }

    /// The times as every audience sees them.
    pub fn clock(&self) -> ClockBody {
        ClockBody {
            white_ms: self.seen.clock.chessclock.time(Color::White).map(|time| time.millis()),
            black_ms: self.seen.clock.chessclock.time(Color::Black).map(|time| time.millis()),
            running: self.seen.clock.chessclock.runs().map(color_name),
            read_us: self.seen.clock.chessclock.last_report().map_or(0, |(at, _)| at.0),
            resolution_ms: self.seen.clock.chessclock.resolution_ms(),
            source: self.seen.config.clock_source,
        }
    }

    /// The result by the record of a claim of `claimant`, for the position on the board or for the move that the player has
    /// written down.
    ///
    /// # Errors
    /// Fails if the move is not legal now, or if a record cannot show this ground.
    pub fn check_claim(&self, claimant: Color, ground: Ground, intended: Option<&str>) -> Result<Checked, &'static str> {
        self.seen.check_claim(claimant, ground, intended)
    }

    fn clock_status(&self) -> ClockStatus {
        match self.seen.clock.chessclock.last_report() {
            _ if self.seen.config.clock_source == DriverInfo::NO_CLOCK => ClockStatus::NotAvailable,
            None => ClockStatus::NotHeard,
            Some(_) if self.seen.clock.chessclock.present() => ClockStatus::Reporting,
            Some(_) => ClockStatus::Lost,
        }
    }

    /// The state for the live audience.
    pub fn live_state(&self) -> LiveState {
        LiveState { moves: self.told(), ..self.live_picture() }
    }

    /// The same state without its moves. It is small, whatever the length of the game.
    pub fn live_picture(&self) -> LiveState {
        let shown = self.seen.play.shown_plies(self.now);
        LiveState {
            game_no: self.seen.phase.number,
            initial_fen: fen(self.seen.play.decoder.record.start()),
            fen: fen(&self.seen.play.decoder.line().node(self.seen.play.decoder.record.node(), shown).position),
            moves: Vec::new(),
            clock: self.clock(),
            result: self.rulings.result,
        }
    }

    /// The state for arbiters.
    pub fn arbiter_state(&self) -> ArbiterState {
        ArbiterState {
            game_no: self.seen.phase.number,
            stage: self.seen.phase.stage,
            initial_fen: fen(self.seen.play.decoder.record.start()),
            fen: fen(&self.seen.play.decoder.record.node().position),
            board: men::placement(self.seen.board.men()).to_string(),
            rotated: self.seen.board.rotated(),
            moves: (0..self.seen.play.decoder.record.moves().len()).map(|index| self.move_body(index)).collect(),
            pending: self.pending(),
            phase: match () {
                () if !self.seen.play.decoder.line().is_empty() => Phase::Made,
                () if self.seen.touched() => Phase::Touched,
                () => Phase::Idle,
            },
            completed: self.seen.play.completed_now(),
            period: Pair {
                white: self.seen.clock.chessclock.period(Color::White) as u32 + 1,
                black: self.seen.clock.chessclock.period(Color::Black) as u32 + 1,
            },
            recording: self.seen.clock.recording(&self.seen.config.rulebook),
            clock: self.clock(),
            clock_status: self.clock_status(),
            lever_up: self.seen.clock.chessclock.lever_up().map(color_name),
            flags: self.flags(),
            alarms: self.alarms.open().map(alert).collect(),
            finding: self.deciding_finding().cloned(),
            decisions: self.rulings.decisions.iter().cloned().collect(),
            entries: self.desk.entries().iter().map(crate::entries::body).collect(),
            hints: self.seen.phase.hints.clone(),
            ending: self.seen.play.ending.map(|(ending, ..)| ending),
            result: self.rulings.result,
        }
    }

    /// The first finding that affects the result; the last one if none does.
    pub fn deciding_finding(&self) -> Option<&Finding> {
        self.rulings.deciding_finding()
    }

    /// The last finding or decision in full, and the number of its game. Until this game has one of its own or a move, it is
    /// an earlier game's.
    pub fn ruling(&self) -> Option<(u32, Ruling)> {
        self.rulings.ruling_to_show(self.seen.phase.number)
    }

    fn flags(&self) -> Vec<FlagBody> {
        let mut indices = 0..;
        let falls = self.seen.clock.chessclock.flags().iter().map(|fall| {
            let index = if fall.after_end { None } else { indices.next() };
            let finding = index.and_then(|index| self.rulings.finding_on(Subject::Flag(index)));
            FlagBody { ruled: finding.and_then(|finding| self.rulings.decisions.about(finding)), ..flag(fall) }
        });
        falls.collect()
    }

    /// All findings of the game, each in its last revision.
    pub fn findings(&self) -> &[Finding] {
        &self.rulings.findings
    }

    /// All alarms of the game, open and closed.
    pub fn alarms(&self) -> Vec<AlertBody> {
        self.alarms.iter().map(alert).collect()
    }

    /// The highest number of an alarm on this board so far.
    pub fn last_alarm(&self) -> u32 {
        self.alarms.numbered()
    }

    pub(super) fn move_body(&self, index: usize) -> MoveBody {
        let record = self.seen.play.decoder.record.moves().record(index);
        MoveBody {
            ply: index as u32 + 1,
            color: color_name(record.color),
            san: record.san.to_string(),
            uci: record.uci(self.seen.play.decoder.record.mode()).to_string(),
            made_at: record.made.micros(),
            pressed_at: record.pressed.map(|pressed| pressed.micros()),
            how: Some(record.how),
            completed_at: record.completed.map(|completed| completed.micros()),
            white_ms: record.clocks.white.map(|time| time.millis()),
            black_ms: record.clocks.black.map(|time| time.millis()),
            after_flag: self.fallen_at().is_some_and(|fell| record.made.latest > fell),
        }
    }

    /// The time at which the first flag fell that may affect the result.
    fn fallen_at(&self) -> Option<Instant> {
        let free = self.rulings.findings.iter().take_while(|finding| self.rulings.costs_nothing(finding)).count();
        self.seen.clock.chessclock.flags().iter().filter(|fall| !fall.after_end).nth(free).map(|fall| fall.fell.latest)
    }

    /// Moves that are on the board and not yet sure.
    pub fn pending(&self) -> Vec<MoveBody> {
        let (sure, clock) = (self.seen.play.decoder.record.moves().len(), self.clock());
        let plies = self.seen.play.decoder.line().plies().iter().enumerate();
        plies
            .map(|(index, ply)| {
                let (san, uci) = self.notation(index, ply);
                MoveBody {
                    ply: (sure + index) as u32 + 1,
                    color: color_name(ply.color),
                    san,
                    uci,
                    made_at: ply.made.micros(),
                    pressed_at: ply.pressed.map(|pressed| pressed.micros()),
                    how: None,
                    completed_at: None,
                    white_ms: clock.white_ms,
                    black_ms: clock.black_ms,
                    after_flag: self.fallen_at().is_some_and(|fell| ply.made.latest > fell),
                }
            })
            .collect()
    }

    /// Promotions that nobody has confirmed, in UCI notation as they are published.
    pub fn unconfirmed_promotions(&self) -> Vec<String> {
        let (moves, mode) = (self.seen.play.decoder.record.moves(), self.seen.play.decoder.record.mode());
        let told = self.alarms.is_open(AlarmKind::PromotionUnconfirmed);
        unproved(&self.seen.play.decoder.record)
            .into_iter()
            .filter(|_| told)
            .filter_map(|(ply, _)| Some(moves.get(ply)?.uci(mode).to_string()))
            .collect()
    }

    /// The moves of which one was made, if it is not known which one, in UCI notation.
    pub fn open_moves(&self) -> Vec<String> {
        let mode = self.seen.play.decoder.record.mode();
        self.seen.play.decoder.open().map(|mv| UciMove::from_move(mv, mode).to_string()).collect()
    }

    fn notation(&self, index: usize, ply: &Tentative) -> (String, String) {
        let before = self.seen.play.decoder.line().node(self.seen.play.decoder.record.node(), index).position.clone();
        let uci = UciMove::from_move(ply.mv, self.seen.play.decoder.record.mode()).to_string();
        (SanPlus::from_move(before, ply.mv).to_string(), uci)
    }
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

pub(crate) fn flag(fall: &FlagFall) -> FlagBody {
    FlagBody {
        side: color_name(fall.side),
        path: fall.path,
        expired_at: fall.fell.micros(),
        observed_at: fall.observed_at.map(|at| at.0),
        period: fall.period as u32 + 1,
        after_end: fall.after_end,
        ruled: None,
    }
}
