//! Finds the position and the side to move from which a game goes on that was not seen from its beginning
//! (`reconstruct/README.md#4.1`).
//!
//! Whose clock runs does not show who has the move: the move on the board may not be pressed yet, or a man may be in a hand. Every
//! press gives other possible positions: the opponent of the player who pressed has the move, and one of the boards that were seen
//! at about that time stood then. A decoder follows the game from each of them. The one that first explains a whole move is right.

use alloc::vec::Vec;
use core::iter;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{CastlingMode, Chess};

use crate::interval::Interval;
use crate::laws::rulebook::Rulebook;
use crate::men::{self, EMPTY, Men};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::Record;
use crate::reconstruct::{ClockView, Conclusion, Decoder, setup};

/// The largest number of positions that are followed. In very fast play a press has about four, and a wrong one is given up after at
/// most three further presses.
const MOST: usize = 24;

/// The possible beginnings of a game that was not seen from its beginning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joining {
    /// The game is on, and it is not known yet with which of the possible positions it goes on.
    pub(crate) undecided: bool,
    /// From when until when the board has shown exactly the first position of the present decoder.
    stood: Option<(Instant, Instant)>,
    /// The decoders that follow other positions than the present one, the earliest one first.
    possible: Vec<Decoder>,
    /// The position before a gap that nothing explains, if the game may have gone on after it.
    before_gap: Option<Chess>,
    /// The number of presses since that gap.
    presses: usize,
    /// The last press. For one scan after it, reports of the board may show what stood at that time.
    pressed: Option<(Color, Interval)>,
}

/// The time after which a position on the board is no move that is under way.
const NO_MOVE_UNDER_WAY: Duration = Duration::from_secs(5);

/// The rules under which the game is read.
#[derive(Clone, Copy)]
pub(crate) struct Under<'a> {
    pub(crate) mode: CastlingMode,
    pub(crate) rulebook: &'a Rulebook,
}

impl Joining {
    /// Begins to look for the position of a game that is joined with the first position of `like`.
    pub(crate) fn begin(mut self, like: &Decoder, now: Instant, board: &PhysicalBoard, under: Under<'_>) -> Joining {
        self.undecided = true;
        self.possible.retain(|decoder| decoder.record.start() != like.record.start());
        self.add(board.men(), like.record.turn(), now, like, board, under);
        self
    }

    /// Begins to look for the position from which the game goes on after a gap that `like` does not explain, with `turn` to move.
    pub(crate) fn after_gap(turn: Color, now: Instant, like: &Decoder, board: &PhysicalBoard, under: Under<'_>) -> Joining {
        let before_gap = Some(like.record.node().position.clone());
        let mut joining = Joining { before_gap, presses: like.presses_after_gap(), ..Joining::default() };
        joining.add(board.men(), turn, now, like, board, under);
        joining
    }

    /// True while the game may go on after a gap that nothing explains, and it is not known from which position.
    pub(crate) fn follows_gap(&self) -> bool {
        self.before_gap.is_some()
    }

    /// Gives up all possible positions. The next press gives others.
    pub(crate) fn forget_positions(&mut self) {
        self.possible.clear();
        self.pressed = None;
    }

    /// Sets the time that the board needs for a scan.
    pub(crate) fn set_scan(&mut self, scan: Duration) {
        self.possible.iter_mut().for_each(|decoder| decoder.set_scan(scan));
    }

    /// Handles a press of `by`. `like` is the decoder of the present position.
    pub(crate) fn press(
        &mut self,
        (by, at): (Color, Interval),
        like: &Decoder,
        board: &PhysicalBoard,
        clock: &ClockView,
        under: Under<'_>,
    ) {
        for decoder in &mut self.possible {
            decoder.press(at, by, board, clock, &mut Vec::new());
        }
        self.pressed = Some((by, at));
        self.presses = self.presses.saturating_add(1);
        let stood: Vec<(Instant, Men)> = board.past(at.earliest).collect();
        for (index, (_, men)) in stood.iter().enumerate().rev() {
            let later = stood[..index].iter().rev().map(|(_, men)| men);
            if !goes_on_moving(by, men, later) && !shows_a_man_twice(by, &stood, index, board.scan()) {
                self.add(men, by.other(), at.latest, like, board, under);
            }
        }
    }

