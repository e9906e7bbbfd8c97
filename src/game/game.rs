//! One game on one board: `Game::step` reads as the questions an arbiter asks.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::driver::{DeviceCommand, Timing};
use flagfall_protocols::event::{ByteRange, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{CastlingMode, Chess, Move};

use crate::alarm::{AlarmKind, Alarms};
use crate::clock::Chessclock;
use crate::clock::control::TimeControl;
use crate::clock::setting::{SettingWatch, SidesWatch};
use crate::decisions::Decisions;
use crate::desk::Desk;
use crate::effect::{Audience, Effect};
use crate::facts;
use crate::health::Watched;
use crate::illegal_position::IllegalPosition;
use crate::input::{Author, GameResult, Input};
use crate::interval::Interval;
use crate::king_capture::KingCapture;
use crate::laws::adjudicate::Subject;
use crate::laws::finding::Finding;
use crate::laws::rulebook::Rulebook;
use crate::laws::rules::Table;
use crate::laws::winnable::Questions;
use crate::mate;
use crate::message::{ClaimBody, Hint, Ruling, Stage};
use crate::pair::Pair;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::record::{Ending, Record};
use crate::reconstruct::setup::WrongSetUp;
use crate::reconstruct::tuning::Tuning;
use crate::reconstruct::{Decoded, Decoder};
use crate::rulings::Adjudged;
use crate::told::Told;
use crate::watch::Differing;

/// What becomes of a finding that is certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rulings {
    /// An arbiter decides.
    #[default]
    Advise,
    /// It is decided as it is made; an arbiter may decide otherwise.
    Automatic,
}

/// What a game is told before it begins.
#[derive(Clone, Debug, Default)]
pub struct GameConfig {
    /// The time control; findings on time name it as unknown if there is none.
    pub time_control: Option<TimeControl>,
    /// Castling is written the Chess960 way.
    pub chess960: bool,
    /// The device family that tells the times.
    pub clock_source: &'static str,
    /// The clock is on a link of its own, and tells a press so late at most; none = it is on the board's.
    pub own_clock: Option<Duration>,
    /// The rules that findings are made by.
    pub rulebook: Rulebook,
    /// What becomes of findings that are certain.
    pub rulings: Rulings,
    /// The event's regulations name the device as an observer of flags (6.8).
    pub observer: bool,
    /// Seconds after the start by which a player must have come (6.7.1); none if the event has not said.
    pub default_time_s: Option<u32>,
    /// Which display is White's; if none, the left one, or the right one where the board is rotated.
    pub white_clock: Option<ClockSide>,
    /// Nobody rules on this game: moves that the players take back on the board leave the list (`reconstruct/README.md#3.7`).
    pub casual: bool,
    /// How the decoder weighs evidence.
    pub tuning: Tuning,
}

