//! Defines all weights of the decoder in one table: the cost of each kind of evidence against a reading
//! (`reconstruct/README.md#3`).
//!
//! Costs are in tenths of a nat: 10 means e times less likely.

use core::time::Duration;

/// The time for which a move must have stood on the board to become sure, without a clock. A pending move is published after the
/// same time.
pub(crate) const SETTLE_TIME: Duration = Duration::from_secs(2);

/// The weights of the decoder, and the kinds of evidence that it may use. The defaults were fitted on simulated games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// How many readings are kept, 1..=64.
    pub beam: usize,
    /// How many readings are kept where the board does not identify men, 1..=64.
    pub beam_unidentified: usize,
    /// Presses are evidence.
    pub presses: bool,
    /// Past boards are evidence for a press that is heard late.
    pub ring: bool,
    /// The board's own log mends gaps.
    pub log: bool,
    /// The weights.
    pub weights: Weights,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { beam: 16, beam_unidentified: 64, presses: true, ring: true, log: true, weights: Weights::default() }
    }
}

/// Costs, in tenths of a nat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The amount that the press of its player takes off the cost of a move.
    pub pressed: i32,
    /// A move without a press although the opponent replied.
    pub not_pressed: i32,
    /// A move without a press where the reply was not pressed either, and both were made at once.
    pub both_unheard: i32,
    /// The amount for every second between these two moves.
    pub both_unheard_per_second: i32,
    /// A move that was made while the board was not heard.
    pub unheard: i32,
    /// The last move of a gap, if the clock of its player still runs.
    pub not_pressed_yet: i32,
    /// A press that was heard, while its move is not seen yet.
    pub press_waits: i32,
    /// A press whose move is not seen in time.
    pub press_without_move: i32,
    /// A press by the side that does not have the move.
    pub out_of_turn: i32,
    /// A man of the side to move is off its square.
    pub lifted: i32,
    /// A man of the side to move stands where the position does not have it.
    pub put: i32,
    /// The amount for every second that such a man has stood.
    pub put_per_second: i32,
    /// A man of the other side is off its square.
    pub bystander: i32,
    /// A man of the other side is off its square while a man of the side to move is off too: it may be captured.
    pub victim: i32,
    /// The amount for every second, after the first two, that either has been off.
    pub bystander_per_second: i32,
    /// A man of the other side stands on a square that should be empty.
    pub displaced: i32,
    /// A square shows another man than the position has there.
    pub wrong_man: i32,
    /// The man that made the last move has gone on to another square.
    pub went_on: i32,
    /// The man of a move stood on its old square for longer than a scan after it seems to have come to the new one.
    pub on_two_squares: i32,
    /// The man of a move stood on another square when its player pressed, and may have been answered there.
    pub answered_elsewhere: i32,
    /// A square that cannot be read.
    pub unreadable: i32,
    /// The most that the age of one square may add.
    pub most_by_age: i32,
    /// A square whose sensor is believed to be dead.
    pub dead: i32,
    /// A capture without a reply, on a board that does not identify men: the man may be in a hand (`reconstruct/README.md#3.5`).
    pub in_hand: i32,
    /// A capture on such a board, if no touch of its square was seen.
    pub pushed_off: i32,
    /// A man of the side to move was off its square before the other side had moved, on such a board.
    pub lifted_early: i32,
    /// A capture on such a board, if its square was touched.
    pub touched: i32,
    /// A capture on such a board, if its square was touched as if its man had only been straightened.
    pub adjusted: i32,
    /// The amount for every pawn that a move gains less than the best move, on such a board.
    pub pawn_given_up: i32,
    /// A capture that gains less than another one of the same man, on such a board: by a pawn, by more, by a rook or more. A man
    /// had the choice in 5,594 captures of recorded games. Captures with a smaller gain were made 2, 17 and 100 times less often
    /// than the best one.
    pub poorer_capture: [i32; 3],
    /// A move of a man that could have captured the man that made the last move, on such a board.
    pub spared: i32,
    /// The most that the pawns may cost.
    pub most_given_up: i32,
    /// A promotion to another man than a queen, which such a board does not show.
    pub underpromotion: i32,
    /// The amount for every second, after the first two, that a man of the side to move is off such a board.
    pub held_per_second: i32,
    /// The most that this may add.
    pub most_by_holding: i32,
    /// A reading that is made anew, without what was unexplained before.
    pub reread: i32,
    /// The most that counts of what was unexplained before, for a move that explains the whole board.
    pub explained: i32,
    /// The most that counts of a slide before the move, on a board that does not identify men.
    pub slid: i32,
    /// The cost that may be unexplained without effect while the board has not been still for a scan.
    pub transient: i32,
    /// A move that no board has shown.
    pub unseen: i32,
    /// The most that may be unexplained after a move for the move to be believed.
    pub viable: i32,
    /// By how much the second best reading must be worse before a move is sure.
    pub margin: i32,
    /// The cost that a reading keeps for good from which on it is doubted, though no other reading is as good: what happened may be
    /// something that no reading describes.
    pub unlikely: i32,
}

impl Weights {
    /// The most by which the cost of one square grows in this time.
    pub(crate) fn growth_in(&self, time: Duration) -> i32 {
        self.put_per_second.max(self.bystander_per_second) * time.as_millis() as i32 / 1000
    }
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            pressed: 40,
            not_pressed: 40,
            both_unheard: 10,
            both_unheard_per_second: 30,
            unheard: 12,
            not_pressed_yet: 40,
            press_waits: 20,
            press_without_move: 60,
            out_of_turn: 90,
            lifted: 5,
            put: 20,
            put_per_second: 10,
            bystander: 30,
            victim: 10,
            bystander_per_second: 10,
            displaced: 90,
            wrong_man: 60,
            went_on: 100,
            on_two_squares: 30,
            answered_elsewhere: 60,
            unreadable: 10,
            most_by_age: 50,
            dead: 50,
            in_hand: 40,
            pushed_off: 5,
            lifted_early: 35,
            touched: -50,
            adjusted: -36,
            pawn_given_up: 5,
            poorer_capture: [8, 27, 40],
            spared: 12,
            most_given_up: 25,
            underpromotion: 60,
            held_per_second: 0,
            most_by_holding: 110,
            reread: 60,
            explained: 60,
            slid: 25,
            transient: 60,
            unseen: 35,
            viable: 100,
            margin: 30,
            unlikely: 200,
        }
    }
}
