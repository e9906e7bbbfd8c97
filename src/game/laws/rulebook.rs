//! Rulebooks as data: the profiles that an organiser chooses from (`laws.md` sections 1-5).

/// A set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// FIDE Laws of 2023, standard chess.
    #[default]
    FideStandard,
    /// FIDE Laws of 2023, rapid chess without supervision of each game (A.5).
    FideRapid,
    /// FIDE Laws of 2023, supervised rapid chess (A.4).
    FideRapidSupervised,
    /// FIDE Laws of 2023, blitz without supervision of each game (B.3).
    FideBlitz,
    /// FIDE Laws of 2023, supervised blitz (B.2).
    FideBlitzSupervised,
    /// The Laws as an older print has them.
    FidePrintOld,
    /// US Chess.
    UsChess,
    /// A club's 31 rules of speed chess.
    ClubSpeed,
    /// The popular explanation of 6.9: lone king, bishop, knight cannot win, everything else can.
    MaterialOnly,
}

/// A guideline for games without additional time, if announced (Guidelines III).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guideline {
    /// A player may ask for additional time for both.
    AdditionalTime,
    /// A player may claim a draw because the opponent cannot win by normal means.
    NormalMeans,
}

/// The rules of one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rulebook {
    /// The rules.
    pub profile: Profile,
    /// The guideline that was announced, if one was.
    pub guideline: Option<Guideline>,
}
