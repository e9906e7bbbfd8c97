//! Scenarios 5, 16, 33, 34, 38, 47: men that are lifted, held or moved by another hand while a move is made.

use crate::scenarios::reports::Reports;

/// Alarms of a man that is off for long.
const OFF: [&str; 3] = ["piece_in_hand(white)", "piece_in_hand(black)", "position_differs"];

/// The rook is lifted again before its press is heard, and other men are off their squares until all of them come back.
#[test]
fn s033_a_move_whose_man_comes_back_keeps_its_press() {
    let reports = "b6:R | 0.45 b3:- | 0.04 c2:- | 0.12 b6:- | 0.22 f7:- ; WP | 0.2 f7:p | 1.1 f2:- | 0.8 b6:R ; c2:P ; f2:P | 3.0 g2:- | 0.3 g2:P";
    Reports::from("4k3/5pp1/8/8/8/1R6/2P2PP1/4K3 w - - 0 1").report(reports).wait(4.0).run_at_dgt_board().allow("Rb6", &[], &OFF);
}

/// The board has shown the new queen. A king that captures her did not capture another man, although other men are off meanwhile.
#[test]
fn s038_a_pawn_that_was_seen_promoted_became_no_other_man() {
    let reports = "0.3 d4:- | 1.2 f8:- | 0.1 e2:- | 0.9 f1:q | 0.65 BP | 0.48 e1:- | 0.005 f1:K | 0.3 WP | 0.4 f8:b | 1.0 d4:p";
    Reports::from("4kb2/8/8/8/3p4/8/4p3/R3KB2 b - - 0 1").report(reports).wait(4.0).run_at_dgt_board().allow(
        "exf1=Q+ Kxf1",
        &[],
        &OFF,
    );
}

/// The queen stood on c8 when Black pressed, and is in a hand. She was not captured on e6, where no board has shown her.
#[test]
fn s038_a_man_that_is_held_after_its_press_was_not_captured_elsewhere() {
    let reports =
        "d7:- | 0.42 c8:q | 0.38 c8:- | 0.02 BP | 1.66 e7:- | 0.25 e6:R | 0.1 WP | 3.0 g7:- | 0.05 g5:p | 0.5 BP | 2.4 c8:q";
    Reports::from("8/3qR1p1/8/k7/8/8/8/4K3 b - - 0 1").report(reports).wait(4.0).run_at_dgt_board().allow(
        "Qc8 Re6 g5",
        &[],
        &OFF,
    );
}

/// The men of both moves came to their squares in the wrong order. Both players have pressed, so that no illegal move is called.
#[test]
fn s047_two_legal_moves_whose_men_came_in_another_order() {
    let reports = "0.3 e7:- | 0.05 e5:p | 0.6 e2:- | 0.05 e4:P | 0.48 WP | 0.17 BP";
    Reports::new().report(reports).wait(4.0).run_at_dgt_board().expect("e4 e5", &[]);
}

/// A man pauses on a square where it would end the game, and its player presses when it has gone on.
#[test]
fn s005_a_man_only_passes_a_square_on_which_it_would_end_the_game() {
    let mate = "f3:- | 0.03 f2:q | 0.67 f2:- | 0.22 BP | 0.03 f1:q";
    Reports::from("4k3/8/8/8/8/4bq2/2bPP3/4K3 b - - 0 1").report(mate).wait(4.0).run_at_dgt_board().expect("Qf1+", &[]);
    let stalemate = "c7:R | 0.005 d7:- | 0.67 b7:R | 0.005 c7:- | 1.0 WP";
    Reports::from("4B2k/3R4/8/8/7p/1B5P/8/1N2K1N1 w - - 0 1").report(stalemate).wait(4.0).run_at_dgt_board().expect("Rb7", &[]);
}

