//! Defines the profiles, each a complete set of rules as data (`laws/README.md#9.1`).

use crate::laws::rules::{About, Articles, BothFlags, Choice, Rows, Rules, Table, Winnability};

/// The articles that findings cite under the FIDE Laws.
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
    not_replaced: &["7.5.2"],
    pressed_only: &["7.5.3"],
    two_hands: &["7.5.4"],
    observed: &["6.8"],
    setting: &["6.10.2"],
    both_flags: &["III.3.1", "6.10.1"],
    next_period: &["6.4", "8.5"],
    press_and_flag: &["6.2.1", "6.4"],
    periods: &["6.3.1", "6.4"],
    count_unknown: &["8.5", "8.6"],
    on_time: &["6.9"],
    normal_means: &["III.5.2"],
};

/// The articles that findings cite in rapid chess and blitz without supervision of each game.
const UNSUPERVISED: Articles = Articles {
    illegal_again: &["7.5.5", "A.5.2"],
    illegal: &["7.5.1", "A.5.2"],
    not_replaced: &["7.5.2", "A.5.2"],
    pressed_only: &["7.5.3", "A.5.2"],
    two_hands: &["7.5.4", "A.5.2"],
    observed: &["6.8", "A.5.5"],
    both_flags: &["A.5.5", "6.10.1"],
    on_time: &["6.9", "A.5.3"],
    ..FIDE_ARTICLES
};

/// The FIDE Laws, standard chess.
pub(crate) const FIDE_STANDARD: Rules = Rules {
    name: "fide-2023-standard",
    edition: "FIDE Laws of Chess in force from 1 January 2023",
    table: Table::Fide,
    guidelines: true,
    winnability: Winnability::AnySeries,
    penalty_s: 120,
    illegal_loses: Some(2),
    illegal_deadline: false,
    setting_stands_after: None,
    illegal_position_draws: false,
    fivefold: true,
    seventy_five: true,
    next_move_completes: true,
    both_flags: BothFlags::Guideline,
    quickplay_claims: false,
    resignation_saved: true,
    records: true,
    default_time_s: None,
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

/// The FIDE Laws, rapid chess without supervision of each game.
pub(crate) const FIDE_RAPID: Rules = Rules {
    name: "fide-2023-rapid",
    records: false,
    penalty_s: 60,
    illegal_deadline: true,
    setting_stands_after: Some(10),
    illegal_position_draws: true,
    articles: UNSUPERVISED,
    ..FIDE_STANDARD
};

/// The FIDE Laws, supervised rapid chess.
pub(crate) const FIDE_RAPID_SUPERVISED: Rules =
    Rules { name: "fide-2023-rapid-supervised", records: false, penalty_s: 60, ..FIDE_STANDARD };

/// The FIDE Laws, blitz without supervision of each game.
pub(crate) const FIDE_BLITZ: Rules =
    Rules { name: "fide-2023-blitz", guidelines: false, both_flags: BothFlags::Arbiter, ..FIDE_RAPID };

/// The FIDE Laws, supervised blitz.
pub(crate) const FIDE_BLITZ_SUPERVISED: Rules = Rules {
    name: "fide-2023-blitz-supervised",
    records: false,
    guidelines: false,
    both_flags: BothFlags::Arbiter,
    options: &[Choice { about: About::Penalty, default: "penalty-120", other: "penalty-60" }],
    articles: Articles { both_flags: &["6.10.1"], ..FIDE_ARTICLES },
    ..FIDE_STANDARD
};

/// The popular explanation of 6.9, in which only the material counts.
pub(crate) const MATERIAL_ONLY: Rules = Rules {
    name: "material-only",
    edition: "a popular explanation of Article 6.9, not the Laws",
    winnability: Winnability::Material,
    ..FIDE_STANDARD
};

/// The FIDE Laws as printed with a chess program's manual.
pub(crate) const FIDE_PRINT_OLD: Rules = Rules {
    name: "fide-print-old",
    default_time_s: Some(3600),
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
        not_replaced: &["7.4"],
        pressed_only: &["6.7"],
        two_hands: &["6.7"],
        setting: &["6.10"],
        both_flags: &["6.11", "10.4"],
        next_period: &["6.3"],
        press_and_flag: &["6.7", "6.3"],
        periods: &["6.3"],
        count_unknown: &["6.3", "8.6"],
        normal_means: &["10.2"],
        ..FIDE_ARTICLES
    },
    ..FIDE_STANDARD
};

/// The rules of US Chess.
pub(crate) const US_CHESS: Rules = Rules {
    name: "us-chess",
    edition: "US Chess Official Rules, from quotations of its rules",
    table: Table::UsChess,
    guidelines: false,
    winnability: Winnability::Us14E,
    penalty_s: 120,
    illegal_loses: None,
    illegal_deadline: false,
    setting_stands_after: None,
    illegal_position_draws: false,
    fivefold: false,
    seventy_five: false,
    next_move_completes: false,
    both_flags: BothFlags::Arbiter,
    quickplay_claims: true,
    resignation_saved: false,
    records: true,
    default_time_s: None,
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
        not_replaced: &["11D", "11D1"],
        pressed_only: &["11D", "11D1"],
        two_hands: &["11D", "11D1"],
        observed: &["13C", "13C1"],
        setting: &["13C"],
        both_flags: &["14G"],
        next_period: &["13C"],
        press_and_flag: &["13C"],
        periods: &["13C"],
        count_unknown: &["13C"],
        on_time: &["13C"],
        normal_means: &["14H"],
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

/// A club's rules of speed chess.
pub(crate) const CLUB_SPEED: Rules = Rules {
    name: "club-speed",
    edition: "a club's 31 rules of speed chess",
    table: Table::Club,
    guidelines: false,
    winnability: Winnability::Never,
    penalty_s: 0,
    illegal_loses: Some(1),
    illegal_deadline: true,
    setting_stands_after: None,
    illegal_position_draws: false,
    fivefold: true,
    seventy_five: true,
    next_move_completes: false,
    both_flags: BothFlags::Arbiter,
    quickplay_claims: false,
    resignation_saved: false,
    records: false,
    default_time_s: None,
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
        illegal: &["3.4", "15", "18", "19"],
        not_replaced: &["26", "27", "28"],
        pressed_only: &["16"],
        two_hands: &["2", "3.4"],
        observed: &["10"],
        setting: &["9"],
        both_flags: &["8", "25"],
        next_period: &["2"],
        press_and_flag: &["4"],
        periods: &["2"],
        count_unknown: &["2"],
        on_time: &["3.1", "10"],
        normal_means: &["2"],
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
