//! Players at a simulated board: from a recorded game and the noise model to hand motions, presses, and the truth about them.
//!
//! The moves come first, one after the other, each in its own time. What else hands and sensors do is laid around them where
//! it is physically possible.

mod asides;
mod clockwork;
mod moves;
mod table;

use std::time::Duration;

use flagfall_hardware::emulator::script::{Action, Script};
use flagfall_hardware::emulator::{ClockWay, Settings};
use flagfall_protocols::event::ClockSide;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingSide, Chess, Color, Move, Position, Square};

use super::dice::{Dice, seconds};
use super::noise::Noise;
use super::score_sheet::ScoreSheet;
use super::times::{Control, own_times};
use super::truth::{Ply, Truth, micros};
use clockwork::{Clockwork, Hand};
use moves::Motions;
use table::{Change, Table};

/// The driver's start-up questions are answered by then.
const STARTED: Duration = Duration::from_secs(6);
/// After a release the next hand comes near the board so much later at the earliest.
const AFTER_RELEASE: Duration = Duration::from_millis(80);
/// Between two presses.
const AFTER_PRESS: Duration = Duration::from_millis(120);
/// The dump takes so long on the wire at 9600 baud.
const DUMP_WIRE_S: f64 = 0.07;
/// After the hands and the clock the board stays so long.
const QUIET: Duration = Duration::from_secs(8);

/// Everything that a simulated game needs.
#[derive(Clone, Debug)]
pub struct Performance {
    /// The board and its clock.
    pub settings: Settings,
    /// What hands do.
    pub script: Script,
    /// As the daemon is told it: with so much more main time that hands have the time they need.
    pub control: Control,
    /// What really happens.
    pub truth: Truth,
    /// Nothing more happens from here on.
    pub end: Duration,
}

/// Plays a recorded game.
pub fn perform(sheet: &ScoreSheet, noise: &Noise, dice: &mut Dice) -> Performance {
    let control = Control::of(sheet);
    let own = own_times(sheet, &control, dice);
    let settings = board(noise, dice);
    let begin = STARTED + dice.span([0.0, 2.0]);
    let mut players = Players {
        noise,
        slow: control.slow(),
        position: Chess::default(),
        table: Table::new(&Chess::default()),
        clockwork: Clockwork::new(begin),
        truth: Truth::default(),
        ready: begin,
        free: begin,
        forgotten: None,
        dice,
    };
    for (index, (&mv, own)) in sheet.moves.iter().zip(own).enumerate() {
        let last = index + 1 == sheet.moves.len();
        let pressed = !last || sheet.clocks[index].is_some() || !sheet.has_clocks();
        players.ply(mv, own, pressed, last);
    }
    let clockwork = players.finish(sheet);
    let Players { mut table, mut truth, .. } = players;
    let more = clockwork.more_time_needed(&control);
    let control = control.with_more(more);
    let timing = clockwork.run(&control);
    if let Some(fell) = timing.flag {
        asides::flag(&mut truth, fell);
    }
    asides::lay(noise, dice, &mut table, &mut truth, timing.end);
    let mut actions = table.actions();
    actions.extend(timing.actions);
    actions.extend(asides::sensors(noise, dice, &table, &mut truth, timing.end));
    asides::explain(&mut truth, &sheet.moves, timing.end);
    let end = timing.end + QUIET;
    truth.end_us = micros(timing.end);
    let settings = Settings { clock: Some(control.clock()), ..settings };
    Performance { settings, script: table::script(actions), control, truth, end }
}

/// A board of this noise.
fn board(noise: &Noise, dice: &mut Dice) -> Settings {
    let scan = dice.span(noise.scan_s);
    let [sooner, latest] = noise.clock_asked_s;
    Settings {
        scan,
        scan_phase: scan.mul_f64(dice.between([0.0, 1.0])),
        clock_poll: seconds(latest),
        clock_way: ClockWay {
            sooner: seconds(latest - sooner),
            delay: noise.clock_delay_s.map(seconds),
            skipped: (noise.clock_skipped * 10_000.0) as u16,
            seed: dice.seed(),
        },
        reply_delay: seconds(noise.dump_s - DUMP_WIRE_S),
        ..Settings::default()
    }
}

struct Players<'a> {
    noise: &'a Noise,
    dice: &'a mut Dice,
    slow: bool,
    position: Chess,
    table: Table,
    clockwork: Clockwork,
    truth: Truth,
    /// The player to move thinks from here on.
    ready: Duration,
    /// No hand comes to the board before.
    free: Duration,
    /// Who forgot to press, since when: his clock still runs.
    forgotten: Option<Color>,
}

