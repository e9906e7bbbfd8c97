//! `flagfall adjudicate`: facts on the command line, and the findings of the rules.

use std::process::{Command, Output};

use serde_json::Value;

const OPENING: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -";
/// White has just made the move Nf3.
const KNIGHT_MOVED: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -";
const KNIGHT: &str = "8/8/4k3/8/8/3NK3/8/8 w - - 0 1";
const KNIGHT_V_PAWN: &str = "8/8/4k3/4n3/8/8/P3K3/8 w - - 0 1";
const BARE_V_PAWN: &str = "8/8/4k3/8/8/8/P3K3/8 w - - 0 1";
/// A position with locked pawns that no king can pass.
const LOCKED: &str = "8/8/1k6/p1p1p1p1/P1P1P1P1/1K6/8/8 w - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const MATE: &str = "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1";

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flagfall"))
        .args(["adjudicate", "--shorter", "0"])
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// The rulings of `--json`.
fn rulings(arguments: &[&str]) -> Vec<Value> {
    let output = run(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let mut report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    serde_json::from_value(report["rulings"].take()).expect("a list")
}

/// The outcome, the row and the unknown facts of the deciding finding.
fn deciding_finding(fen: &str, flagged: &str, profile: &str, more: &[&str]) -> (String, String, Vec<String>) {
    let all = rulings(&[&["--fen", fen, "--flagged", flagged, "--profile", profile], more].concat());
    let finding = &all.last().unwrap_or_else(|| panic!("{more:?}: nothing"))["finding"];
    let text = |name: &str| finding[name].as_str().expect(name).to_owned();
    let unknown = serde_json::from_value(finding["unknown"].clone()).expect("a list");
    (text("outcome"), text("row"), unknown)
}

#[test]
fn each_profile_gives_its_outcome() {
    let blitz = &["--time-control", "180+2", "--completed", "30", "--observed"];
    let claimed = &["--time-control", "180+2", "--completed", "30", "--claimed", "--scoresheet", "yes"];
    let first = "40/5400+30:1800+30";
    let none: &[&str] = &[];
    for (fen, flagged, profile, more, outcome, row, unknown) in [
        (OPENING, "white", "fide-2023-blitz", &blitz[..], "black_wins", "14", none),
        (KNIGHT, "black", "fide-2023-blitz", blitz, "draw", "2", none),
        (KNIGHT_V_PAWN, "white", "fide-2023-blitz", blitz, "black_wins", "14", none),
        (BARE_V_PAWN, "white", "fide-2023-blitz", blitz, "draw", "15", none),
        (MATE, "white", "fide-2023-standard", blitz, "white_wins", "1", none),
        (OPENING, "white", "fide-2023-standard", &["--observed"], "undecided", "13", &["time_control"]),
        (
            OPENING,
            "white",
            "fide-2023-standard",
            &["--time-control", first, "--completed", "39", "--observed"],
            "black_wins",
            "14",
            none,
        ),
        (
            OPENING,
            "white",
            "fide-2023-standard",
            &["--time-control", first, "--completed", "40", "--observed"],
            "undecided",
            "13",
            &["time_control"],
        ),
        ("k1K5/p7/8/3N4/8/8/8/8 w - - 0 1", "black", "us-chess", claimed, "white_wins", "8", none),
        (
            OPENING,
            "white",
            "fide-2023-standard",
            &["--time-control", first, "--period", "1", "--completed", "40", "--observed"],
            "game_goes_on",
            "12",
            none,
        ),
        (
            OPENING,
            "white",
            "fide-2023-standard",
            &["--time-control", first, "--period", "1", "--completed", "39", "--observed"],
            "black_wins",
            "14",
            none,
        ),
        (
            OPENING,
            "white",
            "fide-2023-standard",
            &["--time-control", first, "--period", "1", "--observed"],
            "undecided",
            "13",
            &["completed_moves"],
        ),
        (KNIGHT, "black", "us-chess", claimed, "draw", "2", none),
        (OPENING, "white", "us-chess", claimed, "black_wins", "11", none),
    ] {
        let expected = (outcome.to_owned(), row.to_owned(), unknown.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(deciding_finding(fen, flagged, profile, more), expected, "{profile} {more:?} {fen}");
    }
}

#[test]
fn endings_that_stand_in_the_position() {
    let lone = "8/8/4k3/8/8/4K3/8/8 w - - 0 1";
    let late = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 150 90";
    let first = &["--time-control", "40/5400:1800", "--period", "1", "--completed", "40", "--observed"][..];
    let last = &["--time-control", "300", "--completed", "30", "--claimed", "--clocks-stopped", "yes"][..];
    let made = &["--time-control", "300", "--claimed", "--clocks-stopped", "yes", "--not-pressed", "Qf7"][..];
    for (fen, profile, more, outcome, row) in [
        (lone, "fide-2023-standard", first, "draw", "2"),
        (LOCKED, "fide-2023-standard", first, "draw", "2"),
        (LOCKED, "material-only", first, "game_goes_on", "12"),
        (late, "fide-2023-standard", first, "draw", "3"),
        (late, "fide-print-old", first, "game_goes_on", "12"),
        (STALEMATE, "club-speed", last, "draw", "5"),
        (STALEMATE, "club-speed", made, "black_wins", "3"),
        (lone, "club-speed", last, "draw", "5"),
    ] {
        let (found, by, unknown) = deciding_finding(fen, "white", profile, more);
        assert_eq!((found.as_str(), by.as_str()), (outcome, row), "{profile} {fen} {more:?} {unknown:?}");
    }
}

#[test]
fn two_flags_and_their_order() {
    let base = ["--time-control", "180", "--observed", "--both-flags"];
    let with =
        |order: &'static str| deciding_finding(OPENING, "white", "fide-2023-blitz", &[&base[..], &["--order", order]].concat());
    assert_eq!(with("white-first").0, "black_wins");
    assert_eq!(with("black-first").0, "white_wins");
    assert_eq!(with("unknown"), ("undecided".to_owned(), "11".to_owned(), vec!["order_of_flags".to_owned()]));
}

#[test]
fn a_person_reads_the_screen() {
    let told = ["--time-control", "40/5400:1800", "--period", "1", "--completed", "39", "--not-pressed", "40. Nf3"];
    let output = run(&[&["--fen", KNIGHT_MOVED, "--flagged", "w", "--profile", "fide-2023-standard"], &told[..]].concat());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..3],
        ["WHITE FLAG", "Go and stop the clocks.", "Proposal: BLACK WINS, if the flag is observed or claimed now."]
    );
    for part in ["39 of 40 moves completed; 40. Nf3 made, clock NOT PRESSED.", "row 14, article 6.9", "[Confirm 0-1]"] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("\nTime control: 40/5400:1800 (90 minutes for 40 moves; then 30 minutes).\n"), "{text}");
    let told = ["--time-control", "90+30", "--profile", "fide-2023-standard", "--observed"];
    let output = run(&[&["--fen", KNIGHT_MOVED, "--flagged", "w"], &told[..]].concat());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.starts_with("WARNING: time_control 90+30 is 1 minute 30 seconds, and 30 seconds a move: 31\n"), "{text}");
}

