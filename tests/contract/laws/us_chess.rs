//! The eleven rows of `us-chess` (`laws/README.md#4.2`), and its options.

use flagfall_game::laws::facts::{Caller, Facts, Flag, Treated};
use flagfall_game::laws::outcome::Ending;
use flagfall_game::laws::winnable::Verdict;
use flagfall_protocols::square::Color::{self, Black, White};
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::laws::support::*;

const US: &str = "us-chess";

/// The opponent claimed this flag.
fn claimed(at: u64, flag: Flag) -> Flag {
    Flag { observed_at: Some(Instant(at)), called_by: Some(Caller::Player), ..flag }
}

fn one(fen: &str) -> Facts {
    game(US, vec![claimed(5000, standing(fen, flag(White)))])
}

#[test]
fn row_1_mate_or_stalemate_before_the_claim() {
    let with = |ending, when| Facts { endings: vec![on_board(ending, White, when)], ..one(OPEN) };
    assert_eq!(says(&with(Ending::Checkmate, at(3000, 3100))), "1 WhiteWins", "13A: the flag is irrelevant");
    assert_eq!(says(&with(Ending::Stalemate, at(3000, 3100))), "1 Draw");
    assert_eq!(says(&with(Ending::Checkmate, at(6000, 6100))), "11 BlackWins");
    let both = "1 Undecided [1 WhiteWins | 11 BlackWins] ? order_of_ending_and_claim";
    assert_eq!(says(&with(Ending::Checkmate, at(4900, 5100))), both);
    let unclaimed = Facts { flags: vec![flag(White)], ..with(Ending::Checkmate, at(3000, 3100)) };
    assert_eq!(says(&unclaimed), "1 WhiteWins, if observed");
}

#[test]
fn row_2_draws_before_the_claim() {
    use flagfall_game::laws::claim::{Ground, Standing};
    let dead = Facts { endings: vec![on_board(Ending::DeadPosition, White, at(3000, 3100))], ..one(OPEN) };
    assert_eq!(says(&dead), "2 Draw");
    let drawn = Facts { endings: vec![agreed(at(3000, 3100), Some(true))], ..one(OPEN) };
    assert_eq!(says(&drawn), "2 Draw");
    let claims = vec![claim(White, Ground::FiftyMoves, Standing::Accepted, at(3000, 3100))];
    assert_eq!(says(&Facts { claims, ..one(OPEN) }), "2 Draw");
    let resignation = Facts { endings: vec![resigned(White, at(3000, 3100), BLACK_BARE)], ..one(OPEN) };
    assert_eq!(says(&resignation), "1 BlackWins", "no exception for a bare king");
}

#[test]
fn row_3_nobody_claimed() {
    assert_eq!(says(&game(US, vec![flag(White)])), "3 GameGoesOn, if observed [11 BlackWins]");
    let by_arbiter = Flag { called_by: Some(Caller::Arbiter), ..seen(3000, flag(White)) };
    assert_eq!(says(&game(US, vec![by_arbiter])), "3 GameGoesOn, if observed [11 BlackWins]", "13C1: only the players");
    let unsaid = Flag { called_by: None, ..seen(3000, flag(White)) };
    assert_eq!(says(&game(US, vec![unsaid])), "3 Undecided [3 GameGoesOn | 11 BlackWins] ? called_by");
    let both = game(US, vec![flag(White), flag(Black)]);
    assert_eq!(says(&both), "3 Undecided, if observed [3 Draw | 3 GameGoesOn] ? decision_of_the_director");
}

#[test]
fn row_4_both_flags_down() {
    let with = |other: Flag| Facts { flags: vec![claimed(5000, flag(White)), other], ..one(OPEN) };
    assert_eq!(says(&with(flag(Black))), "4 Draw", "the order makes no difference");
    let later = |from, until| Flag { fell: at(from, until), ..flag(Black) };
    assert_eq!(says(&with(later(6000, 6100))), "11 BlackWins", "it was up at the claim");
    let about = "4 Undecided [4 Draw | 11 BlackWins] ? order_of_claim_and_flag";
    assert_eq!(says(&with(later(4900, 5100))), about);
    let free = at_move(Black, Some((40, false)));
    assert_eq!(says(&with(free)), "11 BlackWins", "a flag of a period that was completed");
}