/// One game on one board, and after it the next.
#[derive(Clone, Debug)]
pub struct Game {
    pub(crate) config: GameConfig,
    pub(crate) control: Option<TimeControl>,
    /// The longest time from a change to its report: the device family's, then the board's own.
    pub(crate) scan: Duration,
    /// How fast its family is known to be.
    pub(crate) usual: Timing,
    pub(crate) board: PhysicalBoard,
    pub(crate) clock: Chessclock,
    pub(crate) setting: SettingWatch,
    pub(crate) decoder: Decoder,
    pub(crate) alarms: Alarms,
    pub(crate) questions: Questions,
    /// What is known of whether anybody can still mate (5.2.2).
    pub(crate) life: mate::Watch,
    /// What was entered of this game.
    pub(crate) desk: Desk,
    pub(crate) findings: Vec<Finding>,
    /// What each of them is on.
    pub(crate) findings_on: Vec<Subject>,
    /// What they rest on.
    pub(crate) adjudged: Option<Box<Adjudged>>,
    /// The highest number that a finding was given.
    pub(crate) findings_numbered: u32,
    /// When hands set the time of a player, and by how many milliseconds it rose: the last few times.
    pub(crate) time_set: Pair<Vec<(Instant, i64)>>,
    pub(crate) number: u32,
    pub(crate) stage: Stage,
    /// Moves completed before the record begins, fewer than none where the record has more than the scoresheets; none where they
    /// are not known.
    pub(crate) completed_before: Pair<Option<i32>>,
    /// What ended the game on the board, when, and whose move it was.
    pub(crate) ending: Option<(Ending, Interval, Color)>,
    /// A king left in check, and its capture (club point 3.3).
    pub(crate) king: KingCapture,
    /// An illegal position that was left on the board (A.5.4).
    pub(crate) illegal_position: IllegalPosition,
    pub(crate) result: Option<GameResult>,
    pub(crate) decisions: Decisions,
    /// The last claim that was lodged and not decided.
    pub(crate) lodged: Option<ClaimBody>,
    /// The last finding or decision of an earlier game, with its number: shown until this one has something of its own.
    pub(crate) earlier_ruling: Option<(u32, Ruling)>,
    pub(crate) hints: Vec<Hint>,
    /// A king gesture that stands, and since when.
    pub(crate) gesture: Option<Instant>,
    /// A set-up of the next game that stands, and since when.
    pub(crate) next_set_up: Option<Instant>,
    /// A set-up that lacks a man or two, and since when it stands.
    pub(crate) incomplete_set_up: Option<(Instant, WrongSetUp)>,
    /// The game began on one, and nobody has moved yet.
    pub(crate) missing_at_start: Option<WrongSetUp>,
    pub(crate) sides: SidesWatch,
    /// The last change of the board for which a move out of turn was looked for.
    pub(crate) wrong_side_looked: Instant,
    /// Squares that differ from what was played, and since when.
    pub(crate) differing: Differing,
    /// When the move was made of which it was last told that it waits for its press.
    pub(crate) incomplete_told: Option<Instant>,
    /// The clock of a side whose flag fell was set anew since.
    pub(crate) clock_set_anew: bool,
    /// A display that reached zero without a flag sign, and when.
    pub(crate) zero: Option<(Color, Instant)>,
    /// A clock has been started in this game: times are those of the time control only before that.
    pub(crate) clock_has_run: bool,
    /// When a clock first ran in this game, as far as that was seen.
    pub(crate) clock_first_ran: Option<Instant>,
    /// The period in which a player's duty to record is suspended (8.4).
    pub(crate) suspended: Pair<Option<usize>>,
    /// A question to the clock is under way since then.
    pub(crate) clock_asked: Option<Instant>,
    /// The moves that the live audience has been told.
    pub(crate) told: Told,
    /// The present step is a clock report in which nothing but seconds ran off.
    pub(crate) only_seconds: bool,
    pub(crate) ruling_dirty: bool,
    pub(crate) arbiter_dirty: bool,
    pub(crate) live_dirty: bool,
    /// The moves that arbiters were told as pending.
    pub(crate) pending_told: Vec<Move>,
    pub(crate) rev: u32,
    pub(crate) live_rev: u32,
    pub(crate) now: Instant,
    pub(crate) decoded: Vec<Decoded>,
    pub(crate) watched: Watched,
}

