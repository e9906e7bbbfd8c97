//! Derives the time of each move from the clock readings of a recorded game, and the setting of a clock for these times.

use std::time::Duration;

use flagfall_game::clock::control::{Method as ControlMethod, TimeControl};
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model, Period};
use flagfall_protocols::time::ClockTime;

use super::dice::{Dice, seconds};
use super::score_sheet::ScoreSheet;

/// The time for a move, in seconds, if nothing is known about the times of a player.
const UNKNOWN_TIME_S: f64 = 10.0;
/// The part of a period's time by which a reading must be too high to include that period.
const HAS_BONUS: f64 = 0.5;
/// The time for 60 moves, in seconds, from which a game counts as slow.
const SLOW_S: f64 = 3600.0;

/// The time control of a recorded game, and how it is known.
#[derive(Clone, Debug)]
pub struct Control {
    /// The time control of the daemon.
    pub control: TimeControl,
    /// Whether it was derived and not read from the tag.
    pub derived: bool,
}

impl Control {
    /// Reads the tag's time control; derives one from the readings if the tag cannot be read.
    pub fn from_sheet(sheet: &ScoreSheet) -> Control {
        if let Ok(control) = TimeControl::parse(sheet.time_control.trim()) {
            return Control { control, derived: false };
        }
        let text = derive_control(sheet);
        // The text has whole minutes below ten hours and a listed increment.
        let control = TimeControl::parse(&text).unwrap_or_else(|_| TimeControl::parse("5400+30").expect("a time control"));
        Control { control, derived: true }
    }

    /// Seconds that are added with each move in the period of this index.
    fn per_move(&self, period: usize) -> f64 {
        f64::from(self.control.period(period).per_move_ms) / 1000.0
    }

    /// Whether the game has an hour or more for 60 moves.
    pub fn slow(&self) -> bool {
        let main: f64 = (0..).take_while(|&i| i == 0 || self.control.next_period(i - 1).is_some()).map(|i| self.main(i)).sum();
        main + 60.0 * self.per_move(0) >= SLOW_S
    }

    fn main(&self, period: usize) -> f64 {
        f64::from(self.control.period(period).main_ms) / 1000.0
    }

    /// Returns the same control with this many more seconds in the first period.
    pub fn with_more(&self, seconds: u32) -> Control {
        let text = self.control.to_string();
        let main = self.control.period(0).main_ms / 1000;
        // The main time of the first period stands first, after its number of moves.
        let more = text.replacen(&main.to_string(), &(main + seconds).to_string(), 1);
        let more = match text.split_once('/').filter(|(moves, _)| moves.bytes().all(|b| b.is_ascii_digit())) {
            Some((moves, rest)) => format!("{moves}/{}", rest.replacen(&main.to_string(), &(main + seconds).to_string(), 1)),
            None => more,
        };
        match TimeControl::parse(&more) {
            Ok(control) => Control { control, derived: self.derived },
            // The time is longer than a clock can show: the game keeps what it has.
            Err(_) => self.clone(),
        }
    }

    /// A DGT 3000 with this setting.
    pub fn clock(&self) -> ClockSettings {
        let first = self.control.period(0);
        let method = match first.method {
            ControlMethod::TimeOnly => Method::TimeOnly,
            ControlMethod::Fischer => Method::Fischer,
            ControlMethod::Bronstein => Method::Bronstein,
            ControlMethod::UsDelay => Method::UsDelay,
        };
        let mut settings = ClockSettings::new(Model::Dgt3000, method, ClockTime(first.main_ms), ClockTime(first.per_move_ms));
        let count = (0..).take_while(|&i| i == 0 || self.control.next_period(i - 1).is_some());
        let periods = count.map(|index| self.control.period(index));
        settings.periods = periods
            .map(|period| Period {
                time: ClockTime(period.main_ms),
                additional: ClockTime(period.per_move_ms),
                moves: period.moves,
            })
            .collect();
        settings
    }
}

