//! Scenarios 2, 5, 16, 33, 34, 37, 38, 40, 47, 56: hands after which a move could be taken for another one, or two lifted men for a move.

use crate::scenarios::reports::Reports;

/// Alarms of a man that is off for long.
const OFF: [&str; 2] = ["piece_in_hand(white)", "position_differs"];

/// Two pawns that could capture on d4 are off. The one that was lifted first may have been straightened, or may have moved.
#[test]
fn s033_another_man_that_could_make_the_move_is_off() {
    let fen = "rnbqkbnr/ppp1pppp/8/8/3p4/2P1P3/PP1P1PPP/RNBQKBNR w KQkq - 0 3";
    let captured = || Reports::from(fen).report("c3:- | 3.0 d4:- | e3:- | d4:P | 0.4 WP | 1.5 g2:- | 0.3 g2:P");
    let outcome = captured().run_at_dgt_board();
    assert_eq!((outcome.sans().as_str(), outcome.state().pending.len()), ("", 1), "the board does not show which pawn moved");
    captured().report("c3:P").run_at_dgt_board().allow("exd4", &[], &OFF);
    captured().report("e3:P").run_at_dgt_board().allow("cxd4", &[], &OFF);
    // The second pawn is lifted only after the capture was seen.
    let captured = || Reports::from(fen).report("c3:- | 3.0 d4:P | e3:- | 0.4 WP | 1.5 g2:- | 0.3 g2:P");
    captured().report("c3:P").run_at_dgt_board().allow("exd4", &[], &OFF);
    captured().report("e3:P").run_at_dgt_board().allow("cxd4", &[], &OFF);
}

/// A pawn that has stood on d5 did not stop on d6, where the board never showed it, to be captured there.
#[test]
fn s038_a_man_that_was_seen_elsewhere_was_not_captured_unseen() {
    let fen = "4k3/1p1p4/8/2P5/8/8/8/4K3 b - - 0 1";
    let slid = "d7:- | 0.03 d6:p | 0.03 d5:p | 0.2 d6:- | 0.3 BP | 0.1 c5:- | 0.2 d5:- | 0.15 WP | 0.1 d6:P";
    Reports::from(fen).report(slid).run_at_dgt_board().expect("d5 cxd6", &[]);
    // Other men are off meanwhile.
    let fen = "4k3/8/8/8/5p2/1P6/1P2P3/4K3 w - - 0 1";
    let reports = "0.3 e1:- ; b3:- | e2:- | e4:P | 0.4 WP | 2.0 e1:K | 0.5 f4:- | e4:- | 0.3 e3:p | 0.2 BP | 0.3 b3:P";
    Reports::from(fen).report(reports).run_at_dgt_board().expect("e4 fxe3", &[]);
}

/// The pawn paused on d3, went on to d4 and was pressed there. The capture in passing is no capture of a pawn on d3.
#[test]
fn s038_a_pawn_was_not_captured_where_it_had_paused() {
    let reports = "d2:- | 0.01 d3:P | 1.4 d4:P | 0.03 d3:- | 0.43 WP | 0.2 d4:- | 0.01 e4:- | 0.25 d3:p | 0.4 BP | 1.0 e1:- | f2:K | 0.4 WP";
    Reports::from("4k3/7p/8/8/4p3/8/3P4/4K3 w - - 0 1").report(reports).run_at_dgt_board().expect("d4 exd3 Kf2", &[]);
}

/// The queen stood on a4 when White pressed and when Black began his reply. She left it for her next move, and paused on a5, within
/// the scan that showed the reply.
#[test]
fn s037_the_next_move_is_begun_and_pauses_while_the_reply_is_made() {
    let reports = "a1:- | 0.1 a4:Q | 0.5 WP | h7:- | 0.2 h5:p | 0.19 a5:Q | 0.01 a4:- | 0.1 BP | 1.4 a6:Q | 0.01 a5:- | 0.3 WP";
    Reports::from("6k1/7p/8/8/8/8/8/Q3K3 w - - 0 1").report(reports).run_at_dgt_board().expect("Qa4 h5 Qa6", &[]);
}

/// The bishop stood on b4 for less than a scan, but the press was heard before it can have come to d6.
#[test]
fn s037_the_next_move_is_begun_at_once_and_pauses_while_the_reply_is_made() {
    let reports =
        "f8:- | 0.2 b4:b | 0.09 BP | 0.135 b4:- | 0.05 h3:R | 0.056 h1:- | 0.07 d6:b | 0.09 WP | 1.4 d6:- | 0.1 e7:b | 0.3 BP";
    Reports::from("5bk1/8/8/8/8/8/8/6KR b - - 0 1").report(reports).run_at_dgt_board().expect("Bb4 Rh3 Be7", &[]);
}

