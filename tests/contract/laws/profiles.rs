//! The names of rulebooks, the differences between profiles, and the data behind them.

use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{Caller, Facts, Flag};
use flagfall_game::laws::outcome::Ending;
use flagfall_game::laws::rulebook::{Guideline, PROFILES, Profile, Rulebook, RulebookError};
use flagfall_protocols::square::Color::{Black, White};

use crate::laws::support::*;

#[test]
fn names_are_read_back() {
    for profile in PROFILES {
        assert_eq!(Rulebook::parse(profile.name()), Ok(Rulebook::of(profile)));
        assert!(!profile.rules().edition.is_empty() && profile.rules().options.len() <= 8);
        for option in profile.rules().options {
            let text = format!("{}+{}", profile.name(), option.other);
            let rulebook = Rulebook::parse(&text).expect("its own option");
            assert_eq!((rulebook.to_string(), rulebook.holds(option.about)), (text, Some(option.other)));
            assert_eq!(Rulebook::of(profile).holds(option.about), Some(option.default));
        }
    }
    let text = "fide-2023-rapid+guidelines-III.5";
    let rulebook = Rulebook::parse(text).expect("a guideline");
    assert_eq!((rulebook.guideline, rulebook.to_string().as_str()), (Some(Guideline::NormalMeans), text));
    assert_eq!(Rulebook::default().profile, Profile::FideStandard);
}

