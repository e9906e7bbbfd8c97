//! The flag-fall decision table row by row (`laws.md` section 2), each with what else could change it.

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::event::ByteRange;
use flagfall_protocols::square::Color::{self, Black, White};
use flagfall_protocols::time::Instant;

use super::finding::Outcome::{self, BlackWins, Draw, GameGoesOn, ResultNotEntered, Undecided, WhiteWins};
use super::table::{Case, rule, two_flags};
use super::winnable::Verdict;
use crate::clock::flag::{FlagFall, FlagPath};
use crate::interval::Interval;
use crate::reconstruct::record::Ending;

/// The flag fell between these.
const FELL: Interval = Interval { earliest: Instant(1000), latest: Instant(2000) };

fn flag(side: Color, observed_at: Option<u64>) -> FlagFall {
    FlagFall {
        side,
        path: FlagPath::Blocked,
        fell: FELL,
        blocked: true,
        with_press: false,
        period: 0,
        counted: None,
        observed_at: observed_at.map(Instant),
        ruled_at: None,
        after_end: false,
        after_quiet: false,
        source: ByteRange::default(),
    }
}

fn mate() -> Verdict {
    Verdict::Winnable { line: Vec::new() }
}

/// White's flag in the only period, and Black can mate.
fn case(flag: &FlagFall) -> Case<'_> {
    Case {
        flag,
        ending: None,
        apparently_over: false,
        illegal_open: false,
        setting_differs: false,
        last: Some(true),
        required: None,
        completed: Some((10, false)),
        winnable: mate(),
    }
}

fn made(earliest: u64, latest: u64) -> Interval {
    Interval { earliest: Instant(earliest), latest: Instant(latest) }
}

/// Row, outcome, contested, outcomes and rows of the alternatives, unknown inputs.
type Expected<'a> = (&'a str, Outcome, bool, &'a [(Outcome, &'a str)], &'a [&'a str]);

fn check(what: &str, case: &Case<'_>, expected: Expected<'_>) {
    let ruled = rule(case);
    let others: Vec<(Outcome, &str)> = ruled.alternatives.iter().map(|other| (other.outcome, other.row)).collect();
    assert_eq!((ruled.row, ruled.outcome, ruled.contested, &*others, &*ruled.unknown), expected, "{what}");
    assert_eq!(ruled.outcome == Undecided, !ruled.unknown.is_empty(), "{what}: undecided names what is not known");
    assert!(!ruled.articles.is_empty() || ruled.row == "9", "{what}: an article");
}

#[test]
fn rows_1_to_3_an_ending_on_the_board() {
    let unseen = flag(White, None);
    for (ending, by, row, outcome) in [
        (Ending::Checkmate, White, "1", WhiteWins),
        (Ending::Checkmate, Black, "1", BlackWins),
        (Ending::Stalemate, White, "2", Draw),
        (Ending::DeadPosition, Black, "2", Draw),
        (Ending::FivefoldRepetition, White, "3", Draw),
        (Ending::SeventyFiveMoves, Black, "3", Draw),
    ] {
        for (when, contested) in
            [(made(100, 900), false), (made(900, 1000), true), (made(1500, 1600), true), (made(3000, 3100), true)]
        {
            let ended = Case { ending: Some((ending, when, by)), ..case(&unseen) };
            check("whatever else there is", &ended, (row, outcome, contested, &[], &[]));
            let more = Case { illegal_open: true, setting_differs: true, apparently_over: true, ..ended };
            check("the ending comes first", &more, (row, outcome, contested, &[], &[]));
        }
    }
}

#[test]
fn an_ending_before_at_and_after_the_observation() {
    let seen = flag(White, Some(5000));
    let mated = |when| Case { ending: Some((Ending::Checkmate, when, White)), ..case(&seen) };
    check("made before it was observed", &mated(made(4000, 4900)), ("1", WhiteWins, true, &[], &[]));
    let both: &[_] = &[(WhiteWins, "1"), (BlackWins, "14")];
    let unknown = ["order_of_ending_and_observation"];
    check("made about then", &mated(made(4900, 5100)), ("1", Undecided, false, both, &unknown));
    check("seen at the last moment of it", &mated(made(4900, 5000)), ("1", Undecided, false, both, &unknown));
    check("made after it was observed", &mated(made(5000, 5100)), ("14", BlackWins, false, &[], &[]));
}

#[test]
fn row_7b_an_illegal_move_before_the_fall() {
    let fall = flag(White, None);
    let illegal = Case { illegal_open: true, ..case(&fall) };
    check("unruled", &illegal, ("7b", Undecided, false, &[(GameGoesOn, "7b"), (BlackWins, "14")], &["illegal_move_ruling"]));
}

