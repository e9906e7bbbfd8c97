//! What each profile says differently, as data (`laws/README.md#9`). What its source leaves open, or was read second-hand
//! only, is a [`Choice`] with a default; a finding that rests on one names it.

/// How a flag is ruled on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// `laws/README.md#2`.
    Fide,
    /// `laws/README.md#4`.
    UsChess,
    /// `laws/README.md#5`.
    Club,
}

/// Who cannot win on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winnability {
    /// Who cannot mate by any possible series of legal moves (6.9).
    AnySeries,
    /// Who has no more than king, or king and bishop or knight: the popular explanation.
    Material,
    /// US Chess 14E and 14D4.
    Us14E,
    /// Nobody: whoever's flag falls loses.
    Never,
}

/// Two flags, and nobody knows which fell first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothFlags {
    /// Guideline III.3.1, where it was announced and there is no additional time.
    Guideline,
    /// 6.11 and 10.4 of the older print, always.
    Always,
    /// The arbiter decides by the sign on the clock.
    Arbiter,
}

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Seconds that the opponent gets after an illegal move or an incorrect claim.
    Penalty,
    /// The illegal move that loses.
    IllegalMoves,
    /// The game is rapid chess by the older print (B6-B8).
    Rapid,
    /// Who claims a flag must have his own flag up (13C).
    OwnFlag,
    /// 75 moves end the game by themselves.
    SeventyFive,
    /// Both flags down before the last period (14G speaks of sudden death only).
    BothBeforeLast,
    /// Article 6.9 holds in the club too, by its point 2.
    Article69,
    /// Both players accept the device's stamps (points 20 and 25).
    Stamps,
}

/// A choice that the source leaves to the event, or that could not be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Which.
    pub about: About,
    /// The default, as findings name it.
    pub default: &'static str,
    /// The other choice: the name of an add-on to the profile.
    pub other: &'static str,
}

/// The articles that findings cite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the articles on what its name says")]
pub struct Articles {
    pub mate: &'static [&'static str],
    pub stalemate: &'static [&'static str],
    pub dead: &'static [&'static str],
    pub fivefold: &'static [&'static str],
    pub seventy_five: &'static [&'static str],
    pub resignation: &'static [&'static str],
    pub agreement: &'static [&'static str],
    pub claim: &'static [&'static str],
    pub claim_incorrect: &'static [&'static str],
    pub illegal_again: &'static [&'static str],
    pub illegal: &'static [&'static str],
    pub not_replaced: &'static [&'static str],
    pub pressed_only: &'static [&'static str],
    pub two_hands: &'static [&'static str],
    pub observed: &'static [&'static str],
    pub setting: &'static [&'static str],
    pub both_flags: &'static [&'static str],
    pub next_period: &'static [&'static str],
    pub press_and_flag: &'static [&'static str],
    pub periods: &'static [&'static str],
    pub count_unknown: &'static [&'static str],
    pub on_time: &'static [&'static str],
    pub normal_means: &'static [&'static str],
}

impl Articles {
    /// What is cited is on an illegal move.
    pub fn on_illegal_moves(&self, cited: &[&str]) -> bool {
        [self.illegal_again, self.illegal, self.not_replaced, self.pressed_only, self.two_hands].contains(&cited)
    }
}

/// The rows of the profile's table for what is not of the clock. Where its table has none, the row on which the game had ended or
/// a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the row of what its name says")]
pub struct Rows {
    pub mate: &'static str,
    pub stalemate: &'static str,
    pub dead: &'static str,
    pub by_itself: &'static str,
    pub resignation: &'static str,
    pub agreement: &'static str,
    pub claim: &'static str,
    pub claim_incorrect: &'static str,
    pub illegal_again: &'static str,
    pub illegal: &'static str,
    pub apparently_over: &'static str,
    pub setting: &'static str,
}

/// One profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Its name.
    pub name: &'static str,
    /// The edition that is read.
    pub edition: &'static str,
    /// How flags are ruled on.
    pub table: Table,
    /// Guidelines III may be announced (III.2).
    pub guidelines: bool,
    /// Who cannot win on time.
    pub winnability: Winnability,
    /// Seconds that the opponent gets after an illegal move or an incorrect claim.
    pub penalty_s: u32,
    /// The completed illegal move of one player that loses, counted from 1; none if no number does.
    pub illegal_loses: Option<u32>,
    /// An illegal move stands once the opponent has made his next move (A.5.2; club point 15).
    pub illegal_deadline: bool,
    /// Moves completed by both after which the setting of the clock stays as it is (A.5.1); none if it is always put right.
    pub setting_stands_after: Option<u32>,
    /// An illegal position that still stands after the next move draws, if the arbiter observes it (A.5.4).
    pub illegal_position_draws: bool,
    /// Fivefold repetition ends the game by itself (9.6.1).
    pub fivefold: bool,
    /// 75 moves end the game by themselves (9.6.2).
    pub seventy_five: bool,
    /// A player's next move completes the one before it (6.2.1.2).
    pub next_move_completes: bool,
    /// Two flags and no order.
    pub both_flags: BothFlags,
    /// A player may claim that the opponent cannot win by normal means without any guideline (10.2 of the older print;
    /// US Chess 14H).
    pub quickplay_claims: bool,
    /// A resignation is a draw if the opponent cannot win (5.1.2).
    pub resignation_saved: bool,
    /// Players record their moves (8.1; not in rapid and blitz, A.2).
    pub records: bool,
    /// The default time where the event has not said, seconds (6.6 of the older print; today zero, 6.7.1, and nothing to wait for).
    pub default_time_s: Option<u32>,
    /// What can be chosen, at most eight.
    pub options: &'static [Choice],
    /// What is cited.
    pub articles: Articles,
    /// The rows.
    pub rows: Rows,
}
