//! Gives read access to a game: its state, result, decisions and alarms. Nothing here changes the game.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::{Color, Placement, Square};
use flagfall_protocols::time::Instant;
use shakmaty::Chess;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use super::Game;
use crate::alarm::{Alarm, AlarmKind};
use crate::arbiter_entries::Statement;
use crate::audit::TouchedMan;
use crate::clock::flag::FlagFall;
use crate::clock::{ClockState, Recording};
use crate::decision::{Decision, Ruling};
use crate::effect::Audience;
use crate::game_phase::{GamePhase, Hint};
use crate::health::Health;
use crate::laws::claim::Ground;
use crate::laws::claims::Checked;
use crate::laws::finding::{Finding, FindingKey};
use crate::laws::outcome::{Ending, GameResult, KnownResult, Phase};
use crate::men;
use crate::pair::Pair;
use crate::played::{GameMove, LiveMove, Notation};
use crate::reconstruct::record::Record;
use crate::reconstruct::{Decoder, sensing_of};
use crate::rulings::Subject;

impl Game {
    /// The number of the game on this board, from 1; 0 before the first game.
    pub fn number(&self) -> u32 {
        self.seen.phase.number
    }

    /// Counts the changes for arbiters: moves, findings and decisions. It is not for others, whose revisions count what they see.
    pub fn rev(&self) -> u32 {
        self.reports.rev
    }

    /// The stage of the game.
    pub fn stage(&self) -> GamePhase {
        self.seen.phase.stage
    }

    /// The time at which the game was armed or joined; the beginning of the journal before the first game.
    pub fn began(&self) -> Instant {
        self.seen.phase.began
    }

    /// Whether an arbiter began the game by `start-game`.
    pub fn is_begun_by_command(&self) -> bool {
        self.seen.phase.by_command
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

    /// The last decision that decided on the finding with this number, or that gave the game a result while the finding stood.
    pub fn decision_about(&self, id: u32) -> Option<&Decision> {
        self.rulings.decisions.last_about(id)
    }

    /// The last decision, if it is not in the arbiters' state of this revision.
    pub fn decision_after(&self, rev: u32) -> Option<&Decision> {
        self.decisions().last().filter(|_| rev <= self.rulings.revision_before_decision)
    }

    /// The result, if it is known.
    pub fn result(&self) -> Option<GameResult> {
        self.rulings.result
    }

    /// The result as every audience may know it.
    pub fn known_result(&self) -> Option<KnownResult> {
        self.seen.known_result(self.rulings.result)
    }

    /// True if the link to the board is up and the board answers, as far as it can be asked.
    pub fn board_answers(&self) -> bool {
        self.seen.board_answers
    }

    /// The moves that were published to the live audience.
    pub fn live_moves(&self) -> impl ExactSizeIterator<Item = LiveMove> {
        self.reported_moves(Audience::Live)
    }

    /// The number of these moves.
    pub fn live_plies(&self) -> usize {
        self.reported_plies(Audience::Live)
    }

    /// The moves that were reported to this audience: to the live audience, or to the public, which gets them after its delay.
    pub fn reported_moves(&self, audience: Audience) -> impl ExactSizeIterator<Item = LiveMove> {
        self.reports.moves(audience).since(0)
    }

    /// The number of these moves.
    pub fn reported_plies(&self, audience: Audience) -> usize {
        self.reports.moves(audience).count()
    }

    /// The number of moves of the game that were published to the live audience, with those of earlier segments.
    pub fn made_moves(&self) -> u32 {
        let earlier: usize = self.seen.play.segments.iter().map(|record| record.moves().len()).sum();
        (earlier + self.live_plies()) as u32
    }

    /// What the clock says, as every audience may know it.
    pub fn clock(&self) -> ClockState {
        let clock = &self.seen.clock.chessclock;
        ClockState {
            times: Pair { white: clock.time(Color::White), black: clock.time(Color::Black) },
            running: clock.runs(),
            read: clock.last_report().map(|(at, _)| at),
            present: clock.present(),
            resolution_ms: clock.resolution_ms(),
            source: self.seen.config.clock_source,
        }
    }

    /// The player whose lever is up; none before the clock was heard.
    pub fn lever_up(&self) -> Option<Color> {
        self.seen.clock.chessclock.lever_up()
    }

    /// The period of each player's clock, from 1.
    pub fn period(&self) -> Pair<u32> {
        let of = |color| self.seen.clock.chessclock.period(color) as u32 + 1;
        Pair { white: of(Color::White), black: of(Color::Black) }
    }

    /// The duty of each player to record the moves (8.4).
    pub fn recording(&self) -> Pair<Recording> {
        self.seen.clock.recording(&self.seen.config.rulebook)
    }

    /// The position in which the record of the game begins.
    pub fn start(&self) -> &Chess {
        self.seen.play.decoder.record.start()
    }

    /// The position after the last sure move.
    pub fn sure_position(&self) -> &Chess {
        &self.seen.play.decoder.record.node().position
    }

    /// The position with the moves that were reported to this audience (12.6).
    pub fn reported_position(&self, audience: Audience) -> &Chess {
        let decoder = &self.seen.play.decoder;
        let pending =
            self.reported_plies(audience).saturating_sub(decoder.record.moves().len()).min(decoder.line().plies().len());
        &decoder.line().node(decoder.record.node(), pending).position
    }

    /// The placement that the sensors show.
    pub fn placement(&self) -> Placement {
        men::placement(self.seen.board.men())
    }

    /// White sits at the right-hand side of the connector.
    pub fn is_rotated(&self) -> bool {
        self.seen.board.rotated()
    }

    /// The result by the record of a claim of `claimant`, for the position on the board or for the move that the player has
    /// written down.
    ///
    /// # Errors
    /// Fails if the move is not legal now, or if a record cannot show this ground.
    pub fn check_claim(&self, claimant: Color, ground: Ground, intended: Option<&str>) -> Result<Checked, &'static str> {
        self.seen.check_claim(claimant, ground, intended)
    }

