//! What evidence is worth: every weight of the decoder in one table (`reconstruct/README.md#3`).
//!
//! Costs are tenths of a nat: 10 = e times less likely.

/// How the decoder weighs and what it may use. The defaults were fitted on simulated games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Hypotheses kept, 1..=64.
    pub beam: usize,
    /// The same where the board does not identify men, 1..=64.
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
    /// Taken off for a move that its player pressed.
    pub pressed: i32,
    /// A move without a press although the opponent replied.
    pub not_pressed: i32,
    /// The same where the reply was not pressed either, and both were made at once.
    pub both_unheard: i32,
    /// For every second between them.
    pub both_unheard_per_second: i32,
    /// A move that was made while the board was not heard.
    pub unheard: i32,
    /// A move of a gap whose player's clock runs.
    pub not_pressed_yet: i32,
    /// A press that is heard, and its move not seen yet.
    pub press_waits: i32,
    /// A press for which no move is seen in time.
    pub press_without_move: i32,
    /// A press by the side that does not have the move.
    pub out_of_turn: i32,
    /// A man of the side to move is off its square.
    pub lifted: i32,
    /// A man of the side to move stands where the position does not have it.
    pub put: i32,
    /// For every second that such a man has stood.
    pub put_per_second: i32,
    /// A man of the other side is off its square.
    pub bystander: i32,
    /// The same, while a man of the side to move is off his: it may be captured.
    pub victim: i32,
    /// For every second beyond the second one that either has been off.
    pub bystander_per_second: i32,
    /// A man of the other side stands on a square that should be empty.
    pub displaced: i32,
    /// Another man on a square than the position has there.
    pub wrong_man: i32,
    /// The man that made the last move has gone on.
    pub went_on: i32,
    /// A square that cannot be read.
    pub unreadable: i32,
    /// Most that one square's age may add.
    pub most_by_age: i32,
    /// A square whose sensor is taken to be dead.
    pub dead: i32,
    /// A capture that nobody has answered, on a board that does not identify men: the man may be in a hand
    /// (`reconstruct/README.md#3.5`).
    pub in_hand: i32,
    /// A capture on such a board on a square that nobody was seen to touch.
    pub pushed_off: i32,
    /// A man of the side to move was off its square before the other side had moved, on such a board.
    pub lifted_early: i32,
    /// A capture on such a board where the square was touched.
    pub touched: i32,
    /// The same where the square was touched, but as if its man had only been straightened.
    pub adjusted: i32,
    /// For every pawn less that a move gains than the best one would, on such a board.
    pub pawn_given_up: i32,
    /// A capture that gains less than another one of the same man, on such a board: by a pawn, by more, by a rook or more. Of 5,594
    /// captures among which a man had the choice in recorded games, such ones were made 2, 17 and 100 times less often than the best.
    pub poorer_capture: [i32; 3],
    /// The same man could have captured the one that has just moved, on such a board.
    pub spared: i32,
    /// Most that the pawns may cost.
    pub most_given_up: i32,
    /// A promotion to another piece than a queen, which such a board does not tell.
    pub underpromotion: i32,
    /// For every second beyond the second one that a man of the side to move is off such a board.
    pub held_per_second: i32,
    /// Most that this may add.
    pub most_by_holding: i32,
    /// A reading that leaves out of account what was odd before.
    pub reread: i32,
    /// The most that is held against a move that explains the whole board.
    pub explained: i32,
    /// The same for what was odd before the move, on a board that does not identify men.
    pub slid: i32,
    /// What a board that did not stand for a scan may leave unexplained.
    pub transient: i32,
    /// A move that no board has shown.
    pub unseen: i32,
    /// The most that may be unexplained where a move is taken for made.
    pub viable: i32,
    /// By how much the second best reading must be worse before a move is sure.
    pub margin: i32,
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
        }
    }
}
