//! Chessnut boards: their bytes in both directions, and the session in simulated time.

use std::time::Duration;

use crate::common::{Rig, anomalies, events, ms};
use flagfall_protocols::driver::{DeviceCommand, DriverInfo, Input, Output};
use flagfall_protocols::drivers::chessnut::host::HostCommand;
use flagfall_protocols::drivers::chessnut::message::{BY_CABLE, BY_RADIO, Message, Shape, placement, shape, squares};
use flagfall_protocols::drivers::{chessnut, chessnut_move};
use flagfall_protocols::event::{Anomaly, Battery, DeviceEvent};
use flagfall_protocols::square::{Color, Piece, Placement, Reading, Role};
use flagfall_protocols::time::Instant;
use proptest::prelude::*;

const AIR: &DriverInfo = &chessnut::INFO;
const MOVE: &DriverInfo = &chessnut_move::INFO;
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
const BATTERY: &[u8] = &[0x29, 0x01, 0x00];
const REALTIME: &[u8] = &[0x21, 0x01, 0x00];
const MOVE_BATTERY: &[u8] = &[0x41, 0x01, 0x0c];

fn message(message: Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.encode(&mut bytes);
    bytes
}

fn position(fen: &str) -> Vec<u8> {
    let squares = squares(&Placement::parse(fen).expect("a placement"));
    message(Message::Board { length: BY_RADIO, squares, counter: 16 })
}

fn shows(fen: &str) -> DeviceEvent {
    DeviceEvent::Frame(Placement::parse(fen).expect("a placement"))
}

/// Returns the answers to a command: channel and bytes.
type Manner = fn(&[u8]) -> Vec<(u8, Vec<u8>)>;

fn healthy(command: &[u8]) -> Vec<(u8, Vec<u8>)> {
    match command {
        BATTERY => vec![(1, vec![0x2a, 2, 88, 0])],
        REALTIME => vec![(0, position(START))],
        MOVE_BATTERY => vec![(1, vec![0x41, 3, 0x0c, 0, 77])],
        _ => vec![],
    }
}

/// A session and a board that answers after 30 ms.
struct Line {
    rig: Rig,
    manner: Manner,
    /// The commands that the board received, with their time in milliseconds.
    received: Vec<(u64, Vec<u8>)>,
    coming: Vec<(Instant, u8, Vec<u8>)>,
    seen: usize,
}

impl Line {
    fn up(info: &DriverInfo, manner: Manner) -> Line {
        let mut rig = Rig::new(info);
        rig.feed(Instant::ZERO, Input::LinkUp);
        Line { rig, manner, received: Vec::new(), coming: Vec::new(), seen: 0 }
    }

    fn run(&mut self, millis: u64) {
        loop {
            for (at, output) in &self.rig.log[self.seen..] {
                let Output::Send { channel, bytes } = output else { continue };
                assert_eq!(*channel, 0, "commands have one channel");
                let answers = (self.manner)(bytes).into_iter();
                self.coming.extend(answers.map(|(channel, bytes)| (at.after(Duration::from_millis(30)), channel, bytes)));
                self.received.push((at.micros() / 1000, bytes.clone()));
            }
            self.seen = self.rig.log.len();
            let came = self.coming.first().map(|(at, ..)| *at);
            let Some(next) = [came, self.rig.driver.deadline()].into_iter().flatten().min().filter(|next| *next <= ms(millis))
            else {
                break;
            };
            if came == Some(next) {
                let (at, channel, bytes) = self.coming.remove(0);
                self.rig.feed(at, Input::Bytes { channel, bytes: &bytes });
            } else {
                self.rig.until(next);
            }
        }
        self.rig.until(ms(millis));
    }

    fn times_of(&self, command: &[u8]) -> Vec<u64> {
        self.received.iter().filter(|(_, bytes)| bytes == command).map(|(at, _)| *at).collect()
    }

    fn count(&self, event: DeviceEvent) -> usize {
        events(&self.rig.log).iter().filter(|reported| **reported == event).count()
    }
}

const fn battery(percent: u8, charging: bool) -> DeviceEvent {
    DeviceEvent::Battery(Battery { percent, minutes_left: None, charging })
}

#[test]
fn the_start_up_asks_a_question_and_then_sets_the_mode() {
    let mut air = Line::up(AIR, healthy);
    air.run(1000);
    assert_eq!(air.received, [(300, BATTERY.into()), (500, REALTIME.into())]);
    assert_eq!(events(&air.rig.log), [DeviceEvent::Responding, battery(88, false), shows(START)]);
    let mut moves = Line::up(MOVE, |command| if command == BATTERY { vec![(1, vec![0x2a, 2, 0, 0])] } else { healthy(command) });
    moves.run(1000);
    assert_eq!(moves.received, [(300, BATTERY.into()), (500, REALTIME.into()), (700, MOVE_BATTERY.into())]);
    assert_eq!(events(&moves.rig.log), [DeviceEvent::Responding, shows(START), battery(77, false)]);
    assert_eq!(anomalies(&air.rig.log).len() + anomalies(&moves.rig.log).len(), 0);
}

