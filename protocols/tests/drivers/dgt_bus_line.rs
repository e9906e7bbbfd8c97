//! The master of a line of DGT boards, without drivers: which questions it asks and when, and how it handles answers.

use crate::common::ms;
use flagfall_protocols::drivers::dgt_bus::frame::{Command, command, encode_reply};
use flagfall_protocols::drivers::dgt_bus::line::{Line, LineInput, LineOutput};
use flagfall_protocols::event::Anomaly;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use crate::seeds::campaign;

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

/// A line without drivers, its outputs and the commands that it sent.
struct Master {
    line: Line,
    now: Instant,
    out: Vec<LineOutput>,
}

impl Master {
    fn up(expected: &[u16]) -> Master {
        let mut master = Master { line: Line::new(expected), now: Instant::ZERO, out: Vec::new() };
        master.feed(ms(0), LineInput::Up);
        master
    }

    fn feed(&mut self, at: Instant, input: LineInput<'_>) {
        self.line.handle(at, input);
        self.out.extend(std::iter::from_fn(|| self.line.poll()));
        assert!(self.line.deadline().is_none_or(|deadline| deadline >= at));
    }

    fn until(&mut self, at: Instant) {
        let mut same = (Instant::ZERO, 0);
        while let Some(deadline) = self.line.deadline().filter(|deadline| *deadline <= at) {
            same = if same.0 == deadline { (deadline, same.1 + 1) } else { (deadline, 0) };
            assert!(same.1 < 10, "a deadline that is fed must go away: {deadline:?}");
            self.feed(deadline, LineInput::Deadline);
        }
        self.now = at;
    }

    fn advance(&mut self, millis: u64) {
        self.until(Instant(self.now.micros() + 1000 * millis));
    }

    /// Lets time pass until the line asks something, and returns the command.
    fn asks(&mut self) -> [u8; 4] {
        self.out.clear();
        for _ in 0..10_000 {
            self.advance(1);
            let mut sent =
                self.out.iter().filter_map(|output| if let LineOutput::Send(bytes) = output { Some(bytes) } else { None });
            if let Some(sent) = sent.find_map(|bytes| bytes.as_slice().try_into().ok()) {
                return sent;
            }
        }
        panic!("it asks nothing");
    }

    fn answer(&mut self, bytes: &[u8]) {
        self.advance(20);
        self.feed(self.now, LineInput::Bytes(bytes));
    }

    /// Answers as a good board does until the line asks this.
    fn asked(&mut self, wanted: Command) {
        for _ in 0..200 {
            match command(&self.asks()).expect("a command") {
                (command, 1025) if command == wanted => return,
                (command, 1025) => self.answer_well(command),
                _ => {}
            }
        }
        panic!("{wanted:?} was never asked");
    }

    /// Answers as a good board without changes.
    fn answer_well(&mut self, command: Command) {
        match command {
            Command::SendChanges | Command::RepeatChanges => self.answer(&reply_frame(0x85, &[])),
            Command::SendClock => self.answer(&reply_frame(0x84, &CLOCK)),
            Command::SendBoard => self.answer(&picture(START)),
            Command::SendVersion => self.answer(&reply_frame(0x89, &[1, 2])),
            Command::Ping | Command::IgnoreNextPing => self.answer(&reply_frame(0x87, &[])),
            _ => {}
        }
    }

    /// Returns the next `count` commands when nothing is answered.
    fn unanswered(&mut self, count: usize) -> Vec<Command> {
        (0..count).map(|_| command(&self.asks()).expect("a command").0).collect()
    }

    fn frames(&self) -> usize {
        self.out.iter().filter(|output| matches!(output, LineOutput::Frame { .. })).count()
    }
}

const CLOCK: [u8; 7] = [0, 5, 0, 0, 5, 0, 8];

