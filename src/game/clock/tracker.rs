//! Keeps the state of a game's clock: the device, its time control, and the facts that the game remembers about both.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::Chessclock;
use super::SLACK_MS;
use super::control::TimeControl;
use super::fact::{ClockFact, Facts};
use super::flag::FlagFall;
use super::setting::{SettingWatch, SidesWatch, is_start_of};
use super::turn::Turn;
use crate::interval::Interval;
use crate::pair::Pair;
use crate::reconstruct::ClockView;

/// The longest time from a player's call of a flag until he stops the clocks.
const STOPPED_WITH: Duration = Duration::from_secs(10);
/// A clock that runs for a shorter time was only tried.
const TRIAL: Duration = Duration::from_secs(10);
/// The largest number of changes of one player's time that are kept. A clock is set digit by digit.
const MAX_SETTINGS: usize = 64;

/// The chess clock, and the facts that a game knows about it.
#[derive(Clone, Debug)]
pub(crate) struct ClockTracker {
    pub(crate) chessclock: Chessclock,
    pub(crate) control: Option<TimeControl>,
    pub(crate) setting: SettingWatch,
    /// The turn that is under way; none if its beginning was not seen, or if something else than a press came after it.
    pub(crate) turn: Option<Turn>,
    pub(crate) sides: SidesWatch,
    /// The last few times when somebody set the time of a player by hand, each with the rise in milliseconds.
    pub(crate) time_set: Pair<Vec<(Instant, i64)>>,
    /// True if the clock of a side was set again after that side's flag fell.
    pub(crate) set_anew: bool,
    /// A display that reached zero without a flag sign, and when.
    pub(crate) zero: Option<(Color, Instant)>,
    /// True if a clock has been started in this game. Only before that are the times those of the time control.
    pub(crate) has_run: bool,
    /// When a clock was last started while both stood.
    started: Instant,
    /// When both clocks were stopped, and no pressed move was made since. A link that blinks, a clock that is switched off and on, and a
    /// start of a few seconds change nothing in it.
    stopped: Option<Instant>,
    /// The time at which a clock first ran in this game; none if that was not seen.
    pub(crate) first_ran: Option<Instant>,
    /// The period in which a player's duty to record is suspended (8.4).
    pub(crate) suspended: Pair<Option<usize>>,
    /// The time since which a query to the clock has waited for its answer.
    pub(crate) asked: Option<Instant>,
}

impl ClockTracker {
    pub(crate) fn new(chessclock: Chessclock, control: Option<TimeControl>) -> ClockTracker {
        ClockTracker {
            chessclock,
            control,
            setting: SettingWatch::default(),
            turn: None,
            sides: SidesWatch::default(),
            time_set: Pair::default(),
            set_anew: false,
            zero: None,
            has_run: false,
            started: Instant::ZERO,
            stopped: None,
            first_ran: None,
            suspended: Pair::default(),
            asked: None,
        }
    }

    /// Begins another game. The device stays, and of the old game only an unanswered query to the clock.
    pub(crate) fn new_game(&mut self, now: Instant, control: Option<TimeControl>, white: ClockSide) {
        self.chessclock.new_game();
        self.chessclock.set_white_side(white);
        let has_run = self.chessclock.runs().is_some();
        self.control = control;
        self.setting = SettingWatch::default();
        self.turn = None;
        self.sides = SidesWatch::default();
        self.time_set = Pair::default();
        self.set_anew = false;
        self.zero = None;
        self.has_run = has_run;
        self.stopped = None;
        self.first_ran = has_run.then_some(now);
        self.suspended = Pair::default();
    }

    /// The state of the clock, for the decoder.
    pub(crate) fn view(&self) -> ClockView {
        let clock = &self.chessclock;
        ClockView {
            present: clock.present(),
            runs: clock.runs(),
            white: clock.white_side(),
            changed_at: clock.changed_at(),
            times: Pair { white: clock.time(Color::White), black: clock.time(Color::Black) },
        }
    }

    /// Notes times that somebody set by hand: above all the time of a player whose flag has fallen, or any time while
    /// something `entered` awaits its ruling. Time that the clock adds by itself comes with a press or a period.
    pub(crate) fn note_setting(&mut self, now: Instant, before: &ClockView, facts: &Facts, entered: bool) {
        let by_itself = |fact| matches!(fact, ClockFact::Press { .. } | ClockFact::PeriodAdded { .. });
        let unseen = |fact| matches!(fact, ClockFact::Baseline | ClockFact::RoseUnexplained { .. });
        if facts.iter().any(by_itself) || !(before.runs.is_none() || facts.iter().any(unseen)) {
            return;
        }
        // Both clocks stood, and no report was missed since.
        let stood = before.present && before.runs.is_none() && !facts.iter().any(|fact| matches!(fact, ClockFact::Baseline));
        let rose = |side: Color| self.chessclock.time(side) > *before.times.get(side) && before.times.get(side).is_some();
        let rose = Pair { white: rose(Color::White), black: rose(Color::Black) };
        let flagged = self.chessclock.flags().iter().any(|fall: &FlagFall| *rose.get(fall.side));
        self.set_anew |= flagged || (entered && (rose.white || rose.black));
        for side in [Color::White, Color::Black] {
            if *rose.get(side) {
                self.chessclock.flags_mut().set_anew(side, now);
            }
        }
        for side in [Color::White, Color::Black] {
            let Some((before_ms, now_ms)) = before.times.get(side).zip(self.chessclock.time(side)) else { continue };
            let rise = now_ms.minus(before_ms);
            // Time that ran off, or may have, is no setting. Time that somebody takes away again is one.
            if rise > 0 || (rise < 0 && stood) {
                let set = self.time_set.get_mut(side);
                if set.len() == MAX_SETTINGS {
                    set.remove(0);
                }
                set.push((now, rise));
            }
        }
    }