#[test]
fn a_device_that_never_answers_gets_only_the_first_question() {
    let mut line = Line::up(MOVE, |_| vec![]);
    line.run(10_000);
    assert!(line.received.iter().all(|(_, bytes)| bytes == BATTERY), "{:?}", line.received);
    assert_eq!((line.received.len(), events(&line.rig.log).len()), (10, 0));
}

#[test]
fn the_mode_is_set_again_slowly_and_each_position_is_reported_once() {
    let mut line = Line::up(AIR, healthy);
    line.run(60_000);
    let times = line.times_of(REALTIME);
    assert!(times.len() > 10 && times.windows(2).skip(1).all(|pair| pair[1] - pair[0] == 5030), "{times:?}");
    assert!(line.received.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 200), "the maker's own program leaves 200 ms");
    assert_eq!((line.count(shows(START)), line.count(battery(88, false))), (1, 1));
    // A position whose notification was lost arrives when the mode is set the next time.
    line.manner = |command| if command == REALTIME { vec![(0, position(E4))] } else { healthy(command) };
    line.run(66_000);
    assert_eq!(line.count(shows(E4)), 1);
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn acknowledgements_are_optional_and_a_refusal_sets_the_mode_again() {
    let mut line = Line::up(AIR, |command| [vec![(1, vec![0x23, 1, 0])], healthy(command)].concat());
    line.run(20_000);
    assert_eq!((line.count(shows(START)), anomalies(&line.rig.log)), (1, vec![]));
    // The board is not ready: the mode is set again within about two seconds, not at once.
    let mut line = Line::up(AIR, |command| if command == REALTIME { vec![(1, vec![0x23, 1, 1])] } else { healthy(command) });
    line.run(10_000);
    let times = line.times_of(REALTIME);
    assert!((5..=10).contains(&times.len()), "{times:?}");
    assert_eq!(anomalies(&line.rig.log), []);
    line.manner = healthy;
    line.run(12_000);
    assert_eq!(line.count(shows(START)), 1);
}

#[test]
fn silence_is_reported_and_the_mode_is_set_again_when_the_board_comes_back() {
    let mut line = Line::up(AIR, healthy);
    line.run(8000);
    line.manner = |_| vec![];
    line.run(30_000);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 1));
    let before = line.times_of(REALTIME).len();
    line.manner = healthy;
    line.run(32_500);
    assert_eq!(line.times_of(REALTIME).len(), before + 1);
    let counts = [DeviceEvent::Responding, shows(START), battery(88, false)].map(|event| line.count(event));
    assert_eq!(counts, [2, 2, 2], "another board may have come back");
}

#[test]
fn a_board_that_answers_but_sends_no_positions_is_not_silent() {
    // Two examples are a Move whose pieces are travelling, and a board without changes that sends nothing when the mode is set
    // again.
    let mut line = Line::up(MOVE, healthy);
    line.run(2000);
    line.manner = |command| if command == REALTIME { vec![] } else { healthy(command) };
    line.run(120_000);
    assert_eq!((line.count(DeviceEvent::Silent), anomalies(&line.rig.log)), (0, vec![]));
    assert!(line.times_of(REALTIME).len() > 20);
}

#[test]
fn a_link_that_comes_up_again_starts_the_session_again() {
    let mut line = Line::up(AIR, healthy);
    line.run(3000);
    line.rig.feed(ms(3000), Input::LinkDown);
    assert_eq!(line.rig.driver.deadline(), None);
    line.rig.feed(ms(9000), Input::LinkUp);
    line.run(10_000);
    assert_eq!(line.received[line.received.len() - 2..], [(9300, BATTERY.into()), (9500, REALTIME.into())]);
    assert_eq!(line.count(shows(START)), 2);
}

#[test]
fn commands_send_the_questions_that_the_board_knows() {
    for (info, question, reported) in [(AIR, BATTERY, battery(88, false)), (MOVE, MOVE_BATTERY, battery(77, false))] {
        let mut line = Line::up(info, healthy);
        line.run(3000);
        let before = (line.received.len(), line.count(reported));
        for command in [DeviceCommand::ReadBattery, DeviceCommand::ReadBoard, DeviceCommand::ReadClock, DeviceCommand::ReadLog] {
            line.rig.command(command);
        }
        line.run(3500);
        let mut asked: Vec<_> = line.received[before.0..].iter().map(|(_, bytes)| bytes.as_slice()).collect();
        asked.dedup();
        assert!(asked.contains(&question) && asked.contains(&REALTIME), "{asked:x?}");
        assert_eq!(line.count(shows(START)), 2, "a position that was asked for is reported though it is the same");
        assert_eq!(line.count(reported), before.1 + 1);
    }
}

