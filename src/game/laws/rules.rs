//! What each profile says differently, as data (`laws.md` sections 1-5). What its source leaves open, or was read second-hand
//! only, is a [`Choice`] with a default; a finding that rests on one names it.

/// How a flag is ruled on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// `laws.md` section 2.
    Fide,
    /// `laws.md` section 4.
    UsChess,
    /// `laws.md` section 5.
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
    pub observed: &'static [&'static str],
    pub setting: &'static [&'static str],
    pub both_flags: &'static [&'static str],
    pub next_period: &'static [&'static str],
    pub count_unknown: &'static [&'static str],
    pub on_time: &'static [&'static str],
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
    /// Fivefold repetition ends the game by itself (9.6.1).
    pub fivefold: bool,
    /// 75 moves end the game by themselves (9.6.2).
    pub seventy_five: bool,
    /// A player's next move completes the one before it (6.2.1.2).
    pub next_move_completes: bool,
    /// Two flags and no order.
    pub both_flags: BothFlags,
    /// A player may claim that the opponent cannot win by normal means without any guideline (10.2 of the older print).
    pub quickplay_claims: bool,
    /// A resignation is a draw if the opponent cannot win (5.1.2).
    pub resignation_saved: bool,
    /// What can be chosen, at most eight.
    pub options: &'static [Choice],
    /// What is cited.
    pub articles: Articles,
    /// The rows.
    pub rows: Rows,
}

const FIDE_ARTICLES: Articles = Articles {
    mate: &["5.1.1", "6.8", "6.9"],
    stalemate: &["5.2.1"],
    dead: &["5.2.2"],
    fivefold: &["9.6.1"],
    seventy_five: &["9.6.2"],
    resignation: &["5.1.2"],
    agreement: &["5.2.3", "9.1"],
    claim: &["9.5.2"],
    claim_incorrect: &["9.5.3"],
    illegal_again: &["7.5.5"],
    illegal: &["7.1", "7.5.1"],
    observed: &["6.8"],
    setting: &["6.10.2"],
    both_flags: &["III.3.1", "6.10.1"],
    next_period: &["6.4", "8.5"],
    count_unknown: &["8.5", "8.6"],
    on_time: &["6.9"],
};

const UNSUPERVISED: Articles = Articles {
    illegal_again: &["7.5.5", "A.5.2"],
    illegal: &["7.5.1", "A.5.2"],
    observed: &["6.8", "A.5.5"],
    both_flags: &["A.5.5", "6.10.1"],
    on_time: &["6.9", "A.5.3"],
    ..FIDE_ARTICLES
};

/// FIDE, standard chess.
pub const FIDE_STANDARD: Rules = Rules {
    name: "fide-2023-standard",
    edition: "FIDE Laws of Chess in force from 1 January 2023",
    table: Table::Fide,
    guidelines: true,
    winnability: Winnability::AnySeries,
    penalty_s: 120,
    illegal_loses: Some(2),
    illegal_deadline: false,
    fivefold: true,
    seventy_five: true,
    next_move_completes: true,
    both_flags: BothFlags::Guideline,
    quickplay_claims: false,
    resignation_saved: true,
    options: &[],
    articles: FIDE_ARTICLES,
    rows: Rows {
        mate: "1",
        stalemate: "2",
        dead: "2",
        by_itself: "3",
        resignation: "4",
        agreement: "5",
        claim: "6",
        claim_incorrect: "6a",
        illegal_again: "7a",
        illegal: "7b",
        apparently_over: "9",
        setting: "10",
    },
};

/// FIDE, rapid chess without supervision of each game.
pub const FIDE_RAPID: Rules =
    Rules { name: "fide-2023-rapid", penalty_s: 60, illegal_deadline: true, articles: UNSUPERVISED, ..FIDE_STANDARD };

/// FIDE, supervised rapid chess.
pub const FIDE_RAPID_SUPERVISED: Rules = Rules { name: "fide-2023-rapid-supervised", penalty_s: 60, ..FIDE_STANDARD };

/// FIDE, blitz without supervision of each game.
pub const FIDE_BLITZ: Rules = Rules { name: "fide-2023-blitz", guidelines: false, both_flags: BothFlags::Arbiter, ..FIDE_RAPID };

/// FIDE, supervised blitz.
pub const FIDE_BLITZ_SUPERVISED: Rules = Rules {
    name: "fide-2023-blitz-supervised",
    guidelines: false,
    both_flags: BothFlags::Arbiter,
    options: &[Choice { about: About::Penalty, default: "penalty-120", other: "penalty-60" }],
    ..FIDE_STANDARD
};

/// The popular explanation of 6.9.
pub const MATERIAL_ONLY: Rules = Rules {
    name: "material-only",
    edition: "a popular explanation of Article 6.9, not the Laws",
    winnability: Winnability::Material,
    ..FIDE_STANDARD
};

