//! The FIDE table (`laws/README.md#2.3`) for `fide-2023-standard`: rows 1 to 16, one flag.

use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{Facts, Flag, Treated};
use flagfall_game::laws::outcome::Ending;
use flagfall_game::laws::winnable::Verdict;
use flagfall_protocols::square::Color::{Black, White};

use crate::laws::support::*;

const FIDE: &str = "fide-2023-standard";

/// A game with this flag of White.
fn white(flag: Flag) -> Facts {
    game(FIDE, vec![flag])
}

fn ended(facts: Facts, ended: flagfall_game::laws::facts::Ended) -> Facts {
    Facts { endings: vec![ended], ..facts }
}

#[test]
fn row_1_mate_before_the_fall_is_observed() {
    let mate = |when| ended(white(flag(White)), on_board(Ending::Checkmate, White, when));
    assert_eq!(says(&mate(at(100, 900))), "1 WhiteWins, if observed");
    for when in [at(900, 1000), at(1500, 1600), at(3000, 3100)] {
        assert_eq!(says(&mate(when)), "1 WhiteWins, contested, if observed [14 Undecided]", "{when:?}");
    }
    assert_eq!(found(&mate(at(100, 900)))[0].articles, ["5.1.1", "6.8", "6.9"]);
    let by_black = ended(white(flag(White)), on_board(Ending::Checkmate, Black, at(100, 900)));
    assert_eq!(says(&by_black), "1 BlackWins, if observed");
}

#[test]
fn row_1_and_the_moment_of_observation() {
    let mate = |when| ended(white(seen(5000, flag(White))), on_board(Ending::Checkmate, White, when));
    assert_eq!(says(&mate(at(4000, 4900))), "1 WhiteWins, contested [14 Undecided]");
    let both = "1 Undecided [1 WhiteWins | 14 BlackWins] ? order_of_ending_and_observation";
    assert_eq!(says(&mate(at(4900, 5000))), both);
    assert_eq!(says(&mate(at(4900, 5100))), both);
    assert_eq!(says(&mate(at(5000, 5100))), "14 BlackWins");
}

#[test]
fn row_2_stalemate_or_dead_position() {
    for (ending, article) in [(Ending::Stalemate, "5.2.1"), (Ending::DeadPosition, "5.2.2")] {
        let facts = ended(white(flag(White)), on_board(ending, Black, at(100, 900)));
        assert_eq!(says(&facts), "2 Draw, if observed");
        assert_eq!(found(&facts)[0].articles, [article]);
        let late = ended(white(flag(White)), on_board(ending, Black, at(1900, 2100)));
        assert_eq!(says(&late), "2 Draw, contested, if observed [14 Undecided]");
    }
}

#[test]
fn row_3_fivefold_and_75_moves() {
    for (ending, article) in [(Ending::FivefoldRepetition, "9.6.1"), (Ending::SeventyFiveMoves, "9.6.2")] {
        let facts = ended(white(flag(White)), on_board(ending, Black, at(100, 900)));
        assert_eq!((says(&facts).as_str(), found(&facts)[0].articles), ("3 Draw, if observed", &[article][..]));
    }
}

#[test]
fn row_4_resignation() {
    let by = |who, fen| ended(white(flag(White)), resigned(who, at(500, 600), fen));
    assert_eq!(says(&by(White, OPEN)), "4 BlackWins, if observed");
    assert_eq!(says(&by(Black, OPEN)), "4 WhiteWins, if observed");
    assert_eq!(says(&by(White, BLACK_BARE)), "4 Draw, if observed", "5.1.2: Black cannot mate");
    let after = ended(white(seen(2500, flag(White))), resigned(Black, at(2600, 2600), OPEN));
    assert_eq!(says(&after), "14 BlackWins", "the flag was observed before");
    let about = ended(white(seen(2500, flag(White))), resigned(Black, at(2400, 2600), OPEN));
    assert_eq!(says(&about), "4 Undecided [4 WhiteWins | 14 BlackWins] ? order_of_ending_and_observation");
    let same = ended(white(seen(2500, flag(White))), resigned(White, at(2400, 2600), OPEN));
    assert_eq!(says(&same), "14 BlackWins", "either way");
}

