//! The PGN of every trace and recording: two readers find the moves and the times of the record in it.

use std::process::{Command, Stdio};
use std::time::Duration;

use flagfall::emulate::score_sheet;
use flagfall::outputs::pgn::{Profile, write_round};
use flagfall::outputs::picture::Picture;
use flagfall::outputs::round::{Round, RoundGame};
use flagfall_game::played::LiveMove;
use shakmaty::Color;

use crate::board_pgn::last_pgn;
use crate::support::parts::Parts;
use crate::support::tapes::{Tape, tapes};

/// The last game of a tape, as the live audience saw it at the end, in PGN; with its moves.
fn last_game(tape: &Tape, profile: Profile) -> (String, Vec<LiveMove>) {
    let (station, outputs) = tape.play();
    let run = crate::support::tapes::Run { outputs, end: String::new() };
    let mut parts = Parts::default();
    let joined = run.messages().map(|message| (&message.topic, parts.joined(&message.topic, message.payload.as_bytes())));
    let (_, state) = joined.filter(|(topic, _)| **topic == tape.setting.board.live_state()).last().expect("a state");
    let picture = Picture::read(&state).expect("our own state");
    let game = RoundGame { board: 1, id: picture.game, shown: Some(picture.body), ..RoundGame::default() };
    let (time_control, chess960) = (tape.setting.config.time_control.clone(), tape.setting.config.chess960);
    let text = write_round(&Round { time_control, chess960, games: vec![game], ..Round::default() }, profile);
    (text, station.game().live_moves().collect())
}

#[test]
fn what_is_written_is_read_again() {
    let mut with_times = 0;
    for tape in tapes() {
        for profile in [Profile::Relay, Profile::Full] {
            let (text, moves) = last_game(&tape, profile);
            let sheets = score_sheet::read(text.as_bytes()).expect("readable");
            let sheet = sheets.last().expect("a game");
            assert!(sheet.unplayable.is_none() || moves.is_empty(), "{}: {:?}", tape.name, sheet.unplayable);
            assert_eq!(sheet.illegal_tail, None, "{}", tape.name);
            assert_eq!(sheet.moves.len(), moves.len(), "{}:\n{text}", tape.name);
            for ((read, clock), played) in sheet.moves.iter().zip(&sheet.clocks).zip(&moves) {
                assert_eq!(read.to_uci(shakmaty::CastlingMode::Standard), played.uci, "{}", tape.name);
                let mover = if played.ply % 2 == 1 { Color::White } else { Color::Black };
                let time = if mover.is_white() { played.clocks.white } else { played.clocks.black };
                let time = time.map(|time| Duration::from_secs(u64::from(time.millis() / 1000)));
                assert_eq!(*clock, time, "{}: {}", tape.name, played.san);
                with_times += usize::from(time.is_some());
            }
        }
    }
    assert!(with_times > 100, "only {with_times} moves have times");
}

/// The PGN that a node publishes of the board of every tape.
fn published() -> Vec<String> {
    let of_tape = |tape: &Tape| {
        let (mut station, _) = tape.play();
        let [live, _] = last_pgn(&mut station, tape.end());
        live.unwrap_or_else(|| panic!("{}: no PGN", tape.name))
    };
    tapes().iter().map(of_tape).collect()
}

/// Feeds a program with these games; returns what it reports.
fn reported_by(program: &str, arguments: &[&str], text: &[String]) -> Option<String> {
    let mut child =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), text.join("\n").as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    Some(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn pgn_extract_has_nothing_to_report() {
    let mut text: Vec<String> =
        tapes().iter().flat_map(|tape| [Profile::Relay, Profile::Full].map(|profile| last_game(tape, profile).0)).collect();
    text.extend(published());
    // Debian's place for it is not in the path of every user.
    match ["pgn-extract", "/usr/games/pgn-extract"].into_iter().find_map(|program| reported_by(program, &["-r", "-s"], &text)) {
        Some(report) => assert_eq!(report.trim(), "", "pgn-extract"),
        None => eprintln!("skipped: there is no pgn-extract"),
    }
}

/// Prints the moves of each game with the seconds on the clock, and every error.
const PYTHON: &str = "
import sys, chess.pgn
while game := chess.pgn.read_game(sys.stdin):
    times = [(node.uci(), node.clock()) for node in game.mainline()]
    print(*game.errors, *(f'{uci} {int(time) if time is not None else None}' for uci, time in times), sep=';')
";

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn python_chess_reads_the_same_moves_and_clocks() {
    let has_it = Command::new("python3").args(["-c", "import chess.pgn"]).stderr(Stdio::null()).status();
    if !has_it.is_ok_and(|status| status.success()) {
        return eprintln!("skipped: there is no python-chess");
    }
    let published = published();
    let report = reported_by("python3", &["-c", PYTHON], &published).expect("it was there before");
    let sheets = published.iter().flat_map(|text| score_sheet::read(text.as_bytes()).expect("readable"));
    let mut moves = 0;
    let mut lines = report.lines();
    for sheet in sheets {
        let line = lines.next().expect("as many games");
        // Our reader plays no game from another position.
        if sheet.moves.is_empty() {
            continue;
        }
        let time = |clock: &Option<Duration>| clock.map_or("None".to_owned(), |clock| clock.as_secs().to_string());
        let played = sheet.moves.iter().zip(&sheet.clocks);
        let ours: Vec<String> =
            played.map(|(mv, clock)| format!("{} {}", mv.to_uci(shakmaty::CastlingMode::Standard), time(clock))).collect();
        assert_eq!(line, ours.join(";"));
        moves += ours.len();
    }
    assert!(lines.next().is_none() && moves > 100, "{moves} moves");
}
