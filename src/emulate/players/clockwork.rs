//! Simulates the actions of hands at the clock, and derives the times that the clock then shows.

use std::time::Duration;

use flagfall_hardware::emulator::clock::Clock;
use flagfall_hardware::emulator::clock_model::ClockSettings;
use flagfall_hardware::emulator::script::Action;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::Color;

use super::side;

/// The time that each player keeps at least if no flag is to fall, in milliseconds.
const SPARE_MS: i64 = 5_000;
/// The step in which main time is added, in seconds.
const STEP_S: u64 = 10;
/// The longest time for which a flag-fall is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(6 * 3600);
/// The time between a flag-fall and the arbiter's stop of the clock.
const STOPS: Duration = Duration::from_secs(4);

/// One action at the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hand {
    Press(Color),
    /// The lever of that side is pressed while no time runs.
    Lever(Color),
    Run,
    Stop,
    /// Seconds that the arbiter adds for White and Black.
    Give([i64; 2]),
}

/// The actions at the clock, in order of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Clockwork {
    hands: Vec<(Duration, Hand)>,
    pressed: Option<Duration>,
}

/// The result of the actions at a clock.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    pub(super) actions: Vec<(Duration, Action)>,
    /// Whose flag fell, and when.
    pub(super) flag: Option<(Color, Duration)>,
    /// The time of the last action.
    pub(super) end: Duration,
}

impl Clockwork {
    /// Makes a clock that is started at `begin`.
    pub(super) fn new(begin: Duration) -> Clockwork {
        Clockwork { hands: vec![(begin, Hand::Run)], pressed: None }
    }

    pub(super) fn add(&mut self, at: Duration, hand: Hand) {
        if matches!(hand, Hand::Press(_)) {
            self.pressed = Some(at);
        }
        let index = self.hands.partition_point(|(earlier, _)| *earlier <= at);
        self.hands.insert(index, (at, hand));
    }

    /// Removes the first start.
    pub(super) fn not_started(&mut self) {
        self.hands.clear();
    }

    /// The time of the last press.
    pub(super) fn last_press(&self) -> Option<Duration> {
        self.pressed
    }

    /// Returns how many more seconds the first period needs so that no time runs out.
    pub(super) fn more_time_needed(&self, clock: ClockSettings) -> u32 {
        let mut settings = clock;
        let ample = ample_time(&settings);
        settings.periods[0].time = ClockTime(settings.periods[0].time.millis() + ample);
        let mut clock = Clock::new(settings, Instant::ZERO);
        let mut least = i64::MAX;
        for &(at, hand) in &self.hands {
            clock.advance(Instant::ZERO.after(at));
            least = least.min(i64::from(times_left(&clock).map(ClockTime::millis).into_iter().min().unwrap_or(0)));
            apply_hand(&mut clock, hand);
        }
        let missing = (SPARE_MS + i64::from(ample) - least).max(0).unsigned_abs();
        (missing.div_ceil(STEP_S * 1000) * STEP_S) as u32
    }

    /// Applies all actions to a clock; if it is not stopped in the end, it runs until a flag falls.
    pub(super) fn timing(&self, settings: ClockSettings) -> Timing {
        let mut clock = Clock::new(settings, Instant::ZERO);
        let mut actions = Vec::with_capacity(self.hands.len());
        let mut end = Duration::ZERO;
        for &(at, hand) in &self.hands {
            clock.advance(Instant::ZERO.after(at));
            end = end.max(at);
            actions.push((at, apply_hand(&mut clock, hand)));
        }
        let mut flag = None;
        if clock.running() {
            flag = wait_for_flag(&mut clock, end);
            end = flag.map_or(end, |(_, at)| at) + STOPS;
            actions.push((end, Action::Stop));
        }
        Timing { actions, flag, end }
    }
}

/// Waits for the flag of the side whose clock runs.
fn wait_for_flag(clock: &mut Clock, from: Duration) -> Option<(Color, Duration)> {
    const STEP: Duration = Duration::from_millis(50);
    let runs = clock.reading().turn?;
    let mut now = from;
    while now < from + LONGEST_WAIT {
        now += STEP;
        clock.advance(Instant::ZERO.after(now));
        let face = clock.reading().face(runs);
        if face.flag_blocked || face.flag_shown {
            let color = if runs == ClockSide::Left { Color::White } else { Color::Black };
            return Some((color, now));
        }
    }
    None
}

/// Returns an amount of time that is more than the game needs, and that the clock can still show.
fn ample_time(settings: &ClockSettings) -> u32 {
    const MOVES: u32 = 200;
    let game: u32 = settings.periods.iter().map(|period| period.time.millis()).sum();
    let per_move = settings.periods.iter().map(|period| period.additional.millis()).max().unwrap_or(0);
    ClockSettings::LONGEST.millis().saturating_sub(game + MOVES * per_move)
}

fn times_left(clock: &Clock) -> [ClockTime; 2] {
    let reading = clock.reading();
    [reading.left.time, reading.right.time]
}

/// Applies an action, and returns it in the form of the script.
fn apply_hand(clock: &mut Clock, hand: Hand) -> Action {
    match hand {
        Hand::Press(color) | Hand::Lever(color) => {
            clock.press(side(color));
            Action::Press(side(color))
        }
        Hand::Run => {
            clock.run();
            Action::Run
        }
        Hand::Stop => {
            clock.stop();
            Action::Stop
        }
        Hand::Give(gift) => {
            let [left, right] = times_left(clock);
            let given = |time: ClockTime, seconds: i64| {
                let millis = i64::from(time.millis()) + seconds * 1000;
                ClockTime(millis.clamp(1000, i64::from(ClockSettings::LONGEST.millis())) as u32)
            };
            let (left, right) = (given(left, gift[0]), given(right, gift[1]));
            // The clock stands, since the arbiter stopped it before.
            let _ = clock.set(left, right);
            Action::Set { left, right }
        }
    }
}
