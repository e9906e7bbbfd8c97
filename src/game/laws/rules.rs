//! Defines the differences between the profiles, as data (`laws/README.md#9`). A point that a source leaves open, or that is
//! known only from quotations, is a [`Choice`] with a default. A finding that rests on it names it.

/// The table that rules on a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// The table of `laws/README.md#2`.
    Fide,
    /// The table of `laws/README.md#4`.
    UsChess,
    /// The table of `laws/README.md#5`.
    Club,
}

/// The rule that decides which player cannot win on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winnability {
    /// A player who cannot mate by any possible series of legal moves (6.9).
    AnySeries,
    /// A player with no more than a king, or a king with bishop or knight: the popular explanation.
    Material,
    /// The rules 14E and 14D4 of US Chess.
    Us14E,
    /// No player: the side whose flag falls always loses.
    Never,
}

/// The rule for two flags with an unknown order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothFlags {
    /// Guideline III.3.1, if it was announced and there is no additional time.
    Guideline,
    /// The rules 6.11 and 10.4 of the older print, always.
    Always,
    /// The arbiter decides, by the sign on the clock.
    Arbiter,
}

/// The subject of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The seconds that the opponent gets after an illegal move or an incorrect claim.
    Penalty,
    /// The number of the illegal move that loses.
    IllegalMoves,
    /// Whether the game is rapid chess by the older print (B6-B8).
    Rapid,
    /// Whether a player who claims a flag must have his own flag up (13C).
    OwnFlag,
    /// Whether 75 moves end the game by themselves.
    SeventyFive,
    /// The result of two fallen flags before the last period (14G speaks of sudden death only).
    BothBeforeLast,
    /// Whether Article 6.9 also holds in the club, by its point 2.
    Article69,
    /// Whether both players accept the device's stamps (points 20 and 25).
    Stamps,
}

/// A choice that the source leaves to the event, or that could not be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The subject of the choice.
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
    /// True if these articles are about an illegal move.
    pub fn on_illegal_moves(&self, cited: &[&str]) -> bool {
        [self.illegal_again, self.illegal, self.not_replaced, self.pressed_only, self.two_hands].contains(&cited)
    }
}

/// The rows of the profile's table that have nothing to do with the clock. If its table has no such row, this is the row for
/// a game that had ended, or for a person's decision.
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
    /// The name of the profile.
    pub name: &'static str,
    /// The edition of the rules.
    pub edition: &'static str,
    /// The table that rules on flags.
    pub table: Table,
    /// True if Guidelines III may be announced (III.2).
    pub guidelines: bool,
    /// The rule that decides which player cannot win on time.
    pub winnability: Winnability,
    /// The seconds that the opponent gets after an illegal move or an incorrect claim.
    pub penalty_s: u32,
    /// The number of the completed illegal move with which a player loses, counted from 1; none if no number does.
    pub illegal_loses: Option<u32>,
    /// True if an illegal move stands once the opponent has made his next move (A.5.2; club point 15).
    pub illegal_deadline: bool,
    /// The number of moves completed by both after which the clock's setting is no longer corrected (A.5.1); none if it
    /// always is.
    pub setting_stands_after: Option<u32>,
    /// True if an illegal position that still stands after the next move is a draw when the arbiter observes it (A.5.4).
    pub illegal_position_draws: bool,
    /// True if fivefold repetition ends the game by itself (9.6.1).
    pub fivefold: bool,
    /// True if 75 moves end the game by themselves (9.6.2).
    pub seventy_five: bool,
    /// True if a player's next move completes the one before it (6.2.1.2).
    pub next_move_completes: bool,
    /// The rule for two flags with an unknown order.
    pub both_flags: BothFlags,
    /// True if a player may claim without any guideline that the opponent cannot win by normal means (10.2 of the older
    /// print; US Chess 14H).
    pub quickplay_claims: bool,
    /// True if a resignation is a draw when the opponent cannot win (5.1.2).
    pub resignation_saved: bool,
    /// True if players record their moves (8.1; not in rapid and blitz, A.2).
    pub records: bool,
    /// The default time if the event has not set one, seconds (6.6 of the older print). Today it is zero (6.7.1), so nobody
    /// waits.
    pub default_time_s: Option<u32>,
    /// The choices, at most eight.
    pub options: &'static [Choice],
    /// The articles that findings cite.
    pub articles: Articles,
    /// The rows that findings cite.
    pub rows: Rows,
}
