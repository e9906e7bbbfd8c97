//! The systemd units are restricted enough, and systemd accepts them. The tests print a line and pass if systemd-analyze is not installed.

use std::process::{Command, Output};

const UNIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/systemd/flagfall.service");
/// The highest exposure levels that are allowed, of 10: as shipped, with the drop-in of a hall, and of the collector. Redis has 1.2,
/// chrony 3.7, mosquitto 9.2 to 9.6.
const MOST_EXPOSURE: f32 = 1.7;
const MOST_IN_A_HALL: f32 = 1.6;
const MOST_OF_THE_COLLECTOR: f32 = 1.4;

fn analyze(arguments: &[&str]) -> Option<Output> {
    match Command::new("systemd-analyze").args(arguments).env("SYSTEMD_COLORS", "0").output() {
        Ok(output) => Some(output),
        Err(error) => {
            #[allow(clippy::print_stderr, reason = "prints why a test did nothing")]
            {
                eprintln!("skipped: systemd-analyze: {error}");
            }
            None
        }
    }
}

fn unit() -> String {
    std::fs::read_to_string(UNIT).unwrap_or_else(|error| panic!("{UNIT}: {error}"))
}

/// The number in "Overall exposure level for x.service: 1.9 OK".
fn exposure(unit: &str) -> Option<f32> {
    let output = analyze(&["security", "--offline=true", unit])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = text.lines().find_map(|line| line.split_once("exposure level for ")?.1.split_once(": ")?.1.split(' ').next());
    let number = number.and_then(|number| number.parse().ok());
    Some(number.unwrap_or_else(|| panic!("no exposure level: {text}{}", String::from_utf8_lossy(&output.stderr))))
}

/// A folder with the unit alone, or with the drop-in of a hall: systemd-analyze reads drop-ins beside a unit.
fn folder(unit: &str, drop_in: Option<&str>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flagfall.service");
    std::fs::write(&path, unit).expect("unit is written");
    if let Some(drop_in) = drop_in {
        let beside = folder.path().join("flagfall.service.d");
        std::fs::create_dir(&beside).expect("a folder");
        std::fs::write(beside.join("hall.conf"), drop_in).expect("drop-in is written");
    }
    let path = path.to_str().expect("a path in UTF-8").to_owned();
    (folder, path)
}

/// The example of a drop-in, and the one that `flagfall fleet make` writes.
fn drop_ins() -> [String; 2] {
    let made = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/fleet/node/pi-01/hall.conf").to_owned();
    let paths = [UNIT.replace("flagfall.service", "flagfall.service.d/hall.conf"), made];
    paths.map(|path| std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// The complaints of `systemd-analyze verify` about the unit; the path of this build replaces the program that is not installed.
fn complaints(unit: &str, drop_in: Option<&str>) -> Option<String> {
    let here = unit.replace("/usr/bin/flagfall", env!("CARGO_BIN_EXE_flagfall"));
    assert_ne!(here, unit, "the unit names the program");
    let (_folder, path) = folder(&here, drop_in);
    let output = analyze(&["verify", "--man=no", &path])?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let own = text.lines().filter(|line| line.contains("flagfall")).collect::<Vec<_>>().join("\n");
    assert!(output.status.success() || !own.is_empty(), "systemd-analyze verify: {text}");
    Some(own)
}

#[test]
fn the_unit_is_closed_enough() {
    let open = unit().replace("ProtectSystem=strict", "").replace("CapabilityBoundingSet=", "");
    let [example, made] = drop_ins();
    for (unit, drop_in, most, enough) in [
        (unit(), None, MOST_EXPOSURE, true),
        (unit(), None, MOST_IN_A_HALL, false),
        (unit(), Some(example), MOST_IN_A_HALL, true),
        (unit(), Some(made), MOST_IN_A_HALL, true),
        (open, None, MOST_EXPOSURE, false),
    ] {
        let (_folder, path) = folder(&unit, drop_in.as_deref());
        let Some(level) = exposure(&path) else { return };
        assert_eq!(level <= most, enough, "{level}, at most {most}");
    }
}

#[test]
fn the_unit_of_the_collector_is_closed_and_has_no_devices() {
    let path = UNIT.replace("flagfall.service", "flagfall-collect.service");
    let unit = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    for line in ["PrivateDevices=yes", "StateDirectory=flagfall-collect", "RestartPreventExitStatus=78"] {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    assert!(!unit.contains("DeviceAllow"), "no devices");
    let Some(found) = complaints(&unit, None) else { return };
    assert_eq!(found, "");
    assert!(exposure(&path).is_some_and(|level| level <= MOST_OF_THE_COLLECTOR));
}

#[test]
fn systemd_understands_the_unit_and_the_drop_in() {
    // The line for a password is a comment in the example.
    let [example, made] = drop_ins();
    let whole = example.replace("#LoadCredential=", "LoadCredential=");
    assert_ne!(whole, example);
    for drop_in in [None, Some(whole.as_str()), Some(made.as_str())] {
        let Some(found) = complaints(&unit(), drop_in) else { return };
        assert_eq!(found, "");
    }
    for (unit, drop_in, key) in [
        (unit().replace("WatchdogSec=", "WatchdogSecs="), None, "WatchdogSecs"),
        (unit(), Some(whole.replace("IPAddressDeny=", "IPAddressesDeny=")), "IPAddressesDeny"),
    ] {
        let wrong = complaints(&unit, drop_in.as_deref()).expect("systemd-analyze is installed");
        assert!(wrong.contains(key), "an unknown key is found: {wrong}");
    }
}

#[test]
fn the_unit_allows_what_the_program_needs() {
    let unit = unit();
    for line in [
        "Type=notify",
        "WatchdogSec=10",
        "Restart=on-failure",
        "RestartPreventExitStatus=78",
        "StateDirectory=flagfall",
        "DeviceAllow=char-ttyUSB rw",
        "DeviceAllow=char-ttyACM rw",
        "DeviceAllow=char-rfcomm rw",
        "LimitNOFILE=16384",
        "MemoryMax=512M",
        "TasksMax=256",
        "LogRateLimitIntervalSec=30s",
        "LogRateLimitBurst=500",
        "PrivateUsers=yes",
        "ExecReload=/bin/kill -HUP $MAINPID",
        "DeviceAllow=char-hidraw rw",
        "SystemCallFilter=adjtimex clock_adjtime clock_adjtime64",
    ] {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    // systemd skips a kind of devices whose driver is not loaded when the service starts.
    for driver in ["usbserial", "cdc_acm", "rfcomm", "hid"] {
        for key in ["Wants=", "After="] {
            let loads = |line: &str| line.starts_with(key) && line.contains(&format!("modprobe@{driver}.service"));
            assert!(unit.lines().any(loads), "{key} {driver}");
        }
    }
    assert!(
        !unit.lines().any(|line| line.starts_with("ProtectClock=")),
        "it would forbid to ask for the clock's synchronisation"
    );
}