#[test]
fn rows_9_and_10() {
    let fall = flag(Black, None);
    let quiet = Case { apparently_over: true, ..case(&fall) };
    check("apparently over", &quiet, ("9", ResultNotEntered, false, &[(WhiteWins, "14")], &[]));
    let set = Case { setting_differs: true, ..case(&fall) };
    check("setting", &set, ("10", Undecided, false, &[(WhiteWins, "14")], &["clock_setting"]));
    let quiet_and_set = Case { setting_differs: true, ..quiet };
    check("over goes before setting", &quiet_and_set, ("9", ResultNotEntered, false, &[(WhiteWins, "14")], &[]));
}

#[test]
fn rows_12_and_13_the_required_moves() {
    let fall = flag(White, None);
    let of = |completed| Case { last: Some(false), required: Some(40), completed, ..case(&fall) };
    let order: &[_] = &[(GameGoesOn, "12"), (BlackWins, "14")];
    for (what, completed, expected) in [
        ("exactly", Some((40, false)), ("12", GameGoesOn, false, &[][..], &[][..])),
        ("more", Some((45, false)), ("12", GameGoesOn, false, &[], &[])),
        ("enough, one more doubtful", Some((40, true)), ("12", GameGoesOn, false, &[], &[])),
        ("one short, and that one doubtful", Some((39, true)), ("13", Undecided, false, order, &["order_of_press_and_flag"])),
        ("one short", Some((39, false)), ("14", BlackWins, false, &[], &[])),
        ("two short, one doubtful", Some((38, true)), ("14", BlackWins, false, &[], &[])),
        ("not known", None, ("13", Undecided, false, order, &["completed_moves"])),
    ] {
        check(what, &of(completed), expected);
    }
    let nothing = Case { last: None, required: None, completed: Some((3, false)), ..case(&fall) };
    check("no time control known", &nothing, ("13", Undecided, false, order, &["time_control"]));
    let last = Case { completed: None, ..case(&fall) };
    check("the count does not matter in the last period", &last, ("14", BlackWins, false, &[], &[]));
}

#[test]
fn rows_14_15_16_can_the_opponent_mate() {
    let open: &[_] = &[(BlackWins, "14"), (Draw, "15")];
    let fall = flag(White, None);
    for (winnable, expected) in [
        (mate(), ("14", BlackWins, false, &[][..], &[][..])),
        (Verdict::Unwinnable { reason: "material" }, ("15", Draw, false, &[], &[])),
        (Verdict::Pending, ("16", Undecided, false, open, &["winnable"])),
        (Verdict::Undecided, ("16", Undecided, false, open, &["winnable"])),
        (Verdict::NotAsked, ("16", Undecided, false, open, &["winnable"])),
    ] {
        check("last period", &Case { winnable: winnable.clone(), ..case(&fall) }, expected);
        let short = Case { winnable, last: Some(false), required: Some(40), completed: Some((39, false)), ..case(&fall) };
        check("moves missing", &short, expected);
    }
    let black = flag(Black, Some(3000));
    check("Black's flag, observed", &case(&black), ("14", WhiteWins, false, &[], &[]));
}

#[test]
fn row_11_two_flags_in_one_report() {
    let (white, black) = (flag(White, None), flag(Black, None));
    let lost = |fall| rule(&case(fall));
    let goes_on = |fall| rule(&Case { last: Some(false), required: Some(40), completed: Some((40, false)), ..case(fall) });
    let drawn = |fall| rule(&Case { winnable: Verdict::Unwinnable { reason: "material" }, ..case(fall) });
    let quiet = |fall| rule(&Case { apparently_over: true, ..case(fall) });
    for (what, this, other, expected) in [
        ("both lose", lost(&white), lost(&black), ("11", Undecided, vec![BlackWins, WhiteWins])),
        ("one loses, one draws", lost(&white), drawn(&black), ("11", Undecided, vec![BlackWins, Draw])),
        ("both draw", drawn(&white), drawn(&black), ("15", Draw, vec![])),
        ("the other costs nothing", lost(&white), goes_on(&black), ("14", BlackWins, vec![])),
        ("this one costs nothing", goes_on(&white), lost(&black), ("12", GameGoesOn, vec![])),
        ("the game was over", quiet(&white), quiet(&black), ("9", ResultNotEntered, vec![BlackWins])),
    ] {
        let ruled = two_flags(this, &other);
        let outcomes: Vec<Outcome> = ruled.alternatives.iter().map(|other| other.outcome).collect();
        assert_eq!((ruled.row, ruled.outcome, outcomes), expected, "{what}");
    }
}