#[test]
fn row_4_without_a_flag() {
    for (fen, expected) in [(OPEN, "4 BlackWins"), (BLACK_BARE, "4 Draw")] {
        let facts = ended(rules(FIDE), resigned(White, at(500, 600), fen));
        assert_eq!(says(&facts), expected);
        assert_eq!(found(&facts)[0].kind, flagfall_game::laws::outcome::Kind::Resignation);
    }
    let mut pending = |_: &shakmaty::Chess, _| Verdict::Pending;
    let facts = ended(rules(FIDE), resigned(White, at(500, 600), OPEN));
    assert_eq!(says_with(&facts, &mut pending), "4 Undecided [4 BlackWins | 4 Draw] ? winnable");
}

#[test]
fn row_5_agreement() {
    let drawn = |when, moved| ended(white(seen(5000, flag(White))), agreed(when, moved));
    assert_eq!(says(&drawn(at(500, 600), Some(true))), "5 Draw");
    assert_eq!(
        says(&drawn(at(3000, 3000), Some(true))),
        "5 Draw, contested [14 BlackWins]",
        "an open offer lasts until the fall is observed"
    );
    assert_eq!(says(&drawn(at(6000, 6000), Some(true))), "14 BlackWins");
    assert_eq!(says(&drawn(at(500, 600), Some(false))), "5 Undecided [5 Draw | 5 GameGoesOn] ? agreement_before_both_moved");
    assert_eq!(says(&drawn(at(500, 600), None)), "5 Undecided [5 Draw | 5 GameGoesOn] ? both_players_moved");
}

fn claimed(standing: Standing, when: flagfall_game::interval::Interval, seen_at: u64) -> Facts {
    let claims = vec![claim(White, Ground::Repetition, standing, when)];
    Facts { claims, ..white(seen(seen_at, flag(White))) }
}

#[test]
fn row_6_a_correct_claim() {
    assert_eq!(says(&claimed(Standing::Accepted, at(500, 500), 5000)), "6 Draw");
    assert_eq!(says(&claimed(Standing::Accepted, at(3000, 3000), 5000)), "6 Draw, contested [14 BlackWins]");
    assert_eq!(says(&claimed(Standing::Accepted, at(6000, 6000), 5000)), "14 BlackWins");
    assert_eq!(says(&claimed(Standing::Lodged, at(500, 500), 5000)), "6 Undecided [6 Draw | 14 BlackWins] ? claim_ruling");
    assert_eq!(says(&claimed(Standing::Lodged, at(6000, 6000), 5000)), "14 BlackWins", "the claim comes too late");
    let drawn = Facts { flags: vec![standing(BLACK_BARE, flag(White))], ..claimed(Standing::Lodged, at(500, 500), 5000) };
    assert_eq!(says(&drawn), "15 Draw, if observed", "a draw either way");
}

#[test]
fn row_6a_an_incorrect_claim() {
    assert_eq!(says(&claimed(Standing::Refused, at(500, 500), 5000)), "14 BlackWins", "the claimant's own flag");
    let other = |time_added| {
        let claim = claim(Black, Ground::FiftyMoves, Standing::Refused, at(500, 500));
        Facts { claims: vec![flagfall_game::laws::facts::Claimed { time_added, ..claim }], ..white(flag(White)) }
    };
    assert_eq!(says(&other(Some(true))), "14 BlackWins, if observed", "White was given his two minutes");
    assert_eq!(says(&other(None)), "6a Undecided, if observed [6a GameGoesOn | 14 BlackWins] ? penalty_time");
    use flagfall_game::laws::outcome::Recommended::{AddTime, PlayIndicatedMove};
    let recommended = found(&other(None))[0].recommended.clone();
    assert_eq!(recommended, [AddTime { side: "white", seconds: 120 }, PlayIndicatedMove { side: "black" }]);
}

