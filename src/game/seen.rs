//! Holds the observations of board and clock, and the state of the game that follows from them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::driver::Timing;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::after_gap::ClockOverGap;
use crate::after_illegal::AfterIllegal;
use crate::after_result::AfterResult;
use crate::alarm::Alarms;
use crate::audit::TouchedMan;
use crate::clock::tracker::ClockTracker;
use crate::config::GameConfig;
use crate::game_phase::GamePhase;
use crate::hidden_moves::ClockBeforeGap;
use crate::interval::Interval;
use crate::joining::{Joining, Under};
use crate::laws::outcome::{Ending, GameResult, KnownResult};
use crate::lifecycle::{GESTURE_SHOWS, GESTURE_STANDS, Lifecycle, WRONG_SET_UP_STANDS};
use crate::mate;
use crate::men;
use crate::pair::Pair;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::gesture;
use crate::reconstruct::line::Tentative;
use crate::reconstruct::moves::MoveRecord;
use crate::reconstruct::record::Record;
use crate::reconstruct::tuning::SETTLE_TIME;
use crate::reconstruct::{Conclusion, Decoder};

/// The parts that other parts may read: board, clock, moves played, stage of the game.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) config: GameConfig,
    /// The known timing of the board's family.
    pub(crate) usual: Timing,
    pub(crate) board: PhysicalBoard,
    pub(crate) clock: ClockTracker,
    pub(crate) play: Play,
    pub(crate) phase: Lifecycle,
    /// The clock when the board was lost; none once both have been heard again.
    pub(crate) clock_before_gap: Option<ClockBeforeGap>,
    /// The clock before and after the last time in which the board was not heard, if it was heard both times.
    pub(crate) clock_over_gap: Option<ClockOverGap>,
    /// The positions from which a game may go on that was not seen from its beginning.
    pub(crate) joining: Joining,
    /// The link to the board is up, and the board has not stopped answering.
    pub(crate) board_answers: bool,
}

/// The moves played.
#[derive(Clone, Debug)]
pub(crate) struct Play {
    pub(crate) decoder: Decoder,
    pub(crate) conclusions: Vec<Conclusion>,
    /// The moves completed before the record begins. The number is negative if the record has more moves than the
    /// scoresheets, and none if it is not known.
    pub(crate) completed_before: Pair<Option<i32>>,
    /// The ending on the board, its time, and the player who made the move.
    pub(crate) ending: Option<(Ending, Interval, Color)>,
    /// The press of a player after his move seemed to end the game and its man went on: it may belong to another move. The opponent's
    /// press may follow.
    pub(crate) pressed_elsewhere: Vec<(Color, Interval)>,
    /// The ending that an arbiter has rejected. It does not end the game, until the record is corrected.
    pub(crate) rejected_ending: Option<Ending>,
    /// The parts of the game before the present record, each with its own start position; at most [`Play::MAX_SEGMENTS`].
    pub(crate) segments: Vec<Record>,
    /// When the game went on after a gap whose moves nobody knows. The alarms about it stay open until an arbiter closes them.
    pub(crate) step_found: Option<Instant>,
    /// What is played after an illegal move on which nobody has ruled.
    pub(crate) after_illegal: Option<AfterIllegal>,
    /// What is played after a decision has given the game its result.
    pub(crate) after_result: Option<Box<AfterResult>>,
    /// The number of moves before the last move that was taken back because its man went on, and that move.
    pub(crate) went_on: Option<(usize, MoveRecord)>,
    /// The men that were touched and put back, at most sixteen (4.3).
    pub(crate) touched_men: Vec<TouchedMan>,
    /// The knowledge about whether a side can still mate (5.2.2).
    pub(crate) dead_position_watch: mate::Watch,
}

impl Play {
    /// The largest number of segments that are kept. Beyond it the oldest one is dropped.
    const MAX_SEGMENTS: usize = 8;

    pub(crate) fn new(decoder: Decoder) -> Play {
        Play {
            decoder,
            conclusions: Vec::new(),
            completed_before: Pair { white: Some(0), black: Some(0) },
            ending: None,
            pressed_elsewhere: Vec::new(),
            rejected_ending: None,
            segments: Vec::new(),
            step_found: None,
            after_illegal: None,
            after_result: None,
            went_on: None,
            touched_men: Vec::new(),
            dead_position_watch: mate::Watch::default(),
        }
    }

    /// Goes on with another decoder. The moves of the present record become a segment of the game.
    pub(crate) fn begin_segment(&mut self, decoder: Decoder) {
        let before = core::mem::replace(&mut self.decoder, decoder).record;
        self.after_illegal = None;
        if !before.moves().is_empty() {
            if self.segments.len() == Play::MAX_SEGMENTS {
                self.segments.remove(0);
            }
            self.segments.push(before);
        }
    }

