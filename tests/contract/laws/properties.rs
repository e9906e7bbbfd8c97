//! Properties of every finding for any facts.

use flagfall_game::interval::Interval;
use flagfall_game::laws::adjudicate::Found;
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{Caller, Claimed, End, Ended, Facts, Flag, Illegal, IllegalKind, Treated};
use flagfall_game::laws::outcome::Ending;
use flagfall_game::laws::outcome::Outcome;
use flagfall_game::laws::rulebook::PROFILES;
use flagfall_game::laws::screen::{Around, Screen};
use flagfall_protocols::square::Color::{self, Black, White};
use flagfall_protocols::time::Instant;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::laws::knowledge::{with_all_known, with_some_unknown};
use crate::laws::support::*;
use crate::laws::words::finding;

fn side() -> impl Strategy<Value = Color> {
    prop_oneof![Just(White), Just(Black)]
}

/// Few moments, so that many are equal.
fn moment() -> impl Strategy<Value = Interval> {
    (0u64..6, 0u64..3).prop_map(|(from, long)| at(from * 1000, from * 1000 + long * 700))
}

fn positions() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop_oneof![4 => Just(OPEN), 1 => Just(BLACK_BARE), 1 => Just(BISHOP_V_PAWN)], 0..3)
}

fn a_flag() -> impl Strategy<Value = Flag> {
    let of_clock = (side(), moment(), any::<bool>(), prop::option::of(0u64..7), prop::option::of(any::<bool>()));
    let of_game = (prop::option::of(any::<bool>()), prop::option::of((38u32..42, any::<bool>())), positions());
    let signs = (prop::bool::weighted(0.1), prop::bool::weighted(0.1), prop::option::of(any::<bool>()));
    (of_clock, of_game, signs).prop_map(
        |((side, fell, shown, seen, by), (last, completed, positions), (missing, over, stopped))| Flag {
            shown,
            observed_at: seen.map(|at| Instant(at * 1000)),
            called_by: by.map(|player| if player { Caller::Player } else { Caller::Arbiter }),
            clocks_stopped: stopped,
            last,
            required: (last == Some(false)).then_some(40),
            completed,
            positions: positions.into_iter().map(position).collect(),
            moves_missing: missing,
            apparently_over: over,
            ..Flag::new(side, fell)
        },
    )
}

fn an_ending() -> impl Strategy<Value = Ended> {
    use Ending::{Checkmate, DeadPosition, FivefoldRepetition, SeventyFiveMoves, Stalemate};
    let on_board = prop::sample::select(vec![Checkmate, Stalemate, DeadPosition, FivefoldRepetition, SeventyFiveMoves]);
    let end = prop_oneof![
        (on_board, side()).prop_map(|(ending, by)| End::Board { ending, by }),
        side().prop_map(|by| End::Resignation { by }),
        prop::option::of(any::<bool>()).prop_map(|both_moved| End::Agreement { both_moved }),
        side().prop_map(|by| End::KingCaptured { by }),
    ];
    (end, moment(), prop::option::of(moment()), positions()).prop_map(|(end, at, pressed, positions)| Ended {
        end,
        at,
        pressed,
        positions: positions.into_iter().map(position).collect(),
    })
}

fn a_claim() -> impl Strategy<Value = Claimed> {
    use Ground::{AdditionalTime, FiftyMoves, NormalMeans, Repetition};
    let ground = prop::sample::select(vec![AdditionalTime, FiftyMoves, NormalMeans, Repetition]);
    let standing = prop::sample::select(vec![Standing::Lodged, Standing::Accepted, Standing::Refused]);
    (side(), ground, moment(), standing, prop::option::of(any::<bool>())).prop_map(|(by, ground, at, standing, time_added)| {
        Claimed { by, ground, at, standing, time_added, correct: None, indicated: false, played_on: false }
    })
}

fn an_illegal_move() -> impl Strategy<Value = Illegal> {
    use IllegalKind::{Move, PressedWithoutMove, PromotionNotReplaced, TwoHands};
    let kind = prop::sample::select(vec![Move, PressedWithoutMove, PromotionNotReplaced, TwoHands]);
    let treated = prop::sample::select(vec![Treated::Open, Treated::Settled, Treated::Counted, Treated::NotCounted]);
    (side(), kind, moment(), treated, prop::option::of(moment()), prop::option::of(any::<bool>())).prop_map(
        |(by, kind, at, treated, reply, time_added)| Illegal {
            by,
            kind,
            at,
            treated,
            reply,
            reply_pressed: reply,
            positions: vec![position(OPEN)],
            time_added,
        },
    )
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = PROFILES.iter().map(|profile| profile.name().to_owned()).collect();
    for profile in PROFILES {
        names.extend(profile.rules().options.iter().map(|option| format!("{}+{}", profile.name(), option.other)));
        if profile.rules().guidelines {
            names.extend(["guidelines-III.4", "guidelines-III.5"].map(|add| format!("{}+{add}", profile.name())));
        }
    }
    names
}

