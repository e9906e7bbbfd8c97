//! Two flags: row 11, Guidelines III.3, and flags in the order of their fall.

use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{Facts, Flag};
use flagfall_protocols::square::Color::{Black, White};

use crate::laws::support::*;

fn two_flags(name: &str) -> Facts {
    game(name, vec![flag(White), flag(Black)])
}

#[test]
fn row_11_undecided_where_no_guideline_was_announced() {
    let open = "11 Undecided, if observed [14 BlackWins | 14 WhiteWins] ? order_of_flags";
    for name in ["fide-2023-standard", "fide-2023-rapid", "fide-2023-rapid-supervised", "fide-2023-blitz", "material-only"] {
        assert_eq!(says(&two_flags(name)), open, "{name}");
    }
    assert_eq!(found(&two_flags("fide-2023-rapid"))[0].articles, ["A.5.5", "6.10.1"]);
}

#[test]
fn row_11_by_the_guideline() {
    for name in ["fide-2023-standard+guidelines-III.4", "fide-2023-standard+guidelines-III.5"] {
        let last = two_flags(name);
        assert_eq!((says(&last).as_str(), found(&last)[0].articles[0]), ("11 Draw, if observed", "III.3.1"));
        let short = |side| at_move(side, Some((39, false)));
        let first = Facts { flags: vec![short(White), short(Black)], ..last.clone() };
        assert!(says(&first).starts_with("11 GameGoesOn, if observed"), "{}", says(&first));
        let open = "11 Undecided, if observed [14 BlackWins | 14 WhiteWins] ? order_of_flags";
        assert_eq!(says(&Facts { adds_time: Some(true), ..last.clone() }), open, "not with additional time");
        assert_eq!(says(&Facts { adds_time: None, ..last.clone() }), open, "nor if it is unknown");
        let granted = vec![claim(White, Ground::AdditionalTime, Standing::Accepted, at(500, 500))];
        assert_eq!(says(&Facts { claims: granted, ..last.clone() }), open, "III.4 was granted");
        let mixed = Facts { flags: vec![short(White), flag(Black)], ..last };
        assert!(says(&mixed).ends_with("? order_of_flags"), "one of them in the last period: {}", says(&mixed));
    }
}

#[test]
fn row_11_needs_two_flags_that_cost_something() {
    let open = |other| game("fide-2023-standard", vec![flag(White), other]);
    let free = at_move(Black, Some((40, false)));
    assert_eq!(says(&open(free.clone())), "14 BlackWins, if observed");
    let drawn = game(
        "fide-2023-standard",
        vec![standing("4k3/8/8/8/8/8/8/4K3 w - - 0 1", flag(White)), standing("4k3/8/8/8/8/8/8/4K3 w - - 0 1", flag(Black))],
    );
    assert_eq!(says(&drawn), "15 Draw, if observed", "the order makes no difference: a draw");
    let one_draws = open(standing("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", flag(Black)));
    assert_eq!(says(&one_draws), "11 Undecided, if observed [14 BlackWins | 15 Draw] ? order_of_flags");
    for (first, either) in
        [(flag(White), "14 BlackWins | 13 Undecided"), (at_move(White, Some((39, false))), "13 Undecided | 14 BlackWins")]
    {
        let doubtful = game("fide-2023-standard+guidelines-III.4", vec![first, at_move(Black, None)]);
        assert_eq!(says(&doubtful), format!("11 Undecided, if observed [{either}] ? order_of_flags, completed_moves"));
    }
    let both_free = game("fide-2023-standard", vec![at_move(White, Some((40, false))), free]);
    assert_eq!(says(&both_free), "12 GameGoesOn, if observed; 12 GameGoesOn, if observed");
}

#[test]
fn the_sign_of_the_clock_decides_the_order() {
    let second = Flag { fell_second: true, ..flag(White) };
    for flags in [vec![second.clone(), flag(Black)], vec![flag(Black), second]] {
        assert_eq!(says(&game("fide-2023-standard", flags)), "14 WhiteWins, if observed");
    }
    let later = Flag { fell: at(1500, 2500), ..flag(Black) };
    assert_eq!(says(&game("fide-2023-standard", vec![later.clone(), flag(White)])), "14 BlackWins, if observed");
    let unshown = Flag { shown: false, ..later };
    let open = "11 Undecided, if observed [14 BlackWins | 14 WhiteWins] ? order_of_flags";
    assert_eq!(says(&game("fide-2023-standard", vec![unshown, flag(White)])), open, "moments that overlap");
    let after = Flag { shown: false, fell: at(2100, 2500), ..flag(Black) };
    assert_eq!(says(&game("fide-2023-standard", vec![after, flag(White)])), "14 BlackWins, if observed");
}

#[test]
fn flags_in_the_order_of_their_fall() {
    let free = at_move(White, Some((40, false)));
    let next = Flag { fell: at(3000, 3100), ..flag(Black) };
    let facts = game("fide-2023-standard", vec![next.clone(), free]);
    assert_eq!(says(&facts), "12 GameGoesOn, if observed; 14 WhiteWins, if observed");
    let last = Flag { fell: at(9000, 9100), ..flag(White) };
    assert_eq!(says(&game("fide-2023-standard", vec![last, next])), "14 WhiteWins, if observed", "nothing after it matters");
}

#[test]
fn the_first_was_not_observed_and_the_second_was() {
    let second = seen(4000, Flag { fell: at(3000, 3100), ..flag(Black) });
    let facts = game("fide-2023-standard", vec![flag(White), second.clone()]);
    let open = "8 Undecided, if observed [14 BlackWins | 14 WhiteWins] ? observation_of_first_flag";
    assert_eq!(says(&facts), open);
    let drawn = game(
        "fide-2023-standard",
        vec![standing("4k3/8/8/8/8/8/8/4K3 w - - 0 1", flag(White)), standing("4k3/8/8/8/8/8/8/4K3 w - - 0 1", second)],
    );
    assert_eq!(says(&drawn), "15 Draw, if observed");
}
