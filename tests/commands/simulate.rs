//! Simulated games: the same seed plays the same game, all hand motions are possible, the truth agrees with the record of the game; and
//! the command.

use std::path::PathBuf;
use std::process::Command;

use flagfall::emulate::dice::Dice;
use flagfall::emulate::noise::Noise;
use flagfall::emulate::players::{Performance, perform};
use flagfall::emulate::score_sheet::{self, ScoreSheet};
use flagfall::emulate::simulate::{Simulated, simulate};
use flagfall_hardware::emulator::Emulator;
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use shakmaty::uci::UciMove;

const PGN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/commands/simulate/two-games.pgn");

fn games() -> Vec<ScoreSheet> {
    let games = score_sheet::read(std::fs::File::open(PGN).expect(PGN)).expect("games");
    assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [20, 17]);
    games
}

fn level(name: &str, irregularities: f64) -> Noise {
    Noise { irregularities, ..Noise::level(name).expect("a level").expect("a good table") }
}

fn played(game: &ScoreSheet, noise: &Noise, seed: u64) -> Simulated {
    let driver = drivers::find("dgt").expect("registered");
    simulate(driver, game, noise, [seed, 1], Some("test")).unwrap_or_else(|error| panic!("seed {seed}: {error:#}"))
}

fn names(game: &ScoreSheet) -> Vec<String> {
    game.moves.iter().map(|&mv| UciMove::from_standard(mv).to_string()).collect()
}

#[test]
fn a_seed_names_a_trace() {
    let game = &games()[0];
    let noise = level("rough", 1.0);
    let trace = |seed| played(game, &noise, seed).outcome.trace.expect("a trace");
    assert_eq!(trace(3), trace(3));
    assert_ne!(trace(3), trace(4));
}

#[test]
fn hands_can_be_written_down_and_read_again() {
    let play = perform(&games()[0], &level("rough", 1.0), &mut Dice::new(8, 1));
    assert_eq!(Script::parse(&play.script.to_string()).as_ref(), Ok(&play.script));
}

/// The number of impossible motions at a board without a driver.
fn impossible(play: &Performance) -> u64 {
    let mut board = Emulator::new(play.settings.clone());
    board.load(&play.script);
    board.advance(Instant::ZERO.after(play.end), &mut Vec::new());
    assert!(play.script.end() < play.end, "the hands are done in time");
    board.counters().impossible
}

#[test]
fn hands_do_what_is_possible() {
    let games = games();
    let mut odd = std::collections::BTreeSet::new();
    let mut irregular = std::collections::BTreeSet::new();
    for seed in 0..100 {
        for (number, game) in games.iter().enumerate() {
            let play = perform(game, &level("rough", 1.0), &mut Dice::new(seed, number as u64));
            assert_eq!(impossible(&play), 0, "seed {seed}, game {number}");
            let truth: Vec<&str> = play.truth.plies.iter().map(|ply| ply.uci.as_str()).collect();
            assert_eq!(truth, names(game), "seed {seed}, game {number}");
            odd.extend(play.truth.plies.iter().flat_map(|ply| ply.odd.clone()));
            irregular.extend(play.truth.irregularities.iter().map(|irregularity| irregularity.kind));
        }
    }
    let every = [
        "adjusted",
        "both_hands",
        "knocked_over",
        "neighbour",
        "pawn_first",
        "press_forgotten",
        "press_late",
        "recentred",
        "reply_before_press",
        "rook_first",
        "slide",
        "slide_pause",
        "victim_first",
        "victim_last",
    ];
    assert!(every.iter().all(|name| odd.contains(name)), "{odd:?}");
    assert!(irregular.len() >= 11, "{irregular:?}");
}

#[test]
fn moves_take_the_time_of_the_record() {
    let game = &games()[0];
    let play = perform(game, &level("clean", 0.0), &mut Dice::new(5, 1));
    assert_eq!(play.control.control.to_string(), "300+3");
    let pressed: Vec<u64> = play.truth.plies.iter().filter_map(|ply| ply.pressed_us).collect();
    // Black's last move has no press.
    assert_eq!((play.truth.plies.len(), pressed.len()), (20, 19));
    // White's clock went from 5:01 to 5:02, and from 4:40 to 4:31, with three additional seconds each time.
    for (ply, own) in [(6, 2), (16, 12)] {
        let took = (pressed[ply] - pressed[ply - 1]) / 1_000_000;
        assert_eq!(took, own, "ply {}", ply + 1);
    }
}

#[test]
fn a_time_forfeit_ends_with_the_flag() {
    let game = &games()[1];
    let simulated = played(game, &level("typical", 0.0), 2);
    let flag = simulated.play.truth.irregularities.iter().find(|irregularity| irregularity.kind == "flag");
    assert_eq!(flag.expect("a flag falls").ply, 18);
    assert_eq!(simulated.score.missed_alarms, [""; 0]);
    assert!(simulated.play.truth.plies.iter().all(|ply| ply.pressed_us.is_some()));
}

