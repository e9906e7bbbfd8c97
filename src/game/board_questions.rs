//! Decides when the board is asked for all its squares, because the report of a change may have been lost
//! (`reconstruct/README.md#3.9`).

use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::alarm::Alarms;
use crate::game_phase::GamePhase;
use crate::men::{self, EMPTY};
use crate::seen::Seen;

/// The time for which a board that is not explained must be still before it is asked, if no press waits.
const STANDS: Duration = Duration::from_secs(1);
/// The same time if men are only off their squares, because they may be in hands: the time of the alarm `piece_in_hand`.
const NOT_IN_HAND: Duration = Duration::from_secs(5);
/// The times between questions about the same doubt. The last one repeats. The first one is also the shortest time between any two
/// questions, so that the line stays free for the reports of the board.
const BETWEEN: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];
/// The shortest time between two questions about moves that may be parts of longer ones. Nothing else is in doubt about them, so
/// they leave nearly the whole line free; a wrong move is noticed within fifteen seconds.
const CHECKED_EVERY: Duration = Duration::from_secs(8);
/// The longest time for which moves and presses wait for an answer, in scans: one for the question and one for the answer, because
/// boards on a common line are asked in turn.
const ANSWER_SCANS: u32 = 2;

/// The questions about the present doubt.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoardQuestions {
    /// The number of questions about the present doubt.
    asked: usize,
    /// The press that waited for the answer to them (see [`Doubt::waits`]).
    waits: Option<Instant>,
    /// The time of the last question, about whatever doubt.
    last: Option<Instant>,
    /// The time of the next question, if nothing changes until then.
    due: Option<Instant>,
}

impl BoardQuestions {
    /// True if the board must be asked now.
    pub(crate) fn review(&mut self, now: Instant, seen: &mut Seen, alarms: &Alarms) -> bool {
        let Some(doubt) = doubt(now, seen, alarms) else {
            (self.asked, self.due) = (0, None);
            seen.board.frames.set_answer_due(None);
            return false;
        };
        if doubt.waits.is_some() && self.waits != doubt.waits {
            (self.waits, self.asked) = (doubt.waits, 0);
            seen.board.frames.set_answer_due(None);
        }
        let next = self.next(&doubt);
        // Moves and presses wait for the answer to the first question only: a board that does not answer holds nothing up.
        if doubt.waits.is_some() && self.asked == 0 && now >= doubt.from && seen.board.frames.answer_due().is_none() {
            seen.board.frames.set_answer_due(Some(now.max(next).after(seen.board.scan() * ANSWER_SCANS)));
        }
        let ask = now >= next;
        if ask {
            self.asked = (self.asked + 1).min(BETWEEN.len());
            self.last = Some(now);
        }
        self.due = [doubt.from, self.next(&doubt)].into_iter().find(|due| *due > now);
        ask
    }

    /// The next time at which the board must be asked, if nothing changes until then.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// The time of the next question about this doubt.
    fn next(&self, doubt: &Doubt) -> Instant {
        let between = BETWEEN[self.asked.saturating_sub(1)];
        self.last.map_or(doubt.from, |last| doubt.from.max(last.after(between)))
    }
}

/// A doubt about what the board shows.
struct Doubt {
    /// The time from which the board may be asked, because no hand moves any more.
    from: Instant,
    /// The latest press that waits for the answer, or without a clock the last change. Another press is another doubt.
    waits: Option<Instant>,
}

/// The doubt about the board, if there is one.
fn doubt(now: Instant, seen: &Seen, alarms: &Alarms) -> Option<Doubt> {
    let Seen { board, clock, play, phase, .. } = seen;
    if !board.known() || board.unseen_since().is_some() {
        return None;
    }
    let (changed, scan) = (board.last_change(), board.scan());
    let rests = |time: Duration| Some(Doubt { from: changed.after(scan.max(time)), waits: None });
    if !phase.is_read() {
        let begins = phase.stage == GamePhase::AwaitingSetUp && clock.chessclock.runs().is_some();
        return rests(STANDS).filter(|_| begins || phase.wrong_set_up.is_some());
    }
    // What is played after an illegal move is read by another decoder.
    let after = play.after_illegal.as_ref().and_then(|after| after.decoder.as_ref());
    let decoder = after.filter(|_| play.awaits_ruling_on_illegal_move()).unwrap_or(&play.decoder);
    let (waits, loses, unchecked) = (decoder.press_waits(), board.frames.loses_reports(now), decoder.unchecked_since());
    let (unexplained, hidden) = (decoder.unexplained_squares(board), decoder.may_hide_another_move(board));
    // Nearly always nothing is in doubt.
    if !waits && !hidden && !loses && unchecked.is_none() && unexplained == 0 {
        return None;
    }
    if !waits && after.is_some_and(|after| after.explains(board)) {
        return None;
    }
    let pressed = decoder.last_press();
    let done = changed.max(pressed.unwrap_or(changed)).after(scan);
    let moved = !decoder.line().is_empty() && (pressed.is_some() || !clock.chessclock.present());
    if waits || hidden || (moved && loses && !board.frames.was_read_since(done)) {
        return Some(Doubt { from: done, waits: pressed.or(Some(changed)) });
    }
    if !seen.is_watched() || seen.gesture_since(now).is_some() {
        return None;
    }
    let differs = if unexplained == 0 { 0 } else { seen.differs(alarms) & unexplained };
    let lifted = men::squares(differs).all(|square| board.men()[square.index()] == EMPTY);
    match differs {
        0 => {
            // Boards that repeat their reports are not asked.
            let unchecked = unchecked.filter(|since| seen.usual.in_turn && !board.frames.was_read_since(*since));
            unchecked.map(|_| Doubt { from: changed.after(scan).max(board.frames.read_at().after(CHECKED_EVERY)), waits: None })
        }
        _ if pressed.is_some() => Some(Doubt { from: done, waits: pressed }),
        _ if lifted && !loses => rests(NOT_IN_HAND),
        _ => rests(STANDS),
    }
}
