//! The emulated board without a driver, byte by byte: `dgt/README.md#3`, `dgt/README.md#4`, `dgt/README.md#5`,
//! `dgt/README.md#9.1` and `dgt/README.md#10`.

use std::time::Duration;

use crate::common::{ask, at, five_plus_five, quick, sent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Emulator, Quirks, Sent, Settings};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::drivers::dgt::clock::{ClockAck, ClockMessage};
use flagfall_protocols::drivers::dgt::framing::{Framed, Framing};
use flagfall_protocols::time::Instant;
use proptest::prelude::*;

#[test]
fn answers_have_their_lengths() {
    let mut settings = Settings { battery: Some(55), serial: 1025, ..quick() };
    settings.clock = None;
    let mut board = Emulator::new(settings);
    let dump = "08090a0c0b0a09080707070707070707".to_owned() + &"00".repeat(32) + "01010101010101010203040605040302";
    for (step, (command, answer)) in [
        ("40", None),
        ("41", Some("8d000a00000000000020".to_owned())),
        ("42", Some(format!("860043{dump}"))),
        ("45", Some(format!("910008{}", hex(b"01025")))),
        ("46", Some("9000050801".into())),
        ("47", Some(format!("920035{}", hex(b"flagfall emulated board\r\nVs 1.80. Serial nr. 01025")))),
        ("48", Some("9600050100".into())),
        ("4c", Some("a0000c377f7f7f7f7f7f7f02".into())),
        ("4d", Some("9300050150".into())),
        ("55", Some(format!("a2000d{}", hex(b"0000001025")))),
        ("43", None),
        ("44", None),
        ("4a", None),
        ("50", None),
        ("56", None),
    ]
    .into_iter()
    .enumerate()
    {
        let answers = ask(&mut board, at(1_000 * step as u64), command);
        // In UPDATE the board reports the missing clock by itself; that is not an answer.
        let answers: Vec<_> = answers.into_iter().filter(|bytes| command == "41" || !bytes.starts_with("8d")).collect();
        assert_eq!(answers, answer.into_iter().collect::<Vec<_>>(), "{command}");
    }
}

#[test]
fn nothing_is_sent_unasked_before_a_mode_is_set() {
    let mut board = Emulator::new(quick());
    board.load(&Script::parse("1 run\n2 lift e2\n3 place e4\n4 press left").unwrap());
    assert_eq!(sent(&mut board, at(10_000)), Vec::<String>::new(), "bus mode");
    assert_eq!(ask(&mut board, at(10_000), "40"), Vec::<String>::new(), "IDLE");
    board.load(&Script::parse("1 lift e7\n2 place e5").unwrap());
    assert_eq!(sent(&mut board, at(20_000)), Vec::<String>::new(), "IDLE");
    let dump = ask(&mut board, at(20_000), "42").concat();
    assert_eq!(&dump[6 + 2 * 28..][..2], "07", "the dump shows what was moved in the meantime");
    assert_eq!(&dump[6 + 2 * 12..][..2], "00");
}

#[test]
fn a_bus_command_ends_single_mode_and_is_not_executed() {
    let mut board = Emulator::new(Settings { clock: None, ..quick() });
    board.host(at(0), &[0x44]);
    board.load(&Script::parse("1 lift a8\n2 place a8\n3 lift a8").unwrap());
    assert_eq!(sent(&mut board, at(1_999)), ["8e00050000"]);
    // Send board to address 2, whose bytes must not be taken for commands; then 0x45 returns to single mode, IDLE.
    assert_eq!(ask(&mut board, at(2_000), "82444206"), Vec::<String>::new());
    assert_eq!(board.counters(), Counters { bus: 1, ..Counters::default() });
    assert_eq!(sent(&mut board, at(2_900)), Vec::<String>::new());
    assert_eq!(ask(&mut board, at(2_900), "45").len(), 1);
    assert_eq!(sent(&mut board, at(9_000)), Vec::<String>::new(), "IDLE again");
}

