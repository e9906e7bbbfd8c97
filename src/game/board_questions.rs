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
/// The longest time for which moves and presses wait for an answer, in scans: one for the question and one for the answer, because
/// boards on a common line are asked in turn.
const ANSWER_SCANS: u32 = 2;
/// The questions about the present doubt.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoardQuestions {
    /// The number of questions about the present doubt.
    asked: usize,
    /// The time of the last question, about whatever doubt.
    last: Option<Instant>,
}

impl BoardQuestions {
    /// True if the board must be asked now.
    pub(crate) fn review(&mut self, now: Instant, seen: &mut Seen, alarms: &Alarms) -> bool {
        let Some(first) = still_since_doubt(now, seen, alarms) else {
            self.asked = 0;
            seen.board.frames.set_answer_due(None);
            return false;
        };
        let next = self.next(first);
        // Moves wait for the answer to the first question only: a board that does not answer holds nothing up.
        if self.asked == 0 && now >= first && seen.board.frames.answer_due().is_none() {
            seen.board.frames.set_answer_due(Some(now.max(next).after(seen.board.scan() * ANSWER_SCANS)));
        }
        if now < next {
            return false;
        }
        self.asked = (self.asked + 1).min(BETWEEN.len());
        self.last = Some(now);
        true
    }

    /// The next time at which the board must be asked, if nothing changes until then.
    pub(crate) fn due(&self, now: Instant, seen: &Seen, alarms: &Alarms) -> Option<Instant> {
        let first = still_since_doubt(now, seen, alarms)?;
        [first, self.next(first)].into_iter().find(|due| *due > now)
    }

    /// The time of the next question about a doubt for which the board may be asked from `first` on.
    fn next(&self, first: Instant) -> Instant {
        let between = BETWEEN[self.asked.saturating_sub(1)];
        self.last.map_or(first, |last| first.max(last.after(between)))
    }
}

/// The time from which the board may be asked, because no hand moves any more; none if there is no doubt about the board.
fn still_since_doubt(now: Instant, seen: &Seen, alarms: &Alarms) -> Option<Instant> {
    let Seen { board, clock, play, phase, .. } = seen;
    if !board.known() || board.unseen_since().is_some() {
        return None;
    }
    let (changed, scan) = (board.last_change(), board.scan());
    let rests = |time: Duration| Some(changed.after(scan.max(time)));
    if !phase.is_read() {
        let begins = phase.stage == GamePhase::AwaitingSetUp && clock.chessclock.runs().is_some();
        return rests(STANDS).filter(|_| begins || phase.wrong_set_up.is_some());
    }
    // What is played after an illegal move is read by another decoder.
    let after = play.after_illegal.as_ref().and_then(|after| after.decoder.as_ref());
    let decoder = after.filter(|_| play.awaits_ruling_on_illegal_move()).unwrap_or(&play.decoder);
    let (waits, pressed) = (decoder.press_waits(), decoder.last_press());
    if !waits && after.is_some_and(|after| after.explains(board)) {
        return None;
    }
    let done = changed.max(pressed.unwrap_or(changed)).after(scan);
    let moved = !decoder.line().is_empty() && (pressed.is_some() || !clock.chessclock.present());
    let loses = board.frames.loses_reports(now);
    if waits || (moved && loses && !board.frames.was_read_since(done)) {
        return Some(done);
    }
    let watched = seen.is_watched() && seen.gesture_since(now).is_none();
    let differs = if watched { seen.differs(alarms) & decoder.unexplained_squares(board) } else { 0 };
    let lifted = men::squares(differs).all(|square| board.men()[square.index()] == EMPTY);
    match differs {
        0 => None,
        _ if pressed.is_some() => Some(done),
        _ if lifted && !loses => rests(NOT_IN_HAND),
        _ => rests(STANDS),
    }
}