    /// True while an illegal move that was answered awaits a ruling (7.5.1): the record does not go on meanwhile, whatever the board
    /// shows.
    pub(crate) fn awaits_ruling_on_illegal_move(&self) -> bool {
        self.after_illegal.as_ref().is_some_and(|after| after.is_answered(false))
    }

    /// The ending that the present board would give, with moves that are made and not yet sure.
    pub(crate) fn ending_on_board(&self) -> Option<(Ending, Interval, Color)> {
        self.ending.or_else(|| {
            let line = self.decoder.line().plies();
            let counts = |ending: &Ending| self.rejected_ending != Some(*ending);
            let ends = |count| self.decoder.record.ending_of_line(&line[..count]).filter(counts);
            (1..=line.len()).find_map(|count| Some((ends(count)?, line[count - 1].made, line[count - 1].color)))
        })
    }

    /// The moves completed by each player so far; none if earlier moves are not known.
    pub(crate) fn completed_now(&self) -> Pair<Option<u32>> {
        let of = |color| {
            let recorded = self.decoder.record.completed(color, None).0;
            self.completed_before.get(color).map(|before| before.saturating_add_unsigned(recorded).max(0) as u32)
        };
        Pair { white: of(Color::White), black: of(Color::Black) }
    }

    /// Drops the move of a king to a centre square, which is half of a gesture and no move while the clocks stand. Returns
    /// true if there was one.
    pub(crate) fn drop_half_gesture(&mut self) -> bool {
        let half = !self.decoder.press_pending() && self.decoder.line().last().is_some_and(|ply| gesture::is_half(ply.mv));
        if half {
            self.decoder.drop_half_gestures();
        }
        half
    }

    /// True if the player has made a move in the game, as far as this is known.
    pub(crate) fn has_ever_moved(&self, side: Color) -> bool {
        let earlier = self.completed_before.get(side).is_none_or(|before| before > 0);
        let sure = self.decoder.record.moves().iter().any(|known| known.color == side);
        earlier || sure || self.decoder.line().plies().iter().any(|ply| ply.color == side)
    }

    /// True if the player has made a move.
    pub(crate) fn has_moved(&self, side: Color) -> bool {
        let sure = self.decoder.record.moves().iter().take(2).any(|known| known.color == side);
        let earlier = *self.completed_before.get(side) != Some(0);
        sure || earlier || self.decoder.line().plies().iter().any(|ply| ply.color == side)
    }

    /// True if the clock of `color` may run: it is his turn, or the other player's move stands on the board.
    pub(crate) fn may_run(&self, color: Color) -> bool {
        self.decoder.press_pending()
            || self.decoder.record.turn() == color
            || self.decoder.line().plies().iter().any(|ply| ply.color == color.other())
    }
}

impl Seen {
    /// True while it is not known from which position a game goes on: it is, or may be, joined in progress, or a gap hides moves.
    pub(crate) fn is_joining(&self) -> bool {
        match self.phase.stage {
            GamePhase::AwaitingSetUp => self.board.known(),
            GamePhase::Playing => self.joining.undecided || self.joining.follows_gap(),
            GamePhase::Armed | GamePhase::Over => false,
        }
    }

    /// The result as every audience may know it; `decided` is that of a decision.
    pub(crate) fn known_result(&self, decided: Option<GameResult>) -> Option<KnownResult> {
        let over = self.phase.stage == GamePhase::Over;
        let on_board = self.play.ending.filter(|_| over).map(|(ending, _, by)| (ending, ending.result(by)));
        KnownResult::of(decided, on_board)
    }

    /// The number of tentative plies that have stood long enough for an audience to see them, beside those that it has seen. While the
    /// kings show a result, half of that is no move.
    pub(crate) fn shown_plies(&self, now: Instant, seen_before: usize) -> usize {
        let plies = self.play.decoder.line().plies();
        let half = |index: usize| self.phase.gesture.is_some() && index >= seen_before && gesture::is_half(plies[index].mv);
        let stood =
            |index: &usize| !plies[*index].inferred && plies[*index].made.latest.after(SETTLE_TIME) <= now && !half(*index);
        (0..plies.len()).take_while(stood).count()
    }

    /// Begins to look for the position of a game that is joined; `joining` has the positions that are possible so far.
    pub(crate) fn begin_joining(&mut self, joining: Joining, now: Instant) {
        let under = Under { mode: self.config.castling_mode(), rulebook: &self.config.rulebook };
        self.play.decoder.doubt_start();
        self.joining = joining.begin(&self.play.decoder, now, &self.board, under);
    }

    /// Lets the possible positions of a joined game follow a change of the board.
    pub(crate) fn follow_joining(&mut self, now: Instant) {
        if self.is_joining() {
            let under = Under { mode: self.config.castling_mode(), rulebook: &self.config.rulebook };
            self.joining.board_changed(now, &self.play.decoder, &self.board, under);
        }
    }

