//! Keeps what the reports of all squares have shown: changes whose own reports are missing, and answers to questions.

use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::reconstruct::board::PhysicalBoard;

/// The time after a lost report for which more of them may be lost: a bad line stays bad for some time.
const DOUBTED: Duration = Duration::from_secs(600);

/// The reports of all squares of one board.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameHistory {
    /// The first report after a time in which the board was not heard: since when nothing was heard, and when the report came.
    pub(super) gap: Option<(Instant, Instant)>,
    /// The last report that showed a change whose own report was lost: since when it may have happened, and when the report came.
    pub(super) lost: Option<(Instant, Instant)>,
    /// The time of the last report.
    last: Option<Instant>,
    /// The board was asked for all its squares, and has not answered: until when its answer is awaited.
    answer_due: Option<Instant>,
}

impl FrameHistory {
    /// Begins a report at `at`; before it, nothing was heard since `unseen_since`. Returns the moment up to which the report before
    /// it showed every change.
    pub(super) fn begin(&mut self, at: Instant, unseen_since: Option<Instant>, scan: Duration) -> Instant {
        self.answer_due = None;
        if let Some(since) = unseen_since {
            self.gap = Some((since, at));
        }
        self.last.replace(at).map_or(Instant::ZERO, |last| last.before(scan))
    }

    /// Notes that the report at `at` shows a change of a square that was not reported by itself. It happened after `since`.
    pub(super) fn note_change(&mut self, at: Instant, since: Instant) {
        if self.gap.is_some_and(|(_, seen)| seen == at) {
            return;
        }
        let first = self.lost.filter(|(_, told)| *told == at).map_or(since, |(first, _)| first.min(since));
        self.lost = Some((first, at));
    }

    /// True if the report of a change was lost not long ago. More reports may be lost then, and moves are checked by questions.
    pub(crate) fn loses_reports(&self, now: Instant) -> bool {
        self.lost.is_some_and(|(_, told)| now < told.after(DOUBTED))
    }

    /// When the board last reported all its squares.
    pub(crate) fn read_at(&self) -> Instant {
        self.last.unwrap_or(Instant::ZERO)
    }

    /// True if the board has reported all its squares at `at` or later.
    pub(crate) fn was_read_since(&self, at: Instant) -> bool {
        self.last.is_some_and(|last| last >= at)
    }

    /// Sets until when the answer to a question for all squares is awaited.
    pub(crate) fn set_answer_due(&mut self, until: Option<Instant>) {
        self.answer_due = until;
    }

    /// Until when an answer is awaited, if the board was asked for all its squares and has not answered.
    pub(crate) fn answer_due(&self) -> Option<Instant> {
        self.answer_due
    }

    /// True while an answer is awaited.
    pub(crate) fn awaits_answer(&self, now: Instant) -> bool {
        self.answer_due.is_some_and(|until| now < until)
    }
}

impl PhysicalBoard {
    /// True if each report of the board is one of all squares.
    pub(crate) fn shows_all_squares(&self) -> bool {
        !self.reports_changes
    }

    /// True if `at` is the moment of the first report after a gap: its changes may have been made at any time in the gap.
    pub(crate) fn is_first_after_gap(&self, at: Instant) -> bool {
        self.frames.gap.is_some_and(|(since, seen)| seen == at && since > Instant::ZERO)
    }

    /// True if a change that was shown at `at` was reported late, because its own report was lost.
    pub(crate) fn was_reported_late(&self, at: Instant) -> bool {
        self.frames.lost.is_some_and(|(_, told)| told == at)
    }
}
