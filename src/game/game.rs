//! Runs one game on one board. `Game::step` follows the order of an arbiter's questions.

use alloc::format;
use alloc::vec::Vec;

use flagfall_protocols::driver::Timing;
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

mod ask_board;
mod claims;
mod clock_reports;
mod commands;
mod endings;
mod enter_result;
mod in_time;
mod joining;
mod rule_on_finding;
mod set_to_start;
mod spare;
#[cfg(test)]
mod tests;
mod transitions;
mod view;

use crate::alarm::{AlarmKind, Alarms};
use crate::arbiter_entries::ArbiterEntries;
use crate::audit::AuditEntry;
use crate::board_questions::BoardQuestions;
use crate::case::Case;
use crate::clock::Chessclock;
use crate::clock::tracker::ClockTracker;
use crate::clock::watch::WatchContext;
use crate::config::{GameConfig, UntilPress};
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::health::device::DeviceHealth;
use crate::health::man_on;
use crate::input::{Author, Input};
use crate::irregular::Irregularities;
use crate::joining::Joining;
use crate::laws::rules::Table;
use crate::lifecycle::Lifecycle;
use crate::monitor::BoardMonitor;
use crate::played::Cause;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::record::Record;
use crate::reconstruct::{Conclusion, Decoder};
use crate::reports::Reports;
use crate::rulings::RulingRecord;
use crate::seen::{Play, Seen};

/// Shows whether an input may have changed a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum News {
    /// A clock report in which nothing but seconds ran off.
    SecondsOnly,
    Any,
}

/// One game on one board, and after it the next.
#[derive(Clone, Debug)]
pub struct Game {
    now: Instant,
    /// What was observed, and what was made of it.
    seen: Seen,
    irregular: Irregularities,
    monitor: BoardMonitor,
    board_questions: BoardQuestions,
    alarms: Alarms,
    health: DeviceHealth,
    /// What was entered of this game.
    entries: ArbiterEntries,
    rulings: RulingRecord,
    reports: Reports,
}

impl Game {
    /// A game that waits for its set-up on a board of this speed.
    pub fn new(config: GameConfig, timing: Timing) -> Game {
        let start = Record::new(Chess::default(), config.castling_mode(), &config.rulebook);
        let pawns_promote = config.rulebook.rules().table == Table::Club;
        let mut clock = Chessclock::new(config.own_clock.unwrap_or(timing.press_delay));
        clock.set_white_side(config.white_clock.unwrap_or(ClockSide::Left));
        let mut board = PhysicalBoard::new(pawns_promote);
        board.set_scan(timing.scan);
        let seen = Seen {
            clock: ClockTracker::new(clock, config.time_control.clone()),
            play: Play::new(Decoder::new(start, timing.scan, config.tuning)),
            phase: Lifecycle::default(),
            config,
            usual: timing,
            board,
            clock_before_gap: None,
            clock_over_gap: None,
            joining: Joining::default(),
            board_answers: false,
        };
        Game {
            now: Instant::ZERO,
            seen,
            irregular: Irregularities::default(),
            monitor: BoardMonitor::new(),
            board_questions: BoardQuestions::default(),
            alarms: Alarms::default(),
            health: DeviceHealth::default(),
            entries: ArbiterEntries::default(),
            rulings: RulingRecord::default(),
            reports: Reports::default(),
        }
    }

    /// Sets for which audiences made moves wait for their press from now on.
    pub fn set_until_press(&mut self, until_press: UntilPress) {
        self.reports.set_until_press(until_press);
    }