/// The queen was still on a3 when the press was heard, and left it in the scan that showed the reply.
#[test]
fn s037_the_next_move_is_begun_before_the_reply_is_seen() {
    let reports =
        "a3:Q | 0.03 a2:- | 0.19 g4:- | 0.07 WP | 0.16 a3:- | 0.005 b3:Q | 0.044 g2:r | 0.19 BP | 1.1 b3:- | 0.005 d3:Q | 0.3 WP";
    Reports::from("7k/8/8/8/6r1/8/Q7/4K3 w - - 0 1").report(reports).run_at_dgt_board().expect("Qa3 Rg2 Qd3", &[]);
}

/// The bishop paused on b7 and was seen on c8 just before the press. The queen pauses too, and the bishop later comes back over b7.
#[test]
fn s037_a_man_went_on_just_before_its_press_and_comes_back_later() {
    let reports = "a6:- | 0.2 b7:b | 1.32 c8:b | 0.02 BP | 0.01 b7:- | 0.12 e3:Q | 0.01 f3:- | 1.8 e3:- | 0.22 d3:Q | 0.1 WP";
    let back = "0.4 c8:- | 0.03 b7:b | 1.35 b7:- | 0.03 a6:b | 0.15 BP";
    let fen = "6k1/8/b7/8/8/5Q2/8/6K1 b - - 0 1";
    Reports::from(fen).report(reports).report(back).run_at_dgt_board().expect("Bc8 Qd3 Ba6", &[]);
}

/// The rook was pressed on e6, where it stood for less than a scan, and the reply was begun in the same scan. Then it went on to f6.
#[test]
fn s037_a_man_goes_on_in_the_scan_that_shows_the_reply() {
    let reports =
        "h6:- | 0.22 g6:r | 1.57 g6:- | 0.22 e6:r | 0.225 e6:- | 0.017 b5:P | 0.03 c4:- | 0.01 BP | 0.17 f6:r | 0.23 WP";
    let next = "0.9 f6:- | 0.23 g6:r | 0.1 BP";
    let outcome = Reports::from("6k1/8/7r/1p6/2P5/8/8/6K1 b - - 0 1").report(reports).report(next).run_at_dgt_board();
    outcome.expect("Rf6 cxb5 Rg6+", &["ambiguous"]);
}

/// A press is heard just before the board shows its move. Until then it does not prove that White's pawn rested on c3.
#[test]
fn s040_a_press_whose_move_is_not_shown_yet_decides_nothing() {
    let paused = "c2:- | 0.03 c3:P | 1.3 c3:- | 0.11 b7:- | 0.03 b6:p | 0.045 WP | 0.015 c4:P | 0.615 b6:- | 0.03 b5:p | 0.54 BP";
    let next = "0.23 e2:- | 0.17 WP | 0.006 e4:P | 0.5 a7:- | 0.03 a6:p | 0.2 BP";
    // White's hand was on the pawn when Black's reply began, which is named.
    Reports::new().report(paused).report(next).run_at_dgt_board().allow("c4 b5 e4 a6", &[], &["ambiguous"]);
}

/// A pawn that stood on d4 when the clock was pressed did not go to d3, although no sensor has ever shown a man on d3.
#[test]
fn s056_a_man_that_was_pressed_and_is_lifted_again_is_on_no_dead_square() {
    let pressed = "d2:- | d4:P | 0.4 WP | 0.3 d4:- | 4.0 d7:- | d5:p | 0.4 BP | 1.0 d4:P";
    Reports::new().report(pressed).run_at_dgt_board().allow("d4 d5", &[], &OFF);
    let pressed = "d2:- | d3:P | 1.0 WP | 0.3 d3:- | 4.0 d7:- | d5:p | 0.4 BP | 1.0 d3:P";
    Reports::new().report(pressed).run_at_dgt_board().allow("d3 d5", &[], &OFF);
}

/// A pawn is straightened for so long that the opponent replies meanwhile, and comes back to its square. It is not on h4, although no
/// sensor has ever shown a man there.
#[test]
fn s056_a_man_that_comes_back_was_on_no_dead_square() {
    let reports = "h2:- | h3:P | 1.0 h3:- | 0.1 WP | 6.0 g8:- | f6:n | 1.0 h3:P | 0.1 BP";
    Reports::new().report(reports).run_at_dgt_board().allow("h3 Nf6", &[], &OFF);
}