#[test]
fn lost_changes_are_repeated_and_after_twice_lost_ones_the_picture_is_compared() {
    let mut master = Master::up(&[1025]);
    master.asked(Command::SendChanges);
    let mut wrong = reply_frame(0x85, &[0x40, 0x34]);
    wrong[6] ^= 1;
    master.answer(&wrong);
    assert_eq!(master.unanswered(1), [Command::RepeatChanges]);
    master.answer(&wrong);
    assert_eq!(master.unanswered(1), [Command::RepeatChanges]);
    master.answer(&wrong);
    // The board answers, so it is not silent. The line asks for the clock, and at the next turn it asks for the packet again
    // before all else.
    assert_eq!(master.unanswered(1), [Command::SendClock]);
    master.answer(&reply_frame(0x84, &CLOCK));
    assert_eq!(master.unanswered(1), [Command::RepeatChanges]);
    master.answer(&reply_frame(0x85, &[0x40, 0x34]));
    assert_eq!(master.frames(), 1);
    let mut asked = Vec::new();
    for _ in 0..20 {
        let command = master.unanswered(1)[0];
        asked.push(command);
        master.answer_well(command);
    }
    assert!(asked.contains(&Command::SendBoard), "{asked:?}");
    // The line does not ask for the log by itself, because a log keeps the whole line busy for seconds.
    assert!(!asked.contains(&Command::SendFromStart), "{asked:?}");
}

/// The board may not have received the question for new changes: then it repeats a packet from before the picture.
#[test]
fn a_repeated_empty_packet_is_not_reported() {
    let mut master = Master::up(&[1025]);
    master.asked(Command::SendChanges);
    assert_eq!(master.unanswered(1), [Command::RepeatChanges]);
    master.answer(&reply_frame(0x85, &[]));
    assert_eq!(master.frames(), 0);
    assert_eq!(master.unanswered(1), [Command::SendClock]);
    master.answer(&reply_frame(0x84, &CLOCK));
    assert_eq!(master.unanswered(1), [Command::SendChanges]);
    master.answer(&reply_frame(0x85, &[]));
    assert_eq!(master.frames(), 1);
}

/// A packet that can never be read, because a byte of it has bit 7 set, or that the board does not have.
#[test]
fn a_packet_that_cannot_be_repeated_is_given_up_at_the_second_turn() {
    let mut holed = reply_frame(0x85, &[0x40, 0x34, 0x40, 0x3f]);
    holed[8] = 0xff;
    for repeated in [holed.as_slice(), &[]] {
        let mut master = Master::up(&[1025]);
        master.asked(Command::SendChanges);
        for next in [Command::RepeatChanges, Command::RepeatChanges, Command::SendClock] {
            master.answer(&holed);
            assert_eq!(master.unanswered(1), [next]);
        }
        master.answer(&reply_frame(0x84, &CLOCK));
        assert_eq!(master.unanswered(1), [Command::RepeatChanges]);
        for next in [Command::RepeatChanges, Command::RepeatChanges, Command::SendClock] {
            master.answer(repeated);
            assert_eq!(master.unanswered(1), [next]);
            assert!(!master.out.contains(&LineOutput::Silent(1025)));
        }
        master.answer(&reply_frame(0x84, &CLOCK));
        // The line asks for new changes and compares the picture.
        assert_eq!(master.unanswered(1), [Command::SendChanges]);
        master.answer(&reply_frame(0x85, &[]));
        master.asked(Command::SendBoard);
    }
}