#[test]
fn unreadable_arguments_are_reported() {
    for (fen, profile, more, problem) in [
        ("8/8", "us-chess", &[][..], "--fen"),
        (OPENING, "fide-2023-blits", &[], "did you mean `fide-2023-blitz`?"),
        (OPENING, "us-chess", &["--time-control", "300+x"], "--time-control"),
    ] {
        let output = run(&[&["--fen", fen, "--flagged", "white", "--profile", profile], more].concat());
        assert_eq!(output.status.code(), Some(1), "{problem}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(problem), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let order = run(&["--fen", OPENING, "--flagged", "white", "--profile", "us-chess", "--order", "white-first"]);
    assert_eq!(order.status.code(), Some(2), "an order of one flag");
    let period = ["--time-control", "300", "--period", "0"];
    let period = run(&[&["--fen", OPENING, "--flagged", "white", "--profile", "us-chess"], &period[..]].concat());
    assert_eq!(period.status.code(), Some(2), "periods count from 1");
}

/// The proposal and the reason as the screen says them, without line ends.
fn words(fen: &str, profile: &str, more: &[&str]) -> String {
    let all = rulings(&[&["--fen", fen, "--flagged", "black", "--profile", profile, "--time-control", "300"], more].concat());
    let screen = &all.last().expect("a ruling")["screen"];
    format!("{} {}", screen["proposal"].as_str().expect("a proposal"), screen["why"].as_str().expect("a reason"))
}

#[test]
fn the_words_for_an_arbiter() {
    let dead = words(KNIGHT, "fide-2023-blitz", &["--observed"]);
    assert!(dead.starts_with("Proposal: DRAW. ") && !dead.contains("Contested"), "a draw either way: {dead}");
    // It is not Black, whose flag fell, who would have to mate.
    let resigned = words(BARE_V_PAWN, "fide-2023-blitz", &["--observed", "--ended", "resignation,white,before-flag"]);
    let resigned = resigned.strip_prefix("Proposal: DRAW. A player resigned before the fall was observed. ").unwrap_or(&resigned);
    assert_eq!(resigned, "No legal mate by the opponent: Black has only the king.");
    let illegal = "move,black,counted,before-flag";
    let illegal = words(OPENING, "fide-2023-blitz", &["--observed", "--illegal", illegal, "--illegal", illegal]);
    assert!(illegal.contains("WHITE WINS. It is the illegal move that loses. White can still checkmate: "), "{illegal}");
    let men = words("8/8/4k3/8/8/3NK3/5p2/8 w - -", "material-only", &["--observed"]);
    assert!(men.ends_with("White has king and knight: by the popular explanation that is too little to win on time."), "{men}");
    let rapid = words(OPENING, "fide-print-old+rapid", &["--observed"]);
    assert!(rapid.starts_with("Proposal: WHITE WINS, if the opponent claims the flag now."), "B6: {rapid}");
    let output = run(&["--fen", OPENING, "--flagged", "black", "--profile", "fide-print-old+rapid", "--time-control", "300"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("\nDo not signal the flag. Wait for a claim: only a player may call it.\n"), "B6: {text}");
}

#[test]
fn a_shorter_line_comes_after_the_ruling() {
    let question =
        ["adjudicate", "--fen", "8/8/4k3/8/8/3NK3/5r2/8 b - -", "--flagged", "black", "--profile", "fide-2023-standard"];
    let more = ["--time-control", "300", "--observed"];
    let output = Command::new(env!("CARGO_BIN_EXE_flagfall")).args(question).args(more).output().expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let (ruling, shorter) = text.split_once("A shorter line: ").expect("a shorter line");
    assert!(ruling.contains("WHITE WINS"), "{text}");
    assert!(shorter.starts_with("1... ") && shorter.contains(" 6. ") && !shorter.contains(" 7. "), "{text}");
}

#[test]
fn without_a_flag_the_ruling_is_on_what_happened() {
    let text = |more: &str| {
        let arguments =
            [&["--fen", OPENING, "--profile", "fide-2023-standard"], &more.split(' ').collect::<Vec<_>>()[..]].concat();
        let output = run(&arguments);
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat()
    };
    for (more, words) in [
        ("--ended resignation,white", "RESIGNATION\n"),
        ("--ended agreement,both-moved", "Proposal: DRAW."),
        ("--claim 50-moves,black,accepted", "CLAIM OF A DRAW\n"),
        ("--illegal move,white,counted --illegal move,white,counted", "Proposal: BLACK WINS."),
        ("--illegal move,white,counted", "The game goes on"),
        ("--observed", "--observed needs --flagged"),
        ("--ended resignation,white,before-flag", "--ended with a time needs --flagged"),
        ("--moves-missing", "--moves-missing needs --flagged"),
        ("--nodes 1000", "there is nothing to rule on"),
    ] {
        let text = text(more);
        assert!(text.contains(words), "{more}: {text}");
    }
}