#[test]
fn update_nice_reports_changes_and_update_repeats() {
    for (mode, standing, running) in [("4b", 1, 5), ("43", 6, 7)] {
        let mut board = Emulator::new(quick());
        board.load(&Script::parse("5.1 run").unwrap());
        board.host(at(0), &unhex(mode).unwrap());
        let mut out = Vec::new();
        board.advance(at(5_000), &mut out);
        assert_eq!(out.len(), standing, "{mode}, a clock that stands");
        board.advance(at(9_900), &mut out);
        // In UPDATE_NICE the board sends the start, then four full seconds.
        assert_eq!(out.len(), standing + running, "{mode}: {out:?}");
        assert_eq!(hex(&out.last().unwrap().bytes), "8d000a20050520050109", "{mode}");
        if mode == "43" {
            let close = |pair: &[Sent]| pair[1].at.since(pair[0].at) <= Duration::from_secs(1);
            assert!(out.windows(2).all(close), "at least one a second");
        }
    }
}

#[test]
fn a_flag_fall_matches_the_recorded_one() {
    let mut board = Emulator::new(Settings { clock_poll: Duration::from_millis(333), ..quick() });
    let script = "1 run\n2 press left\n3 stop\n3.1 set left 0:00:16 right 0:00:02\n4 run\n9 press right\n9.5 run";
    board.load(&Script::parse(script).unwrap());
    let mut messages = ask(&mut board, at(3_500), "4b");
    messages.extend(sent(&mut board, at(8_500)));
    let recorded = ["8d000a20000220001612", "8d000a20000220001613", "8d000a20000120001613", "8d000a30000020001612"];
    assert_eq!(messages, recorded, "one message changes time, flag and running bit");
    assert_eq!(sent(&mut board, at(12_000)), ["8d000a30000020001610"], "afterwards only the lever bit moves");
}

#[test]
fn a_press_is_seen_at_the_next_poll() {
    let mut board = Emulator::new(quick());
    board.load(&Script::parse("1 run\n2.01 press left").unwrap());
    ask(&mut board, at(0), "4b");
    let mut out = Vec::new();
    board.advance(at(2_900), &mut out);
    let Sent { at: seen, bytes, .. } = out.last().unwrap();
    assert_eq!((*seen, hex(bytes).as_str()), (at(2_400), "8d000a20050520050913"), "time, turn and lever in one message");
    assert!(out.iter().all(|sent| sent.at >= at(2_400) || hex(&sent.bytes).ends_with("09") || hex(&sent.bytes).ends_with("08")));
}

#[test]
fn clock_commands_are_acknowledged_and_change_nothing() {
    let version = "2b03030900";
    let run = "2b0a030a0100000100000100";
    for (mode, acks) in [("40", false), ("44", false), ("43", true), ("4b", true)] {
        let mut board = Emulator::new(quick());
        ask(&mut board, at(0), mode);
        ask(&mut board, at(2_000), version);
        let answers = sent(&mut board, at(4_000));
        let ack = hex(&ClockMessage::Ack(ClockAck::version(2, 2)).encode());
        assert_eq!(answers.contains(&format!("8d000a{ack}")), acks, "{mode}: {answers:?}");
        let before = board.clock().unwrap().reading();
        ask(&mut board, at(4_000), run);
        let refused = hex(&ClockMessage::Ack(ClockAck([ClockAck::REFUSED, 0x0a, 0, 0])).encode());
        assert_eq!(sent(&mut board, at(6_000)).contains(&format!("8d000a{refused}")), acks, "{mode}");
        for other in ["2b0b03010102030405060103 00".replace(' ', ""), "2b04030b0100".into(), "2b03030300".into()] {
            ask(&mut board, at(6_000), &other);
        }
        assert_eq!(board.clock().unwrap().reading(), before);
        assert_eq!(board.counters(), Counters { set_and_run: 1, display: 3, ..Counters::default() }, "{mode}");
    }
}

#[test]
fn dangerous_commands_are_counted() {
    let mut board = Emulator::new(quick());
    board.host(at(0), &unhex("4e515354600400404000").unwrap());
    board.host(at(0), &unhex("01505258").unwrap());
    assert_eq!(board.counters(), Counters { dangerous: 4, lights: 1, stray: 1, unknown: 3, ..Counters::default() });
}

