//! Handles one question to a board at a time: its waiting time, its repetitions and its answer (`dgt_bus/README.md#7`).

use core::time::Duration;

use super::{Board, GAP, Line, LineOutput, Phase, Want, wire_time};
use crate::drivers::dgt::ee::{EeReader, EeTag};
use crate::drivers::dgt_bus::frame::{Command, Reply, reply};
use crate::event::{Anomaly, ByteRange};
use crate::time::Instant;

/// The longest delay of a board, by the page. The time on the wire is added.
const PATIENCE: Duration = Duration::from_millis(80);
/// The pause within an answer after which the rest counts as lost. An adapter may delay bytes for 16 ms.
const CUT: Duration = Duration::from_millis(40);
/// After an answer that occupies the line for longer than this, no other long answer is asked for at once.
const LONG: Duration = Duration::from_secs(1);
/// The longest waiting time for a line that is never quiet. The longest answer takes 8.3 s.
const MOST: Duration = Duration::from_secs(9);
/// The largest number of repetitions of a question.
const REPEATS: u8 = 3;
/// The number of consecutive failed questions after which a board without readable answers counts as silent.
const MOST_FAILED: u8 = 2;
/// The number of times that lost changes are asked for again before the log is asked for.
const REPEATED_CHANGES: u8 = 2;

/// The reason for a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A board is expected at this address.
    Expected,
    /// A known board must ignore the next ping to all.
    Quiet,
    /// It is the board's turn, or its driver wants it.
    Turn,
    /// A silent board is tried once.
    Try,
}

/// A question that was sent.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) address: u16,
    command: Command,
    why: Why,
    /// The number of repetitions so far.
    repeats: u8,
    asked: Instant,
    /// The time at which it is given up, unless an answer is on its way.
    end: Instant,
    /// Bytes came, perhaps only noise.
    pub(super) answered: bool,
}

/// Returns the length of the usual answer.
const fn usual_answer_length(command: Command) -> usize {
    match command {
        Command::SendClock => 13,
        Command::SendBoard => 70,
        Command::SendVersion => 8,
        // A move and its time. A longer answer is waited for when it has begun.
        Command::SendChanges | Command::RepeatChanges => 13,
        _ => 6,
    }
}

fn answers(command: Command, reply: &Reply<'_>) -> bool {
    match command {
        Command::SendClock => matches!(reply, Reply::Clock(_)),
        Command::SendBoard => matches!(reply, Reply::Board(_)),
        Command::SendChanges | Command::RepeatChanges => matches!(reply, Reply::Changes(_)),
        Command::SendFromStart => matches!(reply, Reply::FromStart(_)),
        Command::SendVersion => matches!(reply, Reply::Version(_)),
        _ => matches!(reply, Reply::Ping),
    }
}

impl Line {
    /// Returns the time at which the question is given up: when the line is quiet, whether the bytes are readable or not. A
    /// board that is still sending would not receive the next question.
    pub(super) fn ends(&self, exchange: &Exchange) -> Instant {
        // The length in the frame is ignored, because it may be the garbage of two boards.
        let quiet = if self.touched > exchange.asked { self.touched.after(CUT) } else { exchange.end };
        exchange.end.max(quiet.min(exchange.asked.after(MOST)))
    }

    pub(super) fn ask(&mut self, at: Instant, address: u16, command: Command, why: Why) {
        self.send_question(at, Exchange { address, command, why, repeats: 0, asked: at, end: at, answered: false });
    }

    fn send_question(&mut self, at: Instant, exchange: Exchange) {
        // Bytes from before the question are no answer to it.
        if let Some(range) = self.reader.give_up() {
            self.anomaly(exchange.address, Anomaly::Stalled, range);
        }
        self.send(&exchange.command.to(exchange.address));
        let end = at.after(wire_time(4 + usual_answer_length(exchange.command)) + PATIENCE);
        self.exchange = Some(Exchange { asked: at, end, ..exchange });
    }

