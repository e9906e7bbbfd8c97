//! Popular opinions and the outcomes of the profiles (`laws/README.md#6`), as pairs.

use flagfall_game::laws::facts::{Facts, Flag, Illegal, IllegalKind, Treated};
use flagfall_game::laws::outcome::Ending;
use flagfall_game::laws::rulebook::Profile;
use flagfall_protocols::square::Color::{Black, White};

use crate::laws::support::*;

/// The outcomes of two rulebooks for the same flag of White.
fn both_outcomes(flag: Flag, names: [&str; 2]) -> [String; 2] {
    names.map(|name| says(&game(name, vec![flag.clone()])))
}

#[test]
fn king_and_bishop_cannot_win_is_no_rule() {
    let flag = seen(5000, standing(BISHOP_V_PAWN, flag(White)));
    assert_eq!(both_outcomes(flag.clone(), ["material-only", "fide-2023-standard"]), ["15 Draw", "14 BlackWins"]);
    let forced = "8 Undecided [8 BlackWins | 8 Draw] ? forced_win";
    assert_eq!(both_outcomes(flag, ["us-chess", "fide-2023-blitz"]), [forced, "14 BlackWins"]);
}

#[test]
fn everything_else_can_win_is_no_rule_either() {
    // Pawns that are locked for ever; the bishops cannot pass them.
    let locked = seen(5000, standing("8/4k1b1/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/1B2K3/8 w - - 0 1", flag(White)));
    let mut walls = |_: &shakmaty::Chess, _| never();
    let says_of = |name, walls: &mut dyn FnMut(&shakmaty::Chess, flagfall_protocols::square::Color) -> _| {
        says_with(&game(name, vec![locked.clone()]), walls)
    };
    assert_eq!(says_of("material-only", &mut walls), "14 BlackWins");
    assert_eq!(says_of("fide-2023-standard", &mut walls), "15 Draw");
    assert_eq!(says_of("us-chess", &mut walls), "9 Draw");
    // The popular explanation has one exception: a king and pawns that can never promote.
    let pawns = seen(5000, standing("8/4k3/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3/8 w - - 0 1", flag(White)));
    assert_eq!(says(&game("material-only", vec![pawns])), "15 Draw");
}

#[test]
fn a_fall_is_not_waived_by_the_next_press() {
    // The fall is seen long after it, when more moves were made: the Laws know no waiver, and a player who must claim still must.
    let late = Flag { observed_at: None, ..flag(White) };
    assert_eq!(says(&game("fide-2023-standard", vec![seen(90_000, late.clone())])), "14 BlackWins");
    assert_eq!(says(&game("us-chess", vec![late.clone()])), "3 GameGoesOn, if observed [11 BlackWins]");
    assert_eq!(says(&game("club-speed", vec![late])), "1 GameGoesOn, if observed [3 BlackWins]");
}

#[test]
fn the_arbiter_may_call_the_flag_under_the_laws() {
    let called = Flag { called_by: Some(flagfall_game::laws::facts::Caller::Arbiter), ..seen(5000, flag(White)) };
    let [fide, us] = both_outcomes(called, ["fide-2023-standard", "us-chess"]);
    assert_eq!((fide.as_str(), us.as_str()), ("14 BlackWins", "3 GameGoesOn, if observed [11 BlackWins]"));
}

#[test]
fn a_mate_that_is_made_stands_until_the_fall_is_observed() {
    let mate = on_board(Ending::Checkmate, White, at(3000, 3100));
    let with = |name, pressed| {
        let flag = Flag { clocks_stopped: Some(true), ..seen(5000, flag(White)) };
        let ended = flagfall_game::laws::facts::Ended { pressed, ..mate.clone() };
        says(&Facts { endings: vec![ended], ..game(name, vec![flag]) })
    };
    assert_eq!(with("fide-2023-standard", None), "1 WhiteWins, contested [14 Undecided]", "5.1.1 and 6.8");
    assert_eq!(with("us-chess", None), "1 WhiteWins", "13A");
    assert_eq!(with("club-speed", Some(at(3200, 3300))), "3 BlackWins", "point 13");
    let about_to = says(&game("fide-2023-standard", vec![seen(2500, flag(White))]));
    assert_eq!(about_to, "14 BlackWins", "a mate that is not made yet does not count");
}

#[test]
fn an_open_offer_may_be_accepted_until_the_fall_is_observed() {
    let drawn = |when| Facts {
        endings: vec![agreed(at(when, when), Some(true))],
        ..game("fide-2023-standard", vec![seen(5000, flag(White))])
    };
    assert_eq!(says(&drawn(3000)), "5 Draw, contested [14 BlackWins]");
    assert_eq!(says(&drawn(5500)), "14 BlackWins");
}

#[test]
fn a_move_without_a_press_is_made_and_not_completed() {
    let forgotten = seen(5000, at_move(White, Some((39, false))));
    let completed = seen(5000, at_move(White, Some((40, false))));
    assert_eq!(says(&game("fide-2023-standard", vec![forgotten])), "14 BlackWins");
    assert_eq!(says(&game("fide-2023-standard", vec![completed])), "12 GameGoesOn");
}

#[test]
fn the_older_print_had_the_same_test() {
    let flag = seen(5000, standing(BISHOP_V_PAWN, flag(White)));
    assert_eq!(both_outcomes(flag, ["fide-print-old", "fide-2023-standard"]), ["14 BlackWins", "14 BlackWins"]);
}

#[test]
fn a_press_without_a_move() {
    let once = |name| {
        let press = Illegal { kind: IllegalKind::PressedWithoutMove, ..illegal(White, Treated::Counted, 100) };
        says(&Facts { illegal: vec![press], ..rules(name) })
    };
    assert_eq!((once("fide-2023-standard"), once("club-speed")), (String::new(), "4 BlackWins".to_owned()));
}

#[test]
fn an_unnoticed_illegal_move() {
    let unnoticed = |name| {
        let replied =
            Illegal { reply: Some(at(150, 160)), reply_pressed: Some(at(150, 160)), ..illegal(White, Treated::Open, 100) };
        says(&Facts { illegal: vec![replied], ..rules(name) })
    };
    assert_eq!(unnoticed("fide-2023-standard"), "7b GameGoesOn", "never too late");
    assert_eq!(unnoticed("fide-2023-blitz"), "", "A.5.2");
    assert_eq!(unnoticed("club-speed"), "", "point 15");
}

#[test]
fn both_flags_draw_in_the_club_only() {
    let both = |name| {
        let call = |flag: Flag| Flag { clocks_stopped: Some(true), ..seen(5000, flag) };
        let later = Flag { fell: at(3000, 3100), ..flag(Black) };
        says(&game(name, vec![call(flag(White)), call(later)]))
    };
    assert_eq!(both("fide-2023-standard"), "14 BlackWins", "the first flag loses");
    assert_eq!(both("us-chess"), "4 Draw", "14G");
    assert_eq!(both("club-speed"), "2 Draw [2 BlackWins | 2 WhiteWins]");
}

#[test]
fn the_profiles_differ_as_data() {
    let differs = |one: Profile, other: Profile| one.rules() != other.rules();
    for one in flagfall_game::laws::rulebook::PROFILES {
        for other in flagfall_game::laws::rulebook::PROFILES {
            assert_eq!(differs(one, other), one != other, "{one:?}, {other:?}");
        }
    }
}
