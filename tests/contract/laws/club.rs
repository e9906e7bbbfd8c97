//! The five rows of `club-speed` (`laws/README.md#5.2`), and those of its 31 points that a program can decide.

use flagfall_game::laws::facts::{Caller, End, Ended, Facts, Flag, Illegal, Treated};
use flagfall_game::laws::outcome::Ending;
use flagfall_protocols::square::Color::{Black, White};
use flagfall_protocols::time::Instant;

use crate::laws::support::*;

const CLUB: &str = "club-speed";

/// A player declared this flag and stopped both clocks.
fn declared(at: u64, flag: Flag) -> Flag {
    Flag { observed_at: Some(Instant(at)), called_by: Some(Caller::Player), clocks_stopped: Some(true), ..flag }
}

fn one() -> Facts {
    game(CLUB, vec![declared(5000, flag(White))])
}

fn mate(by: flagfall_protocols::square::Color, pressed: Option<(u64, u64)>) -> Ended {
    let pressed = pressed.map(|(from, until)| at(from, until));
    Ended { pressed, ..on_board(Ending::Checkmate, by, at(400, 450)) }
}

#[test]
fn row_1_nobody_declared_it() {
    assert_eq!(says(&game(CLUB, vec![flag(White)])), "1 GameGoesOn, if observed [3 BlackWins]");
    let bystander = Flag { called_by: Some(Caller::Arbiter), ..declared(5000, flag(White)) };
    assert_eq!(says(&game(CLUB, vec![bystander])), "1 GameGoesOn, if observed [3 BlackWins]", "points 10, 25");
    let unsaid = Flag { called_by: None, ..declared(5000, flag(White)) };
    assert_eq!(says(&game(CLUB, vec![unsaid])), "1 Undecided [1 GameGoesOn | 3 BlackWins] ? called_by");
    let running = Flag { clocks_stopped: Some(false), ..declared(5000, flag(White)) };
    assert_eq!(says(&game(CLUB, vec![running])), "1 GameGoesOn, if observed [3 BlackWins]", "the clocks go on");
    let unknown = Flag { clocks_stopped: None, ..declared(5000, flag(White)) };
    assert_eq!(says(&game(CLUB, vec![unknown])), "1 Undecided [1 GameGoesOn | 3 BlackWins] ? clocks_stopped");
}

#[test]
fn row_2_both_flags_are_down() {
    let both = |name| game(name, vec![declared(5000, flag(White)), flag(Black)]);
    assert_eq!(says(&both(CLUB)), "2 Draw [2 BlackWins | 2 WhiteWins]", "unless both agree");
    assert_eq!(says(&Facts { agreed_first: Some(Black), ..both(CLUB) }), "2 WhiteWins");
    let ordered = |name| game(name, vec![declared(5000, flag(White)), Flag { fell: at(2500, 2600), ..flag(Black) }]);
    assert_eq!(says(&ordered(CLUB)), "2 Draw [2 BlackWins | 2 WhiteWins]", "the device takes no part");
    assert_eq!(found(&ordered(CLUB))[0].configurable, ["stamps-advisory"]);
    assert_eq!(says(&ordered("club-speed+stamps-count")), "2 BlackWins");
    let second = |name| says(&game(name, vec![flag(White), declared(5000, Flag { fell: at(2500, 2600), ..flag(Black) })]));
    assert!(second(CLUB).ends_with("2 Draw [2 WhiteWins | 2 BlackWins]"), "{}", second(CLUB));
    let by_stamps = second("club-speed+stamps-count");
    assert!(by_stamps.ends_with("2 BlackWins"), "White's flag fell first, independent of the declaration: {by_stamps}");
}

#[test]
fn row_2_the_other_flag_falls_while_it_is_declared() {
    let with = |fell| game(CLUB, vec![declared(5000, flag(White)), Flag { fell, ..flag(Black) }]);
    assert_eq!(says(&with(at(4900, 5100))), "2 Undecided [2 Draw | 3 BlackWins] ? order_of_declaration_and_flag");
    assert_eq!(says(&with(at(6000, 6100))), "3 BlackWins");
}

#[test]
fn row_3_one_flag_declared() {
    assert_eq!(says(&one()), "3 BlackWins");
    let bare = game(CLUB, vec![declared(5000, standing(BLACK_BARE, flag(White)))]);
    assert_eq!(says(&bare), "3 BlackWins", "a lone king wins by the letter");
    assert_eq!(found(&bare)[0].configurable, ["no-article-6.9"]);
    let imported = Facts { rulebook: rules("club-speed+article-6.9").rulebook, ..bare };
    assert_eq!(says(&imported), "3 Draw");
    let unseen = Facts { flags: vec![declared(5000, Flag { moves_missing: true, ..flag(White) })], ..imported };
    assert_eq!(says(&unseen), "3 Undecided ? moves_missing");
}

