//! Each written message is read back unchanged: every message type, both directions.

use flagfall_protocols::drivers::dgt::board::{BatteryReport, BoardMessage, Fit, fit};
use flagfall_protocols::drivers::dgt::clock::{ClockAck, ClockMessage, ClockReport, RawFace, Status};
use flagfall_protocols::drivers::dgt::ee::{EeReader, EeTag};
use flagfall_protocols::drivers::dgt::framing::{Framed, Framing};
use flagfall_protocols::drivers::dgt::host::{ClockCommand, HostMessage, Query};
use flagfall_protocols::drivers::dgt::host_decoder::{HostDecoder, HostItem, LineMode};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::event::{ClockFace, ClockSide};
use flagfall_protocols::square::{Reading, Square};
use flagfall_protocols::time::ClockTime;
use proptest::array::{uniform2, uniform3, uniform6, uniform7, uniform8};
use proptest::collection::vec;
use proptest::prelude::*;

fn b7() -> impl Strategy<Value = u8> + Clone {
    0u8..0x80
}

fn clock_command() -> impl Strategy<Value = ClockCommand> {
    prop_oneof![
        (uniform6(b7()), b7(), b7()).prop_map(|(segments, dots, beep)| ClockCommand::Display { segments, dots, beep }),
        uniform8(b7()).prop_map(ClockCommand::Icons),
        Just(ClockCommand::End),
        Just(ClockCommand::Button),
        Just(ClockCommand::Version),
        (uniform3(b7()), uniform3(b7()), b7()).prop_map(|(left, right, control)| ClockCommand::SetAndRun {
            left,
            right,
            control
        }),
        b7().prop_map(ClockCommand::Beep),
        (uniform8(b7()), b7()).prop_map(|(text, beep)| ClockCommand::Ascii { text, beep }),
        (proptest::array::uniform11(b7()), b7()).prop_map(|(text, beep)| ClockCommand::Rev2Ascii { text, beep }),
    ]
}

fn host_message() -> impl Strategy<Value = HostMessage> {
    prop_oneof![
        proptest::sample::select(&Query::ALL[..])
            .prop_filter("decoded as a clock command", |q| *q != Query::ClockVersion)
            .prop_map(HostMessage::Query),
        proptest::sample::select(vec![
            HostMessage::ToBusMode,
            HostMessage::StartBootloader,
            HostMessage::BlackSquares,
            HostMessage::ScanBlack,
            HostMessage::WhiteSquares,
            HostMessage::ScanWhite,
            HostMessage::ScanAll,
            HostMessage::Unknown(vec![0x4f]),
            HostMessage::Unknown(vec![0x59]),
        ]),
        clock_command().prop_map(HostMessage::Clock),
        vec(b7(), 0..=126).prop_map(HostMessage::I2cClock),
        uniform3(b7()).prop_map(|[pattern, first, second]| HostMessage::Lights { pattern, first, second }),
        // Three bytes of raw data are the lights of a Revelation II.
        vec(b7(), 0..=126).prop_filter("ambiguous", |data| data.len() != 3).prop_map(HostMessage::LightsRaw),
        // A clock command with a number that the README does not list.
        (0x0eu8..0x80, vec(b7(), 0..20)).prop_map(|(number, args)| {
            let mut bytes = vec![0x2b, args.len() as u8 + 3, 0x03, number];
            bytes.extend(args);
            bytes.push(0);
            HostMessage::Unknown(bytes)
        }),
    ]
}