#[test]
fn bytes_have_the_pace_of_the_line() {
    let mut board = Emulator::new(Settings { paced: true, clock: None, ..quick() });
    board.host(at(0), &[0x42, 0x45]);
    let mut out = Vec::new();
    board.advance(at(1_000), &mut out);
    let stamps: Vec<_> = out.iter().map(|sent| (sent.at.micros(), sent.bytes.len())).collect();
    let byte = |count: u64| 5_000 + count * 10_000_000 / 9600;
    let expected = [(byte(16), 16), (byte(32), 16), (byte(48), 16), (byte(64), 16), (byte(67), 3)];
    assert_eq!(stamps[..5], expected);
    // The second answer begins at the end of the first. Its own end is rounded separately.
    assert_eq!(stamps[5], (byte(67) + 8 * 10_000_000 / 9600, 8));
}

#[test]
fn questions_above_the_limit_are_lost() {
    let mut board = Emulator::new(Settings { clock: None, ..Settings::default() });
    board.host(at(0), &[0x42; 2_000]);
    let kept = 65_536 / 67;
    assert_eq!(board.counters().lost, 2_000 - kept);
    let mut out = Vec::new();
    board.advance(at(600_000), &mut out);
    assert_eq!(out.iter().map(|sent| sent.bytes.len() as u64).sum::<u64>(), kept * 67);
}

#[test]
fn the_clock_can_be_unplugged_and_replaced() {
    let mut board = Emulator::new(quick());
    board.load(&Script::parse("1 run\n2 press left\n5 disconnect\n8 connect\n10 replace").unwrap());
    ask(&mut board, at(0), "4b");
    sent(&mut board, at(4_900));
    assert_eq!(sent(&mut board, at(7_900)), ["8d000a00000000000020"], "once, and nothing while it is away");
    assert_eq!(sent(&mut board, at(8_400))[0], "8d000a20045920050913", "the clock went on by itself");
    sent(&mut board, at(9_990));
    let replaced = sent(&mut board, at(15_000));
    assert_eq!(replaced, ["8d000a00000000000020", "8d000a20050520050508"], "another clock, set and not started");
}

#[test]
fn power_off_is_silence_and_then_the_board_is_in_bus_mode() {
    let mut board = Emulator::new(quick());
    board.load(&Script::parse("1 power off\n2 lift e2\n3 place e4\n4 power on\n9 lift d2").unwrap());
    ask(&mut board, at(0), "4b");
    sent(&mut board, at(1_000));
    assert_eq!(ask(&mut board, at(1_500), "42"), Vec::<String>::new());
    assert_eq!(sent(&mut board, at(8_000)), Vec::<String>::new());
    let dump = ask(&mut board, at(8_000), "42").concat();
    assert_eq!(&dump[6 + 2 * 36..][..2], "01", "what stands there at power-up is known");
    assert_eq!(sent(&mut board, at(12_000)), Vec::<String>::new(), "IDLE");
}

#[test]
fn half_a_command_does_not_survive_power_off() {
    let mut board = Emulator::new(Settings { clock: None, ..quick() });
    board.load(&Script::parse("1 power off\n2 power on").unwrap());
    ask(&mut board, at(500), "2b03");
    assert_eq!(ask(&mut board, at(3_000), "45").len(), 1);
}

