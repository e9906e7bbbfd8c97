//! `flagfall winnable`: one position for a person or for a program, and files of positions.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

const MATE: &str = "7k/8/5K2/6Q1/8/8/8/8 w - -";
const HARD: &str = "1b2kb2/8/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - - 0 1";
const LOCKED: &str = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";
const HEADER: &str = "fen,intended_winner,verdict,nodes,micros,proof";

fn run(arguments: &[&str], input: Option<&[u8]>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    let command = command.arg("winnable").args(arguments);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.unwrap_or_default().to_vec();
    // The program writes while it reads; the pipe is closed at the end.
    let writer = std::thread::Builder::new().name("writer".to_owned()).spawn(move || stdin.write_all(&input)).expect("a thread");
    let output = child.wait_with_output().expect("it ends");
    // The program may close its input early.
    let _ = writer.join().expect("no panic");
    output
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// The rows without their header and without the time.
fn rows(output: &Output) -> Vec<[String; 4]> {
    let text = out(output);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(HEADER), "{}", err(output));
    let row = |line: &str| {
        let fields: Vec<&str> = line.rsplitn(6, ',').collect();
        let [proof, micros, nodes, verdict, side, fen] = fields[..] else { panic!("{line}") };
        assert!(micros.parse::<u64>().is_ok() && nodes.parse::<u64>().is_ok(), "{line}");
        [fen, side, verdict, proof].map(str::to_owned)
    };
    lines.map(row).collect()
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("written");
    encoder.finish().expect("written")
}

#[test]
fn a_person_reads_verdict_line_diagram_and_cost() {
    let output = run(&[MATE, "--for", "white"], None);
    let text = out(&output);
    assert!(output.status.success(), "{}", err(&output));
    for part in ["WINNABLE: White can", "\n  1. Qg7#\n", "\n  8 . . . . . . . k\n  7 . . . . . . Q .\n", "the proof was checked"]
    {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let words: Vec<&str> = LOCKED.split(' ').chain(["--for", "b"]).collect();
    let text = out(&run(&words, None));
    assert!(text.starts_with("UNWINNABLE: Locked pawns: ") && text.contains("White to move"), "{text}");
    let text = out(&run(&[HARD, "--for", "white", "--nodes", "1"], None));
    assert!(text.starts_with("UNDECIDED: The search has spent its budget") && !text.contains("checked"), "{text}");
    let text = out(&run(&["4k3/8/8/pppppppp/pppppppp/PPPPPPPP/PPPPPPPP/4K3 w - -", "--for", "white"], None));
    assert!(text.starts_with("UNDECIDED: A position with more than 32 men is not searched"), "{text}");
}

#[test]
fn a_shorter_line_comes_after_the_verdict() {
    let question = ["8/8/4k3/8/8/3NK3/5r2/8 b - -", "--for", "white"];
    let words = |output: &Output| out(output).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&run(&question, None));
    let (first, shorter) = text.split_once("A SHORTER LINE: ").expect("a shorter line");
    assert!(first.starts_with("WINNABLE: ") && first.contains("; a shorter one may exist."), "{text}");
    assert!(shorter.contains("a series of 10 legal moves") && shorter.contains("; no series is shorter."), "{text}");
    assert!(shorter.contains("# The mate: 8 "), "{text}");
    let text = words(&run(&[&question[..], &["--shorter", "0"]].concat(), None));
    assert!(text.contains("; a shorter one may exist.") && !text.contains("SHORTER"), "{text}");
    let output = run(&[&question[..], &["--json"]].concat(), None);
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let plies = object["line"].as_array().map(Vec::len);
    assert_eq!((plies, object["shortest"].as_bool()), (Some(10), Some(true)), "{object}");
}

