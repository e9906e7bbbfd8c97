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
        "chesslink" => &[
            (
                b"sRNBKQBNRPPPPPPPP................................pppppppprnbkqbnr73",
                "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
            ),
            (
                b"sRNBKQBNRPPP.PPPP...........P....................pppppppprnbkqbnr73",
                "Frame(rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR)",
            ),
            (b"v010374", "Firmware(1, 3)"),
            // With parity, as older boards send it.
            (b"\x76\xb0\x31\xb0\xb3\x37\x34", "Firmware(1, 3)"),
        ],
        "dgt_pegasus" => &[
            (&[0x8e, 0, 5, 0x34, 0], "Square { square: e2, reading: Empty }"),
            (&[0x8e, 0, 5, 0x24, 1], "Square { square: e4, reading: Occupied }"),
            (&[0xa0, 0, 12, 88, 0, 0, 0, 0, 0, 0, 0, 2], "percent: 88"),
            (&[0x93, 0, 5, 1, 0], "Firmware(1, 0)"),
        ],
        "template" => &[(b"S\x07\x01\x06", "square: h1"), (b"S\x0c\x00\x0c", "square: e2")],
        other => panic!("give {other} some good messages in tests/common/samples.rs"),
    }
}