    /// Takes one input at its time and adds what follows from it to `out`.
    pub fn step(&mut self, at: Instant, input: &Input, out: &mut Vec<Effect>) {
        debug_assert!(at >= self.now, "time runs forwards");
        self.now = self.now.max(at);
        self.take_unanswered_report(out);
        let news = self.handle_input(input, out);
        // Was the report of a change lost? The answer may decide what was played.
        self.ask_board(out);
        self.review_spare();
        // What was played?
        self.reports.arbiter_dirty |= self.seen.review_play(self.now, &mut self.alarms);
        self.review_joining(out);
        self.apply_conclusions(out);
        self.seen.check_sides(self.now, None, &mut self.alarms);
        if self.seen.phase.is_read() {
            self.go_on_after_illegal_move(out);
            if self.irregular.king.review(self.now, &self.seen) {
                self.reports.revised();
            }
            self.correct_promotion(out);
        }
        // Is the game over, or was another one set up?
        self.change_phase(out);
        // What is wrong?
        if let Some(plies) = self.monitor.check_take_back(self.now, &self.seen, &self.alarms) {
            let record = &self.seen.play.decoder.record;
            self.seen.play.went_on = record.moves().get(plies).map(|known| (plies, known));
            // A list that cannot be cut there stays as it is.
            let _ = self.take_back(plies, Cause::TakeBack, out);
        }
        self.monitor.review(self.now, &self.seen, &mut self.alarms);
        let Seen { config, clock, play, phase, .. } = &mut self.seen;
        clock.review(&WatchContext { now: self.now, config, play, phase }, &mut self.alarms);
        self.health.review(self.now, &self.seen.board, &mut self.alarms, out);
        // What do the Laws say?
        self.apply_laws(news, out);
        // Who must be informed?
        if self.alarms.any_changed() {
            out.extend(self.alarms.take_changed().into_iter().map(Effect::Alert));
            self.reports.arbiter_dirty = true;
        }
        self.reports.ruling_dirty |= self.rulings.drop_earlier_ruling(&self.seen.play);
        // What was concluded may be a doubt that is old enough for a question.
        self.ask_board(out);
        self.reports.flush(self.now, &self.seen, self.rulings.result, out);
    }

    fn handle_input(&mut self, input: &Input, out: &mut Vec<Effect>) -> News {
        match input {
            Input::Device { event, source } => {
                self.seen.note_side_to_move();
                match event {
                    DeviceEvent::Clock(reading) => return self.handle_clock(reading, *source, out),
                    event => self.handle_device(event, out),
                }
            }
            Input::Link { up } => {
                self.seen.board.link(self.now, *up);
                self.seen.board_answers = *up;
                if !up {
                    self.lose_board();
                }
            }
            Input::Signal { clock, weak } => self.health.signal(self.now, *clock, *weak, &mut self.alarms),
            Input::Bound => self.bind_device(),
            Input::AskAboutRound { open: true } => self.alarms.raise(self.now, AlarmKind::UnpublishedGame, None, 0),
            Input::AskAboutRound { open: false } => self.alarms.cure(self.now, AlarmKind::UnpublishedGame),
            Input::Command(command) => self.command(command, &Author::default(), out),
            Input::Signed { command, author } => self.command(command, author, out),
            Input::Answer(answer) => {
                if let Err(problem) = self.rulings.answer(answer) {
                    let problem = format!("answer {}: {problem}", answer.id);
                    out.push(Effect::Audit(AuditEntry::Refused { problem }));
                }
            }
            Input::Deadline => {}
        }
        News::Any
    }

    fn handle_device(&mut self, event: &DeviceEvent, out: &mut Vec<Effect>) {
        let Seen { board, clock, play, .. } = &mut self.seen;
        match event {
            DeviceEvent::Square { square, reading } => {
                if board.square(self.now, *square, *reading) {
                    self.seen.learn_scan();
                    self.handle_board_change(out);
                }
            }
            DeviceEvent::Frame(frame) => self.handle_frame(frame, out),
            DeviceEvent::Log(entry) => play.decoder.take_log_entry(self.now, *entry, board, clock.chessclock.white_side()),
            DeviceEvent::ClockAbsent => {
                if clock.chessclock.lose() {
                    self.alarms.raise(self.now, AlarmKind::ClockLost, None, 0);
                    // Nobody knows any more which one runs.
                    out.push(Effect::Clock);
                }
            }
            DeviceEvent::Delay(delay) => self.seen.set_delay(*delay),
            DeviceEvent::Silent => self.lose_board(),
            DeviceEvent::Responding => {
                self.seen.board_answers = true;
                self.alarms.cure(self.now, AlarmKind::BoardLost);
            }
            DeviceEvent::Identity(identity) => self.identify_device(identity),
            DeviceEvent::Battery(battery) => self.health.battery(self.now, battery, &mut self.alarms, out),
            DeviceEvent::ClockButton(_) | DeviceEvent::Clock(_) => {}
        }
    }