#[test]
fn a_program_reads_one_object() {
    let object = |arguments: &[&str]| -> Value {
        let output = run(arguments, None);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", err(&output)))
    };
    let won = object(&[MATE, "--for", "w", "--json"]);
    assert_eq!((&won["verdict"], &won["for"], &won["fen"]), (&"winnable".into(), &"white".into(), &MATE.into()));
    assert!(won["line"].as_array().is_some_and(|line| line.last() == Some(&"g5g7".into())), "{won}");
    assert!(won["cost"]["nodes"].as_u64().is_some_and(|nodes| nodes > 0) && won["cost"]["micros"].is_u64(), "{won}");
    let lost = object(&[LOCKED, "--for", "black", "--json"]);
    assert_eq!((&lost["verdict"], &lost["reason"]), (&"unwinnable".into(), &"locked-walls".into()));
    assert_eq!(lost["wall"]["steady"], "8/8/8/p1p1p1p1/P1P1P1P1/8/8/8");
    let open = object(&[HARD, "--for", "w", "--json", "--nodes", "1"]);
    assert_eq!((&open["verdict"], open["nodes"].is_u64()), (&"undecided".into(), true));
}

#[test]
fn an_invalid_position_is_reported() {
    for (fen, problem) in [
        ("7k/8 b - -", "invalid board"),
        ("8/8/8/5KQ1/8/8/8/8 b - -", "king"),
        ("7k/6Q1/5K2/8/8/8/8/8 w - -", "the player who is not to move is in check"),
        ("7k/6Q1/5K2/8/8/8/8/P7 b - -", "a pawn stands on the first or the last rank"),
        ("7k/8/8/5KQ1/8/8/8/8", "at least"),
    ] {
        let output = run(&[fen, "--for", "white"], None);
        assert_eq!(output.status.code(), Some(1), "{fen}");
        assert!(err(&output).contains(problem), "{fen}: {}", err(&output));
    }
    assert_eq!(run(&[MATE], None).status.code(), Some(2), "no side is given");
    assert_eq!(run(&[MATE, "--for", "w", "--batch", "x"], None).status.code(), Some(2));
    assert_eq!(run(&[], None).status.code(), Some(2));
}

/// Questions of every kind with their expected answers.
fn questions() -> Vec<(String, &'static str, &'static str, &'static str)> {
    let mut all = Vec::new();
    for _ in 0..40 {
        all.push((MATE.to_owned(), "w", "winnable", "g5g7"));
        all.push((LOCKED.to_owned(), "black", "unwinnable", "locked-walls"));
        all.push(("k7/1Q6/8/8/8/8/7p/K7 b - -".to_owned(), "White", "unwinnable", "forced-capture"));
        all.push(("1k6/pPp4p/P1P5/8/8/8/7P/5K2 b - - 0 1".to_owned(), "w", "unwinnable", "exhausted-closure"));
        all.push(("8/8/8/8/8/1k6/b1b5/RKR5 w - -".to_owned(), "B", "winnable", ""));
        all.push(("7k/8/8/8/8/2n5/8/1QK5 b - -".to_owned(), "b", "unwinnable", "material"));
        all.push(("1k5r/8/8/8/8/8/8/RK5R w HAh - 0 1".to_owned(), "w", "winnable", ""));
    }
    all
}

#[test]
fn rows_come_in_their_order_however_many_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "\u{feff}source,intended_winner,fen,more\r\n".to_owned();
    for (fen, side, ..) in questions() {
        text.push_str(&format!("\"a, \"\"b\"\"\",{side},{fen},x\r\n\r\n"));
    }
    let plain = file(folder.path(), "rows.csv", text.as_bytes());
    let zipped = file(folder.path(), "rows.csv.gz", &gzip(&text));
    let expected = questions();
    let calls: [(&[&str], Option<&[u8]>); 4] = [
        (&["--batch", &plain, "--jobs", "8"], None),
        (&["--batch", &plain, "--jobs", "1"], None),
        (&["--batch", &zipped], None),
        (&["--batch", "-", "--jobs", "3"], Some(&gzip(&text))),
    ];
    for (arguments, input) in calls {
        let output = run(arguments, input);
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {}", err(&output));
        let rows = rows(&output);
        assert_eq!(rows.len(), expected.len(), "{arguments:?}");
        for ([fen, side, verdict, proof], (asked, winner, says, why)) in rows.iter().zip(&expected) {
            assert_eq!((fen, side.as_str(), verdict.as_str()), (asked, *winner, *says), "{arguments:?}");
            assert!(proof.ends_with(why), "{fen}: {proof}");
        }
    }
}