#[test]
fn row_4_before_the_last_period() {
    let short = |name| {
        let flags = vec![claimed(5000, at_move(White, Some((39, false)))), at_move(Black, Some((38, false)))];
        Facts { scoresheet: Some(true), ..game(name, flags) }
    };
    assert!(says(&short(US)).starts_with("4 GameGoesOn"), "{}", says(&short(US)));
    assert!(found(&short(US))[0].configurable.contains(&"both-flags-go-on"));
    assert_eq!(says(&short("us-chess+both-flags-draw")), "4 Draw");
    let free = |completed| {
        let flags = vec![claimed(5000, at_move(White, completed)), at_move(Black, Some((38, false)))];
        Facts { scoresheet: Some(true), ..game("us-chess+both-flags-draw", flags) }
    };
    assert!(says(&free(Some((40, false)))).starts_with("6 GameGoesOn; "), "the claim fails");
    assert_eq!(says(&free(None)), "6 Undecided [6 GameGoesOn | 4 Draw] ? completed_moves");
    let mixed = |name| {
        let flags = vec![claimed(5000, flag(White)), at_move(Black, Some((38, false)))];
        game(name, flags)
    };
    assert_eq!(says(&mixed(US)), "4 Undecided [4 GameGoesOn | 11 BlackWins] ? own_flag", "of a period long over");
    assert!(found(&mixed(US))[0].configurable.contains(&"own-flag-up"));
    assert_eq!(says(&mixed("us-chess+own-flag-may-be-down")), "11 BlackWins");
    let unknown = game(US, vec![claimed(5000, flag(White)), Flag { last: None, ..flag(Black) }]);
    assert_eq!(says(&unknown), "4 Undecided [4 Undecided | 11 BlackWins] ? own_flag, time_control");
    let other = game(US, vec![claimed(5000, Flag { last: None, ..flag(White) }), flag(Black)]);
    assert_eq!(says(&other), "4 Undecided [4 Draw | 4 GameGoesOn] ? time_control");
}

fn period(completed: Option<(u32, bool)>, scoresheet: Option<bool>) -> Facts {
    Facts { scoresheet, ..game(US, vec![claimed(5000, at_move(White, completed))]) }
}

#[test]
fn row_5_the_claimants_scoresheet() {
    assert_eq!(says(&period(Some((39, false)), Some(true))), "11 BlackWins");
    assert_eq!(says(&period(Some((39, false)), Some(false))), "5 GameGoesOn");
    assert_eq!(says(&period(Some((39, false)), None)), "5 Undecided [5 GameGoesOn | 11 BlackWins] ? scoresheet");
    let last = Facts { scoresheet: Some(false), ..one(OPEN) };
    assert_eq!(says(&last), "11 BlackWins", "none is needed in sudden death");
}

#[test]
fn row_6_the_moves_were_completed() {
    assert_eq!(says(&period(Some((40, false)), None)), "6 GameGoesOn");
    assert_eq!(
        says(&period(Some((39, true)), Some(true))),
        "6 Undecided [6 GameGoesOn | 11 BlackWins] ? order_of_press_and_flag"
    );
    assert_eq!(says(&period(None, Some(true))), "6 Undecided [6 GameGoesOn | 11 BlackWins] ? completed_moves");
    let unknown = game(US, vec![claimed(5000, Flag { last: None, ..flag(White) })]);
    assert!(says(&unknown).ends_with("? time_control, scoresheet"), "{}", says(&unknown));
}

#[test]
fn row_7_a_lone_king() {
    assert_eq!(says(&one(BLACK_BARE)), "7 Draw");
    assert_eq!(found(&one(BLACK_BARE))[0].articles, ["14E1"]);
}

#[test]
fn row_8_a_minor_piece_and_no_forced_win() {
    let open = "8 Undecided [8 BlackWins | 8 Draw] ? forced_win";
    assert_eq!(says(&one(BISHOP_V_PAWN)), open);
    assert_eq!(says(&one("4k3/8/8/8/8/8/R7/1n2K3 w - - 0 1")), open);
    assert_eq!(says(&one("4k3/2nn4/8/8/8/8/R7/4K3 w - - 0 1")), open, "14E3: no pawns");
    assert_eq!(says(&one("4k3/2nn4/8/8/8/8/4P3/4K3 w - - 0 1")), "11 BlackWins", "14E3 asks for no pawns");
    let mut helpless = |_: &Chess, side: Color| if side == Black { never() } else { won() };
    assert_eq!(says_with(&one(BISHOP_V_PAWN), &mut helpless), "8 Draw", "if help brings no win, no win is forced");
}