#[test]
fn quirks_of_real_boards_are_emulated() {
    let with = |quirks| Emulator::new(Settings { quirks, ..quick() });
    let version = "2b03030900";

    let mut board = with(Quirks { null_clock_message: true, illegal_time: true, ack_fails_once: true, ..Quirks::default() });
    ask(&mut board, at(0), "4b");
    sent(&mut board, at(900));
    ask(&mut board, at(1_000), "40");
    ask(&mut board, at(1_100), "4b");
    sent(&mut board, at(1_900));
    let mut answers = ask(&mut board, at(2_000), version);
    answers.extend(sent(&mut board, at(4_000)));
    let failed = hex(&ClockMessage::Ack(ClockAck([ClockAck::FAILED, 0x09, 0x22, 0])).encode());
    assert_eq!(answers, ["8d000a00000000000000".into(), "8d000a0c080820050508".into(), format!("8d000a{failed}")]);
    let mut answers = ask(&mut board, at(5_000), version);
    answers.extend(sent(&mut board, at(7_000)));
    let good = hex(&ClockMessage::Ack(ClockAck::version(2, 2)).encode());
    assert_eq!(answers, ["8d000a00000000000000".into(), format!("8d000a{good}")], "failure and odd time once only");

    let mut board = with(Quirks { unasked_log: Some(Duration::from_secs(3)), ..Quirks::default() });
    ask(&mut board, at(0), "44");
    assert!(sent(&mut board, at(4_000)).concat().starts_with("8f"));

    let mut board = with(Quirks { clock_silent_until_replug: true, ..Quirks::default() });
    board.load(&Script::parse("1 run\n5 disconnect\n6 connect").unwrap());
    ask(&mut board, at(0), "4b");
    ask(&mut board, at(100), version);
    assert_eq!(ask(&mut board, at(200), "41"), Vec::<String>::new());
    assert_eq!(sent(&mut board, at(5_900)), Vec::<String>::new());
    assert_eq!(sent(&mut board, at(6_500)), ["8d000a20050520050009"]);

    let mut board = with(Quirks { clock_jump: Some(Duration::from_secs(3)), ..Quirks::default() });
    board.load(&Script::parse("1 run").unwrap());
    ask(&mut board, at(0), "4b");
    sent(&mut board, at(2_990));
    assert_eq!(sent(&mut board, at(3_900)), ["8d000a20050521350309", "8d000a20050520050309"]);

    let mut board = with(Quirks { starts_mid_message: true, ..Quirks::default() });
    board.load(&Script::parse("1 lift a8").unwrap());
    let begin = sent(&mut board, at(1_500));
    assert_eq!(begin[0], hex(&[&[0; 11][..], &[1; 8], &[2, 3, 4, 6, 5, 4, 3, 2]].concat()), "the end of a dump");
    assert!(begin.contains(&"8e00050000".into()), "it reports without a question: {begin:?}");
}

const BUSY: &str = "\
0.5 run
1 lift e2
+0.4 place e4
+0.2 press left
+1 slide a7 a5 0.3
+0.5 press right
+1 misread d1 K 0.4
+0.3 dropout h8 0.2
+0.1 replace
+3 power off
+1 board 8/8/8/8/8/8/8/K6k
+1 power on
";

proptest! {
    /// The bytes of a board do not depend on how often the test advances it.
    #[test]
    fn the_size_of_time_steps_does_not_matter(cuts in proptest::collection::vec(0u64..12_000_000, 0..60), commands in proptest::collection::vec(
        (0u64..12_000_000, prop_oneof![Just(0x4bu8), Just(0x43), Just(0x44), Just(0x42), Just(0x40), Just(0x49)]), 0..8)) {
        let run = |cuts: &[u64]| {
            let mut board = Emulator::new(Settings { clock: Some(five_plus_five()), ..Settings::default() });
            board.load(&Script::parse(BUSY).unwrap());
            let mut moments: Vec<(u64, Option<u8>)> = commands.iter().map(|&(when, byte)| (when, Some(byte))).collect();
            moments.extend(cuts.iter().map(|&when| (when, None)));
            moments.sort_by_key(|(when, _)| *when);
            let mut out = Vec::new();
            board.host(Instant::ZERO, &[0x4b]);
            for (when, byte) in moments {
                match byte {
                    Some(byte) => board.host(Instant(when), &[byte]),
                    None => board.advance(Instant(when), &mut out),
                }
            }
            board.advance(Instant(40_000_000), &mut out);
            (out, board.counters())
        };
        prop_assert_eq!(run(&cuts), run(&[]));
    }

    /// Data bytes never have bit 7, ids always have it, and no input of a host causes a panic.
    #[test]
    fn only_ids_have_bit_7(host in proptest::collection::vec((0u64..400_000, any::<u8>()), 0..200)) {
        let mut board = Emulator::new(Settings { battery: Some(200), ..quick() });
        board.load(&Script::parse(BUSY).unwrap());
        board.host(Instant::ZERO, &[0x43]);
        let mut now = 0;
        let mut out = Vec::new();
        for (step, byte) in host {
            now += step;
            board.host(Instant(now), &[byte]);
            board.advance(Instant(now), &mut out);
        }
        board.advance(Instant(now + 60_000_000), &mut out);
        let mut framing = Framing::default();
        for Sent { bytes, .. } in &out {
            for &byte in bytes {
                let framed = framing.push(byte);
                prop_assert!(!matches!(framed, Some(Framed::Anomaly { .. })), "{bytes:02x?}");
            }
        }
    }
}