#[test]
fn row_7a_two_illegal_moves_before_the_fall() {
    let of = |second| Facts {
        illegal: vec![illegal(White, Treated::Counted, 100), illegal(White, Treated::Counted, second)],
        ..white(seen(5000, standing(OPEN, flag(Black))))
    };
    assert_eq!(says(&of(900)), "7a BlackWins");
    let after = "7a Undecided [7a BlackWins | 14 WhiteWins] ? order_of_endings";
    assert_eq!(says(&of(1500)), after, "about when the time expired");
    assert_eq!(says(&of(3000)), after);
    assert_eq!(says(&of(6000)), "14 WhiteWins", "after the fall was observed");
}

#[test]
fn row_7b_one_illegal_move_nobody_has_ruled_on() {
    let facts = Facts { illegal: vec![illegal(Black, Treated::Open, 500)], ..white(flag(White)) };
    assert_eq!(says(&facts), "7b Undecided, if observed [7b GameGoesOn | 14 BlackWins] ? illegal_move_ruling");
    let free = Facts { flags: vec![at_move(White, Some((40, false)))], ..facts.clone() };
    assert!(says(&free).starts_with("12 GameGoesOn, if observed"), "it costs nothing either way: {}", says(&free));
    let later = Facts { illegal: vec![illegal(Black, Treated::Open, 2500)], ..facts };
    assert_eq!(says(&later), "14 BlackWins, if observed");
}

#[test]
fn row_8_nobody_has_observed_it() {
    let unseen = found(&white(flag(White)));
    assert!(unseen[0].conditional && unseen[0].row == "14");
    assert!(!found(&white(seen(3000, flag(White))))[0].conditional);
}

#[test]
fn row_9_apparently_over() {
    let facts = white(Flag { apparently_over: true, ..flag(White) });
    assert_eq!(says(&facts), "9 ResultNotEntered, if observed [14 BlackWins]");
}

#[test]
fn row_10_the_clock_is_set_otherwise() {
    let facts = Facts { setting_differs: true, ..white(flag(White)) };
    assert_eq!(says(&facts), "10 Undecided, if observed [14 BlackWins | 10 GameGoesOn] ? clock_setting");
    let over = Facts { flags: vec![Flag { apparently_over: true, ..flag(White) }], ..facts };
    assert_eq!(says(&over), "9 ResultNotEntered, if observed [10 Undecided] ? clock_setting");
}

#[test]
fn row_12_the_moves_were_completed() {
    for completed in [(40, false), (45, false), (40, true)] {
        assert_eq!(says(&white(at_move(White, Some(completed)))), "12 GameGoesOn, if observed");
    }
    assert_eq!(found(&white(at_move(White, Some((40, false)))))[0].articles, ["6.4", "8.5"]);
}

#[test]
fn row_13_the_count_is_not_known() {
    let both = "13 Undecided, if observed [12 GameGoesOn | 14 BlackWins]";
    assert_eq!(says(&white(at_move(White, None))), format!("{both} ? completed_moves"));
    assert_eq!(says(&white(at_move(White, Some((39, true))))), format!("{both} ? order_of_press_and_flag"));
    assert_eq!(says(&white(Flag { last: None, ..flag(White) })), format!("{both} ? time_control"));
    let missing = Flag { moves_missing: true, ..at_move(White, Some((30, false))) };
    let unseen = "13 Undecided, if observed [12 GameGoesOn | 14 Undecided] ? completed_moves, moves_missing";
    assert_eq!(says(&white(missing)), unseen, "unseen moves may have been completed");
}

#[test]
fn row_14_he_loses() {
    assert_eq!(says(&white(flag(White))), "14 BlackWins, if observed");
    assert_eq!(says(&game(FIDE, vec![seen(3000, flag(Black))])), "14 WhiteWins");
    for completed in [(39, false), (38, true), (0, false)] {
        assert_eq!(says(&white(at_move(White, Some(completed)))), "14 BlackWins, if observed", "{completed:?}");
    }
    assert_eq!(says(&white(Flag { completed: None, ..flag(White) })), "14 BlackWins, if observed", "in the last period");
    assert_eq!(found(&white(flag(White)))[0].articles, ["6.9"]);
}