    /// Gives a press to the possible positions of a joined game. False if the present one cannot use it: the player who pressed
    /// made his move before the game was joined.
    pub(crate) fn press_joining(&mut self, by: Color, at: Interval) -> bool {
        self.look_for_step(at.latest);
        if !self.is_joining() {
            return true;
        }
        let (decoder, view) = (&self.play.decoder, self.clock.view());
        let under = Under { mode: self.config.castling_mode(), rulebook: &self.config.rulebook };
        self.joining.press((by, at), decoder, &self.board, &view, under);
        self.joining.follows_gap() || decoder.record.turn() == by || !decoder.line().is_empty()
    }

    /// The next time at which time alone may decide from which position a joined game goes on.
    pub(crate) fn joining_due(&self, now: Instant) -> Option<Instant> {
        if !self.is_joining() {
            return None;
        }
        self.joining.deadline(now, &self.board, &self.clock.view())
    }

    /// Notes for the board which player's clock runs. If a man of the other player is away for a moment, it is a dropout.
    pub(crate) fn note_side_to_move(&mut self) {
        self.board.set_on_move(self.clock.chessclock.runs(), self.phase.is_read());
    }

    /// True if the board is checked for problems: a game is on, and its clocks were not stopped.
    pub(crate) fn is_watched(&self) -> bool {
        let clock = &self.clock.chessclock;
        let stopped = clock.present() && clock.runs().is_none();
        match self.phase.stage {
            GamePhase::Armed => clock.runs().is_some(),
            GamePhase::Playing => self.board.known() && !stopped,
            GamePhase::AwaitingSetUp | GamePhase::Over => false,
        }
    }

    /// True if the game is over but no move on the board has ended it: kings or an arbiter did.
    pub(crate) fn ended_without_move(&self) -> bool {
        self.phase.stage == GamePhase::Over && self.play.ending.is_none()
    }

    /// True if a piece is lifted or displaced: the board shows neither the last made move nor the position before it.
    pub(crate) fn touched(&self) -> bool {
        let decoder = &self.play.decoder;
        !men::same(self.board.men(), &decoder.line().top(decoder.record.node()).men)
    }

    /// The squares that differ from the last position, without those that an arbiter has acknowledged and that have not
    /// changed since.
    pub(crate) fn differs(&self, alarms: &Alarms) -> u64 {
        let node = self.play.decoder.line().top(self.play.decoder.record.node());
        let differs = men::difference(&node.men, self.board.men());
        if differs == 0 {
            return 0;
        }
        let known = alarms.acknowledged_squares().fold(0, |known, (squares, opened)| {
            let still = men::squares(squares).filter(|square| self.board.changed_at(square.bit()) <= opened);
            still.fold(known, |known, square| known | square.bit())
        });
        differs & !known
    }

    /// The time since which the kings may be moving to show a result; none if they are not.
    pub(crate) fn gesture_since(&self, now: Instant) -> Option<Instant> {
        let line = self.play.decoder.line();
        let half = |ply: &&Tentative| ply.pressed.is_none() && gesture::is_half(ply.mv);
        let before = line.plies().len() - line.plies().iter().rev().take_while(half).count();
        let squares = gesture::under_way(self.board.men(), &line.node(self.play.decoder.record.node(), before).men)?;
        Some(self.board.changed_at(squares)).filter(|since| now < since.after(GESTURE_STANDS))
    }

    /// The time from which the kings in the centre end the game. If the clocks are stopped, it is at once.
    pub(crate) fn gesture_means_a_result(&self) -> Option<Instant> {
        let stands = match (self.clock.chessclock.present(), self.clock.chessclock.runs()) {
            (false, _) => GESTURE_SHOWS,
            (true, None) => Duration::ZERO,
            (true, Some(_)) => GESTURE_STANDS,
        };
        self.phase.gesture.map(|gesture| gesture.since.after(stands))
    }

    /// The next time at which time alone may begin or end a game.
    pub(crate) fn phase_due(&self, now: Instant) -> Option<Instant> {
        let (phase, clock, scan) = (&self.phase, &self.clock.chessclock, self.board.scan());
        let joins = phase.stage == GamePhase::AwaitingSetUp && clock.runs().is_some();
        soonest(
            now,
            [
                self.gesture_means_a_result(),
                phase.gesture.map(|gesture| gesture.since.after(GESTURE_SHOWS)),
                joins.then(|| self.board.last_change().after(scan * 2)),
                joins.then(|| clock.changed_at().after(scan)),
                phase.put_back_at(scan),
                phase.next_set_up.map(|since| since.after(phase.next_game_wait(scan))),
                phase.wrong_set_up.as_ref().map(|(since, _)| since.after(WRONG_SET_UP_STANDS)),
                self.end_contradicted_at(),
                self.after_result_due(now),
            ],
        )
    }
}

/// The first of these times that lies after `now`.
pub(crate) fn soonest(now: Instant, moments: impl IntoIterator<Item = Option<Instant>>) -> Option<Instant> {
    moments.into_iter().flatten().filter(|moment| *moment > now).min()
}
