//! Square Off boards: their bytes in both directions, which events and pictures are accepted, and the session in simulated
//! time.

use std::time::Duration;

use crate::common::answering::{Line, healthy, losing, often, silent};
use crate::common::{Rig, anomalies, events, ms};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::square_off::framing::{Found, Framing};
use flagfall_protocols::drivers::square_off::gks;
use flagfall_protocols::drivers::square_off::host::{self, HostCommand, MAX_COMMAND, Signal};
use flagfall_protocols::drivers::square_off::message::{self, Decimal, MAX_TEXT, Message};
use flagfall_protocols::drivers::square_off::{INFO, session::FRESH};
use flagfall_protocols::drivers::{DRIVERS, square_off_neo};
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use proptest::prelude::*;

const START: &str = "????????/????????/8/8/8/8/????????/????????";
const E4: &str = "????????/????????/8/8/4?3/8/????1???/????????";

fn occupied(fen: &str) -> u64 {
    let placement = Placement::parse(fen).expect("a placement");
    Square::all().filter(|square| placement.get(*square) != Reading::Empty).map(Square::bit).sum()
}

fn dump(fen: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    Message::Board(occupied(fen)).encode(&mut bytes);
    bytes
}

fn bare(fen: &str) -> Vec<u8> {
    message::bits(occupied(fen)).to_vec()
}

fn shows(fen: &str) -> DeviceEvent {
    DeviceEvent::Frame(Placement::parse(fen).expect("a placement"))
}

fn field(text: &str) -> DeviceEvent {
    let reading = if text.ends_with('d') { Reading::Occupied } else { Reading::Empty };
    DeviceEvent::Square { square: Square::parse(&text[..2]).expect("a square"), reading }
}

fn answer(command: &[u8]) -> Option<Vec<u8>> {
    match command {
        b"30#R*" => Some(dump(START)),
        b"4#*" => Some(b"22#3.52*".to_vec()),
        _ => None,
    }
}

#[test]
fn the_order_of_squares_is_file_by_file() {
    assert_eq!(dump(START), b"30#1100001111000011110000111100001111000011110000111100001111000011*");
    let names: Vec<_> = [0, 1, 7, 8, 62, 63].map(|index| message::square(index).to_string()).into();
    assert_eq!(names, ["a1", "a2", "a8", "b1", "h7", "h8"]);
}

#[test]
fn the_squares_are_asked_for_first_and_no_game_is_ever_started() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(2000);
    assert_eq!(line.received, [(250, b"30#R*".to_vec()), (400, b"4#*".to_vec())]);
    assert_eq!(line.reported(), [DeviceEvent::Responding, shows(START)]);
    assert_eq!(anomalies(&line.rig.log), []);
    line.run(60_000);
    let times = line.times_of(b"30#R*");
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 3030), "{times:?}");
    assert_eq!((line.count(shows(START)), line.times_of(b"4#*").len()), (1, 1));
    assert_eq!(line.received.len(), times.len() + 1);
    // The link comes up again: the same commands are sent, and nothing more.
    line.rig.feed(ms(60_000), Input::LinkDown);
    line.rig.feed(ms(60_001), Input::LinkUp);
    line.run(70_000);
    assert!(line.received.iter().all(|(_, bytes)| bytes == b"30#R*" || bytes == b"4#*"));
    assert_eq!((line.count(shows(START)), line.times_of(b"4#*").len()), (2, 2));
}

#[test]
fn a_lost_event_is_repaired_by_the_next_picture() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(10_000);
    line.manner = healthy(|command| if command == b"30#R*" { Some(dump(E4)) } else { answer(command) });
    line.send_from_device(b"0#e4d*");
    line.run(20_000);
    assert_eq!((line.count(field("e4d")), line.count(shows(E4))), (1, 1));
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn a_lost_answer_is_asked_for_again() {
    for lost in [&b"30#R*"[..], b"4#*"] {
        let mut line = Line::up(&INFO, losing(answer, lost));
        line.run(6000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "{lost:x?}");
        assert_eq!(line.count(shows(START)), 1, "{lost:x?}");
        assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried], "{lost:x?}");
    }
}

#[test]
fn late_and_doubled_answers_do_no_harm() {
    for delays in [&[900][..], &[30, 30], &[30, 900]] {
        let mut line = Line::up(&INFO, often(answer, delays));
        line.run(30_000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "{delays:?}");
        assert_eq!(line.count(shows(START)), 1, "{delays:?}");
        assert_eq!(anomalies(&line.rig.log), [], "{delays:?}");
    }
}

