//! Defines the ground of a claim, and its standing: lodged, accepted or refused.

/// The ground on which a claim rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The same position for the third time (9.2).
    Repetition,
    /// Fifty moves by each side without a pawn move or capture (9.3).
    FiftyMoves,
    /// A request for additional time for both (Guideline III.4).
    AdditionalTime,
    /// The opponent cannot win, or makes no effort to win, by normal means (Guideline III.5; US Chess 14H).
    NormalMeans,
}

/// The standing of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Lodged, not yet decided.
    Lodged,
    /// Found correct or granted.
    Accepted,
    /// Found incorrect or rejected.
    Refused,
}
