//! A station in simulated time: it identifies men from the first report on, and its journal is enough for a replay.

use std::fs;
use std::path::Path;

use flagfall::journal::{Disk, Limits};
use flagfall::session::recorder::Recorder;
use flagfall::session::restore::RestoreReport;
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::verify::verify;
use flagfall_hardware::emulator::Device;
use flagfall_hardware::emulator::certabo::Certabo;
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::driver::Input;
use flagfall_protocols::drivers::find;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, FORMAT, Trace, print_header};

use super::board::settings;
use super::{DRIVER, MID_GAME, PROMOTED};

const SESSION: &str = "s";

/// A board with its hands and its time.
struct SimulatedBoard {
    board: Certabo,
    now: u64,
}

impl SimulatedBoard {
    /// Starts hand motions and lets this number of seconds pass.
    fn play(&mut self, script: &str, seconds: u64, mut feed: impl FnMut(Instant, &[u8])) {
        self.board.load(&Script::parse(script).expect("a script"));
        self.now += seconds * 1_000_000;
        let mut sent = Vec::new();
        while let Some(next) = self.board.next().filter(|next| next.0 <= self.now) {
            self.board.advance(next, &mut sent);
            sent.drain(..).for_each(|piece| feed(piece.at, &piece.bytes));
        }
        self.board.advance(Instant(self.now), &mut sent);
        sent.drain(..).for_each(|piece| feed(piece.at, &piece.bytes));
    }

    /// A board in the middle of a game, and the calibration that was learned before.
    fn calibrated_in_game() -> (SimulatedBoard, String) {
        let mut simulated = SimulatedBoard { board: Certabo::new(settings()), now: 0 };
        let calibrated = find(DRIVER).expect("registered").calibrated.expect("it must be");
        let mut driver = (calibrated.learn)();
        driver.handle(Instant::ZERO, Input::LinkUp);
        simulated.play("2 place d3 Q\n+2 lift d3\n+0.1 drop", 6, |at, bytes| {
            driver.handle(at, Input::Bytes { channel: 0, bytes });
            while driver.poll().is_some() {}
        });
        let learned = driver.learned().expect("it learns");
        assert_eq!((learned.men, learned.spares.len()), (32, 1));
        simulated.play(&format!("0 board {MID_GAME}"), 1, |_, _| {});
        (simulated, learned.calibration.expect("learned"))
    }
}

fn setting(calibration: Option<&str>) -> Setting {
    let mut head = format!("{FORMAT}\n");
    for (key, value) in [("driver", Some(DRIVER)), ("name", Some(SESSION)), ("calibration", calibration)] {
        if let Some(value) = value {
            print_header(key, value, &mut head).expect("a header");
        }
    }
    Setting::from_trace(&Trace::new(head.as_bytes()).expect("a head"), &Overrides::default()).expect("a setting")
}

fn open(dir: &Path, setting: &Setting) -> (Recorder, RestoreReport) {
    let disk = Disk::open(dir).expect("a disk");
    Recorder::open(Box::new(disk), Limits::default(), setting, SESSION, &mut |_| Ok(())).expect("opens")
}

/// The placement of the sensors, the moves, and the unconfirmed promotions.
fn placement_and_moves(recorder: &Recorder) -> (String, Vec<String>, Vec<String>) {
    let game = recorder.station().game();
    let moves = game.moves().chain(game.pending()).map(|played| played.uci.to_string());
    (game.placement().to_string(), moves.collect(), game.unconfirmed_promotions())
}

/// Starts a station in the middle of a game, with a journal in this folder, and plays a promotion; returns the state before and after.
fn promotion(dir: &Path, calibration: Option<&str>, simulated: &mut SimulatedBoard) -> [(String, Vec<String>, Vec<String>); 2] {
    let (mut recorder, _) = open(dir, &setting(calibration));
    let began = simulated.now;
    let at = |instant: Instant| Instant(instant.0.saturating_sub(began));
    let sink = &mut |_| Ok(());
    let up = Body::Link { link: 0, up: true, cause: "opened" };
    recorder.feed(Instant::ZERO, &up, sink).expect("a record");
    let feed = |recorder: &mut Recorder, time: Instant, body: &Body<'_>| {
        recorder.advance(at(time), &mut |_| Ok(())).expect("time passes");
        recorder.feed(at(time), body, &mut |_| Ok(())).expect("a record");
    };
    simulated.play("0 stop", 1, |time, bytes| feed(&mut recorder, time, &Body::Rx { link: 0, channel: 0, bytes: bytes.into() }));
    let before = placement_and_moves(&recorder);
    let start = format!("{{\"verb\":\"start-game\",\"fen\":\"{MID_GAME} w - - 0 1\"}}");
    feed(&mut recorder, Instant(simulated.now), &Body::Cmd(&start));
    simulated.play("1 lift a7\n+0.3 drop\n+0.5 place a8 Q", 10, |time, bytes| {
        feed(&mut recorder, time, &Body::Rx { link: 0, channel: 0, bytes: bytes.into() });
    });
    recorder.flush(Instant(u64::MAX)).expect("the disk takes it");
    [before, placement_and_moves(&recorder)]
}

