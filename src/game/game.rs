//! One game on one board: `Game::step` reads as the questions an arbiter asks.

use alloc::format;
use alloc::vec::Vec;

use flagfall_protocols::driver::{DeviceCommand, Timing};
use flagfall_protocols::event::{ByteRange, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::alarm::{AlarmKind, Alarms};
use crate::audit::AuditEntry;
use crate::case::Case;
use crate::clock::Chessclock;
use crate::clock::tracker::ClockTracker;
use crate::clock::watch::Around;
use crate::config::GameConfig;
use crate::desk::Desk;
use crate::effect::Effect;
use crate::health::device::DeviceHealth;
use crate::health::man_on;
use crate::input::{Author, Input};
use crate::irregular::Irregularities;
use crate::laws::rules::Table;
use crate::lifecycle::Lifecycle;
use crate::monitor::BoardMonitor;
use crate::played::Cause;
use crate::reconstruct::Decoder;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::record::Record;
use crate::reports::Reports;
use crate::rulings::RulingRecord;
use crate::seen::{Play, Seen};
use crate::stage::Stage;

/// One game on one board, and after it the next.
#[derive(Clone, Debug)]
pub struct Game {
    pub(crate) now: Instant,
    /// What was observed, and what was made of it.
    pub(crate) seen: Seen,
    pub(crate) irregular: Irregularities,
    pub(crate) monitor: BoardMonitor,
    pub(crate) alarms: Alarms,
    pub(crate) health: DeviceHealth,
    /// What was entered of this game.
    pub(crate) desk: Desk,
    pub(crate) rulings: RulingRecord,
    pub(crate) reports: Reports,
    /// The present step is a clock report in which nothing but seconds ran off.
    pub(crate) only_seconds: bool,
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
        };
        Game {
            now: Instant::ZERO,
            seen,
            irregular: Irregularities::default(),
            monitor: BoardMonitor::new(),
            alarms: Alarms::default(),
            health: DeviceHealth::default(),
            desk: Desk::default(),
            rulings: RulingRecord::default(),
            reports: Reports::default(),
            only_seconds: false,
        }
    }

    /// Takes one input at its time and adds what follows from it to `out`.
    pub fn step(&mut self, at: Instant, input: &Input, out: &mut Vec<Effect>) {
        debug_assert!(at >= self.now, "time runs forwards");
        self.now = self.now.max(at);
        match input {
            Input::Device { event, source } => self.device(event, *source, out),
            Input::Link { up } => self.link(*up),
            Input::Signal { clock, weak } => self.health.signal(self.now, *clock, *weak, &mut self.alarms),
            Input::Bound => {
                if self.health.bound(self.now, &mut self.alarms) {
                    self.seen.board.forget_dropouts();
                }
            }
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
        self.what_was_played(out);
        self.is_it_over(out);
        if let Some(plies) = self.monitor.look_back(self.now, &self.seen, &self.alarms) {
            // A list that cannot be cut there stays as it is.
            let _ = self.take_back(plies, Cause::TakeBack, out);
        }
        self.monitor.review(self.now, &self.seen, &mut self.alarms);
        let Seen { config, clock, play, phase, .. } = &mut self.seen;
        clock.review(&Around { now: self.now, config, play, phase }, &mut self.alarms);
        self.health.review(self.now, &self.seen.board, &mut self.alarms, out);
        self.what_do_the_laws_say(out);
        self.who_must_know(out);
    }

    fn device(&mut self, event: &DeviceEvent, source: ByteRange, out: &mut Vec<Effect>) {
        self.seen
            .board
            .set_on_move(self.seen.clock.chessclock.runs(), matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing));
        match event {
            DeviceEvent::Square { square, reading } => {
                if self.seen.board.square(self.now, *square, *reading) {
                    self.seen.learn_scan();
                    self.board_changed(out);
                    self.look_at_hands(out);
                }
            }
            DeviceEvent::Frame(frame) => {
                let unseen = self.seen.board.unseen_since();
                if self.seen.board.frame(self.now, frame) || unseen.is_some() {
                    self.seen_again(unseen, out);
                    self.board_changed(out);
                    self.look_at_hands(out);
                }
            }
            DeviceEvent::Log(entry) => {
                self.seen.play.decoder.log(self.now, *entry, &self.seen.board, self.seen.clock.chessclock.white_side())
            }
            DeviceEvent::Clock(reading) => self.clock_read(reading, source, out),
            DeviceEvent::ClockAbsent => {
                if self.seen.clock.chessclock.lose() {
                    self.alarms.raise(self.now, AlarmKind::ClockLost, None, 0);
                    // Nobody knows any more which one runs.
                    out.push(Effect::Clock);
                }
            }
            DeviceEvent::Delay(delay) => self.seen.set_delay(*delay),
            DeviceEvent::Silent => self.board_lost(),
            DeviceEvent::Responding => self.alarms.cure(self.now, AlarmKind::BoardLost),
            DeviceEvent::Identity(identity) => {
                if self.health.identified(self.now, identity, &mut self.alarms) {
                    self.seen.board.forget_dropouts();
                }
            }
            DeviceEvent::Battery(battery) => self.health.battery(self.now, battery, &mut self.alarms, out),
            DeviceEvent::ClockButton(_) => {}
        }
    }

    fn look_at_hands(&mut self, out: &mut Vec<Effect>) {
        if !self.seen.phase.is_read() {
            return;
        }
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
        self.seen.look_at_hands(self.now, out);
    }

    fn clock_read(&mut self, reading: &ClockReading, source: ByteRange, out: &mut Vec<Effect>) {
        self.seen.clock.asked = None;
        let before = self.seen.clock.view();
        let facts = self.seen.clock.chessclock.read(self.now, reading, source, self.seen.clock.control.as_ref());
        let entered = self.rulings.entry_is_open();
        self.seen.clock.note_setting(self.now, &before, &facts, entered);
        let made = self.seen.play.decoder.line().made_at().unwrap_or(Instant::ZERO);
        self.seen.clock.note_stop(self.now, &before, made);
        self.only_seconds = facts.iter().next().is_none();
        self.reports.arbiter_dirty |= self.seen.clock.note_recording(&self.seen.config.rulebook);
        for fact in facts.iter() {
            self.clock_fact(fact, out);
        }
        self.alarms.cure(self.now, AlarmKind::ClockLost);
        self.health.clock_battery(self.now, reading.battery_low, &mut self.alarms);
        out.push(Effect::Clock);
    }

    fn link(&mut self, up: bool) {
        self.seen.board.link(self.now, up);
        if !up {
            self.board_lost();
        }
    }

    fn board_lost(&mut self) {
        self.seen.board.lose(self.now);
        self.alarms.raise(self.now, AlarmKind::BoardLost, None, 0);
    }

    /// All squares are told after `unseen`: moves may have been made meanwhile, which the board's own log may tell.
    fn seen_again(&mut self, unseen: Option<Instant>, out: &mut Vec<Effect>) {
        let playing = matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing);
        let Some(since) = unseen.filter(|_| playing) else { return };
        if self.seen.play.decoder.seen_again(since, self.now, &self.seen.board, &mut self.seen.play.decoded) {
            out.push(Effect::Device(DeviceCommand::ReadLog));
        }
    }

    fn what_was_played(&mut self, out: &mut Vec<Effect>) {
        if matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing) {
            let view = self.seen.clock.view();
            self.seen.play.decoder.review(self.now, &self.seen.board, &view, &mut self.seen.play.decoded);
            self.look_for_first_move();
        }
        self.take_decoded(out);
        if matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing) {
            if self.irregular.king.review(self.now, &self.seen) {
                self.revised();
            }
            self.look_for_other_promotion(out);
        }
    }

    fn what_do_the_laws_say(&mut self, out: &mut Vec<Effect>) {
        // Seconds running off change no finding.
        let only_seconds = core::mem::take(&mut self.only_seconds) && !self.reports.arbiter_dirty && !self.alarms.any_changed();
        let something = self.seen.clock.chessclock.flags().any()
            || !self.desk.entries().is_empty()
            || !self.rulings.findings.is_empty()
            || self.irregular.king.captured().is_some()
            || self.irregular.illegal_position.stood.is_some()
            || self.alarms.open().any(|alarm| alarm.kind.illegal().is_some());
        if something && !only_seconds && self.seen.phase.stage != Stage::AwaitingSetUp {
            self.find(out);
            self.decide_what_is_certain(out);
        }
    }

    /// Applies the rulebook to what is known now.
    pub(crate) fn find(&mut self, out: &mut Vec<Effect>) {
        let Game { now, seen, irregular, alarms, desk, rulings, reports, .. } = self;
        let news = rulings.review(&Case { now: *now, seen, irregular, alarms, desk }, out);
        for side in news.open_again {
            alarms.raise(*now, AlarmKind::Flag, Some(side), 0);
        }
        reports.rev += news.revised;
        reports.arbiter_dirty |= news.revised > 0;
        reports.ruling_dirty |= news.changed;
    }

    fn who_must_know(&mut self, out: &mut Vec<Effect>) {
        if self.alarms.any_changed() {
            out.extend(self.alarms.take_changed().into_iter().map(Effect::Alert));
            self.reports.arbiter_dirty = true;
        }
        self.reports.ruling_dirty |= self.rulings.let_earlier_ruling_go(&self.seen.play);
        self.reports.flush(self.now, &self.seen, out);
    }

    /// Notes that a move, finding or decision changed.
    pub(crate) fn revised(&mut self) {
        self.reports.revised();
    }

    /// What the Laws may read of it.
    pub(crate) fn case(&self) -> Case<'_> {
        let Game { now, seen, irregular, alarms, desk, .. } = self;
        Case { now: *now, seen, irregular, alarms, desk }
    }

    /// When time alone may show that something is wrong, or begin or end a game.
    fn watch_due(&self) -> Option<Instant> {
        let Seen { config, clock, play, phase, .. } = &self.seen;
        let monitor = self.monitor.due(self.now, &self.seen, &self.alarms);
        let clock = clock.due(&Around { now: self.now, config, play, phase });
        [monitor, clock, self.seen.phase_due(self.now)].into_iter().flatten().min()
    }

    /// When the game wants [`Input::Deadline`], if it waits for anything.
    pub fn deadline(&self) -> Option<Instant> {
        let playing = matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing);
        let decoder =
            playing.then(|| self.seen.play.decoder.deadline(self.now, &self.seen.board, &self.seen.clock.view())).flatten();
        let king = playing.then(|| self.irregular.king.due(self.now, &self.seen.board)).flatten();
        [decoder, king, self.watch_due(), self.health.due()].into_iter().flatten().min()
    }
}