impl Players<'_> {
    fn ply(&mut self, mv: Move, own: Duration, pressed: bool, last: bool) {
        let color = self.position.turn();
        let Motions { touches, mut odd } = moves::make(self.dice, self.noise, self.slow, &self.position, mv);
        let motions = Motions { touches, odd: Vec::new() };
        let lasts = motions.lasts();
        let median = if self.slow { self.noise.press_after_slow_s } else { self.noise.press_after_quick_s };
        let reach = self.dice.lognormal(median, self.noise.press_after_spread);
        let hurry = self.dice.span([0.0, 0.1]);
        let think = own.saturating_sub(lasts + reach).max(hurry);
        self.correct_clock(think, &mut odd);
        let begin = self.begin(own, think, &mut odd);
        let released = begin + lasts;
        for &(after, square, man) in &motions.touches {
            self.table.change(Change { at: begin + after, square, man });
        }
        self.free = released + AFTER_RELEASE;
        let forgets = self.dice.chance(self.noise.press_forgotten) && !last && self.forgotten.is_none();
        let notices = self.dice.chance(self.noise.forgotten_noticed);
        let noticed = self.dice.span(self.noise.forgotten_noticed_after_s);
        let press = match () {
            () if !pressed => None,
            () if forgets && notices => {
                odd.push("press_late");
                Some(released + noticed)
            }
            () if forgets => {
                odd.push("press_forgotten");
                None
            }
            () => Some(released + reach),
        };
        self.press(color, released, reach, press, forgets && !notices);
        let first = motions.touches.first().map_or(begin, |(after, ..)| begin + *after);
        let lever = press.is_some() && self.forgotten.is_none_or(|by| by == color);
        if lever {
            self.forgotten = None;
        }
        let pressed_us = self.clockwork.last_press().filter(|_| press.is_some()).map(micros);
        let (squares, king_to_centre) = (squares(mv), king_to_centre(mv));
        let uci = UciMove::from_standard(mv).to_string();
        let san = SanPlus::from_move_and_play_unchecked(&mut self.position, mv).to_string();
        let (lifted_us, released_us) = (micros(first), micros(released));
        self.truth.plies.push(Ply { san, uci, lifted_us, released_us, pressed_us, lever, squares, king_to_centre, odd });
    }

    /// When the first man is touched.
    fn begin(&mut self, own: Duration, think: Duration, odd: &mut Vec<&'static str>) -> Duration {
        let early = self.dice.chance(self.noise.reply_before_press);
        let ahead = self.dice.span([0.0, 0.6]);
        let quick = own <= seconds(self.noise.reply_before_press_within_s);
        let waits = self.truth.plies.last().is_some_and(|before| before.pressed_us.is_some() && before.lever);
        if early && quick && waits && self.free < self.ready {
            odd.push("reply_before_press");
            return self.free.max(self.ready.saturating_sub(ahead));
        }
        self.free.max(self.ready + think)
    }

    /// The press, and from when on the opponent thinks.
    fn press(&mut self, color: Color, released: Duration, reach: Duration, press: Option<Duration>, forgets: bool) {
        if let Some(at) = press {
            let at = at.max(self.clockwork.last_press().map_or(Duration::ZERO, |before| before + AFTER_PRESS));
            self.clockwork.add(at, Hand::Press(color));
            self.ready = at;
            // A press that comes late is waited for.
            if at > released + reach * 2 {
                self.free = self.free.max(at + AFTER_RELEASE);
            }
            return;
        }
        self.ready = released + reach;
        if forgets {
            self.forgotten = Some(color);
        }
    }

    /// Perhaps the arbiter puts the times right while the player thinks.
    fn correct_clock(&mut self, think: Duration, odd: &mut Vec<&'static str>) {
        const LEAST: Duration = Duration::from_secs(20);
        let corrects = self.dice.chance(self.noise.clock_corrected);
        let [stops, sets, runs] = [self.dice.span([2.0, 10.0]), self.dice.span([4.0, 12.0]), self.dice.span([2.0, 6.0])];
        let gift = if self.dice.chance(0.5) { [60, 0] } else { [0, 60] };
        if !corrects || think < LEAST {
            return;
        }
        odd.push("clock_corrected");
        let at = self.ready + stops;
        self.clockwork.add(at, Hand::Stop);
        self.clockwork.add(at + sets, Hand::Give(gift));
        self.clockwork.add(at + sets + runs, Hand::Run);
        self.ready += sets + runs;
    }

    /// After the last move: an arbiter stops the clock, unless a flag is to fall.
    fn finish(&mut self, sheet: &ScoreSheet) -> Clockwork {
        let stop = self.ready.max(self.free) + self.dice.span([2.0, 9.0]);
        if !sheet.time_forfeit() {
            self.clockwork.add(stop, Hand::Stop);
        }
        std::mem::take(&mut self.clockwork)
    }
}

/// White sits at the left of the clock.
const fn side(color: Color) -> ClockSide {
    match color {
        Color::White => ClockSide::Left,
        Color::Black => ClockSide::Right,
    }
}

fn king_to_centre(mv: Move) -> bool {
    mv.role() == shakmaty::Role::King && [Square::D4, Square::D5, Square::E4, Square::E5].contains(&mv.to())
}

/// Squares that a move changes, bit 0 = a1.
fn squares(mv: Move) -> u64 {
    let bit = |square: Square| 1_u64 << u32::from(square);
    match mv {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            let color = if king.rank() == shakmaty::Rank::First { Color::White } else { Color::Black };
            bit(king) | bit(rook) | bit(side.king_to(color)) | bit(side.rook_to(color))
        }
        Move::EnPassant { from, to } => bit(from) | bit(to) | bit(Square::from_coords(to.file(), from.rank())),
        _ => mv.from().map_or(0, bit) | bit(mv.to()),
    }
}

impl From<Hand> for Option<Action> {
    fn from(hand: Hand) -> Option<Action> {
        match hand {
            Hand::Press(color) => Some(Action::Press(side(color))),
            Hand::Run => Some(Action::Run),
            Hand::Stop => Some(Action::Stop),
            Hand::Give(_) => None,
        }
    }
}
