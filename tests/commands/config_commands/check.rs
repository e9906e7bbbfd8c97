//! `flagfall check-config`.

use crate::config_commands::program::{flagfall, write};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/event.example.toml");
const MAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/flagfall.toml");

#[test]
fn the_check_prints_what_would_run() {
    let ran = flagfall(&["check-config", "--config", MAIN, "--config", EXAMPLE], &[("FLAGFALL__NODE__NAME", "pi-07")]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let lines: Vec<&str> = ran.out.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "Node: pi-07",
            "Event open26, round 5",
            "Messages to mqtt://127.0.0.1:1883/flagfall",
            "Audiences: arbiter/ and live/ at once, public/ 900 s and 3 plies later",
            "Board b1: the board with serial number 24012, 40/5400+30:1800+30 (90 minutes for 40 moves, and 30 seconds a move; then 30 \
             minutes, and 30 seconds a move), Anna Beispiel - Ben Muster",
            "Board b2: the USB adapter with serial number A1B2C3D4, 40/5400+30:1800+30 (90 minutes for 40 moves, and 30 seconds a move; \
             then 30 minutes, and 30 seconds a move), Carla Ejemplo - David Sample",
            "Board b3: port /dev/serial/by-id/usb-FTDI_FT232R_USB_UART_E5F6G7H8-if00-port0, 900+10 (15 minutes, and 10 seconds a move), \
             Eva Exemple - Finn Eksempel",
            "User anna: arbiter, b1, b2",
            "User petra: chief, all boards",
            "User tom: operator, all boards",
        ]
    );
}

/// A time control that is probably not meant is a warning of each command that shows the configuration.
#[test]
fn a_time_control_that_contradicts_the_rules_is_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[event]\ntime_control = \"90+30\"\n[[board]]\nid = \"1\"\nport = \"/dev/none\"\n[[board]]\nid = \"2\"\n\
                port = \"/dev/no\"\nprofile = \"fide-2023-rapid\"\ntime_control = \"900+10\"\n[mqtt]\nport = 1\n";
    let config = write(folder.path(), "c.toml", text, 0o600).display().to_string();
    let doubt = "time_control 90+30 is 1 minute 30 seconds, and 30 seconds a move: 31 minutes 30 seconds for 60 moves, which is rapid \
                 chess (A.1), but the profile fide-2023-standard is for standard chess; its main time is in seconds: if minutes are \
                 meant, write 5400+30.";
    let ran = flagfall(&["check-config", "--config", &config], &[]);
    assert!(ran.code == Some(0) && ran.out.contains(&format!("\nWarning: board 1: {doubt}\n")), "{}", ran.out);
    assert!(!ran.out.contains("Warning: board 2: time"), "{}", ran.out);
    let ran = flagfall(&["doctor", "--config", &config], &[]);
    assert!(ran.out.contains(&format!("warning  configuration: board 1\n         -> {doubt}\n")), "{}", ran.out);
}

#[test]
fn the_check_prints_json_for_programs() {
    let ran = flagfall(&["check-config", "--json", "--config", EXAMPLE], &[("FLAGFALL__EVENT__DELAY", "0")]);
    let found = ran.json();
    assert_eq!((ran.code, &found["ok"], &found["delay"], &found["event"]), (Some(0), &true.into(), &0.into(), &"open26".into()));
    assert_eq!((found["boards"].as_array().map(Vec::len), &found["boards"][0]["serial"]), (Some(3), &"24012".into()));
    assert_eq!((&found["users"][0]["name"], &found["users"][0]["role"]), (&"anna".into(), &"arbiter".into()));
}

#[test]
fn every_error_is_reported_with_exit_code_78() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = write(folder.path(), "bad.toml", "[event]\ndelay_move = 2\n[mqtt]\ntls = 1\n", 0o600).display().to_string();
    let ran = flagfall(&["check-config", "--config", &bad], &[("FLAGFALL__LOG__LEVL", "info")]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(78), ""));
    assert_eq!(
        ran.err,
        format!(
            "{bad}:2:1: event.delay_move: unknown key; did you mean `delay_moves`?\n\
         {bad}:4:7: mqtt.tls: must be true or false, not a number\n\
         FLAGFALL__LOG__LEVL: fits no key; did you mean FLAGFALL__LOG__LEVEL?\n"
        )
    );

    let ran = flagfall(&["check-config", "--json", "--config", &bad], &[]);
    let found = ran.json();
    assert_eq!((ran.code, &found["ok"], found["errors"].as_array().map(Vec::len)), (Some(78), &false.into(), Some(2)));
    let error = &found["errors"][1];
    assert_eq!(
        (&error["file"], &error["line"], &error["column"], &error["key"]),
        (&bad.into(), &4.into(), &7.into(), &"mqtt.tls".into())
    );
}