/// Battery answers and their readings.
#[test]
fn both_forms_of_the_battery_answer_are_read() {
    for (bytes, reported) in [
        (&[0x2a, 2, 100, 1][..], Some(battery(100, true))),
        (&[0x2a, 2, 88, 0], Some(battery(88, false))),
        (&[0x2a, 2, 0x80 | 88, 0], Some(battery(88, true))),
        (&[0x2a, 2, 0x80 | 88, 1], Some(battery(88, true))),
        (&[0x2a, 2, 0, 0], None),
        (&[0x2a, 2, 0, 1], None),
        (&[0x41, 3, 0x0c, 1, 100], Some(battery(100, true))),
        (&[0x41, 3, 0x0c, 0, 5], Some(battery(5, false))),
    ] {
        let mut rig = Rig::new(MOVE);
        rig.bytes_on(1, bytes);
        assert_eq!((events(&rig.log), anomalies(&rig.log)), (reported.into_iter().collect(), vec![]), "{bytes:x?}");
    }
    for bytes in [&[0x2a, 2, 101, 0][..], &[0x41, 3, 0x0c, 0, 0xff]] {
        let mut rig = Rig::new(AIR);
        rig.bytes_on(1, bytes);
        assert_eq!((events(&rig.log), anomalies(&rig.log)), (vec![], vec![Anomaly::BadField]), "{bytes:x?}");
    }
}

/// Feeds bytes of one channel and returns the events and anomalies at once and after a second of silence.
fn read(channel: u8, bytes: &[u8]) -> (Vec<DeviceEvent>, Vec<Anomaly>) {
    let mut rig = Rig::new(AIR);
    rig.bytes_on(channel, bytes);
    rig.advance(Duration::from_secs(1));
    (events(&rig.log), anomalies(&rig.log))
}

#[test]
fn positions_of_any_length_are_read() {
    let board = squares(&Placement::parse(E4).expect("a placement"));
    for length in (0x20..=BY_RADIO).chain([BY_CABLE]) {
        let bytes = message(Message::Board { length, squares: board, counter: 7 });
        assert_eq!(bytes.len(), usize::from(length) + 2);
        assert_eq!(read(0, &bytes), (vec![shows(E4)], vec![]), "{length:x}");
    }
    for length in [0, 0x1f, 0x25, 0x3c, 0x3e, 0xff] {
        assert_eq!(read(0, &[0x01, length]).1[0], Anomaly::BadLength, "{length:x}");
    }
}

#[test]
fn the_framing_recovers_after_lost_bytes() {
    let (start, e4) = (position(START), position(E4));
    // One byte is lost anywhere, and the next position follows at once: that one is read, and no false position is reported.
    for lost in 0..start.len() {
        let mut bytes = start.clone();
        bytes.remove(lost);
        bytes.extend(&e4);
        let (reported, wrong) = read(0, &bytes);
        assert_eq!(reported.last(), Some(&shows(E4)), "{lost}");
        // The damaged position itself may be reported only if the lost byte is after the squares.
        assert!(reported.len() == 1 || (lost >= 34 && reported == [shows(START), shows(E4)]), "{lost}: {reported:?}");
        assert!(!wrong.is_empty(), "{lost}");
    }
    // The first half is lost, or the second; or half a position comes before silence.
    assert_eq!(read(0, &[&start[20..], &e4[..]].concat()).0, [shows(E4)]);
    assert_eq!(read(0, &[&start[..20], &e4[..]].concat()), (vec![shows(E4)], vec![Anomaly::Truncated]));
    assert_eq!(read(0, &start[..20]), (vec![], vec![Anomaly::Stalled]));
    // A code stands for no piece: that position is dropped, and the next one is read.
    let mut odd = start.clone();
    odd[9] = 0xd4;
    assert_eq!(read(0, &[&odd[..], &e4].concat()), (vec![shows(E4)], vec![Anomaly::BadField]));
}

#[test]
fn pieces_that_look_like_the_start_of_a_position_are_read() {
    // h8 queen, g8 empty, f8 pawn, e8 king: 01 24.
    let odd = "4kp1q/8/8/8/8/8/8/K7";
    let bytes = position(odd);
    assert_eq!(bytes[2..4], [0x01, 0x24]);
    assert_eq!(read(0, &bytes), (vec![shows(odd)], vec![]), "silence decides");
    let twice = [&bytes[..], &position(E4)].concat();
    let mut rig = Rig::new(AIR);
    rig.bytes(&twice);
    assert_eq!((events(&rig.log), anomalies(&rig.log)), (vec![shows(odd), shows(E4)], vec![]), "so does the next position");
    // Without the pawn the length would be one that this board does not send, so the anomaly is reported at once.
    let plain = "4k2q/8/8/8/8/8/8/K7";
    let mut rig = Rig::new(AIR);
    rig.bytes(&position(plain));
    assert_eq!(events(&rig.log), [shows(plain)]);
}

