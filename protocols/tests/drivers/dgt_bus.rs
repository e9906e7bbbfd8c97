//! The bus of DGT boards: every shared vector in both directions, and the driver of one board.

#[allow(dead_code, reason = "the commands of a single board's host are not used here")]
use core::time::Duration;

use crate::common::{Rig, anomalies, events, ms, sent, shared};
use crate::vectors::meaning;
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt_bus::INFO;
use flagfall_protocols::drivers::dgt_bus::frame::{self, Command, Read, Reader, Reply, command, encode_reply, reply};
use flagfall_protocols::drivers::dgt_bus::i2c::{I2cFrame, escape, unescape};
use flagfall_protocols::event::{Anomaly, DeviceEvent, LogEntry};
use flagfall_protocols::square::Placement;
use serde_json::{Value, json};

#[test]
fn every_vector_of_the_bus_and_of_i2c() {
    let Some(text) = shared("protocols/dgt-vectors.jsonl") else { return };
    let mut seen = [0; 3];
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
        let (kind, read) = match (vector["link"].as_str(), vector["dir"].as_str()) {
            (Some("bus"), Some("host->board")) => (0, from_host(&bytes)),
            (Some("bus"), Some("board->host")) => (1, from_board(&bytes)),
            (Some("i2c"), _) => (2, i2c(&bytes)),
            _ => continue,
        };
        seen[kind] += 1;
        assert_eq!(read, vector["meaning"], "{line}");
    }
    assert_eq!(seen, [26, 18, 13]);
}

fn from_host(bytes: &[u8]) -> Value {
    let (command, address) = command(bytes).expect("a good frame");
    assert_eq!(command.to(address), *bytes);
    let name = match command {
        Command::SendClock => "bus_send_clock",
        Command::SendBoard => "bus_send_board",
        Command::SendChanges => "bus_send_changes",
        Command::RepeatChanges => "bus_repeat_changes",
        Command::SetStartGame => "bus_set_start_game",
        Command::SendFromStart => "bus_send_from_start",
        Command::Ping => "bus_ping",
        Command::EndBusMode => "bus_end_bus_mode",
        Command::Reset => "bus_reset",
        Command::IgnoreNextPing => "bus_ignore_next_ping",
        Command::SendVersion => "bus_send_version",
        Command::SendBlackSquares => "bus_send_board_50b",
        Command::SendAll => "bus_send_all_d",
        Command::Serial => "bus_serial",
        Command::RandomPing => "bus_random_ping",
        Command::I2cClock => "bus_i2c_clock",
        Command::I2cButton => "bus_i2c_button",
        Command::I2cAck => "bus_i2c_ack",
        Command::Statistics => "bus_stats",
        Command::Trademark => "bus_trademark",
        Command::Battery => "bus_battery",
        Command::HardwareVersion => "bus_hardware_version",
    };
    json!({"cmd": name, "address": address})
}

fn from_board(bytes: &[u8]) -> Value {
    let mut reader = Reader::default();
    let (last, rest) = bytes.split_last().expect("bytes");
    assert!(rest.iter().all(|byte| reader.push(*byte).is_none()));
    let Some(Read::Frame(whole, at)) = reader.push(*last) else { panic!("no frame: {bytes:x?}") };
    assert_eq!((whole, at.start, at.end), (bytes, 0, bytes.len() as u64));
    let (address, answer) = reply(bytes).expect("a good frame");
    let mut again = Vec::new();
    encode_reply(bytes[0], address, &bytes[5..bytes.len() - 1], &mut again);
    assert_eq!(hex(&again), hex(bytes));

    let log = |data: &[u8]| meaning::of_board(&BoardMessage::EeMoves(data))["events"].clone();
    let mut value = match answer {
        Reply::Board(codes) => {
            let placement = meaning::of_board(&BoardMessage::Board(codes))["placement"].clone();
            json!({"msg": "bus_board", "placement": placement})
        }
        Reply::Clock(raw) => json!({"msg": "bus_clock", "clock": meaning::of_board(&BoardMessage::Clock(raw))}),
        Reply::Changes(data) => json!({"msg": "bus_changes", "events": log(data)}),
        Reply::FromStart(data) => json!({"msg": "bus_from_start", "events": log(data)}),
        Reply::Ping => json!({"msg": "bus_ping"}),
        Reply::StartWritten => json!({"msg": "bus_start_game_written"}),
        Reply::Version(version) => {
            let (major, minor) = version.expect("a newer board");
            json!({"msg": "bus_version", "major": major, "minor": minor})
        }
        Reply::I2c(data) => {
            // The inner frame has the right CRC, and it is written again with the same bytes.
            let real = unescape(data).expect("whole");
            let mut carried = Vec::new();
            if let Some(inner) = I2cFrame::decode(&real) {
                let mut frame = Vec::new();
                inner.encode(&mut frame);
                assert_eq!((inner.to, inner.from, inner.kind), (0, 10, 5));
                escape(&frame, &mut carried);
            } else {
                assert!(real.is_empty(), "{real:x?}");
            }
            assert_eq!(carried, data);
            json!({"msg": "bus_i2c", "raw": hex(data)})
        }
        Reply::Other(_) => json!({"msg": "no vector of this kind is known"}),
    };
    value["address"] = json!(address);
    value
}

