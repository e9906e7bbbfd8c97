//! What cannot be together, or what the chosen rules do not use, is refused by `flagfall adjudicate` in words that name both.

use std::process::{Command, Output};

/// Black has just made the move Nc6; the number of the move is not given.
const OPENING: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -";
const LATE: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 20 31";
const TWO_PERIODS: &str = "--time-control 40/5400:1800";

fn run(fen: &str, profile: &str, more: &str) -> Output {
    let more = more.split(' ').filter(|word| !word.is_empty());
    let fixed = ["adjudicate", "--shorter", "0", "--fen", fen, "--flagged", "white", "--profile", profile];
    Command::new(env!("CARGO_BIN_EXE_flagfall")).args(fixed).args(more).output().expect("the program starts")
}

/// Runs the command, which must fail with a message that contains all these words.
fn refused(fen: &str, profile: &str, more: &str, words: &[&str]) {
    let output = run(fen, profile, more);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && output.stdout.is_empty(), "{profile} {more}: a ruling\n{message}");
    for word in words {
        assert!(message.contains(word), "{profile} {more}: no `{word}` in\n{message}");
    }
}

#[test]
fn the_move_without_a_press_must_stand_in_the_position() {
    for (fen, text, problem) in [
        (OPENING, "Zz9", "no move"),
        (OPENING, "Nf3", "Black made the last move, but a white knight stands on f3"),
        (OPENING, "Nf6", "f6 is empty"),
        (OPENING, "d7d5", "d5 is empty"),
    ] {
        refused(fen, "fide-2023-standard", &format!("--observed --not-pressed {text}"), &["--not-pressed", "--fen", problem]);
    }
    assert!(run(OPENING, "fide-2023-standard", "--observed --not-pressed Nc6").status.success());
}

#[test]
fn periods_and_completed_moves_must_fit() {
    let standard = "fide-2023-standard";
    let two = |more: &str| format!("{TWO_PERIODS} --observed {more}");
    for (more, words) in [
        ("--period 3", ["--period 3", "--time-control"]),
        ("--period 2 --completed 20", ["--period 2", "--completed 20"]),
        ("--both-flags --other-period 3", ["--other-period 3", "--time-control"]),
        ("--both-flags --other-period 2 --other-completed 39", ["--other-period 2", "--other-completed 39"]),
        ("--other-period 1", ["--other-period", "--both-flags"]),
        ("--other-completed 20", ["--other-completed", "--both-flags"]),
        ("--completed 39 --perhaps-one-more --not-pressed Nc6", ["--perhaps-one-more", "--not-pressed"]),
        ("--perhaps-one-more", ["--completed", "--perhaps-one-more"]),
    ] {
        refused(OPENING, standard, &two(more), &words);
    }
    refused(LATE, standard, &two("--completed 31"), &["--completed 31", "--fen", "white has completed 30 moves at most"]);
    assert!(run(LATE, standard, &two("--completed 30")).status.success());
    let black = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 20 31";
    refused(black, standard, &two("--completed 31 --not-pressed Nf3"), &["--completed 31", "30 moves at most"]);
    assert!(run(black, standard, &two("--completed 31")).status.success());
}

#[test]
fn an_order_of_the_flags_is_used_or_refused() {
    let both = "--time-control 300 --claimed --both-flags";
    for (profile, more, words) in [
        ("us-chess", "--order white-first", ["--order", "14G"]),
        ("club-speed", "--order white-first", ["--order", "--agreed-first"]),
        ("fide-print-old+rapid", "--order black-first", ["--order", "B8"]),
        ("fide-2023-standard", "--agreed-first white", ["--agreed-first", "--profile"]),
        ("club-speed+stamps-count", "--order white-first --agreed-first white", ["--order", "--agreed-first"]),
        ("fide-2023-standard", "--order black-first --other-flag fell-later", ["--order", "--other-flag fell-later"]),
        ("fide-2023-standard", "--order white-first --other-flag perhaps-later", ["--order", "--other-flag perhaps-later"]),
    ] {
        refused(OPENING, profile, &format!("{both} {more}"), &words);
    }
    refused(OPENING, "fide-2023-standard", "--order white-first", &["--both-flags"]);
    refused(OPENING, "fide-2023-standard", "--both-flags --other-flag fell-later", &["--other-flag", "--observed"]);
}