    /// Handles a whole good frame.
    pub(super) fn handle_frame(&mut self, at: Instant, frame: alloc::vec::Vec<u8>, range: ByteRange) {
        let Some((address, reply)) = reply(&frame) else { return };
        let listening = matches!(&self.phase, Phase::Discover(discovery) if discovery.listens().is_some());
        if self.exchange.is_none() && listening && address != 0 && reply == Reply::Ping {
            if self.add_board(at, address)
                && let Phase::Discover(discovery) = &mut self.phase
            {
                discovery.record_news();
            }
            return self.out.push_back(LineOutput::Frame { address, bytes: frame });
        }
        let Some(exchange) = self.exchange.take_if(|own| own.address == address && answers(own.command, &reply)) else {
            let asked = self.exchange.as_ref().map_or(0, |exchange| exchange.address);
            self.anomaly(asked, Anomaly::Unasked, range);
            // The frame is dropped, except for changes: the board has removed them from its list, and the driver recognises a
            // repeated packet.
            if let (Reply::Changes([_, ..]), Some(_)) = (reply, self.board(address)) {
                self.out.push_back(LineOutput::Frame { address, bytes: frame });
            }
            return;
        };
        self.free_line(at, &exchange);
        if exchange.why == Why::Expected {
            self.add_board(at, address);
        }
        self.handle_answer(at, &exchange, &reply);
        // If the board missed the previous question, the packet is an older one. An empty old packet must not be compared with
        // a picture.
        if exchange.command == Command::RepeatChanges && reply == Reply::Changes(&[]) {
            return;
        }
        self.out.push_back(LineOutput::Frame { address, bytes: frame });
    }

    /// Adds a board that was found. Returns true if it was not known.
    fn add_board(&mut self, at: Instant, address: u16) -> bool {
        if self.board(address).is_some() || self.boards.len() >= super::MAX_BOARDS {
            return false;
        }
        self.boards.push(Board::new(address, at));
        self.out.push_back(LineOutput::Found(address));
        self.mark_answering(address);
        true
    }

    fn mark_answering(&mut self, address: u16) {
        let Some(board) = self.board(address) else { return };
        if !core::mem::replace(&mut board.answering, true) {
            board.want(Want::Version);
            board.want(Want::Board);
            self.out.push_back(LineOutput::Answering(address));
        }
    }

    /// Frees the line after an exchange.
    fn free_line(&mut self, at: Instant, exchange: &Exchange) {
        self.free = at.after(GAP);
        if exchange.command == Command::SendFromStart && at.since(exchange.asked) > LONG {
            self.logged = Some(at);
        }
    }

    fn handle_answer(&mut self, at: Instant, exchange: &Exchange, reply: &Reply<'_>) {
        self.mark_answering(exchange.address);
        let Some(board) = self.board(exchange.address) else { return };
        board.failed = 0;
        match reply {
            Reply::Board(_) => board.pictured = at,
            Reply::Clock(raw) => board.record_clock(at, raw),
            Reply::FromStart(_) => board.logs = 0,
            Reply::Changes(data) => {
                board.unsure = false;
                let restarted = |tag: EeTag| matches!(tag, EeTag::PowerUp | EeTag::Watchdog(_));
                if EeReader::new(data).any(|(tag, _)| restarted(tag)) {
                    board.want(Want::Board);
                }
            }
            _ => {}
        }
    }

    /// Handles the end of a question without a readable answer.
    pub(super) fn handle_no_answer(&mut self, at: Instant) {
        let Some(mut exchange) = self.exchange.take() else { return };
        self.free_line(at, &exchange);
        exchange.repeats += 1;
        let changes = matches!(exchange.command, Command::SendChanges | Command::RepeatChanges);
        let most = match exchange.why {
            Why::Try => 0,
            _ if exchange.command == Command::SendFromStart && exchange.answered => 0,
            _ if changes => REPEATED_CHANGES,
            _ => REPEATS,
        };
        if exchange.repeats <= most {
            // The board has already removed the changes from its list.
            if changes {
                exchange.command = Command::RepeatChanges;
            }
            self.anomaly(exchange.address, Anomaly::Retried, self.here());
            return self.send_question(at, exchange);
        }
        self.give_up_question(&exchange, changes);
    }

    fn give_up_question(&mut self, exchange: &Exchange, changes: bool) {
        let address = exchange.address;
        let expected = exchange.why == Why::Expected;
        let Some(board) = self.board(address) else {
            if expected && let Phase::Discover(discovery) = &mut self.phase {
                discovery.record_missing(address);
            }
            return;
        };
        // A packet that was asked for at two turns is lost, or the board has none. Then new changes are asked for, and the
        // picture shows the rest.
        let lost = changes && board.unsure;
        if changes {
            board.unsure = !lost;
            // The picture shows the real state. The game decides whether the log is needed too.
            board.want(Want::Board);
        }
        // A broken log has occupied the line for long, so it is repeated after the turns of the other boards.
        if exchange.command == Command::SendFromStart && exchange.answered && board.logs < REPEATS {
            board.logs += 1;
            board.want(Want::FromStart);
        }
        board.failed = board.failed.saturating_add(1);
        // A missing answer to the request for a lost packet is no silence, because a board without a packet may not answer.
        // Answers that are only garbage count as silence.
        let silent = (!exchange.answered && !lost) || board.failed >= MOST_FAILED;
        if silent && core::mem::replace(&mut board.answering, false) {
            board.short = false;
            self.steps.clear();
            self.out.push_back(LineOutput::Silent(address));
        }
    }
}
