//! Articles 7.5.1 to 7.5.5 without a flag, for every profile.

use flagfall_game::laws::facts::{Facts, Flag, Illegal, IllegalKind, Treated};
use flagfall_game::laws::outcome::{Kind, Recommended};
use flagfall_protocols::square::Color::{Black, White};

use crate::laws::support::*;

fn of(name: &str, illegal: Vec<Illegal>) -> Facts {
    Facts { illegal, ..rules(name) }
}

#[test]
fn the_first_one_costs_time() {
    for (name, seconds) in [
        ("fide-2023-standard", 120),
        ("fide-2023-rapid", 60),
        ("fide-2023-rapid-supervised", 60),
        ("fide-2023-blitz", 60),
        ("fide-2023-blitz-supervised", 120),
        ("fide-2023-blitz-supervised+penalty-60", 60),
        ("material-only", 120),
        ("us-chess", 120),
    ] {
        let found = found(&of(name, vec![illegal(White, Treated::Open, 100)]));
        let add = Recommended::AddTime { side: "black", seconds };
        assert_eq!(found[0].recommended, [Recommended::RestorePosition, add], "{name}");
        assert_eq!((found[0].kind, say(&found[0]).ends_with("GameGoesOn")), (Kind::IllegalMove, true), "{name}");
    }
}

#[test]
fn a_case_with_a_ruling_is_no_finding_any_more() {
    for treated in [Treated::Counted, Treated::NotCounted, Treated::Settled] {
        assert_eq!(says(&of("fide-2023-standard", vec![illegal(White, treated, 100)])), "", "{treated:?}");
    }
}

#[test]
fn the_second_one_loses_if_both_count() {
    let two = |name, one, other| of(name, vec![illegal(White, one, 100), illegal(White, other, 200)]);
    assert_eq!(says(&two("fide-2023-standard", Treated::Counted, Treated::Counted)), "7a BlackWins");
    let open = "7a Undecided [7a BlackWins | 7b GameGoesOn] ? illegal_move_ruling";
    for one in [Treated::Counted, Treated::Open, Treated::Settled] {
        assert_eq!(says(&two("fide-2023-standard", one, Treated::Open)), open, "{one:?}");
    }
    assert_eq!(says(&two("fide-2023-standard", Treated::NotCounted, Treated::Open)), "7b GameGoesOn");
    assert_eq!(says(&two("fide-2023-standard", Treated::Settled, Treated::Settled)), "", "play went on");
}

#[test]
fn each_player_has_his_own() {
    let facts = of("fide-2023-standard", vec![illegal(White, Treated::Counted, 100), illegal(Black, Treated::Counted, 200)]);
    assert_eq!(says(&facts), "");
}

#[test]
fn all_kinds_count_together_and_several_in_one_move_once() {
    let kind = |kind, when| Illegal { kind, ..illegal(White, Treated::Counted, when) };
    use IllegalKind::{Move, PressedWithoutMove, PromotionNotReplaced, TwoHands};
    for other in [PressedWithoutMove, PromotionNotReplaced, TwoHands] {
        assert_eq!(says(&of("fide-2023-standard", vec![kind(Move, 100), kind(other, 200)])), "7a BlackWins", "{other:?}");
        assert_eq!(says(&of("fide-2023-standard", vec![kind(Move, 100), kind(other, 100)])), "", "{other:?}");
    }
}

#[test]
fn a_draw_if_the_opponent_cannot_mate() {
    let second = Illegal { positions: vec![position(BLACK_BARE)], ..illegal(White, Treated::Counted, 200) };
    let facts = of("fide-2023-standard", vec![illegal(White, Treated::Counted, 100), second.clone()]);
    assert_eq!(says(&facts), "7a Draw");
    assert_eq!(found(&facts)[0].articles, ["7.5.5"]);
    let doubtful = Illegal { positions: vec![position(BLACK_BARE), position(OPEN)], ..second };
    let facts = of("fide-2023-standard", vec![illegal(White, Treated::Counted, 100), doubtful]);
    assert_eq!(says(&facts), "7a Undecided [7a BlackWins | 7a Draw] ? position");
}

#[test]
fn after_the_opponents_next_move_it_stands_where_nobody_watches() {
    let reply = |illegal: Illegal| Illegal { reply: Some(at(150, 160)), reply_pressed: Some(at(170, 180)), ..illegal };
    for (name, expected) in [
        ("fide-2023-standard", "7b GameGoesOn"),
        ("fide-2023-rapid-supervised", "7b GameGoesOn"),
        ("fide-2023-blitz-supervised", "7b GameGoesOn"),
        ("fide-2023-rapid", ""),
        ("fide-2023-blitz", ""),
        ("club-speed", ""),
    ] {
        assert_eq!(says(&of(name, vec![reply(illegal(White, Treated::Open, 100))])), expected, "{name}");
    }
    let ruled = vec![reply(illegal(White, Treated::Counted, 100)), illegal(White, Treated::Counted, 200)];
    assert_eq!(says(&of("fide-2023-rapid", ruled)), "7a BlackWins", "a ruling of the arbiter is not undone");
}

