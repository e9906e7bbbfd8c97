//! The systemd unit is restricted enough, and systemd accepts it. The tests print a line and pass if systemd-analyze is not installed.

use std::process::{Command, Output};

const UNIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/systemd/flagfall.service");
/// The highest exposure level that is allowed, of 10. Redis has 1.2, chrony 3.7, mosquitto 9.2 to 9.6.
const MOST_EXPOSURE: f32 = 2.0;

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

/// The complaints of `systemd-analyze verify` about the unit; the path of this build replaces the program that is not installed.
fn complaints(unit: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flagfall.service");
    let here = unit.replace("/usr/bin/flagfall", env!("CARGO_BIN_EXE_flagfall"));
    assert_ne!(here, unit, "the unit names the program");
    std::fs::write(&path, here).expect("unit is written");
    let output = analyze(&["verify", "--man=no", path.to_str().expect("a path in UTF-8")])?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let own = text.lines().filter(|line| line.contains("flagfall")).collect::<Vec<_>>().join("\n");
    assert!(output.status.success() || !own.is_empty(), "systemd-analyze verify: {text}");
    Some(own)
}

#[test]
fn the_unit_is_closed_enough() {
    let Some(level) = exposure(UNIT) else { return };
    assert!(level <= MOST_EXPOSURE, "exposure is {level}");

    let folder = tempfile::tempdir().expect("a folder");
    let open = folder.path().join("open.service");
    std::fs::write(&open, unit().replace("ProtectSystem=strict", "").replace("CapabilityBoundingSet=", "")).expect("written");
    let level = exposure(open.to_str().expect("a path in UTF-8")).expect("systemd-analyze is installed");
    assert!(level > MOST_EXPOSURE, "an unrestricted unit is found: {level}");
}

#[test]
fn the_unit_of_the_collector_is_closed_and_has_no_devices() {
    let path = UNIT.replace("flagfall.service", "flagfall-collect.service");
    let unit = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    for line in ["PrivateDevices=yes", "StateDirectory=flagfall-collect", "RestartPreventExitStatus=78"] {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    assert!(!unit.contains("DeviceAllow"), "no devices");
    let Some(found) = complaints(&unit) else { return };
    assert_eq!(found, "");
    assert!(exposure(&path).is_some_and(|level| level <= 1.5));
}

#[test]
fn systemd_understands_the_unit() {
    let Some(found) = complaints(&unit()) else { return };
    assert_eq!(found, "");
    let wrong = complaints(&unit().replace("WatchdogSec=", "WatchdogSecs=")).expect("systemd-analyze is installed");
    assert!(wrong.contains("WatchdogSecs"), "an unknown key is found: {wrong}");
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
        "LimitNOFILE=4096",
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
