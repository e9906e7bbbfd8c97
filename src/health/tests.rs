//! Tests the reading of sensors and of the time source, with files in a temporary folder.

use std::path::Path;

use super::kernel_clock::State;
use super::*;

fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    root
}

#[test]
fn nothing_there_is_nothing_known() {
    let root = root(&[]);
    let found = read_in(root.path(), root.path());
    assert_eq!((found.temperature_c, found.under_voltage), (None, None));
    assert!(found.disk_free_bytes.is_some(), "{found:?}");
}

#[test]
fn sensors_are_read() {
    for (files, temperature_c, under_voltage) in [
        (&[("sys/class/thermal/thermal_zone0/temp", "48312\n")][..], Some(48.312), None),
        (&[("sys/class/thermal/a/temp", "-274000\n"), ("sys/class/thermal/b/temp", "40000\n")], Some(40.0), None),
        (&[("sys/class/thermal/a/temp", "hot\n")], None, None),
        (&[("sys/class/hwmon/hwmon1/name", "rpi_volt\n"), ("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")], None, Some(true)),
        (&[("sys/class/hwmon/hwmon1/name", "rpi_volt\n"), ("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")], None, Some(false)),
        (&[("sys/class/hwmon/hwmon1/name", "cpu\n"), ("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")], None, None),
    ] {
        let root = root(files);
        let found = read_in(root.path(), root.path());
        assert_eq!((found.temperature_c, found.under_voltage), (temperature_c, under_voltage), "{files:?}");
    }
}

#[test]
fn the_clock_goes_by_what_is_known() {
    let kept = Some(State { synchronised: true, max_error_ms: 12 });
    let free = Some(State { synchronised: false, max_error_ms: 16_000 });
    let (noted, battery) = (("run/systemd/timesync/synchronized", ""), ("sys/class/rtc/rtc0/hctosys", "1\n"));
    let unset = ("sys/class/rtc/rtc0/hctosys", "0\n");
    for (kernel, files, source, err_ms) in [
        (kept, &[][..], TimeSource::Ntp, Some(12)),
        (kept, &[battery], TimeSource::Ntp, Some(12)),
        (free, &[], TimeSource::None, None),
        // The note may be old; the kernel knows better.
        (free, &[noted], TimeSource::None, None),
        (free, &[battery], TimeSource::Rtc, None),
        (None, &[noted, battery], TimeSource::Ntp, None),
        (None, &[battery], TimeSource::Rtc, None),
        (None, &[unset], TimeSource::None, None),
        (None, &[], TimeSource::None, None),
    ] {
        let root = root(files);
        assert_eq!(clock(kernel, root.path()), ClockSync { source, err_ms }, "{kernel:?} {files:?}");
    }
}

#[test]
fn a_folder_that_will_be_made_is_on_the_disk_of_the_one_above() {
    let root = root(&[]);
    let (above, below) = (disk(root.path()).expect("a disk"), disk(&root.path().join("a/b")).expect("a disk"));
    assert!(!above.read_only && below.free > 0);
    assert_eq!(disk(Path::new("")), None);
}