#[test]
fn men_are_known_in_mid_game_and_a_queen_from_the_box_too() {
    let (mut simulated, calibration) = SimulatedBoard::calibrated_in_game();
    let dir = tempfile::tempdir().expect("a folder");
    let [before, after] = promotion(dir.path(), Some(&calibration), &mut simulated);
    assert_eq!(before, (MID_GAME.to_owned(), vec![], vec![]));
    assert_eq!(after, (PROMOTED.to_owned(), vec!["a7a8q".to_owned()], vec![]));

    // Without a calibration the promoted piece is not known.
    let (mut simulated, _) = SimulatedBoard::calibrated_in_game();
    let dir = tempfile::tempdir().expect("a folder");
    let [before, after] = promotion(dir.path(), None, &mut simulated);
    let hidden = |text: &str| text.replace(|c: char| c.is_ascii_alphabetic(), "?");
    assert_eq!((before.0, after.0), (hidden(MID_GAME), hidden(PROMOTED)));
    assert_eq!(after.2, ["a7a8q"]);
}

#[test]
fn a_journal_needs_no_file() {
    let (mut simulated, calibration) = SimulatedBoard::calibrated_in_game();
    let dir = tempfile::tempdir().expect("a folder");
    let [_, after] = promotion(dir.path(), Some(&calibration), &mut simulated);
    let entries = fs::read_dir(dir.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "journal")).collect();
    let journal = fs::read_to_string(&files[0]).expect("a text");
    let line = journal.lines().find(|line| line.starts_with("# calibration: ")).expect("it stands in the head").to_owned();
    assert!(files.len() == 1 && line.contains(&calibration) && journal.matches("# calibration: ").count() == 1);

    let again = |text: &str| {
        let trace = Trace::new(text.as_bytes()).expect("a head");
        verify(&trace, &Setting::from_trace(&trace, &Overrides::default()).expect("a setting")).expect("readable")
    };
    let verified = again(&journal);
    assert!(verified.compared > 0 && verified.differing == 0, "{verified:#?}");
    assert!(again(&journal.replace(&format!("{line}\n"), "")).differing > 0, "without this line the men are not identified");

    // A restart continues with this calibration in spite of another configuration, and so does the next restart.
    let fewer = calibration.split_once(',').expect("items").1;
    let others = calibration.replace("0300", "4800");
    for (now, other) in [(None, true), (Some(others.as_str()), true), (Some(calibration.as_str()), false), (None, true)] {
        let (recorder, restored) = open(dir.path(), &setting(now));
        assert_eq!((restored.verified.differing, restored.other_rules), (0, other), "{:?}", restored.verified);
        assert_eq!(placement_and_moves(&recorder), after);
    }
    assert!(setting_of("calibration", fewer).is_err(), "a set that is not whole");
}

/// Reads the setting of a head with this line.
fn setting_of(key: &str, value: &str) -> anyhow::Result<Setting> {
    let mut head = format!("{FORMAT}\n");
    for (key, value) in [("driver", DRIVER), (key, value)] {
        print_header(key, value, &mut head).expect("a header");
    }
    Setting::from_trace(&Trace::new(head.as_bytes()).expect("a head"), &Overrides::default())
}

#[test]
fn a_wrong_calibration_in_the_head_is_refused() {
    let (_, calibration) = SimulatedBoard::calibrated_in_game();
    for (value, wrong) in [
        ("garbage", "calibration: item 1: a man is one of the letters"),
        (&format!("{calibration},Q0300"), "calibration: item 34: a man's tag is ten digits"),
    ] {
        let error = format!("{:#}", setting_of("calibration", value).expect_err(wrong));
        assert!(error.starts_with(wrong), "{error}");
    }
    let head = format!("{FORMAT}\n# driver: dgt\n# calibration: {calibration}\n");
    let error =
        Setting::from_trace(&Trace::new(head.as_bytes()).expect("a head"), &Overrides::default()).expect_err("a board of DGT");
    assert_eq!(format!("{error:#}"), "calibration: item 1: boards of this family need no calibration");
}