#[test]
fn row_8_a_forced_win_is_searched_for() {
    use flagfall_game::laws::forced_wins::forced_win;
    let searched = |fen: &str| {
        let facts = one(fen);
        let flag = &facts.flags[0];
        let forced_wins = vec![forced_win(&flag.positions[0].position, Black)];
        says(&Facts { flags: vec![Flag { forced_wins, ..flag.clone() }], ..facts })
    };
    assert_eq!(searched("8/8/8/8/3n4/8/P7/K1k5 b - - 0 1"), "8 BlackWins", "14E2: 1... Nc2#");
    assert_eq!(searched("7k/8/8/8/8/5n2/P7/K7 b - - 0 1"), "8 Draw", "the pawn, or the king, gets away");
    assert_eq!(searched("4k3/8/8/8/8/2n5/2n4Q/7K w - - 0 1"), "8 Draw", "14E3: a knight falls");
    assert_eq!(searched("4k3/2nn4/8/8/8/8/4P3/4K3 w - - 0 1"), "11 BlackWins", "it does not ask");
    let mixed = [("8/8/8/8/3n4/8/P7/K1k5 b - - 0 1", Some(true)), ("7k/8/8/8/8/5n2/P7/K7 b - - 0 1", Some(false)), (OPEN, None)];
    let flag = Flag { positions: mixed.iter().map(|(fen, _)| position(fen)).collect(), ..flag(White) };
    let wins: Vec<Option<bool>> = flag.positions.iter().map(|counted| forced_win(&counted.position, Black)).collect();
    assert_eq!(wins, mixed.map(|(_, wins)| wins));
    let two = Flag { positions: flag.positions[..2].to_vec(), forced_wins: wins[..2].to_vec(), ..claimed(5000, flag) };
    assert_eq!(says(&game(US, vec![two])), "11 Undecided [8 BlackWins | 8 Draw] ? position");
}

#[test]
fn rows_9_and_10_no_series_of_legal_moves() {
    let mut dead = |_: &Chess, _| never();
    assert_eq!(says_with(&one(OPEN), &mut dead), "9 Draw");
    let mut helpless = |_: &Chess, side: Color| if side == Black { never() } else { won() };
    assert_eq!(says_with(&one(OPEN), &mut helpless), "10 Undecided [9 Draw | 11 BlackWins] ? decision_of_the_director");
    let mut pending = |_: &Chess, _| Verdict::Pending;
    assert_eq!(says_with(&one(OPEN), &mut pending), "10 Undecided [9 Draw | 11 BlackWins] ? winnable");
}

#[test]
fn row_11_the_claimant_wins() {
    assert_eq!(says(&one(OPEN)), "11 BlackWins");
    let unseen = Facts { flags: vec![claimed(5000, Flag { moves_missing: true, ..flag(White) })], ..one(OPEN) };
    assert_eq!(says(&unseen), "11 Undecided ? position");
    let two = Flag { positions: vec![position(OPEN), position(BLACK_BARE)], ..claimed(5000, flag(White)) };
    assert_eq!(says(&game(US, vec![two])), "11 Undecided [11 BlackWins | 7 Draw] ? position");
}

#[test]
fn options_that_a_finding_rests_on() {
    let board = "4k3/8/8/8/8/8/4P3/R3K2r w - - 150 90";
    assert_eq!(found(&one(board))[0].configurable, ["no-75-moves"]);
    let with = |name| Facts {
        endings: vec![on_board(Ending::SeventyFiveMoves, White, at(100, 200))],
        ..game(name, vec![claimed(5000, standing(board, flag(White)))])
    };
    assert_eq!(says(&with(US)), "11 BlackWins");
    assert_eq!(
        (says(&with("us-chess+75-moves")).as_str(), &*found(&with("us-chess+75-moves"))[0].configurable),
        ("2 Draw", &["75-moves"][..])
    );
    let fivefold = Facts { endings: vec![on_board(Ending::FivefoldRepetition, White, at(100, 200))], ..one(OPEN) };
    assert_eq!(says(&fivefold), "11 BlackWins", "on claim only");
    let unruled = Facts { illegal: vec![illegal(Black, Treated::Open, 500)], ..one(OPEN) };
    assert_eq!(says(&unruled), "10 Undecided [10 GameGoesOn | 11 BlackWins] ? illegal_move_ruling");
    let twice = vec![illegal(White, Treated::Counted, 500), illegal(White, Treated::Counted, 600)];
    let twice = Facts { illegal: twice, ..one(OPEN) };
    assert_eq!((says(&twice).as_str(), &*found(&twice)[0].configurable), ("11 BlackWins", &["illegal-moves-do-not-lose"][..]));
}