impl Game {
    /// A game that waits for its set-up on a board of this speed.
    pub fn new(config: GameConfig, timing: Timing) -> Game {
        let start = Record::new(Chess::default(), castling_mode(&config), &config.rulebook);
        let pawns_promote = config.rulebook.rules().table == Table::Club;
        let mut clock = Chessclock::new(config.own_clock.unwrap_or(timing.press_delay));
        clock.set_white_side(config.white_clock.unwrap_or(ClockSide::Left));
        let mut board = PhysicalBoard::new(pawns_promote);
        board.set_scan(timing.scan);
        Game {
            control: config.time_control.clone(),
            decoder: Decoder::new(start, timing.scan, config.tuning),
            config,
            scan: timing.scan,
            usual: timing,
            board,
            clock,
            setting: SettingWatch::default(),
            alarms: Alarms::default(),
            questions: Questions::default(),
            life: mate::Watch::default(),
            desk: Desk::default(),
            findings: Vec::new(),
            findings_on: Vec::new(),
            adjudged: None,
            findings_numbered: 0,
            time_set: Pair::default(),
            number: 0,
            stage: Stage::AwaitingSetUp,
            completed_before: Pair { white: Some(0), black: Some(0) },
            ending: None,
            king: KingCapture::None,
            illegal_position: IllegalPosition::default(),
            result: None,
            decisions: Decisions::default(),
            lodged: None,
            earlier_ruling: None,
            hints: Vec::new(),
            gesture: None,
            next_set_up: None,
            incomplete_set_up: None,
            missing_at_start: None,
            sides: SidesWatch::default(),
            wrong_side_looked: Instant::ZERO,
            differing: Differing::new(),
            incomplete_told: None,
            clock_set_anew: false,
            zero: None,
            clock_has_run: false,
            clock_first_ran: None,
            suspended: Pair::default(),
            clock_asked: None,
            told: Told::default(),
            only_seconds: false,
            ruling_dirty: false,
            arbiter_dirty: false,
            live_dirty: false,
            pending_told: Vec::new(),
            rev: 0,
            live_rev: 0,
            now: Instant::ZERO,
            decoded: Vec::new(),
            watched: Watched::default(),
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
        self.board.set_on_move(self.clock.runs(), matches!(self.stage, Stage::Armed | Stage::Playing));
        match event {
            DeviceEvent::Square { square, reading } => {
                if self.board.square(self.now, *square, *reading) {
                    self.learn_scan();
                    self.board_changed(out);
                    self.look_at_hands(out);
                }
            }
            DeviceEvent::Frame(frame) => {
                let unseen = self.board.unseen_since();
                if self.board.frame(self.now, frame) || unseen.is_some() {
                    self.seen_again(unseen, out);
                    self.board_changed(out);
                    self.look_at_hands(out);
                }
            }
            DeviceEvent::Log(entry) => self.decoder.log(self.now, *entry, &self.board, self.clock.white_side()),
            DeviceEvent::Clock(reading) => self.clock_read(reading, source, out),
            DeviceEvent::ClockAbsent => {
                if self.clock.lose() {
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
        self.clock_asked = None;
        let before = self.clock_view();
        let facts = self.clock.read(self.now, reading, source, self.control.as_ref());
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
        self.board.link(self.now, up);
        if !up {
            self.board_lost();
        }
    }

    fn board_lost(&mut self) {
        self.board.lose(self.now);
        self.alarms.raise(self.now, AlarmKind::BoardLost, None, 0);
    }

    /// All squares are told after `unseen`: moves may have been made meanwhile, which the board's own log may tell.
    fn seen_again(&mut self, unseen: Option<Instant>, out: &mut Vec<Effect>) {
        let playing = matches!(self.stage, Stage::Armed | Stage::Playing);
        let Some(since) = unseen.filter(|_| playing) else { return };
        if self.decoder.seen_again(since, self.now, &self.board, &mut self.decoded) {
            out.push(Effect::Device(DeviceCommand::ReadLog));
        }
    }

    fn what_was_played(&mut self, out: &mut Vec<Effect>) {
        if matches!(self.stage, Stage::Armed | Stage::Playing) {
            let view = self.clock_view();
            self.decoder.review(self.now, &self.board, &view, &mut self.decoded);
            self.look_for_first_move();
        }
        self.take_decoded(out);
        if matches!(self.stage, Stage::Armed | Stage::Playing) {
            self.look_for_king_capture();
            self.look_for_other_promotion(out);
        }
    }

    fn what_do_the_laws_say(&mut self, out: &mut Vec<Effect>) {
        // Seconds running off change no finding.
        let only_seconds = core::mem::take(&mut self.only_seconds) && !self.arbiter_dirty && !self.alarms.any_changed();
        let something = self.clock.flags().any()
            || !self.desk.entries().is_empty()
            || !self.findings.is_empty()
            || self.king_captured().is_some()
            || self.illegal_position.stood.is_some()
            || self.alarms.open().any(|alarm| facts::illegal_kind(alarm.kind).is_some());
        if something && !only_seconds && self.stage != Stage::AwaitingSetUp {
            self.find(out);
            self.decide_what_is_certain(out);
        }
    }

    fn who_must_know(&mut self, out: &mut Vec<Effect>) {
        if self.alarms.any_changed() {
            for alarm in self.alarms.take_changed() {
                out.push(Effect::Alert(crate::view::alert(&alarm)));
            }
            self.arbiter_dirty = true;
        }
        self.let_earlier_ruling_go();
        if core::mem::take(&mut self.ruling_dirty) {
            out.push(Effect::Ruling);
        }
        self.tell_live(out);
        self.arbiter_dirty |= self.pending_changed();
        if core::mem::take(&mut self.arbiter_dirty) {
            out.push(Effect::State(Audience::Arbiter));
        }
        if core::mem::take(&mut self.live_dirty) {
            self.live_rev += 1;
            out.push(Effect::State(Audience::Live));
        }
    }

    /// Notes that a move, finding or decision changed.
    pub(crate) fn revised(&mut self) {
        self.rev += 1;
        self.arbiter_dirty = true;
    }

    /// When the game wants [`Input::Deadline`], if it waits for anything.
    pub fn deadline(&self) -> Option<Instant> {
        let playing = matches!(self.stage, Stage::Armed | Stage::Playing);
        let decoder = playing.then(|| self.decoder.deadline(self.now, &self.board, &self.clock_view())).flatten();
        let king = playing.then(|| self.king_capture_due()).flatten();
        [decoder, king, self.next_watch(), self.health_due()].into_iter().flatten().min()
    }
}

pub(crate) fn castling_mode(config: &GameConfig) -> CastlingMode {
    if config.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
}
