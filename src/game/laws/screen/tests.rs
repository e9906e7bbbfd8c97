//! The content of an arbiter's message, and its order.

use alloc::boxed::Box;
use alloc::vec;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, Position};

use super::super::finding::FindingStatus;
use super::super::outcome::Alternative;
use super::super::winnable::Verdict;
use super::*;
use crate::clock::flag::FlagPath;
use crate::mate::Reason;
use crate::mate::explain::{Cost, helpmate, no_mate};

const FEN: &str = "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1";

/// White's flag in the last period, observed; Black cannot mate.
fn finding() -> Finding {
    Finding {
        id: 1,
        revision: 1,
        kind: Kind::FlagFall,
        profile: "fide-2023-standard".into(),
        edition: "FIDE Laws of Chess in force from 1 January 2023",
        flag: Some("white"),
        fall: Some(1),
        path: Some(FlagPath::Blocked),
        outcome: Outcome::Draw,
        row: "15",
        articles: vec!["6.9"],
        conditional: false,
        contested: false,
        alternatives: vec![],
        position: FEN.into(),
        phase: Phase::Idle,
        made: None,
        expired_at: Some([0, 1]),
        observed_at: Some(2),
        completed: Some(52),
        required: None,
        last_period: Some(true),
        winnable: Verdict::Unwinnable(Box::new(no_mate(&position(), Color::Black, &Reason::BareKing))),
        ended_at: None,
        offender: None,
        illegal_moves: Vec::new(),
        readings: vec![],
        evidence: vec![],
        configurable: vec![],
        recommended: vec![],
        unknown: vec![],
        status: FindingStatus::Proposed,
        claim: None,
    }
}

fn position() -> Chess {
    FEN.parse::<Fen>().expect(FEN).into_position(CastlingMode::Standard).expect(FEN)
}

fn can_mate() -> Verdict {
    let step = position().legal_moves().into_iter().find(|step| step.to_uci(CastlingMode::Standard).to_string() == "g5g7");
    Verdict::Winnable(Box::new(helpmate(&position(), Color::White, &[step.expect("a move")], true)))
}

#[test]
fn the_whole_message() {
    let around = Around {
        board: Some("17"),
        age_s: Some(12),
        times: Pair { white: Some(ClockTime(0)), black: Some(ClockTime(192_000)) },
        ..Around::default()
    };
    assert_eq!(
        Screen::of(&finding(), &around).text(),
        "Board 17 - WHITE FLAG, 12 s ago\n\
         Go and stop the clocks.\n\
         Proposal: DRAW.\n\
         \n  8 . . . . . . . k\n  7 . . . . . . . .\n  6 . . . . . K . .\n  5 . . . . . . Q .\n  4 . . . . . . . .\n  3 . . . . . . . .\n  \
         2 . . . . . . . .\n  1 . . . . . . . .\n    a b c d e f g h\n  \
         White to move. Clock: White 0:00:00, Black 0:03:12.\n\
         \n52 moves completed, last period.\n\
         Why: No legal mate by Black: Black has only the king.\n\
         Check yourself: the flag sign on the clock; position equals diagram; has anyone\nclaimed?\n\
         Rules: fide-2023-standard, row 15, article 6.9.\n\
         [Confirm 1/2-1/2] [The game goes on] [Other result: 1-0] [Other result: 0-1]\n"
    );
}