#[test]
fn a_bad_line_is_reported_and_the_others_are_answered() {
    let good = format!("{MATE},w");
    let long = "x".repeat(70_000);
    let mut input = b"fen,intended_winner\n".to_vec();
    for line in [&good, "only one", &format!("{MATE},red"), "\"open,w", &long, "\"a\"b,w", "8/8/8/8/8/8/8/8 w - -,w"] {
        input.extend(line.as_bytes());
        input.push(b'\n');
    }
    input.extend(b"\xff\xfe,w\n");
    // The last line has no line feed.
    input.extend(good.as_bytes());
    let output = run(&["--batch", "-"], Some(&input));
    assert_eq!(output.status.code(), Some(0), "an invalid position has an answer");
    let kept: Vec<String> = rows(&output).into_iter().map(|[fen, ..]| fen).collect();
    // A row that cannot be read keeps its FEN, or its beginning.
    assert_eq!(kept[1..4], ["only one".to_owned(), MATE.to_owned(), "\"\"\"open,w\"".to_owned()]);
    assert_eq!((kept[4].len(), kept[6].as_str(), kept[7].as_str()), (93, "8/8/8/8/8/8/8/8 w - -", "\"\u{fffd}\u{fffd},w\""));
    let verdicts: Vec<String> = rows(&output).into_iter().map(|[_, _, verdict, _]| verdict).collect();
    let mut expected = vec!["winnable"];
    expected.extend(["invalid"; 7]);
    expected.push("winnable");
    assert_eq!(verdicts, expected);
    let errors = err(&output);
    for (line, problem) in [
        (3, "too few columns"),
        (4, "neither white nor black"),
        (5, "a quote is not closed"),
        (6, "too long"),
        (7, "something follows a closed quote"),
        (8, "both kings are missing"),
        (9, "not UTF-8"),
    ] {
        let message = errors.lines().find(|message| message.starts_with(&format!("flagfall: -: line {line}: ")));
        assert!(message.is_some_and(|message| message.contains(problem)), "line {line}: {errors}");
    }
}

#[test]
fn a_bad_file_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = gzip(&format!("fen,intended_winner\n{}", format!("{MATE},w\n").repeat(20)));
    let cut = file(folder.path(), "cut.csv.gz", &whole[..whole.len() - 6]);
    let empty = file(folder.path(), "empty.csv", b"");
    let header = file(folder.path(), "header.csv", format!("fen,winner\n{MATE},w\n").as_bytes());
    let twice = file(folder.path(), "twice.csv", format!("fen,intended_winner,FEN\n{MATE},w,{LOCKED}\n").as_bytes());
    for (path, problem) in [
        (&*cut, "after line"),
        (&*empty, "empty"),
        (&*header, "intended_winner is missing"),
        (&*twice, "twice.csv: line 1: the columns 1 and 3 are both named fen"),
        ("/nowhere.csv", "No such file"),
    ] {
        let output = run(&["--batch", path], None);
        assert_eq!(output.status.code(), Some(1), "{path}");
        assert!(err(&output).contains(problem), "{path}: {}", err(&output));
    }
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows =
        file(folder.path(), "rows.csv", format!("fen,intended_winner\n{}", format!("{MATE},w\n").repeat(5_000)).as_bytes());
    let mut sh = Command::new("sh");
    let script = format!("'{}' winnable --batch '{rows}' | head -n 2; exit 0", env!("CARGO_BIN_EXE_flagfall"));
    let output = sh.args(["-c", &script]).output().expect("sh");
    assert_eq!(out(&output).lines().count(), 2);
    assert_eq!(err(&output), "");
}

#[test]
fn rows_are_written_while_the_input_is_still_open() {
    use std::io::{BufRead, BufReader};
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    let command = command.args(["winnable", "--batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let stdout = BufReader::new(child.stdout.take().expect("piped"));
    stdin.write_all(format!("fen,intended_winner\n{MATE},w\n").as_bytes()).expect("written");
    let (sender, lines) = std::sync::mpsc::sync_channel(8);
    let read = move || stdout.lines().try_for_each(|line| sender.send(line.expect("text")));
    let reader = std::thread::Builder::new().name("reader".to_owned()).spawn(read).expect("a thread");
    let next = || lines.recv_timeout(std::time::Duration::from_secs(20)).expect("a line within 20 s");
    assert_eq!(next(), HEADER);
    assert!(next().contains(",winnable,"));
    drop(stdin);
    assert!(child.wait().expect("ended").success());
    reader.join().expect("no panic").expect("all lines");
}
