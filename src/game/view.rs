//! The pictures that are published: the state of the game for each audience.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, EnPassantMode};

use crate::alert::alert;
use crate::clock::flag::FlagFall;
use crate::effect::{Audience, Effect};
use crate::game::Game;
use crate::laws::adjudicate::Subject;
use crate::laws::finding::Finding;
use crate::laws::outcome::GameResult;
use crate::laws::outcome::{Outcome, Phase};
use crate::men::{self, color_name};
use crate::message::{
    AlertBody, ArbiterState, ClockBody, ClockStatus, Decision, FlagBody, LiveCause, LiveMove, LiveState, MoveBody, Stage,
};
use crate::pair::Pair;
use crate::reconstruct::STANDS;
use crate::reconstruct::line::Tentative;
use crate::reconstruct::notation::Notation;
use crate::told::ToldMove;

impl Game {
    /// Number of the game on this board, from 1; 0 before the first.
    pub fn number(&self) -> u32 {
        self.seen.phase.number
    }

    /// Counts what changed for this audience: for arbiters moves, findings and decisions; for the live audience what it may see,
    /// so that nothing of the arbiters' can be guessed from the number.
    pub fn rev(&self, audience: Audience) -> u32 {
        match audience {
            Audience::Arbiter => self.reports.rev,
            Audience::Live => self.reports.live_rev,
        }
    }

    /// Where the game is.
    pub fn stage(&self) -> Stage {
        self.seen.phase.stage
    }

    /// A flag has fallen in this game and was not taken back.
    pub fn has_fallen_flag(&self) -> bool {
        self.seen.clock.chessclock.flags().any()
    }

    /// A flag has fallen before the end of the game, nobody has ruled on it, and no result is known.
    pub fn awaits_ruling(&self) -> bool {
        let falls = self.seen.clock.chessclock.flags().iter().filter(|fall| !fall.after_end);
        let settled = |finding: &Finding| self.rulings.decisions.settled(finding).is_some();
        let open = |index: usize| !self.finding_on(Subject::Flag(index)).is_some_and(settled);
        self.rulings.result.is_none() && falls.enumerate().any(|(index, _)| open(index))
    }

