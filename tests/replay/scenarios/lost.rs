//! Scenarios 5, 11, 14, 38: one report of a square is lost, and the next report of all squares comes later.

use crate::scenarios::reports::Reports;

/// A pawn moved to h4, and the report of that is lost. The bishop that goes to h3 did not capture it there.
#[test]
fn s038_the_report_of_a_man_is_lost_and_a_reply_goes_where_it_may_have_gone() {
    let fen = "2b1k3/p7/8/8/8/8/P6P/4K3 w - - 0 1";
    let after = |lost: &str| {
        let reports = format!("h2:- ; {lost} | 0.5 WP | 0.7 h3:b | c8:- | 0.4 BP | 0.5 dump | 1.0 e1:- | e2:K | 0.4 WP");
        Reports::from(fen).report(&reports).run_at_dgt_board()
    };
    after("~h4:P").expect("h4 Bh3 Ke2", &[]);
    // The report of the pawn on h3 is lost, and it was captured there.
    after("h2:-").expect("h3 Bxh3 Ke2", &[]);
}

/// No report of all squares comes: the pawn may have gone to h3 or to h4.
#[test]
fn s038_a_reply_that_may_be_a_capture_is_named_if_no_report_shows_which() {
    let fen = "2b1k3/p7/8/8/8/8/P6P/4K3 w - - 0 1";
    let reports = "h2:- | 0.5 WP | 1.2 h3:b | c8:- | 0.4 BP | 5.0 e1:- | e2:K | 0.4 WP";
    Reports::from(fen).report(reports).run_at_dgt_board().expect("h3 Bxh3 Ke2", &["ambiguous"]);
}

/// A pawn slides over b3, and the report that it left that square is lost. It is captured in passing, and not on b3.
#[test]
fn s011_a_pawn_left_the_passed_square_unnoticed_and_is_captured_in_passing() {
    let fen = "4k3/8/8/8/2p5/8/1P6/4K3 w - - 0 1";
    let slid = "b2:- | b3:P | 0.4 b4:P ; ~b3:- | 0.3 WP";
    let captured = "0.3 c4:- | 0.2 b4:- | 0.3 b3:p | 0.3 BP | 1.0 e1:- | e2:K | 0.4 WP";
    Reports::from(fen).report(slid).report("0.3 dump").report(captured).run_at_dgt_board().expect("b4 cxb3 Ke2", &[]);
    Reports::from(fen).report(slid).report(captured).run_at_dgt_board().expect("b4 cxb3 Ke2", &[]);
}

/// A pawn that paused on g3 for long stood on g4 afterwards: it is captured in passing.
#[test]
fn s011_a_pawn_that_paused_on_the_passed_square_is_captured_in_passing() {
    let fen = "4k3/3p4/8/8/5p2/8/6P1/4K3 w - - 0 1";
    let reports = "g3:P | g2:- ; d7:- | 0.4 g4:P | 0.03 g3:- | 0.4 WP ; d7:p | 0.4 g4:- | f4:- | 0.5 g3:p | 0.4 BP";
    Reports::from(fen).report(reports).report("1.0 e1:- | e2:K | 0.4 WP").run_at_dgt_board().expect("g4 fxg3 Ke2", &[]);
}

/// The report that a pawn left e3 is lost. It went on to e4, because no report of a man is invented.
#[test]
fn s005_the_middle_of_a_slide_is_still_shown() {
    let reports = "e2:- | e3:P | e4:P ; ~e3:- | 0.3 WP | 0.6 a7:- | a6:p | 0.2 BP";
    Reports::new().report(reports).report("0.6 dump").run_at_dgt_board().expect("e4 a6", &[]);
    Reports::new().report(reports).report("3.5 d2:- | d3:P | 0.4 WP").run_at_dgt_board().allow(
        "e4 a6 d3",
        &[],
        &["position_differs", "too_many_men(white)"],
    );
}

/// The report of the king on c1 is lost. The rook alone is no move, although the reply is pressed.
#[test]
fn s014_the_report_of_the_castling_king_is_lost_and_the_reply_is_pressed() {
    let fen = "4k3/7p/8/8/8/8/8/R3K3 w Q - 0 1";
    let reports = "e1:- | a1:- ; ~c1:K | d1:R | 0.4 WP | 0.6 h7:- | h5:p | 0.2 BP | 0.8 dump";
    Reports::from(fen).report(reports).run_at_dgt_board().expect("O-O-O h5", &[]);
}

/// A rook passes b4, and the report of its last square is lost. It left b4 before the reply, so that there were no two moves.
#[test]
fn s005_a_man_that_left_a_square_before_the_reply_did_not_move_twice() {
    let fen = "4k3/8/1q6/8/R7/8/8/4K3 w - - 0 1";
    let reports =
        "a4:- | 0.03 b4:R | 0.2 WP | 0.02 b4:- ; ~h4:R | 0.6 b6:- | c5:q | 0.4 BP | 0.5 dump | 2.0 e1:- | e2:K | 0.4 WP";
    Reports::from(fen).report(reports).run_at_dgt_board().expect("Rh4 Qc5 Ke2", &[]);
}

/// The king was touched, and the rook of a castling stands on its square: the report of the king on g8 may have named e8. A player who
/// touches both must castle (4.4.1).
#[test]
fn s014_the_report_of_the_castling_king_names_his_old_square() {
    let after = |rest: &str| {
        let reports = format!("e8:- | 0.33 e8:k | 0.66 {rest} | 2.8 BP");
        Reports::from("4k2r/8/8/8/8/8/P7/4K3 b k - 0 1").report(&reports).run_at_dgt_board()
    };
    after("h8:- | 0.33 f8:r").expect("Rf8", &["ambiguous"]);
    after("h8:- | 0.33 f8:r | 0.3 dump").expect("Rf8", &[]);
    after("h8:- | 0.33 g8:r").expect("Rg8", &[]);
}