#[test]
fn an_unpressed_move_is_shown_with_its_conditions() {
    let alternative = |depends_on, outcome| Alternative { depends_on, outcome, row: "13" };
    let open = Finding {
        outcome: Outcome::Undecided,
        row: "13",
        articles: vec!["8.5", "8.6"],
        completed: Some(39),
        required: Some(40),
        last_period: Some(false),
        phase: Phase::Made,
        made: Some("40. Qd7".into()),
        alternatives: vec![
            alternative("40 moves were completed", Outcome::GameGoesOn),
            alternative("39 moves were completed", Outcome::BlackWins),
        ],
        winnable: Verdict::Undecided(Cost { nodes: 7, walls: 0 }),
        unknown: vec!["completed_moves"],
        ..finding()
    };
    let screen = Screen::of(&open, &Around::default());
    assert_eq!(
        screen.proposal,
        "Proposal: YOU DECIDE: the game goes on if 40 moves were completed; Black wins if 39 moves were completed."
    );
    // The answer about mate comes in a moment: until then nobody is asked to decide.
    let pending = Screen::of(&Finding { winnable: Verdict::Pending, ..open.clone() }, &Around::default());
    assert_eq!(pending.proposal, screen.proposal.replace("YOU DECIDE", "BEING WORKED OUT"));
    assert_eq!(screen.moves, "39 of 40 moves completed; 40. Qd7 made, clock NOT PRESSED.");
    assert_eq!((screen.act, screen.unknown.as_slice()), (Act::StopTheClocks, ["completed moves".to_string()].as_slice()));
    let labels: Vec<&str> = screen.choices.iter().map(|choice| choice.label.as_str()).collect();
    let black_wins = "Black wins: 39 moves were completed";
    assert_eq!(labels, ["The game goes on", "Other result: 1-0", black_wins, "Other result: 1/2-1/2"]);
    assert!(screen.why.contains("was not settled in 7 positions"), "{}", screen.why);
    assert!(screen.why.ends_with("The answer depends on how many moves were completed."), "{}", screen.why);
    // Without a question to the solver, the reason is what is not known, the innermost last.
    let nested = Finding { winnable: Verdict::NotAsked, unknown: vec!["claim_ruling", "moves_missing"], ..open };
    let why = Screen::of(&nested, &Around::default()).why;
    assert_eq!(why, "The answer depends on the ruling on the claim, and on whether moves are missing from the record.");
    assert!(screen.rules.ends_with("articles 8.5, 8.6"), "{}", screen.rules);
    // A time control that is given does not show which period it was.
    let period = Finding { unknown: vec!["time_control", "own_flag"], ..finding() };
    assert_eq!(Screen::of(&period, &Around::default()).unknown, ["period", "own flag"]);
}

#[test]
fn a_win_shows_the_line_one_tap_deeper() {
    let won = Finding { flag: Some("black"), outcome: Outcome::WhiteWins, row: "14", winnable: can_mate(), ..finding() };
    let screen = Screen::of(&won, &Around::default());
    assert_eq!((screen.line.as_deref(), screen.choices[0].label.as_str()), (Some("1. Qg7#"), "Confirm 1-0"));
    assert!(screen.final_position.is_some_and(|fen| fen.starts_with("7k/6Q1/")));
    assert!(screen.headline.starts_with("BLACK FLAG") && screen.why.starts_with("White can"), "{}", screen.why);
    // Under rules that do not ask for a helpmate, the helpmate is known but does not decide.
    for (outcome, why) in [
        (Outcome::Draw, "White has king and queen, and cannot force mate with them."),
        (Outcome::WhiteWins, "White has king and queen, and can force mate all the same."),
        (Outcome::Undecided, "White has king and queen; whether they can force mate was not settled."),
    ] {
        let few = Finding { outcome, articles: vec!["14E2", "14E3"], profile: "us-chess".into(), ..won.clone() };
        let screen = Screen::of(&few, &Around::default());
        assert_eq!((screen.why.as_str(), screen.line), (why, None));
    }
}

#[test]
fn what_to_do_first() {
    let decided = Some(GameResult::BlackWins);
    let conditional = Finding { conditional: true, ..finding() };
    let goes_on = Finding { outcome: Outcome::GameGoesOn, ..finding() };
    let forgotten = Finding { outcome: Outcome::ResultNotEntered, ..finding() };
    let claimed = Alternative { depends_on: "the opponent claims it now", outcome: Outcome::BlackWins, row: "11" };
    let silent = Finding {
        outcome: Outcome::GameGoesOn,
        alternatives: vec![claimed],
        profile: "us-chess".into(),
        winnable: can_mate(),
        ..conditional.clone()
    };
    assert_eq!(Screen::of(&silent, &Around::default()).line, None, "it decides nothing yet");
    for (finding, decided, act, proposal) in [
        (&silent, None, Act::WaitForAClaim, "Proposal: THE GAME GOES ON (otherwise: Black wins if the opponent claims"),
        (&finding(), None, Act::StopTheClocks, "Proposal: DRAW."),
        (&conditional, None, Act::StopTheClocks, "Proposal: DRAW, if the flag is observed or claimed now."),
        (
            &Finding { profile: "us-chess".into(), ..conditional.clone() },
            None,
            Act::WaitForAClaim,
            "Proposal: DRAW, if the opponent claims",
        ),
        (
            &Finding { profile: "fide-print-old+rapid".into(), ..conditional.clone() },
            None,
            Act::WaitForAClaim,
            "Proposal: DRAW, if the opponent claims the flag now.",
        ),
        (&Finding { profile: "club-speed".into(), ..finding() }, None, Act::StopTheClocks, "Proposal: DRAW."),
        (&goes_on, None, Act::Nothing, "Proposal: THE GAME GOES ON."),
        (&forgotten, None, Act::AskForTheResult, "Proposal: THE RESULT WAS NOT ENTERED."),
        (&finding(), decided, Act::Nothing, "Decided: 0-1. The proposal was: DRAW."),
        (&Finding { contested: true, ..finding() }, None, Act::StopTheClocks, "Proposal: DRAW. Contested: the ending may"),
    ] {
        let screen = Screen::of(finding, &Around { decided, ..Around::default() });
        assert_eq!(screen.act, act, "{}", screen.proposal);
        assert!(screen.proposal.starts_with(proposal), "{}", screen.proposal);
    }
}