proptest! {
    #[test]
    fn host_messages(messages in vec(host_message(), 1..20)) {
        let mut bytes = Vec::new();
        messages.iter().for_each(|message| message.encode(&mut bytes));
        let mut decoder = HostDecoder::new();
        let read: Vec<_> = bytes.iter().filter_map(|&byte| decoder.push(byte)).collect();
        let expected: Vec<_> = messages.into_iter().map(HostItem::Message).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn bus_commands_end_single_mode_and_are_not_executed(command in 0x80u8.., rest in uniform3(b7()), single: bool) {
        let mut decoder = HostDecoder::new();
        if single {
            prop_assert_eq!(decoder.push(0x40), Some(HostItem::Message(HostMessage::Query(Query::Reset))));
            prop_assert_eq!(decoder.mode(), LineMode::Single);
        }
        let frame = [command, rest[0], rest[1], rest[2]];
        let read: Vec<_> = frame.iter().filter_map(|&byte| decoder.push(byte)).collect();
        prop_assert_eq!(read, [HostItem::Bus { frame, obeyed: !single }]);
        prop_assert_eq!(decoder.mode(), LineMode::Bus);
    }

    #[test]
    fn board_messages(id in 0x80u8.., data in vec(b7(), 0..300), long in vec(b7(), 7000..7936), which: bool) {
        let data = if id == 0x8f && which { long } else { shaped(id, data) };
        prop_assume!(fit(id, data.len() + 3) != Fit::Bad);
        let message = BoardMessage::decode(id, &data).expect("the length fits");
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        prop_assert!(bytes[0] & 0x80 != 0 && bytes[1..].iter().all(|byte| byte & 0x80 == 0));
        let mut framing = Framing::default();
        let (last, rest) = bytes.split_last().expect("not empty");
        for &byte in rest {
            prop_assert_eq!(framing.push(byte), None);
        }
        match framing.push(*last) {
            Some(Framed::Message { id: read, data, .. }) => {
                prop_assert_eq!(read, id);
                prop_assert_eq!(BoardMessage::decode(read, data), Some(message));
            }
            other => prop_assert!(fit(id, bytes.len()) == Fit::Unknown, "{:?}", other),
        }
    }

    #[test]
    fn battery(bytes in vec(b7(), 9)) {
        let [percent, a, b, c, d, e, f, g, status] = bytes[..] else { unreachable!() };
        let report = BatteryReport { percent, left: [a, b], on: [c, d], standby: [e, f, g], status };
        let mut out = Vec::new();
        BoardMessage::Battery(report).encode(&mut out);
        prop_assert_eq!(&out[3..], &bytes[..]);
    }

    #[test]
    fn bus_address(address in 0u16..1 << 14) {
        let mut out = Vec::new();
        BoardMessage::BusAddress(address).encode(&mut out);
        prop_assert_eq!(BoardMessage::decode(0x90, &out[3..]), Some(BoardMessage::BusAddress(address)));
    }

    #[test]
    fn clock_acks(ack: [u8; 4]) {
        let message = ClockMessage::Ack(ClockAck(ack));
        let bytes = message.encode();
        prop_assert!(bytes.iter().all(|byte| byte & 0x80 == 0));
        prop_assert_eq!(ClockMessage::decode(&bytes), message);
    }

    #[test]
    fn clock_reports(times in uniform2(0u32..36_000), flags: [bool; 6], status in 1u8..0x40) {
        let face = |time: u32, f: &[bool]| {
            RawFace::new(ClockFace { time: ClockTime(time * 1000), flag_blocked: f[0], flag_shown: f[1], adds_time: f[2] })
        };
        let (right, left) = (face(times[0], &flags[..3]), face(times[1], &flags[3..]));
        prop_assert_eq!(right.time(), Some(ClockTime(times[0] * 1000)));
        prop_assert_eq!((left.flag_blocked(), left.flag_shown(), left.adds_time()), (flags[3], flags[4], flags[5]));
        let message = ClockMessage::Report(ClockReport { right, left, status: Status(status) });
        prop_assert_eq!(ClockMessage::decode(&message.encode()), message);
    }

    #[test]
    fn any_seven_clock_bytes_are_written_as_they_were_read(bytes in uniform7(b7())) {
        let message = ClockMessage::decode(&bytes);
        prop_assert!(matches!(message, ClockMessage::Ack(_)) || message.encode() == bytes);
    }

    #[test]
    fn log_entries(tags in vec(ee_tag(), 0..100)) {
        let mut bytes = Vec::new();
        tags.iter().for_each(|tag| tag.encode(&mut bytes));
        let read: Vec<_> = EeReader::new(&bytes).map(|(tag, _)| tag).collect();
        prop_assert_eq!(read, tags);
    }

    #[test]
    fn any_log_is_read_byte_for_byte(bytes in vec(b7(), 0..500)) {
        let mut again = Vec::new();
        let mut end = 0;
        for (tag, taken) in EeReader::new(&bytes) {
            prop_assert_eq!(taken.start, end);
            end = taken.end;
            tag.encode(&mut again);
        }
        prop_assert_eq!(&again[..], &bytes[..end]);
        prop_assert!(end == bytes.len() || bytes[end - 1] == 0x6b);
    }
}

fn ee_tag() -> impl Strategy<Value = EeTag> {
    prop_oneof![
        (0u8..64, 0u8..16, any::<bool>()).prop_map(|(index, code, quick)| EeTag::Field { index, code, quick }),
        (any::<bool>(), 0u32..36_000).prop_map(|(left, seconds)| EeTag::Time {
            side: if left { ClockSide::Left } else { ClockSide::Right },
            time: ClockTime(seconds * 1000),
        }),
        proptest::sample::select(vec![
            EeTag::PowerUp,
            EeTag::FourRows,
            EeTag::EmptyBoard,
            EeTag::Downloaded,
            EeTag::Initial,
            EeTag::InitialRotated,
            EeTag::StartMark,
            EeTag::Watchdog(None),
            EeTag::Watchdog(Some(3)),
            EeTag::Reserved1,
            EeTag::Reserved2,
            EeTag::Nothing,
            EeTag::Nothing2,
        ]),
    ]
}

/// Cuts or fills data to a length that the id can have, so that the interesting ids occur.
fn shaped(id: u8, mut data: Vec<u8>) -> Vec<u8> {
    let lengths = (3..200).filter(|&total| fit(id, total) == Fit::Known).map(|total| total - 3);
    let lengths: Vec<usize> = lengths.collect();
    if !lengths.is_empty() {
        let wanted = lengths[data.len() % lengths.len()];
        data.resize(wanted, 0x11);
    }
    data
}

#[test]
fn squares_and_pieces_have_their_codes() {
    for square in Square::all() {
        assert_eq!(squares::square(squares::index(square)), Some(square));
    }
    for (index, name) in [(0, "a8"), (7, "h8"), (8, "a7"), (56, "a1"), (63, "h1")] {
        assert_eq!(squares::square(index).map(|square| square.to_string()).as_deref(), Some(name));
    }
    assert_eq!(squares::square(64), None);
    for code in 0..16 {
        let reading = squares::reading(code).expect("all sixteen are known");
        assert_eq!(squares::code(reading), Some(code));
        assert_eq!(squares::reading(code | 0x10), Some(reading), "the S bit is ignored");
    }
    assert_eq!(squares::reading(0x20), None);
    assert_eq!(squares::code(Reading::Occupied), None);
}
