//! The command as a process with an emulated board.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flagfall::calibration;
use flagfall_hardware::emulator::Counters;
use flagfall_hardware::emulator::certabo::CertaboSettings;
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::drivers::certabo::Form;
use flagfall_protocols::drivers::find;
use flagfall_protocols::square::Placement;

use super::DRIVER;
use super::board::{PtyCertabo, settings};
use crate::bluez::{Bluez, Bus, Peripheral, SYSTEM_BUS};
use crate::program::{RunningProgram, flagfall, run, text};

/// Starts `flagfall calibrate` at this board.
fn start_calibration(table: &PtyCertabo, file: &Path, more: &[&str]) -> RunningProgram {
    let words = ["calibrate", "--driver", DRIVER, text(&table.path), text(file)];
    RunningProgram::start(flagfall(&words).args(more))
}

/// Learns the men and two spare queens: White's, which is beside the board afterwards, and Black's, which stands on d6.
pub(crate) fn calibrate_with_two_queens(table: &PtyCertabo, file: &Path) {
    let mut process = start_calibration(table, file, &["--spares", "2"]);
    process.wait_for_line("all 32 men are known");
    let next = process.wait_for_line("now spare men");
    assert!(next.contains("black queen on d6, white queen on d3"), "{next}");
    table.load("0 place d3 Q");
    process.wait_for_line("spare white queen known");
    table.load("0 lift d3\n+0.1 drop\n+0.3 place d6 q");
    process.wait_for_line("spare black queen known");
    let (code, rest) = process.wait_for_end();
    assert_eq!(code, Some(0), "{rest}");
    assert!(rest.contains("32 men and 2 to spare: white queen, black queen"), "{rest}");
    assert!(rest.contains(&format!("calibration_file = {file:?}")), "{rest}");
    assert!(table.is_untouched());
}

/// Checks that the folder has only these files.
fn assert_only_files(folder: &Path, names: &[&str]) {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut found: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    found.sort();
    assert_eq!(found, names);
}

#[test]
fn men_and_spare_queens_are_learned_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("b1.calibration");
    let table = PtyCertabo::start(settings());
    calibrate_with_two_queens(&table, &file);
    assert_only_files(folder.path(), &["b1.calibration"]);
    let kept = fs::read_to_string(&file).expect("a text");
    let family = find(DRIVER).expect("registered");
    let items = calibration::parse(kept.as_bytes(), family).expect("a calibration");
    let of = |letter: char| items.split(',').filter(|item| item.starts_with(letter)).count();
    assert_eq!(['K', 'Q', 'P', 'k', 'q', 'p'].map(of), [1, 2, 8, 1, 2, 8], "{kept}");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o644);

    // The file is not overwritten by mistake, and the user is not asked to set up men.
    let again = ["calibrate", "--driver", DRIVER, text(&table.path), text(&file), "--spares", "0"];
    let output = run(&again);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && message.contains("is there already; --force writes it anew"), "{message}");
    assert!(!message.contains("set up"), "{message}");
    assert_eq!(fs::read_to_string(&file).expect("a text"), kept);
    table.load("0 lift d6\n+0.1 drop");
    table.settle();
    let output = run(&[&again[..], &["--force"]].concat());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && message.contains("32 men, no spare one"), "{message}");
    let items = calibration::parse(&fs::read(&file).expect("a file"), family).expect("a calibration");
    assert_eq!(items.split(',').count(), 32);
    assert_only_files(folder.path(), &["b1.calibration"]);
}