/// The choices of each kind of finding, with the command of each.
#[test]
fn a_choice_names_its_command() {
    use Answer::{Confirm, Declare, Reject};
    use GameResult::{BlackWins, Draw, Open, WhiteWins};
    let goes_on = Finding { outcome: Outcome::GameGoesOn, ..finding() };
    let conditional = Finding { conditional: true, ..goes_on.clone() };
    let undecided = Finding { outcome: Outcome::Undecided, ..finding() };
    let others = [Declare(WhiteWins), Declare(BlackWins), Declare(Draw)];
    for (finding, decided, answers) in [
        (&finding(), None, &[Confirm, Reject, Declare(WhiteWins), Declare(BlackWins)][..]),
        (&goes_on, None, &[Confirm, others[0], others[1], others[2]]),
        // An observation of the flag might change this finding.
        (&conditional, None, &[Reject, others[0], others[1], others[2]]),
        (&undecided, None, &[Reject, others[0], others[1], others[2]]),
        (&finding(), Some(Draw), &[Declare(Open)]),
        (&finding(), Some(Open), &[Confirm, Declare(WhiteWins), Declare(BlackWins)]),
        (&undecided, Some(Open), &others),
    ] {
        let screen = Screen::of(finding, &Around { decided, ..Around::default() });
        let found: Vec<Answer> = screen.choices.iter().map(|choice| choice.answer).collect();
        assert_eq!(found, answers, "{decided:?} {}", screen.proposal);
    }
    // The tables say that such a claim is refused, and a rejection would say that it is not.
    let refused = Finding { kind: Kind::Claim, flag: None, ..conditional };
    assert_eq!(Screen::of(&refused, &Around::default()).choices[0].answer, Confirm);
}

#[test]
fn without_a_flag_the_message_says_what_happened() {
    let besides = vec![Recommended::RestorePosition, Recommended::AddTime { side: "black", seconds: 120 }];
    let illegal = Finding {
        kind: Kind::IllegalMove,
        flag: None,
        path: None,
        completed: None,
        recommended: besides,
        outcome: Outcome::GameGoesOn,
        articles: vec!["7.5.1", "7.5.5"],
        winnable: Verdict::NotAsked,
        offender: Some("white"),
        ..finding()
    };
    let text = Screen::of(&illegal, &Around { board: Some("3"), ..Around::default() }).text();
    assert!(text.starts_with("Board 3 - ILLEGAL MOVE BY WHITE\n"), "{text}");
    assert!(text.contains("Go and stop the clocks.") && !text.contains("by this flag"), "{text}");
    for part in ["Besides: restore the position", "Besides: give Black 2:00 more.", "\n  White to move.\n"] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    assert!(!text.contains("completed"), "{text}");
}

#[test]
fn how_long_ago() {
    for (age, words) in [(0, "0 s ago"), (59, "59 s ago"), (60, "1 min ago"), (3599, "59 min ago"), (7500, "2 h 5 min ago")] {
        let screen = Screen::of(&finding(), &Around { age_s: Some(age), ..Around::default() });
        assert_eq!(screen.headline, format!("WHITE FLAG, {words}"));
    }
}

