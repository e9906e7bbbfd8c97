//! The text is cut into frames: every rule of `certabo/README.md#2.1`, odd values, and recovery after errors.

use flagfall_protocols::drivers::certabo::framing::{Form, Framed, Framing};
use flagfall_protocols::drivers::certabo::message::encode;
use flagfall_protocols::event::Anomaly::{self, BadField, Stalled, StrayByte, Truncated};

use super::initial;

/// Returns what the framing found, in order: a frame as its numbers, an anomaly with its range. `_` in a text is silence.
fn read(form: Form, text: &[u8]) -> Vec<String> {
    let (mut all, mut framing) = (Vec::new(), Framing::new(form));
    let mut take = |framed: Option<Framed<'_>>| match framed {
        Some(Framed::Frame { numbers, at }) => all.push(format!("{}-{} {numbers:?}", at.start, at.end)),
        Some(Framed::Anomaly { anomaly, at }) => all.push(show_anomaly(anomaly, at.start, at.end)),
        None => {}
    };
    for byte in text {
        match byte {
            // `_` stands for silence in these texts only.
            b'_' => take(framing.silence()),
            byte => take(framing.push(*byte)),
        }
    }
    all
}

fn show_anomaly(anomaly: Anomaly, start: u64, end: u64) -> String {
    format!("{start}-{end} {anomaly:?}")
}

fn frame(start: u64, end: u64, last: u8) -> String {
    format!("{start}-{end} [1, 2, 3, 4, 5, 6, 7, {last}]")
}

#[test]
fn a_frame_ends_as_the_readme_says() {
    for (text, expected) in [
        (":1 2 3 4 5 6 7 8 \r\n", vec![frame(0, 17, 8)]),
        // A frame does not end at its last digit, and not at a line end.
        (":1 2 3 4 5 6 7 17", vec![]),
        (":1 2 3 4 5 6 7 17\r\n", vec![]),
        (":1 2 3 4 5 6 7 17\r\n0 ", vec![frame(0, 21, 170)]),
        (":1 2 3 4 5 6 7 17_0 ", vec![frame(0, 17, 17)]),
        (":1 2 3 4 5 6 7 8\r\nL\r\n", vec![frame(0, 18, 8)]),
        (":1 2 3 4 5 6 7 8\r\nD\r\n", vec![frame(0, 18, 8)]),
        (":1 2 3 4 5 6 7 8\r\n:1 2 3 4 5 6 7 9 ", vec![frame(0, 18, 8), frame(18, 35, 9)]),
        // Line ends and stars are ignored, wherever they are.
        (":1 2*3", vec![]),
        (":\r\n1 2 3 4 5 6\n 7 1\r\n2*4 ", vec![frame(0, 25, 124)]),
        ("L\r\nD\r\n *\r\n:1 2 3 4 5 6 7 8 ", vec![frame(10, 27, 8)]),
        (":1  2 3 4 5 6 7 008 ", vec![frame(0, 20, 8)]),
        // Bytes that boards insert over Bluetooth LE are counted, and no frame is lost.
        (":1 2 3\0 4 5 6 7 8 ", vec![show_anomaly(StrayByte, 6, 7), frame(0, 18, 8)]),
        ("\x07:1 2 3 4 5 6 7 8 ", vec![show_anomaly(StrayByte, 0, 1), frame(1, 18, 8)]),
    ] {
        assert_eq!(read(Form::Occupancy, text.as_bytes()), expected, "{text:?}");
    }
}

#[test]
fn bytes_outside_frames_are_reported_and_damage_no_frame() {
    let (good, len) = (":1 2 3 4 5 6 7 8 ", 17);
    for (text, expected) in [
        ("xyz", show_anomaly(StrayByte, 0, 3)),
        ("2 3 4\r\n", show_anomaly(StrayByte, 0, 7)),
        (":", show_anomaly(Truncated, 0, 1)),
        (":1 2 3 4 5 6 7\r\n", show_anomaly(Truncated, 0, 16)),
        (":1 2 3 4 5 6 7 256 ", show_anomaly(BadField, 0, 19)),
        (":1 2 3 4 5 6 7 2550 ", show_anomaly(BadField, 0, 20)),
        (":1 2 3 -4 5 6 7 8 ", show_anomaly(BadField, 0, 18)),
        (":1 2 3 4 5 6 7 8 9 ", format!("{}\n{}", frame(0, 17, 8), show_anomaly(StrayByte, 17, 19))),
    ] {
        let start = text.len() as u64;
        let mut all = read(Form::Occupancy, format!("{text}{good}").as_bytes());
        assert_eq!(all.pop(), Some(frame(start, start + len, 8)), "{text:?}");
        assert_eq!(all.join("\n"), expected, "{text:?}");
    }
    // An acknowledgement ends an incomplete frame.
    assert_eq!(read(Form::Occupancy, b":1 2L:1 2 3 4 5 6 7 8 "), [show_anomaly(Truncated, 0, 4), frame(5, 22, 8)]);
    assert_eq!(read(Form::Occupancy, b":1 2 3_:1 2 3 4 5 6 7 8 "), [show_anomaly(Stalled, 0, 6), frame(6, 23, 8)]);
    assert_eq!(read(Form::Occupancy, b"2 3_:1 2 3 4 5 6 7 8 "), [show_anomaly(StrayByte, 0, 3), frame(3, 20, 8)]);
    // An endless run of strange bytes, perhaps from a line with another speed, is reported in portions.
    assert_eq!(read(Form::Occupancy, &[b'x'; 3000]), [show_anomaly(StrayByte, 0, 1280), show_anomaly(StrayByte, 1280, 2560)]);
    assert_eq!(
        read(Form::Occupancy, &[&[b'x'; 1280][..], b":_"].concat()),
        [show_anomaly(StrayByte, 0, 1280), show_anomaly(Stalled, 1280, 1281)]
    );
}

#[test]
fn a_board_of_the_other_form_is_recognized() {
    let mut text = Vec::new();
    encode(&mut text, &initial().0, true, None);
    let last = text.len() as u64;
    let found = read(Form::Occupancy, &[&text[..], b"_"].concat());
    assert_eq!((found.len(), found[1].ends_with(&format!("-{last} StrayByte"))), (2, true), "{found:?}");
    assert_eq!(read(Form::Tags, b":1 2 3 4 5 6 7 8 \r\n:"), [show_anomaly(Truncated, 0, 19)]);
}

#[test]
fn frames_of_every_shape_are_read_as_they_are_written() {
    for space in [false, true] {
        for wrap in [None, Some(1), Some(7), Some(64)] {
            let numbers = initial().0;
            let mut text = Vec::new();
            encode(&mut text, &numbers, space, wrap);
            assert!(wrap.is_none_or(|wrap| text.split(|byte| *byte == b'\n').all(|line| line.len() <= wrap + 1)));
            text.push(b':');
            let found = read(Form::Tags, &text);
            assert_eq!(found.len(), 1);
            assert!(found[0].ends_with(&format!(" {numbers:?}")), "{space} {wrap:?}");
        }
    }
}