/// One byte of a long log has bit 7 set. The bytes after it cannot be read, and the board keeps sending.
#[test]
fn nothing_is_asked_while_a_board_is_still_sending() {
    let mut master = Master::up(&[1025]);
    master.asked(Command::SendChanges);
    master.answer(&reply_frame(0x85, &[]));
    master.feed(master.now, LineInput::Request { address: 1025, command: Command::SendFromStart.to(1025) });
    master.asked(Command::SendFromStart);
    let mut log = reply_frame(0x86, &[0x7f; 1000]);
    log[300] |= 0x80;
    master.out.clear();
    master.advance(10);
    for bytes in log.chunks(16) {
        master.advance(17);
        master.feed(master.now, LineInput::Bytes(bytes));
        assert!(!master.out.iter().any(|output| matches!(output, LineOutput::Send(_))));
    }
    let quiet = master.now;
    master.asks();
    assert!(master.now.since(quiet).as_millis() >= 40);
    // A line on which a device never stops sending is asked nevertheless.
    let asked = master.now;
    master.out.clear();
    while !master.out.iter().any(|output| matches!(output, LineOutput::Send(_))) {
        master.feed(master.now, LineInput::Bytes(&[0x11]));
        master.advance(10);
        assert!(master.now.since(asked).as_secs() < 10);
    }
    assert!(master.now.since(asked).as_secs() >= 9);
}

#[test]
fn an_answer_counts_only_with_its_id_and_its_address() {
    let mut master = Master::up(&[1025]);
    master.asked(Command::SendClock);
    master.out.clear();
    master.answer(&reply_frame(0x87, &[]));
    let mut other = Vec::new();
    encode_reply(0x84, 1026, &CLOCK, &mut other);
    master.answer(&other);
    let unasked = |output: &&LineOutput| matches!(output, LineOutput::Anomaly { anomaly: Anomaly::Unasked, .. });
    assert_eq!((master.frames(), master.out.iter().filter(unasked).count()), (0, 2));
    master.answer(&reply_frame(0x84, &CLOCK));
    assert_eq!(master.frames(), 1);
}

#[test]
fn a_silent_board_is_reported_after_three_repeats_and_then_tried_once_a_cycle() {
    let mut master = Master::up(&[1025]);
    master.asked(Command::SendClock);
    assert_eq!(master.unanswered(3), [Command::SendClock; 3]);
    master.out.clear();
    master.advance(2000);
    assert!(master.out.contains(&LineOutput::Silent(1025)));
    let sent = |bytes: &[u8]| LineOutput::Send(bytes.to_vec());
    assert!(master.out.contains(&sent(&[0x4a])), "no board answers");
    let tries = master.out.iter().filter(|output| **output == sent(&Command::Ping.to(1025))).count();
    assert!((6..=11).contains(&tries), "{tries}");
    master.asked(Command::SendChanges);
}

#[test]
fn a_board_expected_later_is_reported_silent_and_tried_and_a_removed_one_costs_nothing() {
    let mut master = Master::up(&[1025]);
    master.asked(Command::SendClock);
    master.answer_well(Command::SendClock);
    for _ in 0..2 {
        master.feed(master.now, LineInput::Expect(77));
        assert_eq!(master.out.last(), Some(&LineOutput::Silent(77)));
    }
    let mut late = Vec::new();
    encode_reply(0x87, 77, &[], &mut late);
    let tried = (0..40).find(|_| match command(&master.asks()) {
        Some((Command::Ping, 77)) => true,
        Some((command, 1025)) => {
            master.answer_well(command);
            false
        }
        _ => false,
    });
    assert!(tried.is_some_and(|questions| questions <= 6), "{tried:?}");
    master.answer(&late);
    assert!(master.out.contains(&LineOutput::Answering(77)), "{:?}", master.out);
    assert!(master.line.boards().eq([1025, 77]));
    // The line asks a board while it answers, even if no driver expects it.
    master.feed(master.now, LineInput::Dismiss(77));
    assert!(master.line.boards().eq([1025, 77]));
    master.feed(master.now, LineInput::Expect(88));
    master.feed(master.now, LineInput::Dismiss(88));
    assert!(master.line.boards().eq([1025, 77]));
    // A value that is no address belongs to no board, and a board that answers is not silent.
    master.out.clear();
    for address in [0, 0x4000, 1025] {
        master.feed(master.now, LineInput::Expect(address));
    }
    assert!(master.out.is_empty() && master.line.boards().eq([1025, 77]), "{:?}", master.out);
}

