//! A claim: its ground and its standing.

/// On what a claim rests.
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

/// Where a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Lodged, not yet decided.
    Lodged,
    /// Found correct or granted.
    Accepted,
    /// Found incorrect or rejected.
    Refused,
}