#[test]
fn missing_men_are_named_and_ctrl_c_keeps_a_whole_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("b1");
    let placement = Placement::parse("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQ1BNR").expect("a placement");
    let table = PtyCertabo::start(CertaboSettings { placement, ..settings() });
    let mut process = start_calibration(&table, &file, &[]);
    process.wait_for_line("set up all men for a new game");
    let trouble = "no man is read for certain on e1, e2; something is read where nothing may stand: e4";
    process.wait_for_line(&format!("not yet: {trouble}"));
    let (code, rest) = process.signal("-INT");
    assert_eq!(code, Some(1), "{rest}");
    assert!(rest.contains(&format!("b1 is not written: {trouble}")), "{rest}");
    assert_only_files(folder.path(), &[]);

    let mut process = start_calibration(&table, &file, &[]);
    process.wait_for_line("not yet: ");
    table.load("0 move e4 e2\n+0.6 place e1 K");
    process.wait_for_line("now spare men");
    let (code, rest) = process.signal("-INT");
    assert!(code == Some(0) && rest.contains("32 men, no spare one"), "{rest}");
    assert_only_files(folder.path(), &["b1"]);
}

#[test]
fn a_time_limit_ends_a_calibration() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("b1");
    let placement = Placement::EMPTY;
    let table = PtyCertabo::start(CertaboSettings { placement, noise: None, ..settings() });
    let process = start_calibration(&table, &file, &["--seconds", "4"]);
    let (code, rest) = process.wait_for_end();
    assert!(code == Some(1) && rest.contains("b1 is not written: no man is read on any square"), "{rest}");
    // This board does not identify its men.
    let table = PtyCertabo::start(CertaboSettings { form: Form::Occupancy, ..settings() });
    let process = start_calibration(&table, &file, &["--seconds", "7"]);
    let (code, rest) = process.wait_for_end();
    assert!(code == Some(1) && rest.contains("not yet: nothing is heard of the board"), "{rest}");
    assert_only_files(folder.path(), &[]);
}

#[test]
fn an_impossible_calibration_reports_its_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, missing) = (folder.path().join("b1"), folder.path().join("missing"));
    let table = PtyCertabo::start(settings());
    let (path, file, missing) = (text(&table.path), text(&file), text(&missing));
    for (arguments, code, reason) in [
        (&["calibrate", "--driver", "none", path, file][..], 1, "no driver is called `none`"),
        (&["calibrate", "--driver", "dgt", path, file], 1, "dgt boards need no calibration, only certabo boards do"),
        (&["calibrate", "--driver", "tabutronic", path, file], 1, "tabutronic boards need no calibration"),
        (&["calibrate", path, file], 2, "--driver"),
        (&["calibrate", "--driver", DRIVER, missing, file], 1, "missing: no such port"),
        (&["calibrate", "--driver", DRIVER, path, text(folder.path())], 1, "is not a file"),
        (&["calibrate", "--driver", DRIVER, path, "/nowhere/at/all", "--force"], 1, "/nowhere/at/all: No such file"),
        (&["calibrate", "--driver", DRIVER, path, file, "--seconds", "0"], 2, "--seconds"),
    ] {
        let output = run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(reason), "{arguments:?}: {message}");
        assert_only_files(folder.path(), &[]);
    }
}

#[test]
fn a_board_by_bluetooth_is_calibrated_too() {
    const ADDRESS: &str = "C0:00:00:00:00:01";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("b1");
    let bus = Bus::start();
    let bluez = Bluez::start(&bus.address());
    bluez.add(Peripheral::for_driver(DRIVER, ADDRESS, "Certabo"));
    let words = ["calibrate", "--driver", DRIVER, "--bluetooth", "Certabo", text(&file), "--spares", "1"];
    let mut process = RunningProgram::start(flagfall(&words).env(SYSTEM_BUS, bus.address()));
    process.wait_for_line("now spare men");
    bluez.load(ADDRESS, &Script::parse("0.1 place d3 Q").expect("a script"));
    let (code, rest) = process.wait_for_end();
    assert!(code == Some(0) && rest.contains("32 men and 1 to spare: white queen"), "{rest}");
    assert!(calibration::read(&file, find(DRIVER).expect("registered")).is_ok());
    assert_eq!(bluez.counters(ADDRESS), Counters::default(), "nothing was sent");
}