    /// Handles a change of the board.
    pub(crate) fn board_changed(&mut self, now: Instant, like: &Decoder, board: &PhysicalBoard, under: Under<'_>) {
        self.possible.iter_mut().for_each(|decoder| decoder.board_changed(now, board));
        if let Some((by, at)) = self.pressed
            && now <= at.latest.after(board.scan())
        {
            let begins =
                |decoder: &Decoder| decoder.record.turn() != by && decoder.record.moves().is_empty() && decoder.line().is_empty();
            let stood: Vec<(Instant, Men)> = board.past(at.earliest).collect();
            let twice = |men: &Men| {
                let index = stood.iter().position(|(_, other)| men::same(men, other));
                index.is_some_and(|index| shows_a_man_twice(by, &stood, index, board.scan()))
            };
            let unfinished = |decoder: &Decoder| {
                let men = &decoder.record.node().men;
                goes_on_moving(by, men, iter::once(board.men())) || twice(men)
            };
            self.possible.retain(|decoder| !(begins(decoder) && unfinished(decoder)));
            self.add(board.men(), by.other(), now, like, board, under);
        }
    }

    /// Adds the positions with these men and `turn` to move that are possible and not known yet.
    fn add(&mut self, men: &Men, turn: Color, now: Instant, like: &Decoder, board: &PhysicalBoard, under: Under<'_>) {
        if looks_like_a_beginning(men) {
            return;
        }
        let start = match &self.before_gap {
            // Only castling that was possible before the gap is possible.
            Some(before) => setup::after_illegal_move(men, turn, before, under.mode),
            None => setup::joined(men, turn, under.mode),
        };
        for start in setup::with_double_steps(start, men, turn, under.mode) {
            let known = |decoder: &Decoder| *decoder.record.start() == start;
            if known(like) || self.possible.iter().any(known) {
                continue;
            }
            let decoder = like.joined_at(Record::new(start, under.mode, under.rulebook), now, board);
            // The press belongs to the last move of its player: he has not moved since.
            if decoder.line().plies().len() > 1 || !decoder.is_believed(now, board) {
                continue;
            }
            if self.possible.len() == MOST {
                self.possible.remove(0);
            }
            self.possible.push(decoder);
        }
    }

    /// Lets the decoders conclude what they can, and gives up those whose presses have no moves.
    pub(crate) fn review(&mut self, now: Instant, board: &PhysicalBoard, clock: &ClockView) {
        self.possible.retain_mut(|decoder| {
            let mut conclusions = Vec::new();
            decoder.review(now, board, clock, &mut conclusions);
            !conclusions.iter().any(is_about_press)
        });
    }

    /// Removes and returns the first decoder that has a sure move: it has explained the whole board.
    pub(crate) fn take_proved(&mut self) -> Option<Decoder> {
        let proved = self.possible.iter().position(|decoder| !decoder.record.moves().is_empty())?;
        Some(self.possible.remove(proved))
    }

    /// Removes and returns the first decoder that is in step after a gap: it explains the board and two presses, and a sure move was
    /// pressed.
    pub(crate) fn take_in_step(&mut self, board: &PhysicalBoard) -> Option<Decoder> {
        let pressed = |decoder: &Decoder| decoder.record.moves().last().is_some_and(|last| last.pressed.is_some());
        let in_step = self.possible.iter().position(|decoder| pressed(decoder) && decoder.fits(board))?;
        (self.presses >= 2).then(|| self.possible.remove(in_step))
    }

    /// If the present decoder does not explain the board and its presses and another one does: exchanges them. True if it did.
    pub(crate) fn show_better(&mut self, present: &mut Decoder, board: &PhysicalBoard) -> bool {
        if present.fits(board) {
            return false;
        }
        let Some(better) = self.possible.iter_mut().find(|decoder| decoder.fits(board)) else { return false };
        core::mem::swap(better, present);
        self.stood = None;
        true
    }

    /// Notes whether the board shows the first position of the `present` decoder.
    pub(crate) fn note_standing(&mut self, now: Instant, present: &Decoder, board: &PhysicalBoard) {
        if present.line().is_empty() && present.fits(board) {
            self.stood.get_or_insert((now, now)).1 = now;
        }
    }

    /// True if this conclusion about a press holds although it is not known yet from which position the game goes on: a pawn on its
    /// last rank, or an illegal move from a position that has stood.
    pub(crate) fn believes(&self, conclusion: &Conclusion) -> bool {
        match conclusion {
            Conclusion::PressedIllegal { pawn_stays, .. } => {
                *pawn_stays || self.stood.is_some_and(|(from, until)| until >= from.after(NO_MOVE_UNDER_WAY))
            }
            other => !is_about_press(other),
        }
    }

