//! The flag-fall decision table for `fide-2023-standard` (`laws.md` section 2), row by row.

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::clock::flag::FlagFall;
use crate::interval::Interval;
use crate::laws::finding::{Alternative, Outcome};
use crate::laws::winnable::Verdict;
use crate::reconstruct::record::Ending;

/// What the table asks about one flag.
#[derive(Clone, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) flag: &'a FlagFall,
    /// What ended the game on the board, when, and who made the move.
    pub(crate) ending: Option<(Ending, Interval, Color)>,
    /// The game seems to have ended without a result having been entered.
    pub(crate) apparently_over: bool,
    /// An illegal move was completed before the fall and nobody has ruled on it.
    pub(crate) illegal_open: bool,
    /// The clock does not behave as the configured time control says.
    pub(crate) setting_differs: bool,
    /// The fall ended the last period.
    pub(crate) last: Option<bool>,
    /// Moves to be completed by the end of the period, counted from move 1.
    pub(crate) required: Option<u32>,
    /// Moves certainly completed before the fall, and whether one more may have been.
    pub(crate) completed: Option<(u32, bool)>,
    /// 6.9 for the opponent.
    pub(crate) winnable: Verdict,
}

/// What the table answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ruled {
    pub(crate) row: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) articles: &'static [&'static str],
    pub(crate) contested: bool,
    pub(crate) alternatives: Vec<Alternative>,
    pub(crate) unknown: Vec<&'static str>,
}

impl Ruled {
    fn new(row: &'static str, outcome: Outcome, articles: &'static [&'static str]) -> Ruled {
        Ruled { row, outcome, articles, contested: false, alternatives: Vec::new(), unknown: Vec::new() }
    }

    fn unknown(row: &'static str, articles: &'static [&'static str], unknown: &'static str) -> Ruled {
        Ruled { unknown: vec![unknown], ..Ruled::new(row, Outcome::Undecided, articles) }
    }

    fn as_alternative(&self, depends_on: &'static str) -> Alternative {
        Alternative { depends_on, outcome: self.outcome, row: self.row }
    }
}

fn wins(side: Color) -> Outcome {
    match side {
        Color::White => Outcome::WhiteWins,
        Color::Black => Outcome::BlackWins,
    }
}

/// Applies the table to one flag.
pub(crate) fn rule(case: &Case<'_>) -> Ruled {
    if let Some((ending, made, by)) = case.ending
        && case.flag.observed_at.is_none_or(|seen| made.latest < seen)
    {
        return Ruled { contested: !made.before(&case.flag.fell), ..by_ending(ending, by) };
    }
    // Neither is known to have been first: the ending, or the observation of the fall.
    if let (Some((ending, made, by)), Some(seen)) = (case.ending, case.flag.observed_at)
        && made.earliest < seen
    {
        let ended = by_ending(ending, by);
        let flagged = rule(&Case { ending: None, ..case.clone() });
        return Ruled {
            alternatives: vec![
                ended.as_alternative("the move that ended the game was made before the fall was observed"),
                flagged.as_alternative("the move that ended the game was made after the fall was observed"),
            ],
            ..Ruled::unknown(ended.row, &["6.8"], "order_of_ending_and_observation")
        };
    }
    if case.illegal_open {
        return Ruled {
            alternatives: vec![
                Alternative {
                    depends_on: "the position before the illegal move is restored",
                    outcome: Outcome::GameGoesOn,
                    row: "7b",
                },
                by_time(case).as_alternative("the illegal move is not penalised"),
            ],
            ..Ruled::unknown("7b", &["7.1", "7.5.1"], "illegal_move_ruling")
        };
    }
    if case.apparently_over {
        return Ruled {
            alternatives: vec![by_time(case).as_alternative("the game had not ended")],
            ..Ruled::new("9", Outcome::ResultNotEntered, &[])
        };
    }
    if case.setting_differs {
        return Ruled {
            alternatives: vec![by_time(case).as_alternative("the configured time control is right")],
            ..Ruled::unknown("10", &["6.10.2"], "clock_setting")
        };
    }
    by_time(case)
}

/// Row 11: this flag and the other side's fell in one report, and no sign tells which was first. It matters only if both would
/// cost something and not the same.
pub(crate) fn two_flags(this: Ruled, other: &Ruled) -> Ruled {
    let by_time = matches!(this.row, "13" | "14" | "15" | "16");
    let same = this.outcome == other.outcome && this.outcome != Outcome::Undecided;
    if !by_time || same || other.outcome == Outcome::GameGoesOn {
        return this;
    }
    Ruled {
        alternatives: vec![this.as_alternative("this flag fell first"), other.as_alternative("the other flag fell first")],
        ..Ruled::unknown("11", &["III.3.1", "6.10.1"], "order_of_flags")
    }
}

fn by_ending(ending: Ending, by: Color) -> Ruled {
    match ending {
        Ending::Checkmate => Ruled::new("1", wins(by), &["5.1.1", "6.8", "6.9"]),
        Ending::Stalemate => Ruled::new("2", Outcome::Draw, &["5.2.1"]),
        Ending::DeadPosition => Ruled::new("2", Outcome::Draw, &["5.2.2"]),
        Ending::FivefoldRepetition => Ruled::new("3", Outcome::Draw, &["9.6.1"]),
        Ending::SeventyFiveMoves => Ruled::new("3", Outcome::Draw, &["9.6.2"]),
    }
}

/// Rows 12 to 16.
fn by_time(case: &Case<'_>) -> Ruled {
    let goes_on = Ruled::new("12", Outcome::GameGoesOn, &["6.4", "8.5"]);
    match (case.last, case.required, case.completed) {
        (Some(true), ..) => by_mate(case),
        (Some(false), Some(required), Some((completed, _))) if completed >= required => goes_on,
        (Some(false), Some(required), Some((completed, true))) if completed + 1 >= required => Ruled {
            alternatives: vec![
                goes_on.as_alternative("the last move was completed before the flag fell"),
                by_mate(case).as_alternative("the last move was not completed before the flag fell"),
            ],
            ..Ruled::unknown("13", &["6.2.1", "6.4"], "order_of_press_and_flag")
        },
        (Some(false), Some(_), Some(_)) => by_mate(case),
        (Some(false), _, _) => Ruled {
            alternatives: vec![
                goes_on.as_alternative("the required moves were completed"),
                by_mate(case).as_alternative("the required moves were not completed"),
            ],
            ..Ruled::unknown("13", &["8.5", "8.6"], "completed_moves")
        },
        (None, ..) => Ruled {
            alternatives: vec![
                goes_on.as_alternative("another period follows and its moves were completed"),
                by_mate(case).as_alternative("it was the last period, or moves are missing"),
            ],
            ..Ruled::unknown("13", &["6.3.1", "6.4"], "time_control")
        },
    }
}

/// Article 6.9.
fn by_mate(case: &Case<'_>) -> Ruled {
    match case.winnable {
        Verdict::Winnable { .. } => Ruled::new("14", wins(case.flag.side.other()), &["6.9"]),
        Verdict::Unwinnable { .. } => Ruled::new("15", Outcome::Draw, &["6.9"]),
        Verdict::NotAsked | Verdict::Pending | Verdict::Undecided(_) => Ruled {
            alternatives: vec![
                Alternative {
                    depends_on: "the opponent can mate by some series of legal moves",
                    outcome: wins(case.flag.side.other()),
                    row: "14",
                },
                Alternative { depends_on: "the opponent cannot", outcome: Outcome::Draw, row: "15" },
            ],
            ..Ruled::unknown("16", &["6.9"], "winnable")
        },
    }
}