#[test]
fn the_number_of_illegal_moves_that_loses() {
    let some = |count: u64| (1..=count).map(|when| illegal(White, Treated::Counted, when * 100)).collect::<Vec<_>>();
    for (name, row, losing) in [
        ("fide-2023-standard", "7a", Some(2)),
        ("fide-2023-rapid", "7a", Some(2)),
        ("fide-2023-blitz", "7a", Some(2)),
        ("fide-print-old", "7a", Some(3)),
        ("fide-print-old+illegal-moves-2", "7a", Some(2)),
        ("us-chess", "1", None),
        ("us-chess+illegal-moves-2", "1", Some(2)),
        ("club-speed", "4", Some(1)),
    ] {
        for count in 1..=3 {
            let lost = losing.is_some_and(|losing| count >= losing);
            let expected = if lost { format!("{row} BlackWins") } else { String::new() };
            assert_eq!(says(&of(name, some(count))), expected, "{name}, {count}");
        }
    }
}

#[test]
fn time_that_was_due_and_not_given() {
    let due = |time_added| Facts {
        illegal: vec![Illegal { time_added, ..illegal(Black, Treated::Counted, 100) }],
        ..game("fide-2023-standard", vec![flag(White)])
    };
    assert_eq!(says(&due(Some(true))), "14 BlackWins, if observed");
    assert_eq!(says(&due(None)), "7b Undecided, if observed [7b GameGoesOn | 14 BlackWins] ? penalty_time");
    let own = Facts { flags: vec![flag(Black)], ..due(None) };
    assert_eq!(says(&own), "14 WhiteWins, if observed", "it was due to the other player");
}

#[test]
fn open_rulings_are_named_when_the_game_ends() {
    use flagfall_game::laws::claim::{Ground, Standing};
    use flagfall_game::laws::outcome::Ending;
    let mate = || vec![on_board(Ending::Checkmate, White, at(300, 310))];
    let two = vec![illegal(White, Treated::Counted, 100), illegal(White, Treated::Open, 200)];
    let two = Facts { endings: mate(), ..of("fide-2023-standard", two) };
    assert_eq!(says(&two), "7a Undecided [7a BlackWins | 1 WhiteWins] ? illegal_move_ruling");
    let with = |when| Facts {
        claims: vec![claim(Black, Ground::Repetition, Standing::Lodged, at(when, when))],
        endings: mate(),
        ..rules("fide-2023-standard")
    };
    assert_eq!(says(&with(200)), "6 Undecided [6 Draw | 1 WhiteWins] ? claim_ruling");
    assert_eq!(says(&with(400)), "1 WhiteWins", "after the end");
}

#[test]
fn a_flag_that_costs_nothing_carries_no_ending() {
    for name in ["fide-2023-standard", "us-chess"] {
        let free = game(name, vec![at_move(White, Some((40, false)))]);
        let facts = Facts { endings: vec![resigned(Black, at(90_000, 90_000), OPEN)], ..free };
        let found = found(&facts);
        assert!(say(&found[0]).contains("GameGoesOn"), "{name}: {}", says(&facts));
        assert!(!found[1].conditional && say(&found[1]).ends_with("WhiteWins"), "{name}: {}", says(&facts));
    }
}

#[test]
fn each_kind_has_its_article_and_its_remedy() {
    use IllegalKind::{Move, PressedWithoutMove, PromotionNotReplaced, TwoHands};
    let add = Recommended::AddTime { side: "black", seconds: 120 };
    for (kind, articles, on_board) in [
        (Move, &["7.1", "7.5.1"][..], Some(Recommended::RestorePosition)),
        (PromotionNotReplaced, &["7.5.2"], Some(Recommended::ReplaceByQueen)),
        (PressedWithoutMove, &["7.5.3"], None),
        (TwoHands, &["7.5.4"], None),
    ] {
        let open = Illegal { kind, ..illegal(White, Treated::Open, 100) };
        let found = found(&of("fide-2023-standard", vec![open.clone()]));
        let expected: Vec<Recommended> = on_board.into_iter().chain([add]).collect();
        assert_eq!((found[0].articles, &found[0].recommended), (articles, &expected), "{kind:?}");
        let flagged = Facts { illegal: vec![open], ..game("fide-2023-standard", vec![flag(Black)]) };
        let flagged = crate::laws::support::found(&flagged);
        let reported = vec![Illegal { at: at(2500, 2500), ..illegal(White, Treated::Open, 100) }];
        assert_eq!((flagged[0].row, flagged[0].articles, &flagged[0].recommended), ("7b", articles, &expected), "{kind:?}");
        assert!(says(&Facts { illegal: reported, ..game("fide-2023-standard", vec![flag(Black)]) }).starts_with("14"), "later");
    }
    let club = |kind| of("club-speed", vec![Illegal { kind, ..illegal(White, Treated::Counted, 100) }]);
    assert_eq!(found(&club(PressedWithoutMove))[0].articles, ["16"]);
    assert_eq!(found(&club(Move))[0].articles, ["3.4", "15", "18", "19"]);
}