#[test]
fn row_15_the_opponent_cannot_mate() {
    assert_eq!(says(&white(standing(BLACK_BARE, flag(White)))), "15 Draw, if observed");
    assert_eq!(says(&game(FIDE, vec![standing(BLACK_BARE, flag(Black))])), "14 WhiteWins, if observed", "but he can");
    let short = standing(BLACK_BARE, at_move(White, Some((39, false))));
    assert_eq!(says(&white(short)), "15 Draw, if observed");
}

#[test]
fn row_16_not_settled() {
    let mut pending = |_: &shakmaty::Chess, _| Verdict::Pending;
    let open = "16 Undecided, if observed [14 BlackWins | 15 Draw] ? winnable";
    assert_eq!(says_with(&white(flag(White)), &mut pending), open);
    let nowhere = white(Flag { positions: Vec::new(), ..flag(White) });
    assert_eq!(says(&nowhere), "14 Undecided, if observed [14 BlackWins | 15 Draw] ? position");
}

#[test]
fn every_position_that_may_count_is_asked_about() {
    let two = |one, other| white(Flag { positions: vec![position(one), position(other)], ..flag(White) });
    assert_eq!(says(&two(OPEN, OPEN)), "14 BlackWins, if observed");
    assert_eq!(says(&two(BLACK_BARE, BLACK_BARE)), "15 Draw, if observed");
    let mixed = "16 Undecided, if observed [14 BlackWins | 15 Draw] ? position";
    assert_eq!(says(&two(OPEN, BLACK_BARE)), mixed);
    assert_eq!(says(&two(BLACK_BARE, OPEN)), mixed);
}

#[test]
fn moves_that_nobody_saw_leave_it_open() {
    let unseen = white(Flag { moves_missing: true, ..flag(White) });
    assert_eq!(says(&unseen), "14 Undecided, if observed [14 BlackWins] ? moves_missing");
    let free = white(Flag { moves_missing: true, ..at_move(White, Some((40, false))) });
    assert_eq!(says(&free), "12 GameGoesOn, if observed", "more moves would not change it");
}

#[test]
fn the_earliest_ending_decides() {
    let two = |first, second| Facts {
        endings: vec![resigned(White, first, OPEN), on_board(Ending::Stalemate, White, second)],
        ..white(flag(White))
    };
    assert_eq!(says(&two(at(100, 200), at(300, 400))), "4 BlackWins, if observed");
    assert_eq!(says(&two(at(300, 400), at(100, 200))), "2 Draw, if observed");
    assert_eq!(says(&two(at(100, 300), at(200, 400))), "4 Undecided, if observed [4 BlackWins | 2 Draw] ? order_of_endings");
}

#[test]
fn an_ending_without_a_flag() {
    let mate = ended(rules(FIDE), on_board(Ending::Checkmate, Black, at(100, 200)));
    assert_eq!(says(&mate), "1 BlackWins");
    let claims = vec![claim(White, Ground::FiftyMoves, Standing::Accepted, at(5, 5))];
    assert_eq!(says(&Facts { claims, ..rules(FIDE) }), "6 Draw");
    assert_eq!(says(&ended(rules(FIDE), agreed(at(1, 2), Some(true)))), "5 Draw");
    assert_eq!(says(&rules(FIDE)), "");
    let two = Facts { endings: vec![resigned(White, at(1, 5), OPEN), agreed(at(3, 7), Some(true))], ..rules(FIDE) };
    assert_eq!(says(&two), "4 Undecided [4 BlackWins | 5 Draw] ? order_of_endings");
    let free =
        Facts { flags: vec![at_move(White, Some((40, false)))], ..ended(rules(FIDE), resigned(Black, at(5000, 5000), OPEN)) };
    assert_eq!(says(&free), "12 GameGoesOn, if observed; 4 WhiteWins", "a flag that costs nothing contests nothing");
}

#[test]
fn a_flag_that_was_set_aside_does_not_hide_the_next() {
    let first = Flag { set_aside: true, ..seen(3000, flag(White)) };
    let second = Flag { fell: at(4000, 4100), ..flag(Black) };
    assert_eq!(says(&game(FIDE, vec![first, second])), "14 BlackWins; 14 WhiteWins, if observed");
}