#[test]
fn silence_is_reported_and_the_start_up_begins_again() {
    let mut line = Line::up(&INFO, silent());
    line.run(10_000);
    assert_eq!((line.reported(), line.times_of(b"4#*").len()), (vec![], 0), "nothing but squares until one answers");
    line.manner = healthy(answer);
    line.run(20_000);
    line.manner = silent();
    line.run(40_000);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 1));
    line.manner = healthy(answer);
    line.run(50_000);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(shows(START))), (2, 2));
}

#[test]
fn commands_send_the_questions_that_the_board_knows() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(2000);
    for command in [DeviceCommand::ReadBoard, DeviceCommand::ReadBattery, DeviceCommand::ReadClock, DeviceCommand::ReadLog] {
        line.rig.command(command);
    }
    line.run(3000);
    assert_eq!(line.received[2..], [(2000, b"30#R*".to_vec()), (2150, b"4#*".to_vec())]);
    assert_eq!(line.count(shows(START)), 2, "a picture that was asked for is reported though it is the same");
}

#[test]
fn a_picture_never_undoes_a_recent_event_but_wins_later() {
    const OLD: &str = "????????/1???????/8/8/8/8/????????/????????";
    let mut rig = Rig::new(&square_off_neo::INFO);
    rig.bytes_on(2, &bare(START));
    rig.until(ms(10_000));
    rig.bytes_on(1, b"e2ue4d");
    rig.take();
    // The picture is older than the move, and a7 is missing in it: only a7 is reported.
    rig.until(ms(11_000));
    rig.bytes_on(2, &bare(OLD));
    assert_eq!(events(&rig.take()), [shows("????????/1???????/8/8/4?3/8/????1???/????????")]);
    // This state remains until the events are old.
    let end = ms(10_000).after(FRESH);
    rig.until(end.before(Duration::from_micros(1)));
    rig.bytes_on(2, &bare(OLD));
    assert_eq!(rig.take(), []);
    rig.until(end);
    rig.bytes_on(2, &bare(OLD));
    assert_eq!(events(&rig.take()), [shows(OLD)]);
    // For minutes after that nothing more is reported.
    for _ in 0..60 {
        rig.advance(Duration::from_secs(2));
        rig.bytes_on(2, &bare(OLD));
    }
    assert_eq!(rig.take(), []);
}

#[test]
fn the_framing_recovers_in_the_text() {
    let cases: &[(&[u8], &[Anomaly], &[DeviceEvent])] = &[
        (b"0#e2u*0#e4d*", &[], &[field("e2u"), field("e4d")]),
        // The end of a message is lost: the second message is read.
        (b"0#e2u0#e4d*", &[Anomaly::Truncated], &[field("e4d")]),
        (b"30#11000#e4d*", &[Anomaly::Truncated], &[field("e4d")]),
        (b"4#3752.514#GO*", &[Anomaly::Truncated, Anomaly::Unasked], &[]),
        // No code has three digits, and the last digits are not read as a code.
        (b"130#R*", &[Anomaly::UnknownMessage], &[]),
        (b"10#e4d*0#e4d*", &[Anomaly::UnknownMessage], &[field("e4d")]),
        (b"99#x*", &[Anomaly::UnknownMessage], &[]),
        (b"e4d*", &[Anomaly::UnknownMessage], &[]),
        (b"*", &[Anomaly::UnknownMessage], &[]),
        (b"#*", &[Anomaly::UnknownMessage], &[]),
        // These values are impossible.
        (b"0#e9d*", &[Anomaly::BadField], &[]),
        (b"0#e4x*", &[Anomaly::BadField], &[]),
        (b"0#OK*", &[Anomaly::BadField], &[]),
        (b"30#2000*", &[Anomaly::BadField], &[]),
        (b"30#110000111100001111000011110000111100001111000011110000111100001*", &[Anomaly::BadField], &[]),
        (b"30#1100001111000011110000111100001111000011110000111100001111000012*", &[Anomaly::BadField], &[]),
        (b"22#3*", &[Anomaly::BadField], &[]),
        (b"22#12345678.99*", &[Anomaly::BadField], &[]),
        (b"4#4095.00*", &[Anomaly::BadField], &[]),
        (b"4#4095.01*", &[], &[]),
        (b"\r\n0#e4d*", &[Anomaly::StrayByte, Anomaly::StrayByte], &[field("e4d")]),
        (b"0#e2\xff0#e4d*", &[Anomaly::Truncated], &[field("e4d")]),
    ];
    for (bytes, broken, reported) in cases {
        let mut rig = Rig::new(&INFO);
        rig.bytes(bytes);
        let text = String::from_utf8_lossy(bytes);
        assert_eq!((&anomalies(&rig.log)[..], &events(&rig.log)[..]), (*broken, *reported), "{text}");
    }
    let mut rig = Rig::new(&INFO);
    rig.bytes(&[b'1'; 200]);
    rig.advance(Duration::from_secs(1));
    assert_eq!(anomalies(&rig.log), [Anomaly::Truncated, Anomaly::Truncated, Anomaly::Stalled], "68, 68 and the rest");
}