#[test]
fn an_unknown_name_is_refused_with_the_nearest_known_one() {
    for (text, nearest) in [
        ("fide-2023-standart", "fide-2023-standard"),
        ("fide-rapid", "fide-2023-rapid"),
        ("uschess", "us-chess"),
        ("", "us-chess"),
        ("fide-2023-standard+guidelines-III.3", "guidelines-III.4"),
        ("club-speed+article-69", "article-6.9"),
    ] {
        match Rulebook::parse(text) {
            Err(RulebookError::Unknown { nearest: found, .. }) => assert_eq!(found, nearest, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    let error = Rulebook::parse("blitz").expect_err("no such name").to_string();
    assert!(error.starts_with("there is no rulebook `blitz`; did you mean `"), "{error}");
    let long = "x".repeat(100_000);
    assert!(Rulebook::parse(&long).is_err());
}

#[test]
fn guidelines_are_for_standard_and_rapid_without_the_other_one() {
    for name in ["fide-2023-blitz", "fide-2023-blitz-supervised", "us-chess", "club-speed", "fide-print-old"] {
        let error = Rulebook::parse(&format!("{name}+guidelines-III.4")).expect_err("not there");
        assert!(matches!(error, RulebookError::NotHere { .. }) && error.to_string().contains("III.2"), "{name}: {error}");
    }
    let both = Rulebook::parse("fide-2023-standard+guidelines-III.4+guidelines-III.5").expect_err("only one");
    assert!(both.to_string().contains("only one"), "{both}");
}

#[test]
fn articles_of_unsupervised_games() {
    for (name, on_time) in [
        ("fide-2023-standard", &["6.9"][..]),
        ("fide-2023-rapid-supervised", &["6.9"]),
        ("fide-2023-blitz-supervised", &["6.9"]),
        ("fide-2023-rapid", &["6.9", "A.5.3"]),
        ("fide-2023-blitz", &["6.9", "A.5.3"]),
    ] {
        assert_eq!(found(&game(name, vec![flag(White)]))[0].articles, on_time, "{name}");
    }
}

fn pending(name: &str, ground: Ground, by: flagfall_protocols::square::Color, when: u64) -> Facts {
    let claims = vec![claim(by, ground, Standing::Lodged, at(when, when))];
    Facts { claims, ..game(name, vec![flag(White)]) }
}

#[test]
fn guideline_iii_5_a_claim_is_open_when_the_flag_falls() {
    let announced = "fide-2023-standard+guidelines-III.5";
    let open = "6 Undecided, if observed [6 Draw | 14 BlackWins] ? claim_ruling";
    assert_eq!(says(&pending(announced, Ground::NormalMeans, White, 500)), open);
    assert_eq!(found(&pending(announced, Ground::NormalMeans, White, 500))[0].articles, ["III.5.2"]);
    let lost = "14 BlackWins, if observed";
    assert_eq!(says(&pending(announced, Ground::NormalMeans, White, 2500)), lost, "before the flag falls");
    for name in ["fide-2023-standard", "fide-2023-standard+guidelines-III.4"] {
        assert_eq!(says(&pending(name, Ground::NormalMeans, White, 500)), lost, "{name}: not announced");
    }
    let granted = vec![claim(White, Ground::NormalMeans, Standing::Accepted, at(500, 500))];
    let granted = Facts { claims: granted, ..game(announced, vec![flag(White)]) };
    assert_eq!((says(&granted).as_str(), found(&granted)[0].articles), ("6 Draw, if observed", &["III.5.2"][..]));
    let rejected = vec![claim(Black, Ground::NormalMeans, Standing::Refused, at(500, 500))];
    let rejected = Facts { claims: rejected, ..game(announced, vec![flag(White)]) };
    assert!(says(&rejected).ends_with("? penalty_time"), "{}", says(&rejected));
}

#[test]
fn guideline_iii_4_a_request_is_open_when_the_flag_falls() {
    let announced = "fide-2023-standard+guidelines-III.4";
    let open = "6 Undecided, if observed [6 GameGoesOn | 14 BlackWins] ? claim_ruling";
    assert_eq!(says(&pending(announced, Ground::AdditionalTime, White, 500)), open);
    assert_eq!(says(&pending("fide-2023-standard", Ground::AdditionalTime, White, 500)), "14 BlackWins, if observed");
    let granted = vec![claim(White, Ground::AdditionalTime, Standing::Accepted, at(500, 500))];
    assert_eq!(says(&Facts { claims: granted, ..game(announced, vec![flag(White)]) }), "14 BlackWins, if observed", "no draw");
}

const OLD: &str = "fide-print-old";

#[test]
fn the_older_print_ends_no_game_by_itself() {
    for ending in [Ending::FivefoldRepetition, Ending::SeventyFiveMoves] {
        let facts = Facts { endings: vec![on_board(ending, White, at(100, 200))], ..game(OLD, vec![flag(White)]) };
        assert_eq!(says(&facts), "14 BlackWins, if observed", "{ending:?}");
    }
    assert!(!Profile::FidePrintOld.rules().next_move_completes && Profile::FideStandard.rules().next_move_completes);
}

#[test]
fn the_older_print_and_two_flags() {
    let last = game(OLD, vec![flag(White), flag(Black)]);
    assert_eq!((says(&last).as_str(), found(&last)[0].articles), ("11 Draw, if observed", &["6.11", "10.4"][..]));
    let short = |side| at_move(side, Some((39, false)));
    let first = Facts { adds_time: Some(true), flags: vec![short(White), short(Black)], ..last };
    assert!(says(&first).starts_with("11 GameGoesOn"), "the time control makes no difference: {}", says(&first));
}

#[test]
fn the_older_print_in_rapid_chess() {
    let rapid = "fide-print-old+rapid";
    let later = Flag { fell: at(3000, 3100), ..flag(Black) };
    let both = game(rapid, vec![seen(5000, flag(White)), later]);
    assert_eq!((says(&both).as_str(), found(&both)[0].articles), ("11 Draw", &["B8"][..]));
    assert_eq!(found(&both)[0].configurable, ["rapid"]);
    let claimed = |at| Facts { flags: vec![seen(at, flag(White)), both.flags[1].clone()], ..both.clone() };
    assert_eq!(says(&claimed(2500)), "14 BlackWins", "the claimant's own flag was up");
    assert_eq!(says(&claimed(3050)), "11 Undecided [11 Draw | 14 BlackWins] ? order_of_claim_and_flag");
    let by_arbiter = Flag { called_by: Some(Caller::Arbiter), ..seen(5000, flag(White)) };
    assert_eq!(says(&game(rapid, vec![by_arbiter])), "14 BlackWins, if observed", "B6: the arbiter does not call it");
    let unsaid = Flag { called_by: None, ..seen(5000, flag(White)) };
    let mate = on_board(Ending::Checkmate, White, at(6000, 6100));
    let mate = Facts { endings: vec![mate], ..game(rapid, vec![unsaid]) };
    assert_eq!(says(&mate), "1 Undecided [1 WhiteWins | 14 BlackWins] ? called_by");
    let by_player = Flag { called_by: Some(Caller::Player), ..seen(5000, flag(White)) };
    assert_eq!(says(&game(rapid, vec![by_player])), "14 BlackWins");
}

#[test]
fn the_older_print_and_claims_in_a_quickplay_finish() {
    let open = "6 Undecided, if observed [6 Draw | 14 BlackWins] ? claim_ruling";
    assert_eq!(says(&pending(OLD, Ground::NormalMeans, White, 500)), open, "10.2 needs no announcement");
    assert_eq!(found(&pending(OLD, Ground::NormalMeans, White, 500))[0].articles, ["10.2"]);
    let us = Facts { flags: vec![seen(5000, flag(White))], ..pending("us-chess", Ground::NormalMeans, White, 500) };
    assert_eq!(says(&us), "2 Undecided [2 Draw | 11 BlackWins] ? claim_ruling", "14H");
    assert_eq!(found(&us)[0].articles, ["14H"]);
    let rejected = vec![claim(Black, Ground::NormalMeans, Standing::Refused, at(500, 500))];
    let rejected = Facts { claims: rejected, ..game(OLD, vec![flag(White)]) };
    assert_eq!(says(&rejected), "14 BlackWins, if observed", "no penalty for a rejection");
}

#[test]
fn material_only_looks_at_the_men_alone() {
    let name = "material-only";
    let on = |fen| says(&game(name, vec![standing(fen, flag(White))]));
    assert_eq!(on(BLACK_BARE), "15 Draw, if observed");
    assert_eq!(on(BISHOP_V_PAWN), "15 Draw, if observed");
    assert_eq!(on("4k3/4n3/8/8/8/8/P7/4K3 w - - 0 1"), "15 Draw, if observed");
    assert_eq!(on("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1"), "14 BlackWins, if observed");
    assert_eq!(on("4k3/3nn3/8/8/8/8/8/4K3 w - - 0 1"), "14 BlackWins, if observed");
    let two = Flag { positions: vec![position(OPEN), position(BLACK_BARE)], ..flag(White) };
    assert_eq!(says(&game(name, vec![two])), "14 Undecided, if observed [14 BlackWins | 15 Draw] ? position");
    let mut never_asked = |_: &shakmaty::Chess, _| panic!("it asks for no series of moves");
    assert_eq!(says_with(&game(name, vec![flag(White)]), &mut never_asked), "14 BlackWins, if observed");
}

#[test]
fn the_setting_stands_after_ten_moves_where_nobody_supervises() {
    let with = |name, completed_by_both| Facts { setting_differs: true, completed_by_both, ..game(name, vec![flag(White)]) };
    let asks = "10 Undecided, if observed [14 BlackWins | 10 GameGoesOn] ? clock_setting";
    for name in ["fide-2023-rapid", "fide-2023-blitz"] {
        for early in [None, Some(0), Some(9)] {
            assert_eq!(says(&with(name, early)), asks, "{name}: {early:?}");
        }
        let stands = with(name, Some(10));
        assert_eq!(says(&stands), "14 BlackWins, if observed", "{name}");
        assert_eq!(found(&stands)[0].articles, ["6.9", "A.5.3", "A.5.1"]);
    }
    for name in ["fide-2023-standard", "fide-2023-rapid-supervised", "fide-2023-blitz-supervised", "fide-print-old"] {
        assert_eq!(says(&with(name, Some(40))), asks, "{name}");
    }
}

#[test]
fn the_older_print_cites_itself_where_the_count_is_doubtful() {
    let doubtful = game(OLD, vec![at_move(White, Some((39, true)))]);
    assert_eq!((found(&doubtful)[0].row, found(&doubtful)[0].articles), ("13", &["6.7", "6.3"][..]));
    let unknown = game(OLD, vec![Flag { last: None, ..flag(White) }]);
    assert_eq!((found(&unknown)[0].row, found(&unknown)[0].articles), ("13", &["6.3"][..]));
}

#[test]
fn the_older_print_in_rapid_chess_and_another_flag_that_may_be_no_matter_of_time() {
    let white = Flag { fell: at(0, 10), shown: false, ..standing(BLACK_BARE, flag(White)) };
    let black = Flag { fell: at(0, 1620), shown: false, apparently_over: true, ..seen(1005, flag(Black)) };
    let claims = vec![claim(White, Ground::FiftyMoves, Standing::Accepted, at(250, 2650))];
    let facts = Facts { claims, ..game("fide-print-old+rapid", vec![white, black]) };
    assert_eq!(
        says(&facts),
        "11 Undecided, if observed [11 Draw | 15 Draw | 6 Undecided] ? other_flag, order_of_ending_and_observation"
    );
}