/// The rook of a castling has moved, and the opponent's bishop slides meanwhile. It is on no square when the king comes to its own.
#[test]
fn s016_the_reply_slides_while_a_castling_is_finished() {
    let reports = "h8:- | 0.22 f8:r | 0.56 e4:B | 0.025 d3:- | 0.31 e8:- | 0.09 f5:B | 0.025 e4:- | 0.2 f5:- | 0.08 BP | 0.066 g8:k | 0.056 g6:B | 0.68 WP";
    let fen = "r3k2r/pbpnqppp/1p1b1n2/3p4/3P4/1P1B1N2/PBPNQPPP/R3K2R b KQkq - 0 1";
    Reports::from(fen).report(reports).wait(4.0).run_at_dgt_board().expect("O-O Bg6", &[]);
}

/// One rook came to f8 while the other one still stood on d8, where it is captured.
#[test]
fn s033_the_man_that_arrived_is_not_the_one_that_was_captured_later() {
    let reports = "f8:r | 0.007 h8:- | 0.48 BP | 0.18 d8:- | 0.03 e7:- | 0.2 d8:Q | 0.4 WP";
    let fen = "2kr3r/pbpnQppp/1p3n2/3p4/1q1P1b2/1P3N2/PBPNBPPP/R3K2R b KQ - 0 1";
    Reports::from(fen).report(reports).wait(4.0).run_at_dgt_board().expect("Rhf8 Qxd8+", &[]);
}

/// A rook is straightened, and the other rook captures. It is seen on its new square for longer than a scan before its old one is empty,
/// as if the rook that is off had captured.
#[test]
fn s033_the_man_that_is_off_has_not_made_the_move() {
    let reports = "d4:- | 0.32 h4:- | 1.48 d4:P | 0.25 d4:r | 0.33 BP | 0.006 d8:- | 0.9 h4:r";
    Reports::from("3r2k1/8/8/8/3P3r/8/8/4K3 b - - 0 1").report(reports).wait(4.0).run_at_dgt_board().expect("Rdxd4", &[]);
}

/// The queen paused on d6, and was captured on c5 before a scan saw her there. The presses of both players prove it: the pawn could not
/// have answered a queen on d6 in this way.
#[test]
fn s034_a_man_that_paused_elsewhere_was_captured_unseen() {
    let reports = "b4:- | 0.3 d6:Q | 0.8 d6:- | 0.1 b6:- | 0.05 c5:p | 0.1 WP | 0.3 BP";
    Reports::from("4k3/8/1p6/8/1Q6/8/8/4K3 w - - 0 1").report(reports).wait(4.0).run_at_dgt_board().expect("Qc5 bxc5", &[]);
}

/// Two men are held for long while the opponent, who straightened them, waits. A move with another man is made and pressed meanwhile.
#[test]
fn s033_a_move_is_made_while_two_men_are_off_for_long() {
    let reports = "0.3 h1:- | 0.2 b3:- | 8.0 d2:- | 0.4 d3:P | 0.3 WP | 0.9 e7:- | 0.3 e5:p | 0.4 BP | 1.0 h1:R | 0.3 b3:P";
    let fen = "4k3/4p3/8/8/8/1P6/3P4/4K2R w - - 0 1";
    Reports::from(fen).report(reports).wait(4.0).run_at_dgt_board().allow("d3 e5", &[], &OFF);
}

/// A rook stands on e5 when the reply begins, and goes on to e8 before the clock reports both presses: it made two moves. The pawn that
/// was off before leaves a doubt about every move.
#[test]
fn s033_the_man_of_a_move_that_is_answered_goes_on_before_its_press_is_reported() {
    let reports = "h7:- | 0.5 h7:p | 1.0 e3:- | 0.12 e5:R | 0.1 f4:- | 0.14 e5:- | 0.06 g5:b | 0.14 WP ; BP | 0.005 e8:R";
    let outcome = Reports::from("8/k6p/8/8/5b2/4R3/8/4K3 w - - 0 1").report(reports).wait(4.0).run_at_dgt_board();
    assert_eq!(outcome.sans(), "Re5 Bg5");
}