/// The 32 men of a set, one a line, as `flagfall calibrate` writes them.
fn calibrated(change: impl Fn(String) -> String) -> String {
    let men = (1..).zip("RNBQKBNRPPPPPPPPpppppppprnbqkbnr".chars());
    let items: String = men.map(|(number, letter)| format!("{letter}03005400{number:02x}\n")).collect();
    change(format!("flagfall calibration 1\ndriver certabo\n# board 12\n{items}"))
}

#[test]
fn a_calibrated_board_is_listed_and_a_bad_file_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = |name: &str, driver: &str, file: &str| {
        let path = folder.path().join(file);
        let text = format!("[[board]]\nid = \"b1\"\ndriver = \"{driver}\"\ncalibration_file = \"{}\"\n", path.display());
        write(folder.path(), name, &text, 0o600).display().to_string()
    };
    write(folder.path(), "good", &calibrated(|text| text), 0o644);
    let good = config("good.toml", "certabo", "good");
    let ran = flagfall(&["check-config", "--config", &good], &[]);
    let file = folder.path().join("good").display().to_string();
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert!(
        ran.out.contains(&format!("\nBoard b1: the only board that is found, calibration {file}, no time control\n")),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("no calibration_file"), "{}", ran.out);
    assert_eq!(flagfall(&["check-config", "--json", "--config", &good], &[]).json()["boards"][0]["calibration_file"], *file);
    let none = write(folder.path(), "none.toml", "[[board]]\nid = \"b1\"\ndriver = \"certabo\"\n", 0o600);
    let ran = flagfall(&["check-config", "--config", &none.display().to_string()], &[]);
    assert!(ran.code == Some(0) && ran.out.contains("Warning: Board b1: no calibration_file: "), "{}", ran.out);

    write(folder.path(), "bad", &calibrated(|text| text.replace("K0300540005", "K030054")), 0o644);
    let bad = config("bad.toml", "certabo", "bad");
    let ran = flagfall(&["check-config", "--config", &bad], &[]);
    let message = format!(
        "{bad}:4:1: board.b1.calibration_file: {}: line 8: `K030054`: a man's tag is ten digits 0-9 a-f, and not three of its five \
         bytes are 00\n",
        folder.path().join("bad").display()
    );
    assert_eq!((ran.code, ran.err), (Some(78), message));
    // The daemon does not start with this file, either.
    assert_eq!(flagfall(&["run", "--config", &bad], &[]).code, Some(78));
}

#[test]
fn a_password_for_everyone_to_read_stops_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let password = write(folder.path(), "password", "hunter2\n", 0o644);
    let file = write(folder.path(), "c.toml", &format!("[mqtt]\npassword_file = \"{}\"\n", password.display()), 0o600);
    for command in ["check-config", "doctor"] {
        let ran = flagfall(&[command, "--config", &file.display().to_string()], &[]);
        assert_eq!(ran.code, Some(78), "{command}: {}", ran.err);
        assert!(ran.err.contains("c.toml:2:1: mqtt.password_file: ") && ran.err.contains("chmod o="), "{}", ran.err);
        assert!(!format!("{}{}", ran.out, ran.err).contains("hunter2"));
    }
}

#[test]
fn warnings_are_reported_and_are_no_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[mqtt]\nraw = true\n[[board]]\nid = \"b1\"\nport = \"/dev/ttyUSB0\"\n";
    let file = write(folder.path(), "c.toml", text, 0o600).display().to_string();
    let ran = flagfall(&["check-config", "--config", &file], &[]);
    assert_eq!(ran.code, Some(0));
    let warnings: Vec<&str> = ran.out.lines().filter_map(|line| line.strip_prefix("Warning: ")).collect();
    for begin in ["Board b1: no time control", "Board b1: /dev/ttyUSB0 may be", "public/ is not", "No [user.NAME]", "mqtt.raw: "]
    {
        assert!(warnings.iter().any(|warning| warning.starts_with(begin)), "{begin}: {warnings:#?}");
    }
    assert_eq!(warnings.len(), 5, "{warnings:#?}");
}