#[test]
fn the_clock_beats_a_mate() {
    let by_white = |pressed| Facts { endings: vec![mate(White, pressed)], ..one() };
    assert_eq!(says(&by_white(Some((3000, 3100)))), "3 BlackWins", "point 13: the flag was down before");
    assert_eq!(says(&by_white(Some((500, 600)))), "5 WhiteWins", "mated before any flag had fallen");
    let about = "5 Undecided [3 BlackWins | 5 WhiteWins] ? order_of_ending_and_flag";
    assert_eq!(says(&by_white(Some((1500, 1600)))), about);
    let undeclared = Facts { flags: vec![flag(White)], ..by_white(Some((3000, 3100))) };
    assert_eq!(says(&undeclared), "5 WhiteWins, contested, if observed [3 BlackWins]");
    let unsure = Flag { clocks_stopped: None, ..declared(5000, flag(White)) };
    let unsure = Facts { flags: vec![unsure], ..by_white(Some((3000, 3100))) };
    assert_eq!(says(&unsure), "1 Undecided [1 GameGoesOn | 5 Undecided] ? clocks_stopped, declaration");
    let perhaps = Flag { called_by: None, ..declared(5000, flag(White)) };
    let other = Flag { fell: at(900, 950), ..flag(Black) };
    let perhaps = Facts { flags: vec![other, perhaps], ..by_white(Some((3000, 3100))) };
    assert!(says(&perhaps).contains("Undecided"), "{}", says(&perhaps));
    let own_down = Facts {
        flags: vec![declared(5000, flag(White)), Flag { fell: at(4000, 4100), ..flag(Black) }],
        ..by_white(Some((3000, 3100)))
    };
    assert_eq!(says(&own_down), "2 Draw [2 BlackWins | 2 WhiteWins]", "point 14");
}

#[test]
fn row_5_a_mate_needs_the_press() {
    let with = |pressed| Facts { endings: vec![mate(Black, pressed)], ..rules(CLUB) };
    assert_eq!(says(&with(Some((500, 600)))), "5 BlackWins");
    assert_eq!(says(&with(None)), "", "point 7: made, not finished");
    let flagged = Facts { endings: vec![mate(White, None)], ..one() };
    assert_eq!(says(&flagged), "3 BlackWins");
    let before = Facts { endings: vec![mate(Black, Some((500, 600)))], ..one() };
    assert_eq!(says(&before), "5 BlackWins");
    let after = Facts { endings: vec![mate(Black, Some((6000, 6100)))], ..one() };
    assert_eq!(says(&after), "3 BlackWins", "declared first");
}

#[test]
fn row_4_an_illegal_press_before_the_fall() {
    let with = |name: &str, when| Facts {
        illegal: vec![illegal(Black, Treated::Counted, when)],
        ..game(name, vec![declared(5000, flag(White))])
    };
    // White claims the illegal move, and White's own flag falls.
    let open = "4 Undecided [4 WhiteWins | 4 BlackWins] ? agreement_on_order";
    assert_eq!(says(&with(CLUB, 500)), open, "point 20: if both agree");
    assert_eq!(says(&with("club-speed+stamps-count", 500)), "4 WhiteWins");
    assert_eq!(says(&with("club-speed+stamps-count", 1500)), open);
    let own = Facts { illegal: vec![illegal(White, Treated::Counted, 500)], ..one() };
    assert_eq!(says(&own), "4 BlackWins", "either way");
}

#[test]
fn an_illegal_move_loses_if_the_opponent_acts_in_time() {
    let with = |illegal: Illegal| Facts { illegal: vec![illegal], ..rules(CLUB) };
    assert_eq!(says(&with(illegal(White, Treated::Counted, 500))), "4 BlackWins", "points 3.4, 16, 18, 19");
    assert_eq!(says(&with(illegal(White, Treated::Open, 500))), "4 Undecided [4 BlackWins | 4 GameGoesOn] ? illegal_move_ruling");
    let made = Illegal { reply: Some(at(600, 700)), ..illegal(White, Treated::Open, 500) };
    assert!(says(&with(made.clone())).ends_with("? illegal_move_ruling"), "point 15: moved and not punched");
    let unnoticed = Illegal { reply_pressed: Some(at(800, 900)), ..made };
    assert_eq!(says(&with(unnoticed.clone())), "", "point 15: it has become legal");
    let flagged = Facts { illegal: vec![unnoticed], ..one() };
    assert_eq!(says(&flagged), "3 BlackWins");
    let open = Facts { illegal: vec![illegal(Black, Treated::Open, 500)], ..one() };
    assert_eq!(says(&open), "4 Undecided [4 WhiteWins | 3 BlackWins] ? illegal_move_ruling");
}

#[test]
fn the_king_is_captured() {
    let captured = |pressed| Ended { end: End::KingCaptured { by: White }, at: at(400, 450), pressed, positions: Vec::new() };
    assert_eq!(says(&Facts { endings: vec![captured(Some(at(500, 510)))], ..rules(CLUB) }), "5 WhiteWins", "points 3.3, 18");
    assert_eq!(says(&Facts { endings: vec![captured(None)], ..rules(CLUB) }), "", "and the clock stopped");
}

#[test]
fn other_ends_by_ordinary_rules() {
    let resignation = Facts { endings: vec![resigned(White, at(500, 600), BLACK_BARE)], ..rules(CLUB) };
    assert_eq!((says(&resignation).as_str(), &*found(&resignation)[0].configurable), ("5 BlackWins", &["no-article-6.9"][..]));
    let imported = Facts { rulebook: rules("club-speed+article-6.9").rulebook, ..resignation };
    assert_eq!(says(&imported), "5 Draw");
    let late = Facts { endings: vec![agreed(at(4900, 5100), Some(true))], ..one() };
    assert_eq!(says(&late), "5 Undecided [5 Draw | 3 BlackWins] ? order_of_ending_and_declaration");
    let setting = Facts { setting_differs: true, ..one() };
    assert_eq!(says(&setting), "1 Undecided [3 BlackWins | 1 GameGoesOn] ? clock_setting");
}