#[test]
fn the_framing_recovers_where_nothing_marks_the_end() {
    use Anomaly::{Stalled, StrayByte, Truncated};
    let cases: &[(&[u8], &[Anomaly], &[DeviceEvent])] = &[
        (b"e2ue4d", &[], &[field("e2u"), field("e4d")]),
        (b"2ue4d", &[StrayByte, StrayByte], &[field("e4d")]),
        (b"eue4d", &[Truncated], &[field("e4d")]),
        (b"e2e4d", &[Truncated], &[field("e4d")]),
        (b"e2xe4d", &[Truncated], &[field("e4d")]),
        (b"d4de", &[Stalled], &[field("d4d")]),
        (b"OOK", &[Truncated, Anomaly::Unasked], &[]),
        (b"e9", &[Truncated], &[]),
    ];
    for (bytes, broken, reported) in cases {
        let mut rig = Rig::new(&square_off_neo::INFO);
        rig.bytes_on(1, bytes);
        rig.advance(Duration::from_secs(1));
        let text = String::from_utf8_lossy(bytes);
        assert_eq!((&anomalies(&rig.log)[..], &events(&rig.log)[..]), (*broken, *reported), "{text}");
    }
    // A picture that lost a character is given up before the next one comes, even if messages of other channels arrive
    // meanwhile.
    let mut rig = Rig::new(&square_off_neo::INFO);
    rig.bytes_on(2, &bare(START)[1..]);
    rig.advance(Duration::from_millis(200));
    rig.bytes_on(1, b"e2u");
    rig.bytes(b"30#11");
    rig.advance(Duration::from_millis(160));
    rig.bytes_on(2, &bare(START));
    assert_eq!((anomalies(&rig.log), events(&rig.log).len()), (vec![Stalled], 2), "{:?}", rig.log);
    rig.bytes_on(2, &[&bare(START)[..30], b"2", &bare(E4)[..]].concat());
    assert_eq!(anomalies(&rig.log), [Stalled, Truncated]);
    rig.bytes_on(3, &[101, 100]);
    assert_eq!(anomalies(&rig.log), [Stalled, Truncated, Anomaly::BadField]);
}

#[test]
fn the_bluetooth_address_is_not_reported() {
    let mut rig = Rig::new(&square_off_neo::INFO);
    rig.bytes(b"1#12:34:56:ab:cd:ef*");
    assert_eq!((anomalies(&rig.log), events(&rig.log)), (vec![Anomaly::Unasked], vec![]));
    assert_eq!(Message::decode(b"1#12:34:56:ab:cd:ef"), Some(Message::Address));
    for info in [&INFO, &square_off_neo::INFO] {
        for forbidden in [&b"1#*"[..], b"14#1*", b"14#3*", b"25#*", b"30#2000*", b"S:po", b"30#R*4#*"] {
            assert!(!(info.harmless)(0, forbidden));
        }
        assert!((info.harmless)(0, b"30#R*") && !(info.harmless)(1, b"30#R*"));
    }
}

#[test]
fn a_neo_is_not_taken_for_a_pro_by_its_name() {
    let families = |name: &str| -> Vec<_> {
        let begins = |names: &[&str]| names.iter().any(|begin| name.starts_with(begin));
        DRIVERS.iter().filter(|info| info.ble.is_some_and(|ble| begins(ble.names))).map(|info| info.name).collect()
    };
    assert_eq!(families("Square Off Neo - 123"), ["square_off_neo"]);
    for name in ["Squareoff Pro", "Square Off Pro", "Square Off Swap"] {
        assert_eq!(families(name), ["square_off"], "{name}");
    }
}