    fn handle_board_change(&mut self, out: &mut Vec<Effect>) {
        self.reports.arbiter_dirty = true;
        self.seen.phase.pauses.note(self.now);
        self.seen.follow_joining(self.now);
        match self.seen.phase.stage {
            GamePhase::AwaitingSetUp => {
                if let Some((shown, start)) = self.seen.shown_start().filter(|_| self.seen.board.known()) {
                    self.begin_as_shown(shown, start, out);
                }
            }
            GamePhase::Armed | GamePhase::Playing => {
                if self.seen.turn_to_first_mover() {
                    self.health.note_new_position();
                }
                if self.seen.follow_board(self.now, &mut self.alarms) {
                    self.reports.revised();
                }
            }
            GamePhase::Over => {
                // Players correct a wrong sign, until an arbiter has decided.
                if self.seen.play.ending.is_none() && self.rulings.result.is_none() {
                    self.seen.watch_gesture(self.now, &mut self.alarms);
                }
                self.seen.read_board(self.now);
            }
        }
        let pending = self.rulings.is_pending(&self.seen.clock.chessclock);
        self.seen.watch_next_set_up(self.now, pending);
        self.seen.watch_wrong_set_up(self.now, pending);
        if self.seen.phase.is_read() {
            self.check_dropouts();
            self.seen.report_touched_men(self.now, out);
        }
    }

    fn check_dropouts(&mut self) {
        let Seen { board, play, .. } = &mut self.seen;
        let (now, health, alarms) = (self.now, &mut self.health, &mut self.alarms);
        let dropped = board.review_dropouts(
            now,
            |board, square| man_on(play, board, square),
            |board, square, man, found| health.dropped_out(now, board, (square, man, found), alarms),
        );
        if dropped {
            self.health.men_dropped_out();
        }
    }

    fn lose_board(&mut self) {
        self.seen.board_answers = false;
        self.seen.joining.forget_positions();
        self.seen.note_clock_before_gap(self.now);
        self.seen.board.lose(self.now);
        self.alarms.raise(self.now, AlarmKind::BoardLost, None, 0);
    }

    /// Applies what the decoder has concluded.
    fn apply_conclusions(&mut self, out: &mut Vec<Effect>) {
        if self.seen.play.conclusions.is_empty() {
            return;
        }
        let mut conclusions = core::mem::take(&mut self.seen.play.conclusions);
        for conclusion in conclusions.drain(..) {
            match conclusion {
                Conclusion::Sure { index } => self.move_is_sure(index, out),
                Conclusion::PressedWithoutMove { by, at } => {
                    self.alarms.raise_press(self.now, at.latest, AlarmKind::PressedWithoutMove, by, 0);
                    self.irregular.king.handle_press_without_move(&self.seen, by, at);
                }
                Conclusion::PressedIllegal { by, pawn_stays, at } => {
                    self.irregular.king.handle_press_without_move(&self.seen, by, at);
                    if self.irregular.illegal_position.pressed(&self.seen, by, at) {
                        self.reports.revised();
                    }
                    if self.seen.raise_illegal_press(self.now, by, pawn_stays, at, &mut self.alarms) {
                        self.seen.follow_illegal_move(self.now, by, at);
                    }
                }
                Conclusion::PressedBack { by, at } => out.push(Effect::Audit(AuditEntry::PressedBack { side: by, pressed: at })),
                Conclusion::LinkGap => self.alarms.raise(self.now, AlarmKind::LinkGap, None, 0),
                Conclusion::Ambiguous { squares } => self.alarms.raise(self.now, AlarmKind::Ambiguous, None, squares),
                Conclusion::Unreachable => {
                    self.alarms.raise(self.now, AlarmKind::Unreachable, None, 0);
                    self.seen.look_for_step(self.now);
                }
                Conclusion::InStep => {
                    let since = self.seen.play.step_found.unwrap_or(Instant::ZERO);
                    self.alarms.cure_since(self.now, AlarmKind::LinkGap, since);
                    self.alarms.cure_since(self.now, AlarmKind::Unreachable, since);
                }
                Conclusion::PressedOutOfTurn { by, at } => {
                    self.irregular.king.pressed(by, at);
                    self.seen.follow_reply_to_check(self.now, by, at);
                    if self.irregular.illegal_position.pressed(&self.seen, by, at) {
                        self.reports.revised();
                    }
                    out.push(Effect::Audit(AuditEntry::PressOutOfTurn { side: by, pressed: at }));
                }
            }
        }
        self.seen.play.conclusions = conclusions;
    }

