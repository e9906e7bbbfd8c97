//! The master of a line of DGT boards gets noise, answers to its questions, and answers without a question.

use flagfall_protocols::drivers::dgt_bus::frame::{Command, command, encode_reply, reply};
use flagfall_protocols::drivers::dgt_bus::line::{Line, LineInput, LineOutput, MAX_BOARDS};
use flagfall_protocols::time::Instant;

use super::{Source, random};

const EXPECTED: [u16; 3] = [1025, 6685, 16_383];

struct Master {
    line: Line,
    now: Instant,
    seen: u64,
    /// The last question.
    asked: Option<(Command, u16)>,
    frames: u64,
    polled: bool,
}

impl Master {
    fn feed(&mut self, at: Instant, input: LineInput<'_>) {
        self.line.handle(at, input);
        while let Some(output) = self.line.poll() {
            match output {
                LineOutput::Send(bytes) => {
                    self.asked = command(&bytes);
                    assert!(bytes == [0x4a] || self.asked.is_some_and(|(command, _)| command.harmless()), "{bytes:x?}");
                }
                LineOutput::Frame { address, bytes } => {
                    assert!(address != 0 && reply(&bytes).is_some_and(|(from, _)| from == address), "{bytes:x?}");
                    self.frames += 1;
                }
                LineOutput::Anomaly { bytes, .. } => assert!(bytes.start <= bytes.end && bytes.end <= self.seen),
                LineOutput::Answering(address) | LineOutput::Silent(address) | LineOutput::Found(address) => {
                    assert_ne!(address, 0);
                }
            }
        }
        assert!(self.line.deadline().is_none_or(|deadline| deadline >= at), "time does not run backwards");
        assert!(self.line.boards().count() <= MAX_BOARDS);
        self.polled |= self.line.polling();
    }

    fn advance(&mut self, to: Instant) {
        let mut same = (Instant::ZERO, 0);
        while let Some(deadline) = self.line.deadline().filter(|deadline| *deadline < to) {
            same = if same.0 == deadline { (deadline, same.1 + 1) } else { (deadline, 0) };
            assert!(same.1 < 10, "a deadline that is fed must go away: {deadline:?}");
            self.feed(deadline, LineInput::Deadline);
        }
        self.now = to;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        self.feed(self.now, LineInput::Bytes(bytes));
    }
}

/// Appends the answer of a board to the question, with random data of the right length. Now and then another board answers.
fn answer(rng: &mut fastrand::Rng, asked: Option<(Command, u16)>, bytes: &mut Vec<u8>) {
    let (question, to) = asked.unwrap_or((Command::Ping, 0));
    let (id, len) = match question {
        Command::SendClock => (0x84, 7),
        Command::SendBoard => (0x83, 64),
        Command::SendChanges | Command::RepeatChanges => (0x85, rng.usize(..12)),
        Command::SendFromStart => (0x86, rng.usize(..500)),
        Command::SendVersion => (0x89, 2),
        _ => (0x87, 0),
    };
    let address = if to == 0 || rng.u8(..50) == 0 { rng.u16(1..=16_383) } else { to };
    let data: Vec<u8> = (0..len).map(|_| rng.u8(..0x80)).collect();
    bytes.clear();
    encode_reply(id, address, &data, bytes);
}

/// Feeds `total` bytes.
pub(crate) fn line(total: usize, seed: u64) {
    let (mut source, mut rng) = (Source::new("dgt_bus", total, seed), random(6, seed));
    let line = Line::new(&EXPECTED);
    let mut master = Master { line, now: Instant::ZERO, seen: 0, asked: None, frames: 0, polled: false };
    let mut bytes = Vec::new();
    master.feed(Instant::ZERO, LineInput::Up);
    while master.seen < total as u64 {
        // Mostly the answer comes as soon as a good board answers, now and then only after the line's time limit.
        let span = match rng.u8(..200) {
            0 => 3_000_000,
            1..50 => 200_000,
            _ => 20_000,
        };
        master.advance(Instant(master.now.micros() + rng.u64(..span)));
        if rng.u8(..4) == 0 {
            let Some(noise) = source.next() else { break };
            bytes.clear();
            bytes.extend_from_slice(noise);
        } else {
            answer(&mut rng, master.asked, &mut bytes);
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rng.usize(1..=rest.len()));
            master.bytes(piece);
            rest = after;
            if rng.u8(..8) == 0 {
                master.advance(Instant(master.now.micros() + rng.u64(..60_000)));
            }
        }
        let at = master.now;
        match rng.u16(..20_000) {
            0 => {
                master.feed(at, LineInput::Down);
                master.feed(at, LineInput::Up);
            }
            1..=3 => master.feed(at, LineInput::Up),
            4..=400 => {
                let address = EXPECTED[rng.usize(..EXPECTED.len())];
                let to = if rng.u8(..4) == 0 { 0 } else { address };
                let command = Command::ALL[rng.usize(..Command::ALL.len())].to(to);
                master.feed(at, LineInput::Request { address, command });
            }
            401..=420 => master.feed(at, LineInput::Dismiss(EXPECTED[rng.usize(..EXPECTED.len())])),
            421..=460 => master.feed(at, LineInput::Expect(EXPECTED[rng.usize(..EXPECTED.len())])),
            _ => {}
        }
    }
    assert!(master.polled && master.frames > total as u64 / 1000, "{} answers of {total} bytes", master.frames);
}
