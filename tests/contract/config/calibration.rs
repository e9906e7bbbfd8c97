//! Calibration files, which name the man of each tag of one board.

use flagfall::config::load;
use flagfall::daemon::station_configs;

use crate::config::support::Folder;

/// A file with a whole set, one man a line, and then these lines.
fn file(head: &str, more: &str) -> String {
    let men = (1..).zip("RNBQKBNRPPPPPPPPpppppppprnbqkbnr".chars());
    let items: String = men.map(|(number, letter)| format!("{letter}03005400{number:02x}\n")).collect();
    format!("{head}{items}{more}")
}

const HEAD: &str = "flagfall calibration 1\ndriver certabo\n";

/// All errors about a board of this family with this file.
fn errors(folder: &Folder, driver: &str, name: &str) -> Vec<String> {
    let path = folder.file("c.toml", "").with_file_name(name);
    let text = format!("[[board]]\nid = \"b1\"\ndriver = \"{driver}\"\ncalibration_file = \"{}\"\n", path.display());
    match load(&[folder.file("c.toml", text)], std::iter::empty()) {
        Ok(_) => Vec::new(),
        Err(errors) => folder.lines(&errors),
    }
}

#[test]
fn each_bad_calibration_is_refused_with_its_line() {
    let folder = Folder::new();
    let long = "# a long comment\n".repeat(1000);
    let many: String = (0..33).map(|number| format!("q03005401{number:02x}\n")).collect();
    for (text, message) in [
        (file("", ""), "line 1: is not `flagfall calibration 1`: no calibration; `flagfall calibrate` makes one"),
        ("\0\u{1}garbage".to_owned(), "line 1: is not `flagfall calibration 1`: no calibration; `flagfall calibrate` makes one"),
        (file("flagfall calibration 2\ndriver certabo\n", ""), "line 1: version `2` of the format; this program reads version 1"),
        (file("flagfall calibration 1\n", ""), "line 2: is not `driver certabo`, the family that it is for"),
        (file("flagfall calibration 1\ndriver dgt\n", ""), "line 2: is for `dgt` boards, and this one is certabo"),
        (HEAD.to_owned(), "line 2: 0 of the 2 men `R` of a set are there"),
        (file(HEAD, "Q 0300540101\n"), "line 35: `Q 0300540101`: one item a line, without a space or comma"),
        (
            file(HEAD, "Q0300540101,Q0300540102\n"),
            "line 35: `Q0300540101,Q0300540102`: one item a line, without a space or comma",
        ),
        (
            file(HEAD, "# spare\nZ0300540101\n"),
            "line 36: `Z0300540101`: a man is one of the letters KQRBNP, for White, or kqrbnp, for Black, and its tag",
        ),
        (
            file(HEAD, "Q0300540001\n"),
            "line 35: `Q0300540001`: this tag stands there twice: one tag is one man, and it is of `R` already",
        ),
        (file(HEAD, &many), "line 67: `q0300540120`: more than 64 men"),
        (file(HEAD, &long), "is longer than 16384 bytes and no calibration"),
    ] {
        folder.file("b1", &text);
        assert_eq!(errors(&folder, "certabo", "b1"), [format!("c.toml:4:1: board.b1.calibration_file: b1: {message}")]);
    }
    assert_eq!(
        errors(&folder, "certabo", "missing"),
        ["c.toml:4:1: board.b1.calibration_file: missing: cannot be read: No such file or directory (os error 2)"]
    );
    let folders = errors(&folder, "certabo", "");
    assert!(folders.len() == 1 && folders[0].ends_with("is not a file"), "{folders:?}");
    for driver in ["dgt", "tabutronic", "chessnut"] {
        let line = format!("c.toml:4:1: board.b1.calibration_file: {driver} boards need no calibration, only certabo boards do");
        assert_eq!(errors(&folder, driver, "b1"), [line]);
    }
}

/// Several tags for one kind of man are as many men; the head of the journal gets the items of the file.
#[test]
fn a_good_calibration_is_for_the_journal() {
    let folder = Folder::new();
    let path = folder.file("b1", file(HEAD, "# spare\nQ0300540101\n\nQ0300540102\nq0300540103\n"));
    assert_eq!(errors(&folder, "certabo", "b1"), Vec::<String>::new());
    let text = format!("[[board]]\nid = \"b1\"\ndriver = \"certabo\"\ncalibration_file = \"{}\"\n", path.display());
    let loaded = load(&[folder.file("c.toml", text)], std::iter::empty()).expect("right");
    let setting = station_configs(&loaded.config, loaded.hash).expect("plans").remove(0).setting;
    let (_, head) = setting.headers().into_iter().find(|(key, _)| *key == "calibration").expect("a header");
    assert_eq!(setting.calibration.as_ref(), Some(&head));
    assert!(head.starts_with("R0300540001,") && head.ends_with(",r0300540020,Q0300540101,Q0300540102,q0300540103"), "{head}");
    assert!(setting.station().is_ok());
    // The file is removed between the check and the start.
    std::fs::remove_file(path).expect("removed");
    let error = format!("{:#}", station_configs(&loaded.config, loaded.hash).expect_err("no file"));
    assert!(error.starts_with("board `b1`: calibration_file: cannot be read: "), "{error}");
}