#[test]
fn clean_games_are_read_exactly() {
    for (number, game) in games().iter().enumerate() {
        let simulated = played(game, &level("clean", 0.0), 1);
        let score = &simulated.score;
        assert!(score.exact, "game {number}: {:?}", score.differs);
        assert_eq!((score.wrong_commits, score.false_alarms.len(), score.missed_alarms.len()), (0, 0, 0), "game {number}");
        assert_eq!(score.made_inside, score.made_of, "game {number}");
        assert!(score.commit_us.iter().all(|&us| us <= 1_000_000), "game {number}: {:?}", score.commit_us);
    }
}

/// These boards report whole positions after equal scans; the settings of the board have the delay.
#[test]
fn boards_that_report_all_squares_at_once_give_the_times_of_moves() {
    let driver = drivers::find("chesslink").expect("registered");
    for (name, widest_us) in [("clean", 110_000), ("typical", 150_000)] {
        let scores = games().into_iter().flat_map(|game| {
            let score = |seed| simulate(driver, &game, &level(name, 0.0), [seed, 1], None).expect("simulated").score;
            (0..10).map(score).collect::<Vec<_>>()
        });
        let [mut inside, mut of, mut width_us] = [0; 3];
        for score in scores {
            (inside, of, width_us) = (inside + score.made_inside, of + score.made_of, width_us + score.made_width_us);
        }
        assert!(of > 300 && inside * 100 >= of * 99, "{name}: {inside} of {of}");
        assert!(width_us <= of * widest_us, "{name}: {} us", width_us / of);
    }
}

#[test]
fn a_replayed_trace_gives_the_same_moves() {
    let simulated = played(&games()[0], &level("rough", 1.0), 11);
    let text = simulated.outcome.trace.expect("a trace");
    let trace = flagfall_protocols::trace::Trace::new(text.as_bytes()).expect("a trace");
    let setting = flagfall::session::setting::Setting::from_trace(&trace, &Default::default()).expect("a head");
    let mut station = setting.station().expect("a station");
    flagfall::session::replay::run(&trace, &mut station, &mut |_| Ok(())).expect("inputs");
    let sure: Vec<String> = station.game().moves().map(|played| played.uci.to_string()).collect();
    assert_eq!(sure, simulated.outcome.sure);
}

struct CommandOutput {
    lines: Vec<serde_json::Value>,
    files: Vec<String>,
}

fn command(arguments: &[&str], out: Option<&PathBuf>) -> CommandOutput {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    command.args(["simulate", PGN, "--json"]).args(arguments);
    if let Some(out) = out {
        command.arg("--out").arg(out);
    }
    let done = command.output().expect("runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let list = |dir: &PathBuf| std::fs::read_dir(dir).expect("written").map(|entry| entry.expect("a file").file_name());
    let mut files: Vec<String> = out.iter().flat_map(|dir| list(dir)).map(|name| name.to_string_lossy().into_owned()).collect();
    files.sort();
    CommandOutput { lines, files }
}

#[test]
fn the_command_prints_every_game_and_the_sums() {
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("traces");
    let CommandOutput { lines, files } = command(&["--noise", "clean", "--seed", "1", "--irregularities", "0"], Some(&out));
    assert_eq!(lines.len(), 3);
    let again = command(&["--noise", "clean", "--seed", "1", "--irregularities", "0"], None);
    assert_eq!(again.lines, lines, "the result does not depend on the thread of a game");
    for (line, plies) in lines.iter().zip([20, 17]) {
        assert_eq!((line["plies"].as_u64(), line["exact"].as_bool()), (Some(plies), Some(true)), "{line}");
    }
    let sums = &lines[2];
    for (key, value) in
        [("games", 2), ("games_exact", 2), ("plies", 37), ("wrong_commits", 0), ("false_alarms", 0), ("missed_alarms", 0)]
    {
        assert_eq!(sums[key].as_u64(), Some(value), "{key}: {sums}");
    }
    for key in ["commit_ms_p50", "commit_ms_p99", "made_at_coverage"] {
        assert!(sums[key].is_number(), "{key}: {sums}");
    }
    for key in ["moves", "irregularities", "in_step_ms_p99"] {
        assert!(sums.get(key).is_some(), "{key}: {sums}");
    }
    let stem = |game: u32, ending: &str| format!("two-games-{game:03}-1.{ending}");
    let expected: Vec<String> =
        [1, 2].into_iter().flat_map(|game| ["script", "trace", "truth.json"].map(|ending| stem(game, ending))).collect();
    assert_eq!(files, expected);
}

#[test]
fn other_files_of_noise_are_read_or_refused_with_their_line() {
    let dir = tempfile::tempdir().expect("a directory");
    let table = include_str!("../../src/emulate/noise.toml");
    let clean = table.split_once("[clean]\n").expect("a level").1.split_once("[typical]").expect("the next").0;
    let file = dir.path().join("own.toml");
    std::fs::write(&file, clean).expect("written");
    let path = file.to_str().expect("UTF-8");
    assert_eq!(command(&["--noise", path, "--games", "1"], None).lines.len(), 2);
    std::fs::write(&file, format!("{clean}\nslides = 1\n")).expect("written");
    let refused = Command::new(env!("CARGO_BIN_EXE_flagfall")).args(["simulate", PGN, "--noise", path]).output().expect("runs");
    let error = String::from_utf8_lossy(&refused.stderr);
    let line = clean.lines().count() + 2;
    assert!(!refused.status.success() && error.contains("slides") && error.contains(&format!("line {line}")), "{error}");
}