#[test]
fn a_message_of_one_channel_does_not_disturb_the_other() {
    let mut rig = Rig::new(AIR);
    let start = position(START);
    rig.bytes_on(0, &start[..20]);
    rig.bytes_on(1, &[0x2a, 2]);
    rig.bytes_on(0, &start[20..]);
    rig.bytes_on(1, &[50, 0, 0x32, 1]);
    rig.bytes_on(7, &[1, 2, 3]);
    let ranges: Vec<_> = rig
        .log
        .iter()
        .filter_map(|(_, output)| if let Output::Event { bytes, .. } = output { Some(*bytes) } else { None })
        .map(|bytes| (bytes.channel, bytes.start, bytes.end))
        .collect();
    assert_eq!(ranges, [(0, 0, 38), (1, 0, 4)]);
    // Half a message of one channel is given up even if bytes of the other channel keep coming.
    rig.advance(Duration::from_millis(400));
    rig.bytes_on(0, &start);
    rig.advance(Duration::from_millis(200));
    assert_eq!(anomalies(&rig.log), [Anomaly::Stalled]);
}

#[test]
fn replies_are_found_among_odd_bytes() {
    let good = [0x2a, 2, 50, 0];
    let reported = vec![battery(50, false)];
    assert_eq!(read(1, &[&[0x99, 0x01, 0x24][..], &good].concat()), (reported.clone(), vec![Anomaly::StrayByte; 3]));
    assert_eq!(read(1, &[&[0x2a][..], &good].concat()), (reported.clone(), vec![Anomaly::BadLength]));
    assert_eq!(read(1, &[&[0x41, 3, 0x2a][..], &good].concat()).0, reported);
    for unasked in [Message::Games(3), Message::Button(1), Message::Kind([1, 2, 3, 4]), Message::Pieces] {
        let bytes = message(unasked);
        assert_eq!((shape(1, &bytes), Message::decode(&bytes)), (Shape::Whole(bytes.len()), Some(unasked)));
        assert_eq!(read(1, &[&bytes[..], &good].concat()), (reported.clone(), vec![Anomaly::Unasked]), "{unasked:?}");
    }
}

fn pieces() -> impl Strategy<Value = Placement> {
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
    let one = (0usize..6, any::<bool>(), any::<bool>()).prop_map(move |(role, white, empty)| {
        let color = if white { Color::White } else { Color::Black };
        if empty { Reading::Empty } else { Reading::Piece(Piece::new(color, roles[role])) }
    });
    proptest::collection::vec(one, 64).prop_map(|all| Placement(all.try_into().expect("64")))
}

proptest! {
    #[test]
    fn any_placement_is_read_as_it_is_written(shown in pieces(), counter in any::<u32>()) {
        prop_assert_eq!(placement(&squares(&shown)), Some(shown));
        let bytes = message(Message::Board { length: BY_RADIO, squares: squares(&shown), counter });
        prop_assert_eq!(read(0, &bytes), (vec![DeviceEvent::Frame(shown)], vec![]));
    }

    #[test]
    fn hosts_are_read_as_they_write(lights in any::<[u8; 8]>(), many in any::<[u8; 32]>(), number in any::<u16>()) {
        let commands = [
            HostCommand::Realtime, HostCommand::Upload, HostCommand::Battery, HostCommand::Version(1), HostCommand::Name,
            HostCommand::Time, HostCommand::Games, HostCommand::TransferReady, HostCommand::Transfer(0), HostCommand::Delete,
            HostCommand::Lights(lights), HostCommand::Beep { hertz: number, millis: 200 }, HostCommand::Beeper(lights[0]),
            HostCommand::MoveBattery, HostCommand::Pieces, HostCommand::Kind, HostCommand::Move { squares: many, force: 1 },
            HostCommand::Colours(many), HostCommand::Unknown(0x77),
        ];
        let mut bytes = Vec::new();
        commands.iter().for_each(|command| command.encode(&mut bytes));
        let (mut read, mut rest) = (Vec::new(), bytes.as_slice());
        while let Some((command, length)) = HostCommand::decode(rest) {
            read.push(command);
            rest = &rest[length..];
        }
        prop_assert_eq!((read.as_slice(), rest.len()), (&commands[..], 0));
    }

    #[test]
    fn any_host_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut rest = bytes.as_slice();
        while let Some((_, length)) = HostCommand::decode(rest) {
            rest = &rest[length..];
        }
    }
}