#[test]
fn an_illegal_position_that_still_stands_after_the_next_move() {
    let stood = Some(at(300, 310));
    let open = "7b Undecided [7b Draw | 7b GameGoesOn] ? observation_of_illegal_position";
    for (name, expected) in [
        ("fide-2023-rapid", open),
        ("fide-2023-blitz", open),
        ("fide-2023-rapid-supervised", ""),
        ("fide-2023-blitz-supervised", ""),
        ("fide-2023-standard", ""),
        ("fide-print-old", ""),
        ("us-chess", ""),
        ("club-speed", ""),
    ] {
        let facts = Facts { illegal_position: stood, ..rules(name) };
        assert_eq!(says(&facts), expected, "{name}");
    }
    let facts = Facts { illegal_position: stood, ..rules("fide-2023-rapid") };
    let found = &found(&facts)[0];
    assert_eq!((found.articles, found.kind, found.ended), (&["A.5.4"][..], Kind::IllegalMove, stood));
}

#[test]
fn an_illegal_position_hides_nothing_that_came_later() {
    use flagfall_game::laws::outcome::Ending;
    let with = |facts| Facts { illegal_position: Some(at(300, 310)), ..facts };
    let flagged = with(game("fide-2023-rapid", vec![seen(5000, flag(White))]));
    assert_eq!(says(&flagged), "7b Undecided [7b Draw | 14 BlackWins] ? observation_of_illegal_position");
    let late = Facts { illegal_position: Some(at(5500, 5600)), ..flagged };
    assert_eq!(says(&late), "14 BlackWins", "after the fall was observed");
    let ended = |ended| with(Facts { endings: vec![ended], ..rules("fide-2023-rapid") });
    let resigned = says(&ended(resigned(White, at(900, 910), OPEN)));
    assert_eq!(resigned, "7b Undecided [7b Draw | 4 BlackWins] ? observation_of_illegal_position");
    let mated = |when| says(&ended(on_board(Ending::Checkmate, White, when)));
    assert_eq!(mated(at(900, 910)), "7b Undecided [7b Draw | 1 WhiteWins] ? observation_of_illegal_position");
    assert_eq!(mated(at(200, 210)), "1 WhiteWins", "the game was over");
    let drawn = says(&ended(agreed(at(900, 910), Some(true))));
    assert_eq!(drawn, "5 Draw", "either way");
}

#[test]
fn of_several_open_cases_the_earliest_is_corrected() {
    let move_then_pawn = vec![
        Illegal { positions: vec![position(BLACK_BARE)], ..illegal(White, Treated::Open, 100) },
        Illegal { kind: IllegalKind::PromotionNotReplaced, ..illegal(Black, Treated::Open, 200) },
        Illegal { kind: IllegalKind::PressedWithoutMove, ..illegal(White, Treated::Open, 300) },
    ];
    let found = found(&of("us-chess", move_then_pawn));
    assert_eq!(found[0].recommended[0], Recommended::RestorePosition);
    assert_eq!(found[0].counted, Some(position(BLACK_BARE)), "the position before the first of them");
}

#[test]
fn nothing_after_the_observation_came_before_the_flag() {
    let fell = at(4210, 5810);
    let moves = |third| {
        let mut moves = vec![illegal(White, Treated::Settled, 20), illegal(White, Treated::Counted, 40)];
        moves.extend(third);
        Facts { illegal: moves, ..game("material-only", vec![Flag { fell, ..seen(5015, standing(BLACK_BARE, flag(White))) }]) }
    };
    let open = "7a Undecided [7a BlackWins | 15 Draw] ? illegal_move_ruling";
    assert_eq!(says(&moves(None)), open);
    assert_eq!(says(&moves(Some(illegal(White, Treated::Counted, 5030)))), open, "after the observation");
}