/// The pawn is put on its new square, is gone from there, and only then leaves its old square.
#[test]
fn s002_the_new_square_is_left_again_before_the_old_one() {
    let reports = "e2:- | e4:P | 0.4 WP | 1.0 g6:p | 0.3 g6:- | 0.1 g7:- | 0.2 BP | 1.0 d2:- | d4:P | 0.4 WP | 1.0 g6:p";
    Reports::new().report(reports).run_at_dgt_board().expect("e4 g6 d4", &[]);
}

/// The report of the last square of a slide is lost. The next report of all squares shows whether there were two moves.
#[test]
fn s005_the_end_of_a_slide_is_lost() {
    let slid = "e2:- | e4:P | 0.4 WP | 1.0 e7:- | 0.05 e6:p | 0.45 e6:- ; ~e5:p | 0.3 BP | 1.0 c2:- | c3:P | 0.1 WP | 0.5 dump";
    Reports::new().report(slid).report("1.4 c7:- | c5:p | 0.4 BP").run_at_dgt_board().expect("e4 e5 c3 c5", &[]);
    // The pawn went on to e5 only after White's move.
    Reports::new().report(slid).report("0.5 BP").run_at_dgt_board().expect("e4 e6 c3 e5", &[]);
}

#[test]
fn s016_the_king_is_off_again_when_the_rook_comes() {
    let fen = "4k3/7p/8/8/8/8/7P/4K2R w K - 0 1";
    let reports = "e1:- | 0.2 g1:K | 0.4 h1:- | 0.3 g1:- | 0.1 f1:R | 0.4 WP | 2.0 h7:- | h6:p | 0.4 BP | 1.0 g1:K";
    Reports::from(fen).report(reports).run_at_dgt_board().allow("O-O h6", &[], &OFF);
}

/// The queen stood on d6 and on f8, and was captured there by a bishop that paused on c5. She did not go to c5 unseen.
#[test]
fn s034_a_captor_pauses_where_the_captured_man_could_have_gone() {
    let captured = "f8:- | 0.09 WP | 0.035 a3:- | 0.175 c5:b | 1.8 c5:- | 0.15 f8:b | 0.24 BP";
    let reports = Reports::from("8/8/8/7k/1Q6/b6p/8/4K3 w - - 0 1").report("b4:- | 0.1 d6:Q | 1.7 d6:- | 0.17 f8:Q").wait(0.225);
    reports.report(captured).run_at_dgt_board().expect("Qf8 Bxf8", &[]);
}

/// A knight and a pawn are lifted. The knight could capture on f4, and the pawn could recapture with a man like the captured one.
#[test]
fn s034_two_lifted_men_are_no_exchange() {
    let fen = "4k3/8/8/4p3/5p2/7N/8/4K3 w - - 0 1";
    let reports = "e1:- | d1:K | 0.4 WP | 0.5 h3:- | e8:- | d8:k | 0.3 BP | 0.1 e5:- | 2.0 e5:p | 0.3 h3:N";
    Reports::from(fen).report(reports).run_at_dgt_board().expect("Kd1 Kd8", &[]);
}

/// The queen stands on c6 illegally and is captured there. She did not go to a square that never showed a man.
#[test]
fn s047_a_man_that_moved_illegally_and_is_captured() {
    let reports = "e2:- | e4:P | 0.4 WP | 1.0 e7:- | e5:p | 0.4 BP | 1.0 d1:- | c6:Q | 0.4 WP | 0.7 c6:- | b8:- | c6:n | 0.4 BP";
    let outcome = Reports::new().report(reports).run_at_dgt_board();
    outcome.allow("e4 e5", &["illegal_move(white)"], &["position_differs"]);
}

/// The pawn was seen on d4, to which it cannot move, and no board showed it on c4: the king captured it there at once.
#[test]
fn s037_a_pawn_that_brushed_the_square_beside_its_own_is_captured_at_once() {
    let reports = "c5:- | 0.06 d4:p | 0.43 d4:- | 0.38 d5:- | 0.26 BP | 0.86 c4:K | 0.54 b6:- | 0.18 WP | 0.3 b5:p | 0.5 BP";
    Reports::from("6r1/3k1pBb/1p5P/2pK1P2/8/8/8/8 b - - 0 1").report(reports).run_at_dgt_board().allow(
        "c4 Kxc4 b5+",
        &[],
        &["ambiguous"],
    );
}