    /// Every decision of the game in its order, at most the last 64.
    pub fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.rulings.decisions.iter()
    }

    /// The result, if it is known.
    pub fn result(&self) -> Option<GameResult> {
        self.rulings.result
    }

    /// The moves that the live audience was told.
    pub fn told(&self) -> Vec<LiveMove> {
        self.reports.told.since(0)
    }

    /// How many they are.
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

    fn clock_status(&self) -> ClockStatus {
        match self.seen.clock.chessclock.last_report() {
            _ if self.seen.config.clock_source == DriverInfo::NO_CLOCK => ClockStatus::NotAvailable,
            None => ClockStatus::NotHeard,
            Some(_) if self.seen.clock.chessclock.present() => ClockStatus::Reporting,
            Some(_) => ClockStatus::Lost,
        }
    }

    /// The picture for the live audience.
    pub fn live_state(&self) -> LiveState {
        LiveState { moves: self.told(), ..self.live_picture() }
    }

    /// The same without its moves, whatever the game's length.
    pub fn live_picture(&self) -> LiveState {
        let shown = self.shown_plies();
        LiveState {
            game_no: self.seen.phase.number,
            initial_fen: fen(self.seen.play.decoder.record.start()),
            fen: fen(&self.seen.play.decoder.line().node(self.seen.play.decoder.record.node(), shown).position),
            moves: Vec::new(),
            clock: self.clock(),
            result: self.rulings.result,
        }
    }

    /// The picture for arbiters.
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
                () if self.case().touched() => Phase::Touched,
                () => Phase::Idle,
            },
            completed: self.completed_now(),
            period: Pair {
                white: self.seen.clock.chessclock.period(Color::White) as u32 + 1,
                black: self.seen.clock.chessclock.period(Color::Black) as u32 + 1,
            },
            recording: self.recording(),
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

    /// The first finding that costs something; the last one if none does.
    pub fn deciding_finding(&self) -> Option<&Finding> {
        self.rulings.findings.iter().find(|finding| !self.costs_nothing(finding)).or(self.rulings.findings.last())
    }

    /// The game goes on after it, or an arbiter has said so.
    fn costs_nothing(&self, finding: &Finding) -> bool {
        finding.outcome == Outcome::GameGoesOn || self.rulings.decisions.settled(finding).is_some()
    }

    fn flags(&self) -> Vec<FlagBody> {
        let mut indices = 0..;
        let falls = self.seen.clock.chessclock.flags().iter().map(|fall| {
            let index = if fall.after_end { None } else { indices.next() };
            let finding = index.and_then(|index| self.finding_on(Subject::Flag(index)));
            FlagBody { ruled: finding.and_then(|finding| self.rulings.decisions.about(finding)), ..flag(fall) }
        });
        falls.collect()
    }

    /// Every finding of the game in its last revision.
    pub fn findings(&self) -> &[Finding] {
        &self.rulings.findings
    }

    /// Every alarm of the game, open and closed.
    pub fn alarms(&self) -> Vec<AlertBody> {
        self.alarms.iter().map(alert).collect()
    }

    /// The highest number that an alarm of this board has had.
    pub fn last_alarm(&self) -> u32 {
        self.alarms.numbered()
    }

    pub(crate) fn move_body(&self, index: usize) -> MoveBody {
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

    /// When the first flag fell that may cost something.
    fn fallen_at(&self) -> Option<Instant> {
        let free = self.rulings.findings.iter().take_while(|finding| self.costs_nothing(finding)).count();
        self.seen.clock.chessclock.flags().iter().filter(|fall| !fall.after_end).nth(free).map(|fall| fall.fell.latest)
    }

    /// Whether other moves are pending than arbiters were told: time alone may let another reading of the board win.
    pub(crate) fn pending_changed(&mut self) -> bool {
        let pending = || self.seen.play.decoder.line().plies().iter().map(|ply| ply.mv);
        let changed = !pending().eq(self.reports.pending_told.iter().copied());
        if changed {
            self.reports.pending_told.clear();
            self.reports.pending_told.extend(pending());
        }
        changed
    }

    /// Moves that stand on the board and are not yet sure.
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

    /// Moves of which one was made and nothing tells which, in UCI notation.
    pub fn open_moves(&self) -> Vec<String> {
        let mode = self.seen.play.decoder.record.mode();
        self.seen.play.decoder.open().map(|mv| UciMove::from_move(mv, mode).to_string()).collect()
    }

    fn notation(&self, index: usize, ply: &Tentative) -> (String, String) {
        let before = self.seen.play.decoder.line().node(self.seen.play.decoder.record.node(), index).position.clone();
        let uci = UciMove::from_move(ply.mv, self.seen.play.decoder.record.mode()).to_string();
        (SanPlus::from_move(before, ply.mv).to_string(), uci)
    }

    /// Tentative plies that have stood long enough to be shown to the live audience: whether the clock was pressed must not be
    /// seen there (12.6).
    fn shown_plies(&self) -> usize {
        let plies = self.seen.play.decoder.line().plies();
        plies.iter().take_while(|ply| ply.made.latest.after(STANDS) <= self.now).count()
    }

    /// Tells the live audience what it does not know yet.
    pub(crate) fn tell_live(&mut self, out: &mut Vec<Effect>) {
        let (record, mode) = (self.seen.play.decoder.record.moves(), self.seen.play.decoder.record.mode());
        let shown = self.shown_plies();
        let total = record.len() + shown;
        let known = self.reports.told.moves().len();
        if known == total && self.told_is_current(shown) {
            return;
        }
        // Compared without making text: this is asked with every clock message while a made move waits for its press.
        let uci = |index: usize| match record.get(index) {
            Some(known) => known.uci(mode),
            None => UciMove::from_move(self.seen.play.decoder.line().plies()[index - record.len()].mv, mode),
        };
        let same = (0..known.min(total)).take_while(|&index| self.reports.told.moves()[index].uci == uci(index)).count();
        if same == total && same == known {
            return;
        }
        let now = self.clock_view().times;
        let fresh: Vec<ToldMove> = (same..total)
            .map(|index| match record.get(index) {
                Some(known) => ToldMove::new(known.uci(mode), known.san, &known.clocks),
                None => {
                    let before = index - record.len();
                    let position =
                        self.seen.play.decoder.line().node(self.seen.play.decoder.record.node(), before).position.clone();
                    let san = SanPlus::from_move(position, self.seen.play.decoder.line().plies()[before].mv);
                    ToldMove::new(uci(index), Notation::of(&san), &now)
                }
            })
            .collect();
        self.reports.told.truncate(same);
        fresh.into_iter().for_each(|told| self.reports.told.push(told));
        let moves = self.reports.told.since(same);
        if same < known {
            out.push(Effect::LiveRevision { from_ply: same as u32 + 1, cause: LiveCause::Correction, moves });
        } else {
            out.extend(moves.into_iter().map(Effect::LiveMove));
        }
        self.reports.live_dirty = true;
    }

    /// Nothing tentative is or was shown, so equal length means equal moves.
    fn told_is_current(&self, shown: usize) -> bool {
        let (sure, mode) = (self.seen.play.decoder.record.moves(), self.seen.play.decoder.record.mode());
        shown == 0 && self.reports.told.moves().last().map(|told| told.uci) == sure.last().map(|known| known.uci(mode))
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