#[test]
fn no_line_is_longer_than_a_terminal_whatever_is_in_it() {
    let long = "x".repeat(300);
    let odd =
        Finding { position: long.clone(), profile: long.clone(), phase: Phase::Made, made: Some(long.clone()), ..finding() };
    for finding in [&odd, &Finding { position: "8/8".into(), articles: vec!["6.9"; 60], ..finding() }] {
        let text = Screen::of(finding, &Around { board: Some(&long), ..Around::default() }).text();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}

#[test]
fn the_moves_of_each_phase() {
    let white = |completed, required, last_period| Finding { completed, required, last_period, ..finding() };
    for (finding, words) in [
        (white(Some(1), None, Some(true)), "1 move completed, last period."),
        (white(Some(1), None, None), "1 move completed."),
        (white(Some(30), None, Some(false)), "30 moves completed."),
        (white(None, Some(40), Some(false)), "Completed moves are not known; 40 were required."),
        (white(None, None, Some(true)), "Completed moves are not known; last period."),
        (white(None, None, None), "Completed moves are not known."),
    ] {
        assert_eq!(Screen::of(&finding, &Around::default()).moves, words);
    }
    for (phase, made, words) in [
        (Phase::Idle, None, "52 moves completed, last period."),
        (Phase::Made, None, "52 moves completed, last period; one more move made, clock NOT PRESSED."),
        (Phase::Touched, None, "52 moves completed, last period; a piece is lifted, no move made."),
        (
            Phase::Illegal,
            Some("53. Kd7".to_string()),
            "52 moves completed, last period; no legal move stands on the board, the position before it counts.",
        ),
    ] {
        assert_eq!(Screen::of(&Finding { phase, made, ..finding() }, &Around::default()).moves, words);
    }
}

#[test]
fn the_headline_of_each_kind() {
    let illegal = |offender| Finding { offender, kind: Kind::IllegalMove, ..finding() };
    for (found, headline) in [
        (illegal(Some("white")), "ILLEGAL MOVE BY WHITE"),
        (illegal(Some("black")), "ILLEGAL MOVE BY BLACK"),
        (illegal(None), "ILLEGAL MOVE"),
        (finding(), "FLAG"),
        (Finding { kind: Kind::Resignation, ..finding() }, "RESIGNATION"),
        (Finding { kind: Kind::Agreement, ..finding() }, "DRAW AGREED"),
        (Finding { kind: Kind::Claim, ..finding() }, "CLAIM OF A DRAW"),
        (Finding { kind: Kind::MoveOnBoard, ..finding() }, "GAME OVER ON THE BOARD"),
    ] {
        let screen = Screen::of(&Finding { flag: None, ..found }, &Around { board: Some("4"), ..Around::default() });
        assert_eq!(screen.headline, format!("Board 4 - {headline}"));
    }
}

/// The instruction of each profile's message, what an arbiter should do besides, and what is not known.
#[test]
fn the_text_names_every_measure_and_every_gap() {
    let waits = Finding { profile: "us-chess".into(), conditional: true, articles: vec![], ..finding() };
    let club = Finding { profile: "club-speed".into(), row: "5", ..waits.clone() };
    let forgotten = Finding { outcome: Outcome::ResultNotEntered, ..finding() };
    let over = Finding { outcome: Outcome::GameGoesOn, unknown: vec!["time_control", "own_flag"], ..finding() };
    let measures = vec![
        Recommended::ReplaceByQueen,
        Recommended::PlayIndicatedMove { side: "white" },
        Recommended::PlayIndicatedMove { side: "black" },
        Recommended::BringScoresheetsUpToDate,
        Recommended::AddTime { side: "white", seconds: 65 },
    ];
    let doubtful = Alternative { depends_on: "it was up", outcome: Outcome::Undecided, row: "4" };
    let open = Finding {
        outcome: Outcome::Undecided,
        position: FEN.replace(" w ", " b "),
        recommended: measures,
        alternatives: vec![doubtful],
        ..finding()
    };
    let black_only = Pair { white: None, black: Some(ClockTime(3_661_000)) };
    let white_only = Pair { white: Some(ClockTime(5_000)), black: None };
    for (finding, times, parts) in [
        (
            waits,
            black_only,
            &[
                "Do not signal the flag. Wait for a claim: only a player may call it.\n",
                "White to move. Clock: White not known, Black 1:01:01.\n",
                "Rules: us-chess, row 15.\n",
            ][..],
        ),
        (club, white_only, &["Go and stop the clocks.\n", "Clock: White 0:00:05, Black not known.\n"]),
        (forgotten, Pair::default(), &["Ask the players for the result.\n", "THE RESULT WAS NOT ENTERED"]),
        (over, Pair::default(), &["Nothing to do.\n", "Not known: period, own flag.\n"]),
        (
            open,
            white_only,
            &[
                "Proposal: YOU DECIDE: the arbiter decides if it was up.\n",
                "Besides: replace the pawn on the last rank by a queen.\n",
                "Besides: White must play the move indicated with the claim.\n",
                "Besides: Black must play the move indicated with the claim.\n",
                "Besides: have the scoresheets brought up to date.\n",
                "Besides: give White 1:05 more.\n",
                "Black to move. Clock: White 0:00:05, Black not known.\n",
            ],
        ),
    ] {
        let text = Screen::of(&finding, &Around { times, ..Around::default() }).text();
        for part in parts {
            assert!(text.contains(part), "no `{part}` in\n{text}");
        }
    }
}
