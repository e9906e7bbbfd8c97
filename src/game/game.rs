//! One game on one board: `Game::step` reads as the questions an arbiter asks.

use alloc::vec::Vec;

use flagfall_protocols::driver::{DeviceCommand, Timing};
use flagfall_protocols::event::{ByteRange, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::alarm::{AlarmKind, Alarms};
use crate::case::Case;
use crate::clock::Chessclock;
use crate::clock::tracker::ClockTracker;
use crate::config::GameConfig;
use crate::desk::Desk;
use crate::effect::{Audience, Effect};
use crate::health::device::DeviceHealth;
use crate::input::{Author, Input};
use crate::irregular::Irregularities;
use crate::laws::rules::Table;
use crate::lifecycle::Lifecycle;
use crate::message::Stage;
use crate::monitor::BoardMonitor;
use crate::reconstruct::Decoder;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::record::Record;
use crate::reports::Reports;
use crate::ruling_record::RulingRecord;
use crate::seen::{Play, Seen};

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
            Input::Signal { clock, weak } => self.signal(*clock, *weak),
            Input::Bound => self.bound(),
            Input::Command(command) => self.command(command, &Author::default(), out),
            Input::Signed { command, author } => self.command(command, author, out),
            Input::Answer(answer) => self.answer(answer, out),
            Input::Deadline => {}
        }
        self.what_was_played(out);
        self.is_it_over(out);
        self.what_is_wrong(out);
        self.watch_health(out);
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
                    self.learn_scan();
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
            DeviceEvent::Delay(delay) => self.set_delay(*delay),
            DeviceEvent::Silent => self.board_lost(),
            DeviceEvent::Responding => self.alarms.cure(self.now, AlarmKind::BoardLost),
            DeviceEvent::Identity(identity) => self.identified(identity),
            DeviceEvent::Battery(battery) => self.battery_told(battery, out),
            DeviceEvent::ClockButton(_) => {}
        }
    }

    fn clock_read(&mut self, reading: &ClockReading, source: ByteRange, out: &mut Vec<Effect>) {
        self.seen.clock.asked = None;
        let before = self.clock_view();
        let facts = self.seen.clock.chessclock.read(self.now, reading, source, self.seen.clock.control.as_ref());
        self.note_setting(&before, &facts);
        self.note_stop(&before);
        self.only_seconds = facts.iter().next().is_none();
        self.note_recording();
        for fact in facts.iter() {
            self.clock_fact(fact, out);
        }
        self.alarms.cure(self.now, AlarmKind::ClockLost);
        self.clock_battery(reading.battery_low);
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
            let view = self.clock_view();
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

    fn who_must_know(&mut self, out: &mut Vec<Effect>) {
        if self.alarms.any_changed() {
            for alarm in self.alarms.take_changed() {
                out.push(Effect::Alert(crate::alert::alert(&alarm)));
            }
            self.reports.arbiter_dirty = true;
        }
        self.let_earlier_ruling_go();
        if core::mem::take(&mut self.reports.ruling_dirty) {
            out.push(Effect::Ruling);
        }
        self.tell_live(out);
        self.reports.arbiter_dirty |= self.pending_changed();
        if core::mem::take(&mut self.reports.arbiter_dirty) {
            out.push(Effect::State(Audience::Arbiter));
        }
        if core::mem::take(&mut self.reports.live_dirty) {
            self.reports.live_rev += 1;
            out.push(Effect::State(Audience::Live));
        }
    }

    /// Notes that a move, finding or decision changed.
    pub(crate) fn revised(&mut self) {
        self.reports.rev += 1;
        self.reports.arbiter_dirty = true;
    }

    /// What the Laws may read of it.
    pub(crate) fn case(&self) -> Case<'_> {
        let Game { now, seen, irregular, alarms, desk, .. } = self;
        Case { now: *now, seen, irregular, alarms, desk }
    }

    /// When the game wants [`Input::Deadline`], if it waits for anything.
    pub fn deadline(&self) -> Option<Instant> {
        let playing = matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing);
        let decoder = playing.then(|| self.seen.play.decoder.deadline(self.now, &self.seen.board, &self.clock_view())).flatten();
        let king = playing.then(|| self.irregular.king.due(self.now, &self.seen.board)).flatten();
        [decoder, king, self.next_watch(), self.health_due()].into_iter().flatten().min()
    }
}