    /// The next moment at which time alone may change something here.
    pub(crate) fn deadline(&self, now: Instant, board: &PhysicalBoard, clock: &ClockView) -> Option<Instant> {
        self.possible.iter().filter_map(|decoder| decoder.deadline(now, board, clock)).min()
    }
}

/// True if `by` puts a man on another square after these men stood, before his opponent does: his move was not finished yet, because
/// its man was in a hand or only paused. `later` are the boards since then.
fn goes_on_moving<'a>(by: Color, stood: &Men, later: impl IntoIterator<Item = &'a Men>) -> bool {
    let puts =
        |side: Color, men: &Men| (0..64).any(|square| men::color(men[square]) == Some(side) && men[square] != stood[square]);
    let first = later.into_iter().find(|men| puts(Color::White, men) || puts(Color::Black, men));
    first.is_some_and(|men| !puts(by.other(), men))
}

/// True if the board with this index shows a man of `by` on two squares: a man that moves may be seen on its new square before it is gone
/// from the old one. Then the board shows one man of its kind more than before, and within a scan the old square is empty. The newest
/// of the boards that `stood` is the first.
fn shows_a_man_twice(by: Color, stood: &[(Instant, Men)], index: usize, scan: Duration) -> bool {
    let Some((gone, after)) = index.checked_sub(1).and_then(|next| stood.get(next)) else { return false };
    // Before the first report the board is not known.
    let mut earlier = stood[index + 1..].iter().map(|(_, men)| men).filter(|men| men.iter().any(|&man| man != EMPTY)).peekable();
    let Some(&before) = earlier.peek() else { return false };
    let (began, men) = &stood[index];
    let came =
        |man: u8| (0..64).any(|square| [before[square] == man, men[square] == man, after[square] == man] == [false, true, true]);
    let left = (0..64).find(|&square| {
        men::color(men[square]) == Some(by) && before[square] == men[square] && after[square] == EMPTY && came(men[square])
    });
    let mut more = |man: u8| earlier.all(|known| men::count(known, man) < men::count(men, man));
    *gone <= began.after(scan) && left.is_some_and(|square| more(men[square]))
}

/// True if the conclusion is about a press without a legal move.
pub(crate) const fn is_about_press(conclusion: &Conclusion) -> bool {
    use Conclusion::{PressedBack, PressedIllegal, PressedOutOfTurn, PressedWithoutMove};
    matches!(conclusion, PressedWithoutMove { .. } | PressedIllegal { .. } | PressedBack { .. } | PressedOutOfTurn { .. })
}

/// True if a game may begin here: then it is not in progress.
fn looks_like_a_beginning(men: &Men) -> bool {
    let initial = Node::new(Chess::default());
    men::same(&initial.men, men) || initial.exact(men).is_some() || setup::wrong_set_up(men, false).is_some()
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;

    use super::*;

    /// True if the second of these boards, which stood for 30 milliseconds, shows a white man twice.
    fn twice(boards: [&str; 3]) -> bool {
        let board = |(index, text): (usize, &str)| {
            let fen: Fen = text.parse().expect("a placement");
            (Instant(1_000_000 + 30_000 * index as u64), men::of_board(&fen.as_setup().board))
        };
        let mut stood: Vec<(Instant, Men)> = boards.into_iter().enumerate().map(board).collect();
        stood.reverse();
        shows_a_man_twice(Color::White, &stood, 1, Duration::from_millis(250))
    }

    #[test]
    fn a_pawn_that_moves_is_seen_on_both_squares() {
        assert!(twice(["4k3/8/2P5/8/8/8/8/4K3", "4k3/2P5/2P5/8/8/8/8/4K3", "4k3/2P5/8/8/8/8/8/4K3"]));
    }

    #[test]
    fn two_pawns_stand_until_one_of_them_is_captured() {
        // The pawn on c7 was in a hand before.
        assert!(!twice(["4k3/1P6/2P5/8/8/8/8/4K3", "4k3/2P5/2P5/8/8/8/8/4K3", "4k3/2P5/8/8/8/8/8/4K3"]));
        assert!(!twice(["4k3/8/2P5/8/8/8/8/4K3", "4k3/2P5/2P5/8/8/8/8/4K3", "4k3/2P5/2P5/8/8/8/8/3K4"]));
        // It was in a hand when the board was first seen, and is captured at once.
        assert!(!twice(["4k3/8/2P5/8/8/8/8/4K3", "4k3/2P5/2P5/8/8/8/8/4K3", "4k3/8/2P5/8/8/8/8/4K3"]));
    }
}
