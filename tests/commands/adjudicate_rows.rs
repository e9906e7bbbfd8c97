//! Every row of every table of `src/game/laws/README.md` can be reached by `flagfall adjudicate`.

use std::process::Command;

use serde_json::Value;

/// The positions of the commands below, by name.
const POSITIONS: [(&str, &str); 11] = [
    ("OPEN", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -"),
    ("MATE", "7k/6Q1/5K2/8/8/8/8/8 b - -"),
    ("STALE", "7k/5Q2/6K1/8/8/8/8/8 b - -"),
    ("KNIGHT", "8/8/4k3/8/8/3NK3/8/8 w - -"),
    ("BARE", "8/8/4k3/8/8/8/P3K3/8 w - -"),
    ("MINOR", "4k3/4b3/8/8/8/8/P7/4K3 w - -"),
    // A search for a mate by White needs many positions.
    ("HARD", "1b2kb2/8/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - -"),
    ("LOCKED", "8/8/1k6/p1p1p1p1/P1P1P1P1/1K6/8/8 w - -"),
    // White cannot mate, Black can.
    ("ONESIDE", "k7/1Q6/8/8/8/8/7p/K7 b - -"),
    ("FORCED", "k1K5/p7/8/3N4/8/8/8/8 w - -"),
    ("PROMOTED", "3P3k/8/8/8/8/8/8/K7 b - -"),
];

/// For each row: its section, its number with its place among the rows of that number, the profile, the positions, whose flag fell,
/// the other options, and the outcome. `BLITZ` and `LONG` are time controls.
#[rustfmt::skip]
const ROWS: &[(&str, &str, &str, &str, &str, &str, &str)] = &[
    ("2.3", "1.1", "fide-2023-standard", "MATE", "white", "BLITZ --observed --ended checkmate,before-flag", "white_wins"),
    ("2.3", "2.1", "fide-2023-standard", "STALE", "white", "BLITZ --observed --ended stalemate,before-flag", "draw"),
    ("2.3", "2.1", "fide-2023-standard", "KNIGHT", "white", "BLITZ --observed", "draw"),
    ("2.3", "3.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --ended fivefold,before-flag", "draw"),
    ("2.3", "3.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --ended 75-moves,before-flag", "draw"),
    ("2.3", "4.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --ended resignation,black,before-flag", "white_wins"),
    ("2.3", "4.1", "fide-2023-standard", "BARE", "white", "BLITZ --observed --ended resignation,white,after-flag", "draw"),
    ("2.3", "5.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --ended agreement,both-moved,before-flag", "draw"),
    ("2.3", "5.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --ended agreement,not-both-moved,before-flag", "undecided"),
    ("2.3", "5.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --ended agreement,before-flag", "undecided"),
    ("2.3", "6.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --claim repetition,black,accepted,before-flag", "draw"),
    ("2.3", "6.1", "fide-2023-standard+guidelines-III.5", "OPEN", "white", "BLITZ --observed --claim normal-means,white,accepted,before-flag", "draw"),
    ("2.3", "6.2", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --claim 50-moves,white,before-flag", "undecided"),
    ("2.3", "6.2", "fide-2023-standard+guidelines-III.5", "OPEN", "white", "BLITZ --observed --claim normal-means,white,before-flag", "undecided"),
    ("2.3", "6.2", "fide-2023-standard+guidelines-III.4", "OPEN", "white", "BLITZ --observed --claim additional-time,white,before-flag", "undecided"),
    ("2.3", "6a.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --claim repetition,black,refused,before-flag", "undecided"),
    ("2.3", "7a.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --illegal move,black,counted,before-flag --illegal two-hands,black,counted,before-flag", "white_wins"),
    ("2.3", "7a.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --illegal move,white,counted,before-flag --illegal move,black,counted,after-flag --illegal move,black,counted,after-flag", "undecided"),
    ("2.3", "7a.2", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --illegal move,white,counted,before-flag --illegal move,white,open,before-flag", "undecided"),
    ("2.3", "7b.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --illegal move,white,before-flag", "undecided"),
    ("2.3", "7b.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --illegal pawn-not-replaced,black,before-flag", "undecided"),
    ("2.3", "7b.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --illegal press-without-move,black,before-flag", "undecided"),
    ("2.3", "7b.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --illegal two-hands,black,before-flag", "undecided"),
    ("2.3", "7b.2", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --illegal move,black,counted,before-flag", "undecided"),
    ("2.3", "7b.3", "fide-2023-blitz", "OPEN", "white", "BLITZ --observed --illegal-position before-flag", "undecided"),
    ("2.3", "8.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --both-flags --order black-first --other-flag not-seen", "undecided"),
    ("2.3", "9.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --seemed-over", "result_not_entered"),
    ("2.3", "10.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --setting-differs", "undecided"),
    ("2.3", "10.2", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --sides-doubted", "undecided"),
    ("2.3", "11.1", "fide-2023-standard", "OPEN", "white", "BLITZ --observed --both-flags", "undecided"),
    ("2.3", "11.1", "fide-2023-standard+guidelines-III.5", "OPEN", "white", "BLITZ --observed --both-flags", "draw"),
    ("2.3", "12.1", "fide-2023-standard", "OPEN", "white", "LONG --period 1 --completed 40 --observed", "game_goes_on"),
    ("2.3", "13.1", "fide-2023-standard", "OPEN", "white", "LONG --completed 39 --perhaps-one-more --observed", "undecided"),
    ("2.3", "13.2", "fide-2023-standard", "OPEN", "white", "LONG --period 1 --observed", "undecided"),
    ("2.3", "13.2", "fide-2023-standard", "OPEN", "white", "LONG --completed 38 --moves-missing --observed", "undecided"),
    ("2.3", "13.3", "fide-2023-standard", "OPEN", "white", "LONG --completed 40 --observed", "undecided"),
    ("2.3", "14.1", "fide-2023-standard", "OPEN", "white", "LONG --completed 39 --observed", "black_wins"),
    ("2.3", "15.1", "fide-2023-standard", "BARE", "white", "BLITZ --observed", "draw"),
    ("2.3", "16.1", "fide-2023-standard", "HARD", "black", "BLITZ --observed --nodes 1", "undecided"),
    ("2.3", "16.1", "fide-2023-standard", "OPEN+BARE", "white", "BLITZ --observed", "undecided"),
    ("4.2", "1.1", "us-chess", "MATE", "white", "BLITZ --claimed --ended checkmate,after-flag", "white_wins"),
    ("4.2", "2.1", "us-chess", "OPEN", "white", "BLITZ --claimed --ended agreement,both-moved,after-flag", "draw"),
    ("4.2", "2.1", "us-chess+75-moves", "OPEN", "white", "BLITZ --claimed --ended 75-moves", "draw"),
    ("4.2", "3.1", "us-chess", "OPEN", "white", "BLITZ", "game_goes_on"),
    ("4.2", "3.1", "us-chess", "OPEN", "white", "BLITZ --both-flags", "undecided"),
    ("4.2", "4.1", "us-chess", "OPEN", "white", "BLITZ --claimed --both-flags", "draw"),
    ("4.2", "4.1", "us-chess", "OPEN", "white", "BLITZ --claimed --both-flags --other-flag perhaps-later", "undecided"),
    ("4.2", "4.1", "us-chess", "OPEN", "white", "LONG --claimed --both-flags --period 2 --other-completed 30 --other-period 1", "undecided"),
    ("4.2", "4.1", "us-chess", "OPEN", "white", "--claimed --both-flags", "undecided"),
    ("4.2", "5.1", "us-chess", "OPEN", "white", "LONG --completed 30 --claimed --scoresheet no", "game_goes_on"),
    ("4.2", "5.1", "us-chess", "OPEN", "white", "LONG --completed 30 --claimed", "undecided"),
    ("4.2", "6.1", "us-chess", "OPEN", "white", "LONG --period 1 --completed 40 --claimed", "game_goes_on"),
    ("4.2", "6.1", "us-chess", "OPEN", "white", "LONG --period 1 --claimed --scoresheet yes", "undecided"),
    ("4.2", "6.1", "us-chess", "OPEN", "white", "LONG --completed 39 --perhaps-one-more --claimed --scoresheet yes", "undecided"),
    ("4.2", "6.1", "us-chess", "OPEN", "white", "--claimed --scoresheet yes", "undecided"),
    ("4.2", "7.1", "us-chess", "BARE", "white", "BLITZ --claimed", "draw"),
    ("4.2", "8.1", "us-chess", "MINOR", "white", "BLITZ --claimed", "draw"),
    ("4.2", "8.1", "us-chess", "FORCED", "black", "BLITZ --claimed", "white_wins"),
    ("4.2", "8.1", "us-chess", "MINOR", "white", "BLITZ --claimed --nodes 1", "undecided"),
    ("4.2", "9.1", "us-chess", "LOCKED", "white", "BLITZ --claimed --ended dead-position,rejected", "draw"),
    ("4.2", "10.1", "us-chess", "ONESIDE", "black", "BLITZ --claimed", "undecided"),
    ("4.2", "10.2", "us-chess", "HARD", "black", "BLITZ --claimed --nodes 1", "undecided"),
    ("4.2", "11.1", "us-chess", "OPEN", "white", "BLITZ --claimed", "black_wins"),
    ("4.2", "11.1", "us-chess", "OPEN+BARE", "white", "BLITZ --claimed", "undecided"),
    ("5.2", "1.1", "club-speed", "OPEN", "white", "BLITZ", "game_goes_on"),
    ("5.2", "1.1", "club-speed", "OPEN", "white", "BLITZ --called --clocks-stopped yes", "undecided"),
    ("5.2", "1.1", "club-speed", "OPEN", "white", "BLITZ --claimed", "undecided"),
    ("5.2", "2.1", "club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --both-flags", "draw"),
    ("5.2", "2.1", "club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --both-flags --agreed-first white", "black_wins"),
    ("5.2", "2.1", "club-speed+stamps-count", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --both-flags --order black-first", "white_wins"),
    ("5.2", "2.1", "club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --both-flags --other-flag perhaps-later", "undecided"),
    ("5.2", "3.1", "club-speed", "BARE", "white", "BLITZ --claimed --clocks-stopped yes", "black_wins"),
    ("5.2", "3.1", "club-speed", "MATE", "white", "BLITZ --claimed --clocks-stopped yes --ended checkmate,after-flag", "black_wins"),
    ("5.2", "3.1", "club-speed+article-6.9", "BARE", "white", "BLITZ --claimed --clocks-stopped yes", "draw"),
    ("5.2", "4.1", "club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --illegal move,white,counted,before-flag", "black_wins"),
    ("5.2", "4.1", "club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --illegal press-without-move,black,counted,before-flag", "undecided"),
    ("5.2", "4.1", "club-speed+stamps-count", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --illegal move,black,counted,before-flag", "white_wins"),
    ("5.2", "4.1", "club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --illegal move,black,before-flag", "undecided"),
    ("5.2", "5.1", "club-speed", "MATE", "white", "BLITZ --claimed --clocks-stopped yes --ended checkmate,before-flag", "white_wins"),
    ("5.2", "5.1", "club-speed", "MATE", "white", "BLITZ --claimed --clocks-stopped yes --ended checkmate", "undecided"),
    ("5.2", "5.1", "club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --ended resignation,black", "undecided"),
    ("5.2", "1.1", "club-speed", "MATE", "white", "BLITZ --claimed --ended checkmate,after-flag", "undecided"),];

/// Points and rules that are no row of their own: profile, position, whose flag fell, the other options, row, outcome, and the
/// point or rule that the finding cites.
#[rustfmt::skip]
const POINTS: &[(&str, &str, &str, &str, &str, &str, &str)] = &[
    ("club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --ended king-captured,white,before-flag", "5", "white_wins", "3.3"),
    ("club-speed", "MATE", "white", "BLITZ --claimed --clocks-stopped yes --ended checkmate,after-flag", "3", "black_wins", "13"),
    ("club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --both-flags --illegal move,black,not-counted", "2", "draw", "25"),
    ("club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --illegal move,black,before-flag,replied-and-pressed", "3", "black_wins", "10"),
    ("club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --illegal press-without-move,white,counted,before-flag", "4", "black_wins", "16"),
    ("club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --illegal move,white,counted,before-flag", "4", "black_wins", "18"),
    ("club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --illegal move,black,counted,before-flag", "4", "undecided", "20"),
    ("club-speed", "OPEN", "white", "BLITZ --claimed --clocks-stopped yes --claim repetition,white,accepted,before-flag", "5", "draw", "21"),
    ("club-speed+article-6.9", "PROMOTED", "black", "BLITZ --claimed --clocks-stopped yes", "3", "white_wins", "3.1"),
    ("fide-print-old", "OPEN", "white", "BLITZ --observed --claim normal-means,white,before-flag", "6", "undecided", "10.2"),
    ("fide-print-old", "OPEN", "white", "BLITZ --observed --illegal move,black,counted,before-flag --illegal move,black,counted,before-flag --illegal two-hands,black,counted,before-flag", "7a", "white_wins", "10.3"),
    ("fide-print-old", "OPEN", "white", "BLITZ --observed --both-flags", "11", "draw", "6.11"),
    ("fide-print-old+rapid", "OPEN", "white", "BLITZ --claimed --both-flags", "11", "draw", "B8"),
    ("fide-print-old+rapid", "OPEN", "white", "BLITZ --claimed --both-flags --other-flag perhaps-later", "11", "undecided", "B8"),
    ("us-chess", "OPEN", "white", "BLITZ --claimed --claim normal-means,white,before-flag", "2", "undecided", "14H"),
    ("fide-2023-standard", "OPEN", "white", "BLITZ --observed --open-offer", "14", "black_wins", "6.9"),
    ("fide-2023-rapid", "OPEN", "white", "BLITZ --observed --setting-differs --completed 12 --other-completed 11", "14", "black_wins", "A.5.1"),
    ("fide-2023-rapid", "OPEN", "white", "BLITZ --observed --illegal move,black,before-flag,replied", "14", "black_wins", "A.5.3"),
    ("material-only", "LOCKED", "white", "BLITZ --observed", "15", "draw", "6.9"),
];

/// The arguments of a command.
fn arguments(profile: &str, positions: &str, flagged: &str, more: &str) -> Vec<String> {
    let mut all = vec!["adjudicate".to_owned()];
    for name in positions.split('+') {
        let fen = POSITIONS.iter().find(|(known, _)| *known == name).expect(name).1;
        all.extend(["--fen".to_owned(), fen.to_owned()]);
    }
    all.extend(["--flagged", flagged, "--profile", profile].map(str::to_owned));
    let more = more.replace("BLITZ", "--time-control 300").replace("LONG", "--time-control 40/5400:1800");
    all.extend(more.split(' ').filter(|word| !word.is_empty()).map(str::to_owned));
    all
}

/// Prints the command, runs it, and returns its last ruling.
fn ruling(arguments: &[String]) -> Value {
    let quoted = |word: &String| if word.contains(' ') { format!("'{word}'") } else { word.clone() };
    let command = arguments.iter().map(quoted).collect::<Vec<_>>().join(" ");
    // Visible with `--nocapture`, and when the test fails.
    writeln(&format!("flagfall {command}"));
    let program = Command::new(env!("CARGO_BIN_EXE_flagfall"))
        .args(arguments)
        .args(["--json", "--shorter", "0"])
        .output()
        .expect("the program starts");
    assert!(program.status.success(), "{command}: {}", String::from_utf8_lossy(&program.stderr));
    let report: Value = serde_json::from_slice(&program.stdout).expect("JSON");
    let last = report["rulings"].as_array().and_then(|all| all.last()).expect("a ruling").clone();
    // The reason is a sentence, neither the number of an article nor a name of the program.
    let why = last["screen"]["why"].as_str().expect("a reason");
    assert!(!why.contains("It follows from") && !why.contains('_'), "{command}: {why}");
    last
}

#[expect(clippy::print_stdout, reason = "the test shows the command for each row")]
fn writeln(text: &str) {
    println!("{text}");
}

/// The rows of a section of the page: the number with its place among the rows of that number, and the text of the finding.
fn table(section: &str) -> Vec<(String, String)> {
    let page = include_str!("../../src/game/laws/README.md");
    let heading = format!("### {section} ");
    let lines = page.lines().skip_while(|line| !line.starts_with(&heading)).skip(1).take_while(|line| !line.starts_with('#'));
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in lines.filter(|line| line.starts_with("| ") && !line.starts_with("| row") && !line.starts_with("| ---")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let number = cells[0].trim_start_matches("| ");
        let place = rows.iter().filter(|(row, _)| row.rsplit_once('.').is_some_and(|(row, _)| row == number)).count() + 1;
        rows.push((format!("{number}.{place}"), cells[2].to_owned()));
    }
    rows
}

/// The names of unknown inputs in the text of a finding.
fn unknown_names(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'))
}

#[test]
fn every_row_has_a_command() {
    for (section, rows) in [("2.3", 25), ("4.2", 12), ("5.2", 5)] {
        let table = table(section);
        assert_eq!(table.len(), rows, "{table:?}");
        let mut unknown: Vec<String> = Vec::new();
        for (row, _) in &table {
            let commands: Vec<_> = ROWS.iter().filter(|known| known.0 == section && known.1 == row).collect();
            assert!(!commands.is_empty(), "no command for row {row} of section {section}");
            for (_, _, profile, positions, flagged, more, outcome) in commands {
                let finding = &ruling(&arguments(profile, positions, flagged, more))["finding"];
                let number = row.rsplit_once('.').expect("a place").0;
                let found = (finding["row"].as_str(), finding["outcome"].as_str());
                assert_eq!(found, (Some(number), Some(*outcome)), "{section} {row}: {more}");
                unknown.extend(serde_json::from_value::<Vec<String>>(finding["unknown"].clone()).expect("names"));
            }
        }
        for (row, text) in &table {
            for name in unknown_names(text) {
                assert!(unknown.iter().any(|known| known == name), "section {section}, row {row}: no command reaches `{name}`");
            }
        }
    }
}

#[test]
fn points_and_rules_without_a_row_of_their_own_have_commands() {
    for (profile, positions, flagged, more, row, outcome, cited) in POINTS {
        let finding = &ruling(&arguments(profile, positions, flagged, more))["finding"];
        let found = (finding["row"].as_str(), finding["outcome"].as_str());
        assert_eq!(found, (Some(*row), Some(*outcome)), "{profile} {more}");
        let articles: Vec<String> = serde_json::from_value(finding["articles"].clone()).expect("articles");
        assert!(articles.iter().any(|article| article == cited), "{profile} {more}: {articles:?}");
    }
}
