//! Tests the score with made-up games and reports.

use super::*;
use crate::emulate::simulated_game::{Heard, ReportedAlarm};
use crate::emulate::truth::{Explained, Irregularity};

/// e4, e5, Nf3: made at 1, 3, 5 s and pressed half a second later.
fn truth() -> Truth {
    let ply = |number: u64, uci: &str, squares: u64| Ply {
        san: String::new(),
        uci: uci.to_owned(),
        lifted_us: (2 * number + 1) * 1_000_000 - 400_000,
        released_us: (2 * number + 1) * 1_000_000,
        pressed_us: Some((2 * number + 1) * 1_000_000 + 500_000),
        lever: true,
        squares,
        king_to_centre: false,
        odd: Vec::new(),
    };
    let plies = vec![ply(0, "e2e4", 1 << 12 | 1 << 28), ply(1, "e7e5", 1 << 52 | 1 << 36), ply(2, "g1f3", 1 << 6 | 1 << 21)];
    Truth { plies, end_us: 9_000_000, ..Truth::default() }
}

fn told(at: u64, ply: usize, uci: &str) -> Reported {
    let made_at = [2 * ply as u64 * 1_000_000 - 1_200_000, 2 * ply as u64 * 1_000_000 - 900_000];
    Reported::Move { at, first_game: true, mv: ReportedMove { ply, uci: uci.to_owned(), made_at } }
}

fn alarm(id: u32, kind: &str, class: &str, opened_at: u64) -> Reported {
    Reported::Alarm { at: opened_at, alarm: ReportedAlarm { id, kind: kind.to_owned(), class: class.to_owned(), opened_at } }
}

/// All three moves, reported as they were played.
fn right() -> Vec<Reported> {
    vec![told(2_000_000, 1, "e2e4"), told(4_000_000, 2, "e7e5"), told(6_000_000, 3, "g1f3")]
}

fn outcome(told: Vec<Reported>, sure: &[&str], pending: &[&str]) -> Outcome {
    let own = |list: &[&str]| list.iter().map(|uci| (*uci).to_owned()).collect();
    // Both squares of e4 are reported late, after its press; those of the other moves before.
    let fields = vec![(1_100_000, 1 << 12), (1_900_000, 1 << 28), (3_100_000, 1 << 36), (5_200_000, 1 << 21)];
    let levers = vec![(1_600_000, ClockSide::Right), (3_700_000, ClockSide::Left), (5_800_000, ClockSide::Right)];
    let heard = Heard { fields, levers, dumps: Vec::new() };
    Outcome {
        told,
        heard,
        sure: own(sure),
        pending: own(pending),
        in_step: Vec::new(),
        trace: None,
        impossible: Vec::new(),
        open: Vec::new(),
        unconfirmed: Vec::new(),
    }
}

const SURE: [&str; 3] = ["e2e4", "e7e5", "g1f3"];

#[test]
fn latency_counts_from_the_press_or_the_last_square() {
    let score = score(&truth(), &outcome(right(), &SURE, &[]));
    assert_eq!(score.commit_us, [100_000, 300_000, 200_000]);
    assert_eq!((score.exact, score.wrong_commits, score.made_of, score.made_inside), (true, 0, 3, 3));
    assert_eq!(score.made_width_us, 900_000);
}

#[test]
fn wrong_moves_count_when_they_are_reported() {
    let mut moves = right();
    moves[1] = told(4_000_000, 2, "e7e6");
    let late = ReportedMove { ply: 2, uci: "e7e5".to_owned(), made_at: [0, 0] };
    moves.insert(2, Reported::Revision { at: 5_000_000, from_ply: 2, moves: vec![late] });
    let revised = score(&truth(), &outcome(moves.clone(), &SURE, &[]));
    assert_eq!((revised.exact, revised.wrong_commits, revised.made_inside), (true, 1, 2));
    assert_eq!(revised.unnamed_commits, 0, "it was taken back");
    moves.remove(2);
    let left = score(&truth(), &outcome(moves, &["e2e4", "e7e6", "g1f3"], &[]));
    assert_eq!((left.exact, left.wrong_commits, left.unnamed_commits), (false, 1, 1));
    let differs = Differs { ply: 2, played: Some("e7e5".to_owned()), told: Some("e7e6".to_owned()) };
    assert_eq!(left.differs, Some(differs));
}

#[test]
fn a_move_of_another_game_is_wrong() {
    let mut moves = right();
    let mv = ReportedMove { ply: 1, uci: "e2e4".to_owned(), made_at: [0, 0] };
    moves.push(Reported::Move { at: 8_000_000, first_game: false, mv });
    let score = score(&truth(), &outcome(moves, &SURE, &[]));
    assert_eq!((score.wrong_commits, score.unnamed_commits), (1, 1));
}