fn i2c(bytes: &[u8]) -> Value {
    let frame = I2cFrame::decode(bytes).expect("a good frame");
    let mut again = Vec::new();
    frame.encode(&mut again);
    assert_eq!(hex(&again), hex(bytes));
    for at in 0..bytes.len() {
        let mut wrong = bytes.to_vec();
        wrong[at] ^= 0x04;
        assert_eq!(I2cFrame::decode(&wrong), None, "{wrong:x?}");
    }
    json!({"to": frame.to, "from": frame.from, "type": frame.kind, "data": hex(frame.data)})
}

fn reply_frame(id: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_reply(id, 1025, data, &mut bytes);
    bytes
}

/// Returns the answer of a board in this position, as it is on the bus.
fn picture(fen: &str) -> Vec<u8> {
    use flagfall_protocols::drivers::dgt::squares;
    let placement = Placement::parse(fen).expect("a placement");
    let codes: Vec<_> =
        (0..64).map(|index| squares::code(placement.get(squares::square(index).expect("64"))).expect("a piece")).collect();
    reply_frame(0x83, &codes)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// Returns a driver that knows its board.
fn known() -> Rig {
    let mut rig = Rig::new(&INFO);
    rig.feed(ms(0), Input::LinkUp);
    rig.bytes(&reply_frame(0x87, &[]));
    rig.until(ms(10));
    rig.bytes(&reply_frame(0x89, &[1, 2]));
    rig.bytes(&picture(START));
    rig.bytes(&reply_frame(0x85, &[]));
    rig
}

#[test]
fn frames_with_wrong_checksum_or_length_are_refused() {
    // A flipped bit anywhere gives no frame. In the high bit of the id it hides the beginning.
    let good = reply_frame(0x85, &[0x40, 0x34, 0x41, 0x24]);
    for bit in 0..good.len() * 8 {
        let mut wrong = good.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(reply(&wrong), None, "{wrong:x?}");
        let mut reader = Reader::default();
        for byte in wrong {
            assert!(!matches!(reader.push(byte), Some(Read::Frame(..))));
        }
    }
    assert_eq!(command(&[0x81, 0x10, 0x06, 0x16]), None);
    assert_eq!(command(&[0x81, 0x10, 0x86, 0x17]), None);
    assert_eq!(Command::Ping.to(0xffff), Command::Ping.to(frame::MAX_ADDRESS));
}

#[test]
fn the_framing_recovers_after_lost_bytes() {
    let (one, other) = (reply_frame(0x85, &[0x40, 0x34]), reply_frame(0x87, &[]));
    for cut in 1..one.len() {
        let mut reader = Reader::default();
        let mut frames = 0;
        for &byte in one[..cut].iter().chain(&other) {
            match reader.push(byte) {
                Some(Read::Frame(frame, _)) => {
                    assert_eq!(frame, other);
                    frames += 1;
                }
                Some(Read::Anomaly(anomaly, _)) => assert_eq!(anomaly, Anomaly::Truncated),
                None => {}
            }
        }
        assert_eq!(frames, 1, "{cut}");
    }
}

#[test]
fn the_driver_asks_with_its_address_and_reports_the_first_picture_with_the_next_packet() {
    let mut rig = Rig::new(&INFO);
    rig.feed(ms(0), Input::LinkUp);
    rig.until(ms(1000));
    assert_eq!(sent(&rig.log), []);
    rig.bytes(&reply_frame(0x87, &[]));
    rig.until(ms(1010));
    let asked: Vec<_> = sent(&rig.take()).into_iter().map(|(_, bytes)| hex(&bytes)).collect();
    assert_eq!(asked, ["8b080114", "8208010b"]);
    rig.bytes(&picture(START));
    assert_eq!(events(&rig.log), []);
    // A pawn moved after the picture.
    rig.bytes(&reply_frame(0x85, &[0x40, 0x34, 0x41, 0x24]));
    let moved = Placement::parse("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR").expect("a placement");
    assert_eq!(events(&rig.log), [DeviceEvent::Frame(moved)]);
}

#[test]
fn a_repeated_packet_is_reported_once_and_a_lost_one_is_repaired() {
    let mut rig = known();
    rig.take();
    let packet = reply_frame(0x85, &[0x40, 0x34, 0x41, 0x24]);
    rig.bytes(&packet);
    rig.bytes(&packet);
    // Newer boards alternate the id.
    rig.bytes(&reply_frame(0x8b, &[0x40, 0x34, 0x41, 0x24]));
    assert_eq!(events(&rig.log).len(), 2);
    rig.take();
    // A picture that agrees with the known position is not reported; a different one is.
    rig.bytes(&picture("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"));
    rig.bytes(&reply_frame(0x85, &[]));
    assert_eq!(events(&rig.log), []);
    rig.bytes(&picture("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR"));
    rig.bytes(&reply_frame(0x85, &[]));
    assert!(matches!(events(&rig.log)[..], [DeviceEvent::Frame(_)]), "{:?}", rig.log);
}

#[test]
fn a_restart_asks_for_the_picture_and_reports_no_piece_twice() {
    let mut rig = known();
    rig.until(ms(100));
    rig.take();
    rig.bytes(&reply_frame(0x85, &[0x7f, 0x7f, 0x7f, 0x6a, 0x45, 0x3c, 0x4b, 0x04]));
    rig.until(ms(200));
    assert_eq!(events(&rig.log), []);
    assert_eq!(sent(&rig.log).len(), 1);
    assert_eq!(sent(&rig.log)[0].1, Command::SendBoard.to(1025));
}

#[test]
fn the_log_of_the_start_is_closed() {
    let mut rig = known();
    rig.until(ms(100));
    rig.take();
    rig.command(DeviceCommand::ReadLog);
    rig.until(ms(110));
    assert_eq!(sent(&rig.take())[0].1, Command::SendFromStart.to(1025));
    rig.bytes(&reply_frame(0x86, &[0x7b, 0x41, 0x24, 0x70, 0x04, 0x55]));
    let entries: Vec<_> = events(&rig.log);
    assert!(matches!(
        entries[..],
        [
            DeviceEvent::Log(LogEntry::StartMark),
            DeviceEvent::Log(LogEntry::Square { .. }),
            DeviceEvent::Log(LogEntry::Press { .. }),
            DeviceEvent::Log(LogEntry::End)
        ]
    ));
    assert_eq!(anomalies(&rig.log), []);
}

#[test]
fn a_requested_log_is_closed_even_if_the_board_was_silent_meanwhile() {
    let mut rig = known();
    rig.until(ms(100));
    rig.command(DeviceCommand::ReadLog);
    rig.until(ms(15_000));
    assert_eq!(events(&rig.take()).last(), Some(&DeviceEvent::Silent));
    rig.until(ms(21_000));
    assert_eq!(events(&rig.log), [DeviceEvent::Log(LogEntry::End)]);
}

#[test]
fn a_pause_for_the_log_of_another_board_is_no_cycle() {
    let mut rig = known();
    for packet in 1..60 {
        rig.until(ms(packet * 500 + if packet < 20 { 0 } else { 8300 }));
        rig.bytes(&reply_frame(0x85, &[]));
    }
    let delays = events(&rig.log).into_iter().filter(|event| matches!(event, DeviceEvent::Delay(_)));
    assert_eq!(delays.collect::<Vec<_>>(), [DeviceEvent::Delay(Duration::from_millis(1000))]);
}

#[test]
fn bytes_of_delay_at_event_positions_are_counted_and_the_rest_is_read() {
    let mut rig = known();
    rig.take();
    rig.bytes(&reply_frame(0x85, &[0x12, 0x21, 0x40, 0x34, 0x7c, 0x03]));
    assert_eq!(anomalies(&rig.log), [Anomaly::UnknownLogTag; 2]);
    assert_eq!(events(&rig.log).len(), 1);
}

#[test]
fn silence_is_reported_after_more_than_a_whole_log_and_other_addresses_are_ignored() {
    let mut rig = known();
    rig.take();
    let mut foreign = Vec::new();
    encode_reply(0x85, 1026, &[0x40, 0x34], &mut foreign);
    rig.until(ms(2000));
    rig.bytes(&foreign);
    assert_eq!(anomalies(&rig.log), [Anomaly::Unasked]);
    // Another board sends its log, which takes 8.3 s at most.
    rig.until(ms(10_000));
    assert_eq!(events(&rig.log), []);
    rig.until(ms(12_100));
    assert_eq!(events(&rig.log).iter().filter(|event| **event == DeviceEvent::Silent).count(), 1);
    rig.take();
    rig.bytes(&reply_frame(0x85, &[]));
    assert_eq!(events(&rig.log)[0], DeviceEvent::Responding);
}