#[test]
fn events_must_fit_the_rules_and_the_position() {
    let standard = "fide-2023-standard";
    for (profile, more, words) in [
        (standard, "--ended checkmate", ["--ended checkmate", "--fen"]),
        (standard, "--ended dead-position", ["--ended dead-position", "--fen"]),
        (standard, "--ended fivefold,after-call", ["--ended", "--fen"]),
        (standard, "--ended king-captured,white", ["--ended king-captured", "--profile"]),
        ("us-chess", "--ended 75-moves", ["--ended 75-moves", "--profile"]),
        ("us-chess", "--ended fivefold", ["--ended fivefold", "--profile"]),
        (standard, "--ended agreement,not-both-moved --completed 30", ["--ended agreement,not-both-moved", "30 completed moves"]),
        (standard, "--ended resignation,black --seemed-over", ["--seemed-over", "--ended"]),
        (standard, "--claim additional-time,white", ["--claim additional-time", "guidelines-III.4"]),
        (standard, "--claim normal-means,white", ["--claim normal-means", "guidelines-III.5"]),
        ("us-chess", "--claim normal-means,white,refused,time-added", ["--claim time-added", "--profile"]),
        (standard, "--illegal move,white,replied", ["--illegal replied", "--profile"]),
        ("club-speed", "--illegal move,white,replied", ["--illegal replied", "replied-and-pressed"]),
        ("fide-2023-blitz", "--illegal move,white,replied-and-pressed", ["--illegal replied-and-pressed", "A.5.2"]),
        ("club-speed", "--illegal pawn-not-replaced,white", ["--illegal pawn-not-replaced", "--fen"]),
        (standard, "--illegal-position unknown", ["--illegal-position", "--profile"]),
        (standard, "--scoresheet yes", ["--scoresheet", "--profile"]),
        ("us-chess", "--open-offer", ["--open-offer", "--profile"]),
    ] {
        refused(OPENING, profile, &format!("--observed {more}"), &words);
    }
    refused(OPENING, "club-speed", "--clocks-stopped yes", &["--clocks-stopped", "--claimed"]);
    refused(OPENING, standard, "--claimed --clocks-stopped yes", &["--clocks-stopped", "--profile"]);
    refused(OPENING, standard, "--ended resignation,white,after-call", &["--ended", "after-call", "--observed"]);
    refused(LATE, standard, "--observed --ended 75-moves", &["--ended 75-moves", "--fen"]);
    let adds = "--observed --time-control 300+5";
    refused(OPENING, "fide-2023-standard+guidelines-III.4", adds, &["--profile", "--time-control", "III.1"]);
    let mate = ["--fen", "7k/6Q1/5K2/8/8/8/8/8 b - -"];
    let mut several = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    several.args(["adjudicate", "--fen", OPENING, "--flagged", "white", "--profile", standard]).args(mate);
    let several = several.output().expect("the program starts");
    assert!(String::from_utf8_lossy(&several.stderr).contains("--fen: one of the positions that may count has ended the game"));
}

#[test]
fn words_that_are_not_known_are_named() {
    for (more, problem) in [
        ("--ended resignation", "the player who resigned is missing"),
        ("--ended checkmate,green", "`green` is none of the words"),
        ("--ended fivefold,rejected", "`rejected` is for"),
        ("--claim 50-moves,white,black", "exclude each other"),
        ("--claim 50-moves,white,time-added", "`time-added` is for a claim that was refused"),
        ("--illegal white", "the kind of illegal move is missing"),
        ("--illegal move,white,time-added", "`time-added` is for an illegal move that was ruled to count"),
    ] {
        let output = run(OPENING, "fide-2023-standard", more);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && message.contains(problem), "{more}: {message}");
    }
}