    /// The sure moves.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = GameMove> {
        let (record, fell) = (&self.seen.play.decoder.record, self.fallen_at());
        let mode = record.mode();
        record.moves().iter().enumerate().map(move |(index, known)| GameMove::sure(index, &known, mode, fell))
    }

    /// The sure move with this index, which there is.
    pub(super) fn sure_move(&self, index: usize) -> GameMove {
        let record = &self.seen.play.decoder.record;
        GameMove::sure(index, &record.moves().record(index), record.mode(), self.fallen_at())
    }

    /// Moves that stand on the board and are not yet sure.
    pub fn pending(&self) -> impl ExactSizeIterator<Item = GameMove> {
        self.pending_of(&self.seen.play.decoder)
    }

    fn pending_of<'a>(&self, decoder: &'a Decoder) -> impl ExactSizeIterator<Item = GameMove> + use<'a> {
        let (fell, clocks) = (self.fallen_at(), self.clock().times);
        let (record, line) = (&decoder.record, decoder.line());
        line.plies().iter().enumerate().map(move |(index, ply)| GameMove {
            ply: (record.moves().len() + index) as u32 + 1,
            color: ply.color,
            san: Notation::of(&SanPlus::from_move(line.node(record.node(), index).position.clone(), ply.mv)),
            uci: UciMove::from_move(ply.mv, record.mode()),
            made: ply.made,
            pressed: ply.pressed,
            how: None,
            completed: None,
            clocks,
            after_flag: fell.is_some_and(|fell| ply.made.latest > fell),
        })
    }

    /// The parts of the game before the present record, at most the last eight: the start position and the moves of each. A part
    /// ends where the game went on from a position that no legal move leads to.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = (&Chess, Vec<GameMove>)> {
        let fell = self.fallen_at();
        let moves = move |record: &Record| {
            let moves = record.moves().iter().enumerate();
            moves.map(|(index, known)| GameMove::sure(index, &known, record.mode(), fell)).collect()
        };
        self.seen.play.segments.iter().map(move |record| (record.start(), moves(record)))
    }

    /// The player whose illegal move awaits a ruling, the position that it left, and the moves that were played from there. They
    /// belong to the game only if the illegal move stands.
    pub fn after_illegal_move(&self) -> Option<(Color, &Chess, Vec<GameMove>)> {
        let after = self.seen.play.after_illegal.as_ref()?;
        let decoder = after.decoder.as_ref()?;
        let (record, fell) = (&decoder.record, self.fallen_at());
        let known = record.moves().iter().enumerate();
        let known = known.map(|(index, known)| GameMove { how: None, ..GameMove::sure(index, &known, record.mode(), fell) });
        Some((after.by, record.start(), known.chain(self.pending_of(decoder)).collect()))
    }

    /// The moves that were played after the result of the game. They belong to the game only if the result is taken back.
    pub fn moves_after_result(&self) -> Vec<GameMove> {
        let Some(after) = &self.seen.play.after_result else { return Vec::new() };
        let (record, fell) = (&after.decoder.record, self.fallen_at());
        let sure = record.moves().iter().enumerate().map(|(index, known)| GameMove::sure(index, &known, record.mode(), fell));
        sure.chain(self.pending_of(&after.decoder)).skip(self.moves().len()).collect()
    }

    /// When the first flag fell that may cost something.
    fn fallen_at(&self) -> Option<Instant> {
        self.rulings.flags_that_may_cost(&self.seen.clock.chessclock).next().map(|fall| fall.fell.latest)
    }

    /// Phase of the running move.
    pub fn phase(&self) -> Phase {
        match () {
            () if !self.seen.play.decoder.line().is_empty() => Phase::Made,
            () if self.seen.touched() => Phase::Touched,
            () => Phase::Idle,
        }
    }

    /// Moves completed by each player; none where earlier moves are unknown.
    pub fn completed(&self) -> Pair<Option<u32>> {
        self.seen.play.completed_now()
    }

    /// The ending that the board shows.
    pub fn ending(&self) -> Option<Ending> {
        self.seen.play.ending.map(|(ending, ..)| ending)
    }

    /// The results that were shown with the kings, at most eight.
    pub fn hints(&self) -> &[Hint] {
        &self.seen.phase.hints
    }

    /// Whether the kings have shown a result, and no move was made since.
    pub fn shows_result(&self) -> bool {
        let (play, phase) = (&self.seen.play, &self.seen.phase);
        let pending = play.decoder.made().last().map(|last| last.made);
        let last = pending.or_else(|| play.decoder.record.moves().last().map(|last| last.made));
        let stands = |hint: &Hint| phase.stage == GamePhase::Over || last.is_none_or(|made| made.latest <= hint.at);
        phase.hints.last().is_some_and(stands)
    }

    /// The men of this game that their players touched in their own time and put back, at most the last sixteen (4.3).
    pub fn touched_men(&self) -> &[TouchedMan] {
        &self.seen.play.touched_men
    }

    /// The entries of the arbiter's desk.
    pub fn entries(&self) -> &[Statement] {
        self.entries.all()
    }

    /// Every latched flag in the order in which they fell, with the number of the decision about it that stands.
    pub fn flags(&self) -> impl Iterator<Item = (&FlagFall, Option<u32>)> {
        let mut indices = 0..;
        self.seen.clock.chessclock.flags().iter().map(move |fall| {
            let index = if fall.after_end { None } else { indices.next() };
            let finding = index.and_then(|index| self.rulings.finding_on(Subject::Flag(index)));
            (fall, finding.and_then(|finding| self.rulings.decisions.about(finding)))
        })
    }

    /// The first finding that affects the result. If none does, the last one that awaits a ruling, or else the last one.
    pub fn deciding_finding(&self) -> Option<&Finding> {
        self.rulings.deciding_finding()
    }

    /// The last finding or decision in full, and the number of its game. Until this game has one of its own or a move, it is
    /// an earlier game's.
    pub fn ruling(&self) -> Option<(u32, Ruling)> {
        self.rulings.ruling_to_show(self.seen.phase.number)
    }

    /// All findings of the game, each in its last revision.
    pub fn findings(&self) -> &[Finding] {
        &self.rulings.findings
    }

    /// The earlier revisions of findings since which nothing has changed but the line to a mate. A decision may name them.
    pub fn earlier_revisions(&self) -> impl Iterator<Item = FindingKey> {
        self.rulings.earlier_revisions()
    }

    /// All alarms of the game, open and closed, at most 256.
    pub fn alarms(&self) -> &[Alarm] {
        self.alarms.all()
    }

    /// The highest number of an alarm on this board so far.
    pub fn last_alarm(&self) -> u32 {
        self.alarms.numbered()
    }

    /// Promotions that nobody has confirmed, in UCI notation as they are published.
    pub fn unconfirmed_promotions(&self) -> Vec<String> {
        let (moves, mode) = (self.seen.play.decoder.record.moves(), self.seen.play.decoder.record.mode());
        let told = self.alarms.is_open(AlarmKind::PromotionUnconfirmed);
        sensing_of(&self.seen.board)
            .unproved_promotions(&self.seen.play.decoder.record)
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
}