    fn apply_laws(&mut self, news: News, out: &mut Vec<Effect>) {
        // Seconds running off change no finding.
        let nothing_new = news == News::SecondsOnly && !self.reports.arbiter_dirty && !self.alarms.any_changed();
        let something = self.seen.clock.chessclock.flags().any()
            || !self.entries.all().is_empty()
            || !self.rulings.findings.is_empty()
            || self.irregular.king.captured().is_some()
            || self.irregular.illegal_position.stood.is_some()
            || self.seen.play.ending.is_some_and(|(ending, ..)| AlarmKind::of_ending(ending).is_some())
            || self.alarms.open().any(|alarm| alarm.kind.illegal().is_some());
        if something && !nothing_new && self.seen.phase.stage != GamePhase::AwaitingSetUp {
            self.find(out);
            self.decide_certain_findings(out);
        }
    }

    /// Applies the rulebook to what is known now.
    fn find(&mut self, out: &mut Vec<Effect>) {
        let Game { now, seen, irregular, alarms, entries, rulings, reports, .. } = self;
        let news = rulings.review(&Case { now: *now, seen, irregular, alarms, entries }, out);
        for side in news.open_again.into_iter().filter(|_| rulings.result.is_none()) {
            alarms.raise(*now, AlarmKind::Flag, Some(side), 0);
        }
        reports.rev += news.revised;
        reports.arbiter_dirty |= news.revised > 0;
        reports.ruling_dirty |= news.changed;
    }

    /// What the Laws may read of the game.
    fn case(&self) -> Case<'_> {
        let Game { now, seen, irregular, alarms, entries, .. } = self;
        Case { now: *now, seen, irregular, alarms, entries }
    }

    /// When the game wants [`Input::Deadline`], if it waits for anything.
    pub fn deadline(&self) -> Option<Instant> {
        let Seen { config, board, clock, play, phase, .. } = &self.seen;
        let record_goes_on = self.seen.reads_moves() && !play.awaits_ruling_on_illegal_move();
        let played = record_goes_on.then(|| play.decoder.deadline(self.now, board, &clock.view())).flatten();
        let unruled = play.after_illegal.as_ref().and_then(|after| after.decoder.as_ref()).filter(|_| self.seen.reads_moves());
        let unruled = unruled.and_then(|decoder| decoder.deadline(self.now, board, &clock.view()));
        let joined = self.seen.joining_due(self.now);
        let king = phase.is_read().then(|| self.irregular.king.due(self.now, board)).flatten();
        let monitor = self.monitor.due(self.now, &self.seen, &self.alarms);
        let clock = clock.due(&WatchContext { now: self.now, config, play, phase });
        let question = self.board_questions.due();
        let spare = self.seen.spare_due(self.now);
        let dues =
            [played, unruled, joined, king, monitor, question, clock, spare, self.seen.phase_due(self.now), self.health.due()];
        dues.into_iter().flatten().min()
    }
}