/// The Laws as printed with a chess program's manual.
pub const FIDE_PRINT_OLD: Rules = Rules {
    name: "fide-print-old",
    edition: "FIDE Laws of Chess as in an older print, of the generation of 1997",
    guidelines: false,
    illegal_loses: Some(3),
    fivefold: false,
    seventy_five: false,
    next_move_completes: false,
    both_flags: BothFlags::Always,
    quickplay_claims: true,
    options: &[
        Choice { about: About::Penalty, default: "penalty-120", other: "penalty-60" },
        Choice { about: About::IllegalMoves, default: "illegal-moves-3", other: "illegal-moves-2" },
        Choice { about: About::Rapid, default: "standard", other: "rapid" },
    ],
    articles: Articles {
        mate: &["5.1", "6.8", "6.9"],
        stalemate: &["5.2"],
        dead: &["5.2"],
        resignation: &["5.1"],
        agreement: &["5.3"],
        claim: &["5.4", "5.5"],
        claim_incorrect: &["9.5"],
        illegal_again: &["10.3"],
        illegal: &["7.4"],
        setting: &["6.10"],
        both_flags: &["6.11", "10.4"],
        next_period: &["6.3"],
        count_unknown: &["6.3", "8.6"],
        ..FIDE_ARTICLES
    },
    ..FIDE_STANDARD
};

/// US Chess.
pub const US_CHESS: Rules = Rules {
    name: "us-chess",
    edition: "US Chess Official Rules, from quotations of its rules",
    table: Table::UsChess,
    guidelines: false,
    winnability: Winnability::Us14E,
    penalty_s: 120,
    illegal_loses: None,
    illegal_deadline: false,
    fivefold: false,
    seventy_five: false,
    next_move_completes: false,
    both_flags: BothFlags::Arbiter,
    quickplay_claims: false,
    resignation_saved: false,
    options: &[
        Choice { about: About::OwnFlag, default: "own-flag-up", other: "own-flag-may-be-down" },
        Choice { about: About::SeventyFive, default: "no-75-moves", other: "75-moves" },
        Choice { about: About::IllegalMoves, default: "illegal-moves-do-not-lose", other: "illegal-moves-2" },
        Choice { about: About::Penalty, default: "penalty-120", other: "penalty-60" },
        Choice { about: About::BothBeforeLast, default: "both-flags-go-on", other: "both-flags-draw" },
    ],
    articles: Articles {
        mate: &["13A"],
        stalemate: &["14A"],
        dead: &["14D"],
        fivefold: &["14C"],
        seventy_five: &["14F"],
        resignation: &["13B"],
        agreement: &["14B"],
        claim: &["14C", "14F"],
        claim_incorrect: &["14C", "14F"],
        illegal_again: &["11D"],
        illegal: &["11D", "11D1"],
        observed: &["13C", "13C1"],
        setting: &["13C"],
        both_flags: &["14G"],
        next_period: &["13C"],
        count_unknown: &["13C"],
        on_time: &["13C"],
    },
    rows: Rows {
        mate: "1",
        stalemate: "1",
        dead: "2",
        by_itself: "2",
        resignation: "1",
        agreement: "2",
        claim: "2",
        claim_incorrect: "2",
        illegal_again: "1",
        illegal: "10",
        apparently_over: "10",
        setting: "10",
    },
};

/// A club's speed chess.
pub const CLUB_SPEED: Rules = Rules {
    name: "club-speed",
    edition: "a club's 31 rules of speed chess",
    table: Table::Club,
    guidelines: false,
    winnability: Winnability::Never,
    penalty_s: 0,
    illegal_loses: Some(1),
    illegal_deadline: true,
    fivefold: true,
    seventy_five: true,
    next_move_completes: false,
    both_flags: BothFlags::Arbiter,
    quickplay_claims: false,
    resignation_saved: false,
    options: &[
        Choice { about: About::Article69, default: "no-article-6.9", other: "article-6.9" },
        Choice { about: About::Stamps, default: "stamps-advisory", other: "stamps-count" },
    ],
    articles: Articles {
        mate: &["3.2", "7"],
        stalemate: &["2"],
        dead: &["2"],
        fivefold: &["2"],
        seventy_five: &["2"],
        resignation: &["2"],
        agreement: &["2"],
        claim: &["21"],
        claim_incorrect: &["21"],
        illegal_again: &["3.4", "18", "19"],
        illegal: &["15", "18", "19"],
        observed: &["10"],
        setting: &["9"],
        both_flags: &["8", "25"],
        next_period: &["2"],
        count_unknown: &["2"],
        on_time: &["3.1", "10"],
    },
    rows: Rows {
        mate: "5",
        stalemate: "5",
        dead: "5",
        by_itself: "5",
        resignation: "5",
        agreement: "5",
        claim: "5",
        claim_incorrect: "5",
        illegal_again: "4",
        illegal: "4",
        apparently_over: "1",
        setting: "1",
    },
};