#[test]
fn the_words_of_a_grand_kingdom_set() {
    use gks::host::HostCommand as Word;
    let words = ["CONNECTED", "BOARDTYPE", "GAMEBLACK", "OK", "LIVE", "RSTVAR", "AUTORESET", "d2d4"];
    let whole = words.iter().map(|word| format!("x{word}z")).chain(["xBATVOLy".to_owned()]);
    for text in whole {
        let mut again = Vec::new();
        Word::decode(text.as_bytes()).expect("a command").encode(&mut again);
        assert_eq!(again, text.as_bytes());
    }
    for text in ["xBATVOLz", "xd2d9z", "xd2z", "xz", "x", "", "d2d4z"] {
        assert_eq!(Word::decode(text.as_bytes()), None, "{text}");
    }
    for text in ["GKS,36v5,8", "12-OK", "15-OK", "6-11.63", "2-85."] {
        let line = format!("{text}*\r\n");
        let mut again = Vec::new();
        gks::Message::decode(line.as_bytes()).expect("a message").encode(&mut again);
        assert_eq!(again, line.as_bytes());
    }
    for line in ["12-OK*", "100-OK*\r\n", "-OK*\r\n", "012-OK*\r\n", "6-x*\r\n", "*\r\n", ""] {
        assert_eq!(gks::Message::decode(line.as_bytes()), None, "{line}");
    }
}

fn any_square() -> impl Strategy<Value = Square> {
    (0u8..64).prop_map(Square::wrapping)
}

fn any_message() -> impl Strategy<Value = Message> {
    let decimal = || (0u32..1_000_000, 0u8..=4).prop_map(|(digits, places)| Decimal { digits, places });
    prop_oneof![
        (any_square(), any::<bool>()).prop_map(|(square, placed)| Message::Field { square, placed }),
        any::<u64>().prop_map(Message::Board),
        decimal().prop_map(Message::Volts),
        decimal().prop_map(Message::Millivolts),
        proptest::sample::select(vec![Message::Go, Message::InSync, Message::Address]),
    ]
}

fn any_command() -> impl Strategy<Value = HostCommand> {
    prop_oneof![
        Just(HostCommand::Board),
        Just(HostCommand::Battery),
        Just(HostCommand::Address),
        Just(HostCommand::Other(b"24#e2,e4".to_vec())),
        (b'0'..=b'9').prop_map(HostCommand::Start),
        proptest::collection::vec(any_square(), 0..=64).prop_map(HostCommand::Lights),
        proptest::sample::select(Signal::ALL.map(|(signal, _)| signal).to_vec()).prop_map(HostCommand::Signal),
        any::<u64>().prop_map(HostCommand::Expect),
    ]
}

proptest! {
    #[test]
    fn boards_and_hosts_are_read_as_they_write(
        messages in proptest::collection::vec(any_message(), 0..20),
        commands in proptest::collection::vec(any_command(), 0..20),
    ) {
        let (mut bytes, mut read) = (Vec::new(), Vec::new());
        messages.iter().for_each(|message| message.encode(&mut bytes));
        let mut framing = Framing::<_, MAX_TEXT>::new(0, message::text);
        bytes.iter().for_each(|byte| framing.push(ms(0), *byte, |found, _| read.push(found)));
        prop_assert_eq!(read, messages.into_iter().map(Found::Message).collect::<Vec<_>>());
        let (mut bytes, mut read) = (Vec::new(), Vec::new());
        commands.iter().for_each(|command| command.encode(&mut bytes));
        let mut framing = Framing::<_, MAX_COMMAND>::new(0, host::text);
        bytes.iter().for_each(|byte| framing.push(ms(0), *byte, |found, _| read.push(found)));
        prop_assert_eq!(read, commands.into_iter().map(Found::Message).collect::<Vec<_>>());
    }

    /// Every byte belongs to one message or one anomaly, in order.
    #[test]
    fn no_byte_is_lost(bytes in proptest::collection::vec(proptest::sample::select(b"0123#*eduOK4.\r\xff".to_vec()), 0..500)) {
        fn covered<const N: usize>(bytes: &[u8], mut framing: Framing<Message, N>) -> Option<u64> {
            let mut end = Some(0);
            for byte in bytes {
                framing.push(ms(0), *byte, |_, at| end = end.filter(|end| *end == at.start).map(|_| at.end));
            }
            if let Some(rest) = framing.stall(ms(1000)) {
                end = end.filter(|end| *end == rest.start).map(|_| rest.end);
            }
            end
        }
        let all = Some(bytes.len() as u64);
        prop_assert_eq!(covered(&bytes, Framing::<_, MAX_TEXT>::new(0, message::text)), all);
        prop_assert_eq!(covered(&bytes, Framing::<_, 3>::new(1, message::event)), all);
        prop_assert_eq!(covered(&bytes, Framing::<_, 64>::new(2, message::picture)), all);
        prop_assert_eq!(covered(&bytes, Framing::<_, 1>::new(3, message::percent)), all);
    }
}
