//! Undecided and contested findings: what is not known at the innermost place, and the outcomes that stand beside each other.

use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{Facts, Flag, Treated};
use flagfall_game::laws::outcome::{Ending, Outcome};
use flagfall_protocols::square::Color::{Black, White};

use crate::laws::support::*;

#[test]
fn the_innermost_unknown_is_named() {
    let lodged = || vec![claim(White, Ground::Repetition, Standing::Lodged, at(500, 500))];
    let missing = Flag { moves_missing: true, ..flag(White) };
    let facts = Facts { claims: lodged(), ..game("fide-2023-standard", vec![missing.clone()]) };
    assert_eq!(says(&facts), "6 Undecided, if observed [6 Draw | 14 Undecided] ? claim_ruling, moves_missing");
    // Three questions, one inside the other.
    let open = vec![illegal(White, Treated::Open, 600)];
    let facts = Facts { illegal: open, ..facts };
    let found = found(&facts).remove(0);
    assert_eq!(found.unknown, ["claim_ruling", "illegal_move_ruling", "moves_missing"]);
    // If the inner answer is known, only the outer question is open.
    let facts = Facts { claims: lodged(), ..game("fide-2023-standard", vec![flag(White)]) };
    assert_eq!(says(&facts), "6 Undecided, if observed [6 Draw | 14 BlackWins] ? claim_ruling");
    // Behind an end that nobody entered, and behind the order of two flags.
    let over = Flag { apparently_over: true, ..missing.clone() };
    assert!(says(&game("fide-2023-standard", vec![over])).ends_with("[14 Undecided] ? moves_missing"));
    let two = game("fide-2023-standard", vec![missing, flag(Black)]);
    assert!(says(&two).ends_with("? order_of_flags, moves_missing"), "{}", says(&two));
}

/// A mate and the flag within one interval. The flag's answer rests on the position before the mate.
#[test]
fn a_contested_ending_names_the_outcome_of_the_flag() {
    let mate = |before: Option<&str>| {
        let flag = Flag { before_ending: before.map(position), ..seen(3000, flag(White)) };
        Facts { endings: vec![on_board(Ending::Checkmate, White, at(1500, 1700))], ..game("fide-2023-standard", vec![flag]) }
    };
    assert_eq!(says(&mate(Some(OPEN))), "1 WhiteWins, contested [14 BlackWins]");
    assert_eq!(says(&mate(Some(BLACK_BARE))), "1 WhiteWins, contested [15 Draw]");
    assert_eq!(says(&mate(None)), "1 WhiteWins, contested [14 Undecided]", "the position is not known");
    let depends_on = found(&mate(Some(OPEN))).remove(0).alternatives.remove(0).depends_on;
    assert_eq!(depends_on, "the fall was observed before it");
    // It is not contested if the mate came first, or if the flag gives the same outcome.
    let before = Facts { endings: vec![on_board(Ending::Checkmate, White, at(500, 600))], ..mate(Some(OPEN)) };
    assert_eq!(says(&before), "1 WhiteWins");
    let same = Facts { endings: vec![on_board(Ending::Checkmate, Black, at(1500, 1700))], ..mate(Some(OPEN)) };
    assert_eq!(says(&same), "1 BlackWins");
    let drawn = Flag { before_ending: Some(position(BLACK_BARE)), ..seen(3000, flag(White)) };
    let stalemate = vec![on_board(Ending::Stalemate, White, at(1500, 1700))];
    let drawn = Facts { endings: stalemate, ..game("fide-2023-standard", vec![drawn]) };
    assert_eq!(says(&drawn), "2 Draw", "a draw either way");
}

#[test]
fn an_open_offer_is_named_beside_the_flag() {
    let offered = |side, observed: bool| {
        let flag = Flag { open_offer: true, ..flag(side) };
        game("fide-2023-standard", vec![if observed { seen(3000, flag) } else { flag }])
    };
    assert_eq!(says(&offered(White, false)), "14 BlackWins, if observed [5 Draw]");
    assert_eq!(says(&offered(Black, true)), "14 WhiteWins [5 Draw]");
    let found = found(&offered(White, true)).remove(0);
    assert_eq!((found.outcome, found.alternatives[0].outcome), (Outcome::BlackWins, Outcome::Draw));
    // Where the flag draws or costs nothing, the offer changes nothing.
    let with = |flag| says(&game("fide-2023-standard", vec![Flag { open_offer: true, ..flag }]));
    assert_eq!(with(standing(BLACK_BARE, flag(White))), "15 Draw, if observed");
    assert_eq!(with(at_move(White, Some((40, false)))), "12 GameGoesOn, if observed");
}

/// Row 10: the setting is right, or it is put right (6.10.2).
#[test]
fn a_clock_that_is_not_set_as_configured_has_two_outcomes() {
    let differs = |flag| Facts { setting_differs: true, ..game("fide-2023-standard", vec![flag]) };
    assert_eq!(says(&differs(flag(White))), "10 Undecided, if observed [14 BlackWins | 10 GameGoesOn] ? clock_setting");
    let free = Flag { last: Some(false), ..at_move(White, Some((40, false))) };
    assert_eq!(says(&differs(free)), "10 Undecided, if observed [12 GameGoesOn] ? clock_setting");
}