    /// True if both displays show the times at which the game begins; without a time control, any two equal times but zero.
    pub(crate) fn shows_start(&self) -> bool {
        let times = self.chessclock.time(Color::White).zip(self.chessclock.time(Color::Black));
        times.is_some_and(|(white, black)| match &self.control {
            Some(control) => [white, black].into_iter().all(|time| is_start_of(control.period(0), time)),
            None => white == black && white.millis() > 0,
        })
    }

    /// Notes that a clock was started. Returns true if the game was `armed` and its times differ from the time control.
    pub(crate) fn note_start(&mut self, now: Instant, armed: bool) -> bool {
        self.started = now;
        let first = !core::mem::replace(&mut self.has_run, true);
        self.first_ran.get_or_insert(now);
        if let Some(runs) = self.chessclock.runs().filter(|_| first && armed) {
            self.begin_turn(runs, Interval::seen(now, self.chessclock.report_delay()));
        }
        let Some(control) = self.control.as_ref().filter(|_| first && armed) else { return false };
        let shown = Pair { white: self.chessclock.time(Color::White), black: self.chessclock.time(Color::Black) };
        self.setting.start(control.period(0), shown)
    }

    /// Notes that the game is on. A clock that runs then was started, also if that was not seen.
    pub(crate) fn note_play(&mut self) {
        self.has_run |= self.chessclock.runs().is_some();
    }

    /// Notes that both clocks stand. `stopped`: one of them ran until now; otherwise they are heard again.
    pub(crate) fn note_stand(&mut self, now: Instant, stopped: bool) {
        let played = stopped && now >= self.started.after(TRIAL);
        if self.has_run && self.chessclock.runs().is_none() && (played || self.stopped.is_none()) {
            self.stopped = Some(now);
        }
    }

    /// Notes that a move was pressed at this time.
    pub(crate) fn note_pressed_move(&mut self, pressed: Instant) {
        self.stopped = self.stopped.filter(|stopped| pressed <= *stopped);
    }

    /// When the clocks were stopped, if they stand and have run in this game.
    pub(crate) fn stopped(&self) -> Option<Instant> {
        self.stopped.filter(|_| self.chessclock.present() && self.chessclock.runs().is_none())
    }

    fn begin_turn(&mut self, side: Color, began: Interval) {
        self.turn = self.chessclock.time(side).map(|time| Turn { side, began, time });
    }

    /// Notes a press that changed the display of the player who pressed by `rise_ms`. Returns true if the clock newly differs
    /// from the time control.
    pub(crate) fn press_differs_from_control(&mut self, now: Instant, by: Color, rise_ms: i64) -> bool {
        let clock = &self.chessclock;
        let pressed = Interval::seen(now, clock.report_delay());
        let ended = self.turn.take().filter(|turn| turn.side == by).zip(clock.time(by));
        // A display that may have reached zero does not show how much time ran off.
        let ended = ended.filter(|(_, time)| i64::from(time.millis()) - rise_ms > SLACK_MS);
        let ended = ended.map(|(turn, time)| turn.end(pressed, time, clock.resolution_ms()));
        self.begin_turn(by.other(), pressed);
        let Some(control) = &self.control else { return false };
        let period = self.chessclock.period(by);
        let next = control.next_period(period.saturating_sub(1));
        let period_added = next.is_some_and(|next| rise_ms >= i64::from(next.main_ms) / 2);
        if period_added {
            return false;
        }
        let of_press = self.setting.press(control.period(period), rise_ms);
        let of_turn = ended.is_some_and(|turn| self.setting.turn(control.period(period), &turn));
        of_press || of_turn
    }

    /// Notes whether the clocks were stopped with the call of a flag. They must be stopped soon after it, and nothing may
    /// come between, such as the move that was `made` last (club point 10).
    pub(crate) fn note_stop(&mut self, now: Instant, before: &ClockView, made: Instant) {
        if before.runs.is_none() || self.chessclock.runs().is_some() {
            return;
        }
        for fall in self.chessclock.flags_mut().iter_mut() {
            let with_it = |seen: Instant| before.changed_at.max(made) <= seen && now <= seen.after(STOPPED_WITH);
            if fall.observed_at.is_some_and(with_it) {
                fall.clocks_stopped = Some(true);
            }
        }
    }

    /// True if both clocks stood when a flag was called at `seen`, or were stopped with it; none if this is not known.
    pub(crate) fn stopped_with(&self, seen: Instant) -> Option<bool> {
        let changed = self.chessclock.changed_at();
        match self.chessclock.runs() {
            _ if !self.chessclock.present() => None,
            None => Some(changed <= seen.after(STOPPED_WITH)),
            Some(_) => (changed <= seen).then_some(false),
        }
    }

    /// The time at which both clocks were stopped, if this was after `by` had `made` something. If they were stopped to call
    /// the flag of `by`, this finishes nothing for `by`.
    pub(crate) fn stopped_after(&self, made: Interval, by: Color) -> Option<Interval> {
        let clock = &self.chessclock;
        let Interval { earliest, latest } = clock.changed();
        let stopped = clock.present() && clock.runs().is_none() && latest >= made.earliest;
        let called =
            |fall: &FlagFall| fall.side == by && fall.observed_at.is_some_and(|seen| seen <= latest) && !fall.is_over(latest);
        (stopped && !clock.flags().iter().any(called)).then_some(Interval { earliest: made.earliest.max(earliest), latest })
    }
}
