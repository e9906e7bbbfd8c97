//! One good message, at least, of every driver, for the tests that run for all of them.

/// Messages the device sends by itself, each with what it must be read as somewhere in the text of its output.
pub(crate) fn of(driver: &str) -> &'static [(&'static [u8], &'static str)] {
    match driver {
        "dgt" => &[
            (&[0x8e, 0, 5, 0x3f, 0], "Square { square: h1, reading: Empty }"),
            (&[0x8d, 0, 10, 0x20, 0x05, 0x05, 0x20, 0x05, 0x04, 0x09], "time: ClockTime(305000)"),
            (&[0x8e, 0, 5, 0x24, 1], "square: e4"),
            (&[0x8f, 0, 5, 0x6a, 0x6b], "PowerUp"),
            (&[0xa0, 0, 12, 88, 0, 0, 0, 0, 0, 0, 0, 2], "percent: 88"),
        ],
        "template" => &[(b"S\x07\x01\x06", "square: h1"), (b"S\x0c\x00\x0c", "square: e2")],
        other => panic!("give {other} some good messages in tests/common/samples.rs"),
    }
}