fn some_facts() -> impl Strategy<Value = Facts> {
    let events = (
        prop::collection::vec(a_flag(), 0..4),
        prop::collection::vec(an_ending(), 0..3),
        prop::collection::vec(a_claim(), 0..2),
        prop::collection::vec(an_illegal_move(), 0..4),
    );
    let of_both = prop::option::of(8u32..12);
    let stood = prop::option::weighted(0.1, moment());
    let sheets = (prop::option::of(any::<bool>()), prop::option::of(side()), of_both, stood);
    let known = (prop::option::of(any::<bool>()), prop::bool::weighted(0.1), sheets);
    (prop::sample::select(names()), events, known).prop_map(
        |(name, (flags, endings, claims, illegal), (adds_time, setting_differs, sheets))| {
            // There is one flag of each side: a player's own flags are in the order of the periods.
            let mut flags: Vec<Flag> = flags;
            let mut seen: Vec<Color> = Vec::new();
            flags.retain(|flag| {
                let first = !seen.contains(&flag.side);
                seen.push(flag.side);
                first
            });
            let (scoresheet, agreed_first, completed_by_both, illegal_position) = sheets;
            let reported = Facts { flags, endings, claims, illegal, ..rules(&name) };
            Facts { adds_time, setting_differs, scoresheet, agreed_first, completed_by_both, illegal_position, ..reported }
        },
    )
}

/// The findings as text, with their articles and options.
fn findings_text(found: &[Found]) -> Vec<String> {
    found.iter().map(|found| format!("{} {:?} {:?}", say(found), found.articles, found.configurable)).collect()
}

proptest! {
    // The same cases in every run.
    #![proptest_config(ProptestConfig {
        cases: 600,
        rng_seed: RngSeed::Fixed(0xf1a6_fa11),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn exchanged_colours_give_the_exchanged_answer(facts in some_facts()) {
        let one = exchanged(&says(&facts));
        let other = says(&mirrored(&facts));
        // Of two events at one moment White's is named first.
        prop_assert_eq!(with_sorted_alternatives(&one), with_sorted_alternatives(&other));
    }

    #[test]
    fn the_order_of_evidence_at_one_moment_changes_nothing(facts in some_facts()) {
        let mut turned = facts.clone();
        turned.flags.reverse();
        turned.endings.reverse();
        turned.claims.reverse();
        turned.illegal.reverse();
        prop_assert_eq!(findings_text(&found(&facts)), findings_text(&found(&turned)));
    }

    #[test]
    fn undecided_names_what_is_not_known(facts in some_facts()) {
        for found in found(&facts) {
            let undecided = found.outcome == Outcome::Undecided;
            let result_missing = found.outcome == Outcome::ResultNotEntered;
            prop_assert!(result_missing || undecided != found.unknown.is_empty(), "{}", say(&found));
            prop_assert!(!found.articles.is_empty() || found.outcome == Outcome::ResultNotEntered, "{}", say(&found));
            let free = found.outcome != Outcome::Draw || found.row == "2" || found.contested;
            prop_assert!(undecided || free || found.alternatives.is_empty(), "{}", say(&found));
        }
    }

    /// The number of an article is no reason that an arbiter can check.
    #[test]
    fn every_finding_has_a_reason_in_words(facts in some_facts()) {
        for found in found(&facts) {
            let (said, articles) = (say(&found), found.articles);
            let why = Screen::of(&finding(&facts, found), &Around::default()).why;
            prop_assert!(!why.starts_with("It follows from"), "{said} {articles:?}: {why}");
        }
    }

    /// A certain outcome holds for every value of the unknown facts.
    #[test]
    fn a_certain_outcome_holds_for_every_truth(truth in some_facts(), seeds in prop::collection::vec(any::<u64>(), 4)) {
        let truth = with_all_known(truth);
        let known = found(&truth);
        for seed in seeds {
            let less = found(&with_some_unknown(&truth, seed));
            // Row 11, and row 2 of the club, are the rules for an unknown order.
            let by_ignorance = |found: &Found| found.row == "11" || (found.row == "2" && !found.alternatives.is_empty());
            if less.iter().any(by_ignorance) {
                continue;
            }
            if let Some(certain) = result(&less) {
                prop_assert_eq!(Some(certain), result(&known), "{} of {}", says_of(&less), says_of(&known));
            }
        }
    }

    /// Without the solver's answers a certain outcome stays or becomes open, but it never becomes another outcome.
    #[test]
    fn less_knowledge_never_turns_an_outcome(facts in some_facts()) {
        let known = found(&facts);
        let mut blind = facts.clone();
        for flag in &mut blind.flags {
            flag.completed = None;
        }
        let mut pending = |_: &shakmaty::Chess, _| flagfall_game::laws::winnable::Verdict::Pending;
        let less = flagfall_game::laws::adjudicate::adjudicate(&blind, &mut pending);
        if let (Some(known), Some(less)) = (result(&known), result(&less)) {
            prop_assert_eq!(known, less);
        }
    }
}

/// The outcome of the game, if it is certain.
fn result(found: &[Found]) -> Option<Outcome> {
    let first = found.iter().map(|found| found.outcome).find(|outcome| *outcome != Outcome::GameGoesOn);
    first.filter(|outcome| matches!(outcome, Outcome::WhiteWins | Outcome::BlackWins | Outcome::Draw))
}

fn says_of(found: &[Found]) -> String {
    found.iter().map(say).collect::<Vec<_>>().join("; ")
}

/// The text with sorted lists of alternatives.
fn with_sorted_alternatives(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for finding in text.split("; ") {
        match finding.split_once('[').and_then(|(head, rest)| Some((head, rest.split_once(']')?))) {
            Some((head, (list, tail))) => {
                let mut list: Vec<&str> = list.split(" | ").collect();
                list.sort_unstable();
                parts.push(format!("{head}[{}]{tail}", list.join(" | ")));
            }
            None => parts.push(finding.to_owned()),
        }
    }
    parts.join("; ")
}