#[test]
fn boards_come_and_go_during_discovery() {
    let mut master = Master::up(&[1025, 1026]);
    master.feed(master.now, LineInput::Expect(77));
    master.feed(master.now, LineInput::Dismiss(1026));
    while !master.line.polling() {
        let asked = command(&master.asks());
        assert_ne!(asked, Some((Command::Ping, 1026)));
        if let Some((command, 1025)) = asked {
            master.answer_well(command);
        }
    }
    assert!(master.line.boards().eq([1025, 77]));
    master.feed(master.now, LineInput::Down);
    master.feed(master.now, LineInput::Up);
    let asked: Vec<_> = (0..2).map(|_| command(&master.asks())).collect();
    assert_eq!(asked[0], Some((Command::Ping, 1025)), "{asked:?}");
}

#[test]
fn a_power_up_in_the_changes_asks_for_the_picture() {
    let mut master = Master::up(&[1025]);
    // The questions of the start are finished.
    for _ in 0..4 {
        master.asked(Command::SendChanges);
        master.answer(&reply_frame(0x85, &[]));
    }
    master.asked(Command::SendChanges);
    master.answer(&reply_frame(0x85, &[0x7f, 0x7f, 0x7f, 0x6a]));
    assert_eq!(master.unanswered(1), [Command::SendClock]);
    master.answer(&reply_frame(0x84, &CLOCK));
    assert_eq!(master.unanswered(1), [Command::SendBoard]);
}

#[test]
fn after_any_input_the_line_sends_only_questions() {
    campaign("questions on a line of DGT boards", 8..9, feed_any_input);
}

fn feed_any_input(seed: u64) -> u64 {
    const INPUTS: u64 = 100_000;
    let mut rng = fastrand::Rng::with_seed(seed);
    let good = [
        reply_frame(0x85, &[0x40, 0x34]),
        reply_frame(0x84, &CLOCK),
        reply_frame(0x87, &[]),
        reply_frame(0x89, &[1, 2]),
        picture(START),
    ];
    let mut master = Master::up(&[1025, 1026, 0, 0x4000]);
    let mut sent = 0;
    for _ in 0..INPUTS {
        master.until(Instant(master.now.micros() + rng.u64(0..30_000)));
        match rng.u16(..2000) {
            0 => master.feed(master.now, LineInput::Up),
            1 => master.feed(master.now, LineInput::Down),
            // The inputs hold every command, every kind of address, and nonsense.
            6..400 => {
                let address = [1025, 1026, 0, 77][rng.usize(..4)];
                let command = Command::ALL[rng.usize(..Command::ALL.len())].to(if rng.bool() { address } else { 0 });
                let command = if rng.u8(..4) == 0 { [rng.u8(..), rng.u8(..), rng.u8(..), rng.u8(..)] } else { command };
                master.feed(master.now, LineInput::Request { address, command });
            }
            2 => master.feed(master.now, LineInput::Dismiss(1025)),
            3..6 => master.feed(master.now, LineInput::Expect([1025, 1027, 0, 0x4000][rng.usize(..4)])),
            400..600 => {
                let noise: Vec<u8> = (0..rng.usize(..40)).map(|_| rng.u8(..)).collect();
                master.feed(master.now, LineInput::Bytes(&noise));
            }
            _ => {
                let mut bytes = good[rng.usize(..good.len())].clone();
                if rng.u8(..8) == 0 {
                    bytes.truncate(rng.usize(..bytes.len()));
                }
                master.feed(master.now, LineInput::Bytes(&bytes));
            }
        }
        for output in master.out.drain(..) {
            let LineOutput::Send(bytes) = output else { continue };
            sent += 1;
            assert!(bytes == [0x4a] || command(&bytes).is_some_and(|(command, _)| command.harmless()), "{bytes:x?}");
        }
    }
    assert!(sent > 1000, "{sent}");
    assert!(master.line.boards().count() <= 32);
    INPUTS
}