/// Derives a time control that fits the readings: a usual one, or else whole minutes and the increment that the fastest moves
/// show.
fn derive_control(sheet: &ScoreSheet) -> String {
    const USUAL: [(f64, f64); 5] = [(5400.0, 30.0), (900.0, 10.0), (600.0, 10.0), (300.0, 3.0), (180.0, 2.0)];
    const BONUS_S: f64 = 600.0;
    let all = |side: usize| sheet.clocks.iter().skip(side).step_by(2).flatten().map(Duration::as_secs_f64);
    let own = |side: usize| -> Vec<f64> { all(side).take(35).collect() };
    let (white, black) = (own(0), own(1));
    let rise = |clocks: &[f64]| clocks.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let shown = rise(&white).max(rise(&black));
    let bonus = rise(&all(0).collect::<Vec<_>>()).max(rise(&all(1).collect::<Vec<_>>())) > BONUS_S;
    let first = white.first().copied().unwrap_or(5400.0).max(black.first().copied().unwrap_or(0.0));
    let usual = USUAL.iter().find(|(main, more)| (main - 60.0..=main + 2.0 * more).contains(&first) && shown <= *more);
    match usual {
        Some((main, more)) if bonus => return format!("40/{main}+{more}:1800+{more}"),
        Some((main, more)) => return format!("{main}+{more}"),
        None => {}
    }
    let increment =
        [0_u32, 1, 2, 3, 5, 10, 15, 20, 30, 60].into_iter().rfind(|&known| f64::from(known) <= shown + 1.0).unwrap_or(0);
    let minutes = ((first - f64::from(increment)) / 60.0).ceil().clamp(1.0, 590.0);
    format!("{}+{increment}", minutes * 60.0)
}

/// Returns the time that each move took its player, from the opponent's press to his own; the part below the second of the
/// readings is drawn.
pub fn own_times(sheet: &ScoreSheet, control: &Control, dice: &mut Dice) -> Vec<Duration> {
    let mut times = vec![0.0; sheet.moves.len()];
    for side in 0..2 {
        let clocks: Vec<Option<f64>> = sheet.clocks.iter().skip(side).step_by(2).map(|c| c.map(|c| c.as_secs_f64())).collect();
        for (index, time) in own_times_of_side(&clocks, control).into_iter().enumerate() {
            times[2 * index + side] = time;
        }
    }
    times.into_iter().map(|time| seconds(time.max(0.0) + dice.between([0.0, 1.0]))).collect()
}

/// Returns the times of one side. Moves without a reading share the time between the readings around them.
fn own_times_of_side(clocks: &[Option<f64>], control: &Control) -> Vec<f64> {
    let mut times = vec![f64::NAN; clocks.len()];
    let mut period = 0;
    // The first increment is in the starting time; a reading includes the increment of its own press.
    let mut before = (0, control.main(0) + control.per_move(0));
    for (index, clock) in clocks.iter().enumerate() {
        let Some(clock) = *clock else { continue };
        let moves = (index + 1 - before.0) as f64;
        let mut took = before.1 + moves * control.per_move(period) - clock;
        let due = control.control.required(period).is_some_and(|required| index + 1 >= required as usize);
        if let (true, Some(next)) = (due, control.control.next_period(period)) {
            let bonus = f64::from(next.main_ms) / 1000.0;
            if took < -HAS_BONUS * bonus {
                took += bonus;
                period += 1;
            }
        }
        times[before.0..=index].fill((took / moves).max(0.0));
        before = (index + 1, clock);
    }
    let mut known: Vec<f64> = times.iter().copied().filter(|time| !time.is_nan()).collect();
    known.sort_by(f64::total_cmp);
    let usual = known.get(known.len() / 2).copied().unwrap_or(UNKNOWN_TIME_S);
    times.into_iter().map(|time| if time.is_nan() { usual } else { time }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> Control {
        Control { control: TimeControl::parse(text).unwrap(), derived: false }
    }

    #[test]
    fn differences_give_own_times() {
        let clocks = [Some(5455.0), Some(5430.0), None, Some(5380.0), None];
        // 5430 at the start with the first increment; 30 with every move.
        assert_eq!(own_times_of_side(&clocks, &control("5400+30")), [5.0, 55.0, 55.0, 55.0, 55.0]);
    }

    #[test]
    fn a_period_added_late_is_no_rise() {
        let control = control("2/100+10:1000+10");
        for late in 2..4 {
            let mut left = 110.0;
            let clocks: Vec<_> = (1..=5)
                .map(|number| {
                    left += if number == late { 990.0 } else { -10.0 };
                    Some(left)
                })
                .collect();
            assert_eq!(own_times_of_side(&clocks, &control), [20.0; 5], "at move {late}");
        }
    }

    #[test]
    fn more_time_for_the_first_period() {
        for (text, more) in [("40/5400+30:1800+30", "40/5460+30:1800+30"), ("180+2", "240+2"), ("40/40:40+1", "40/100:40+1")] {
            assert_eq!(control(text).with_more(60).control.to_string(), more);
        }
    }
}