#[test]
fn a_wrong_move_whose_alternatives_are_named_is_not_silent() {
    let mut moves = right();
    moves[1] = told(4_000_000, 2, "e7e6");
    let mut guessed = outcome(moves, &["e2e4", "e7e6", "g1f3"], &[]);
    guessed.open = vec!["e7e5".to_owned(), "e7e6".to_owned()];
    let score = score(&truth(), &guessed);
    assert_eq!((score.exact, score.named, score.wrong_commits, score.unnamed_commits), (false, true, 1, 0));
}

#[test]
fn a_last_move_that_nobody_pressed_may_be_pending() {
    let mut truth = truth();
    let two = [told(2_000_000, 1, "e2e4"), told(4_000_000, 2, "e7e5")].to_vec();
    assert!(!score(&truth, &outcome(two.clone(), &SURE[..2], &["g1f3"])).exact, "it was pressed");
    truth.plies[2].pressed_us = None;
    truth.plies[2].lever = false;
    assert!(score(&truth, &outcome(two.clone(), &SURE[..2], &["g1f3"])).exact);
    assert!(!score(&truth, &outcome(two.clone(), &SURE[..2], &["b1c3"])).exact, "another one");
    assert!(!score(&truth, &outcome(two.clone(), &SURE[..2], &[])).exact, "nothing");
    // A king on a square in the centre may have shown the result.
    truth.plies[2].king_to_centre = true;
    assert!(score(&truth, &outcome(two, &SURE[..2], &[])).exact);
}

#[test]
fn alarms_without_a_cause_are_false() {
    let mut truth = truth();
    let mut all = right();
    all.extend([
        alarm(1, "piece_in_hand", "silent", 7_000_000),
        alarm(1, "piece_in_hand", "silent", 7_000_000),
        alarm(2, "illegal_move", "loud", 8_000_000),
        alarm(3, "clock_not_started", "note", 8_000_000),
    ]);
    let kinds = |truth: &Truth, all: &[Reported]| -> Vec<String> {
        let score = score(truth, &outcome(all.to_vec(), &SURE, &[]));
        score.false_alarms.into_iter().map(|(kind, _)| kind).collect()
    };
    assert_eq!(kinds(&truth, &all), ["piece_in_hand", "illegal_move"]);
    let explained = |from_us, to_us| Explained { kinds: vec!["piece_in_hand"], from_us, to_us, cause: "held" };
    truth.explained.push(explained(6_000_000, 6_900_000));
    assert_eq!(kinds(&truth, &all), ["piece_in_hand", "illegal_move"], "too early");
    truth.explained.push(explained(6_000_000, 7_500_000));
    assert_eq!(kinds(&truth, &all), ["illegal_move"]);
}

#[test]
fn an_alarm_that_comes_late_is_missed() {
    let mut truth = truth();
    truth.irregularities.push(Irregularity {
        kind: "illegal_move",
        ply: 3,
        from_us: 6_000_000,
        to_us: 9_000_000,
        expected: vec!["illegal_move"],
        expected_us: [6_500_000, 8_000_000],
        in_step_from_us: None,
    });
    let missed = |opened: u64| {
        let mut all = right();
        all.push(alarm(1, "illegal_move", "loud", opened));
        score(&truth, &outcome(all, &SURE, &[])).missed_alarms
    };
    assert_eq!(missed(7_000_000), [""; 0]);
    assert_eq!(missed(8_000_001), ["illegal_move"]);
    assert_eq!(missed(6_400_000), ["illegal_move"]);
}

#[test]
fn the_time_until_in_step_is_reported_for_each_fault() {
    let mut truth = truth();
    let fault = |kind, in_step_from_us| Irregularity {
        kind,
        ply: 1,
        from_us: 0,
        to_us: 0,
        expected: Vec::new(),
        expected_us: [0, 0],
        in_step_from_us,
    };
    truth.irregularities = vec![fault("link_gap", Some(5)), fault("flag", None), fault("illegal_move", Some(9))];
    let mut out = outcome(right(), &SURE, &[]);
    out.in_step = vec![Some(250_000), None];
    assert_eq!(score(&truth, &out).in_step, [("link_gap", Some(250_000)), ("illegal_move", None)]);
}

#[test]
fn alternatives_are_named_or_not() {
    let mut told = outcome(right(), &["e2e4"], &["e7e6", "g1f3"]);
    assert!(!score(&truth(), &told).named, "nothing is");
    told.open = vec!["e7e6".to_owned(), "e7e5".to_owned()];
    let named = score(&truth(), &told);
    assert!(!named.exact && named.named);
    told.pending.pop();
    assert!(!score(&truth(), &told).named, "a move is missing");
    let promoted = Truth { plies: vec![Ply { uci: "g2g1n".to_owned(), ..truth().plies[0].clone() }], ..truth() };
    let mut told = outcome(Vec::new(), &["g2g1q"], &[]);
    told.unconfirmed = vec!["g2g1q".to_owned()];
    assert!(score(&promoted, &told).named, "any piece");
}
