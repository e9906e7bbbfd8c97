//! Emulates a Chessnut board, which in real-time mode sends the picture of all squares after a scan that found a difference
//! (`chessnut/README.md`). It also emulates the model Move, but it moves no piece by itself.
//!
//! [`Scan`] samples the squares one after another, so a piece that moves during a scan can be seen on two squares or on none.
//! The scan time of real boards is not known.

use std::time::Duration;

use flagfall_protocols::drivers::chessnut::framing::MAX_MESSAGE;
use flagfall_protocols::drivers::chessnut::host::HostCommand;
use flagfall_protocols::drivers::chessnut::message::{BY_CABLE, BY_RADIO, Message, squares};
use flagfall_protocols::square::{Placement, Square};
use flagfall_protocols::time::Instant;

use super::device::{Device, Kind, Sent, Start};
use super::emulator_core::EmulatorCore;
use super::line::Line;
use super::scan::Scan;
use super::script::Script;
use super::{Counters, Impossible};

/// The channel of positions and commands.
const POSITIONS: u8 = 0;
/// The channel of replies.
const REPLIES: u8 = 1;
/// The time after a command in which a board that acknowledges does not accept the next one.
const BUSY: Duration = Duration::from_millis(150);

/// The settings of an emulated Chessnut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChessnutSettings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// The time of one scan of all squares.
    pub scan: Duration,
    /// The time from a command's arrival to its answer.
    pub reply_delay: Duration,
    /// The largest size of one notification, in bytes.
    pub notification: usize,
    /// It is connected by cable: positions have their longer form, and every message arrives whole.
    pub cable: bool,
    /// The board acknowledges or refuses each command.
    pub acknowledges: bool,
    /// The time after which the same position is sent again. `None` sends it again when real-time mode is set again.
    pub repeats: Option<Duration>,
    /// It is a Move.
    pub moves: bool,
    /// Charge of the battery in percent.
    pub battery: u8,
}

/// The kinds of emulated Chessnut boards. A change is reported after at most two scans.
pub(super) const KINDS: &[Kind] = &[
    kind("chessnut", "", |start| begin(start, ChessnutSettings::default())),
    kind("chessnut", "acknowledges", |start| {
        begin(start, ChessnutSettings { acknowledges: true, repeats: None, ..ChessnutSettings::default() })
    }),
    kind("chessnut", "large notifications", |start| {
        begin(start, ChessnutSettings { notification: 182, ..ChessnutSettings::default() })
    }),
    kind("chessnut", "by cable", |start| begin(start, ChessnutSettings { cable: true, ..ChessnutSettings::default() })),
    kind("chessnut_move", "", |start| {
        begin(start, ChessnutSettings { moves: true, notification: 182, ..ChessnutSettings::default() })
    }),
];

const fn kind(driver: &'static str, variant: &'static str, start: fn(&Start) -> Box<dyn Device>) -> Kind {
    Kind { driver, variant, late: Duration::from_millis(2 * 150), learns: Duration::ZERO, start }
}

fn begin(start: &Start, settings: ChessnutSettings) -> Box<dyn Device> {
    Box::new(Chessnut::new(ChessnutSettings { placement: start.placement, ..settings }))
}

impl Default for ChessnutSettings {
    /// A board in the initial position, its battery half full, in notifications of the smallest size.
    fn default() -> ChessnutSettings {
        ChessnutSettings {
            placement: Placement::initial(),
            scan: Duration::from_millis(150),
            reply_delay: Duration::from_millis(15),
            notification: 20,
            cable: false,
            acknowledges: false,
            repeats: Some(Duration::from_secs(1)),
            moves: false,
            battery: 50,
        }
    }
}

/// A Chessnut that answers like real ones. Lights and beeps change nothing. Upload mode takes effect. Commands for upload mode,
/// stored games and moving pieces, and writes to another service, are counted as [`Counters::dangerous`].
#[derive(Clone, Debug)]
pub struct Chessnut {
    settings: ChessnutSettings,
    core: EmulatorCore,
    began: Instant,
    scan: Scan,
    /// Positions are reported.
    realtime: bool,
    /// The last position sent in this mode, and its time.
    sent: Option<(Placement, Instant)>,
    /// The next end of a scan is looked for after this moment.
    scanned_until: Instant,
    /// The time of the last command.
    commanded: Option<Instant>,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    ScanEnd,
    Again,
    Sample(Square),
}

impl Chessnut {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: ChessnutSettings) -> Chessnut {
        Chessnut {
            settings,
            core: EmulatorCore::new(
                settings.placement,
                Line::unpaced(if settings.cable { MAX_MESSAGE } else { settings.notification }),
            ),
            began: Instant::ZERO,
            scan: Scan::new(Instant::ZERO, settings.scan, settings.placement),
            realtime: false,
            sent: None,
            scanned_until: Instant::ZERO,
            commanded: None,
        }
    }

    fn power_up(&mut self) {
        (self.began, self.scanned_until) = (self.core.now, self.core.now);
        self.scan = Scan::new(self.began, self.settings.scan, self.core.seen());
        (self.realtime, self.sent, self.commanded) = (false, None, None);
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.core.next_motion().map(|at| (at, Next::Motion));
        if !self.core.powered {
            return motion;
        }
        let sample = self.scan.next(&self.core.seen(), self.core.now).map(|(at, square)| (at, Next::Sample(square)));
        let end = (self.realtime && self.differs()).then(|| (self.scan_end(), Next::ScanEnd));
        let last = self.sent.filter(|_| self.realtime).zip(self.settings.repeats);
        let again = last.map(|((_, at), repeats)| (at.after(repeats), Next::Again));
        [motion, sample, end, again].into_iter().flatten().min()
    }

    /// Returns whether the scan differs from the last sent position.
    fn differs(&self) -> bool {
        self.sent.is_none_or(|(sent, _)| sent != *self.scan.reported())
    }

    /// Returns the end of the scan that is under way after `scanned_until`.
    fn scan_end(&self) -> Instant {
        let period = self.settings.scan.max(Duration::from_micros(64));
        let done = self.scanned_until.since(self.began).as_micros() / period.as_micros();
        self.began.after(period.saturating_mul(done as u32 + 1))
    }

    fn run_until(&mut self, to: Instant) {
        while let Some((at, next)) = self.next_event().filter(|(at, _)| *at <= to) {
            self.core.advance_time(at);
            match next {
                Next::Motion => {
                    if self.core.carry_out_motion() == Some(true) {
                        self.power_up();
                    }
                }
                Next::Sample(square) => {
                    self.scanned_until = self.core.now;
                    self.scan.report(square, self.core.seen().get(square));
                }
                Next::ScanEnd => {
                    self.scanned_until = self.core.now;
                    self.send_position(Duration::ZERO);
                }
                Next::Again => self.send_position(Duration::ZERO),
            }
        }
        self.core.advance_time(to);
    }

    fn send_position(&mut self, after: Duration) {
        let picture = *self.scan.reported();
        self.sent = Some((picture, self.core.now));
        let counter = self.core.now.since(self.began).as_secs() as u32;
        self.send(
            POSITIONS,
            after,
            &Message::Board {
                length: if self.settings.cable { BY_CABLE } else { BY_RADIO },
                squares: squares(&picture),
                counter,
            },
        );
    }

    fn reply(&mut self, message: &Message) {
        self.send(REPLIES, self.settings.reply_delay, message);
    }

    fn send(&mut self, channel: u8, after: Duration, message: &Message) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.core.line.send_on(channel, self.core.now.after(after), &bytes);
    }

    /// Acknowledges or refuses a command that comes now. Returns whether it is accepted.
    fn accept_command(&mut self) -> bool {
        let now = self.core.now;
        let before = self.commanded.replace(now);
        if !self.settings.acknowledges {
            return true;
        }
        let ready = before.is_none_or(|before| now.since(before) >= BUSY);
        self.reply(if ready { &Message::Accepted } else { &Message::NotReady });
        ready
    }

    fn on_command(&mut self, command: HostCommand) {
        let counters = &mut self.core.counters;
        let percent = self.settings.battery.min(100);
        match command {
            HostCommand::Realtime if !self.realtime => {
                (self.realtime, self.sent, self.scanned_until) = (true, None, self.core.now)
            }
            HostCommand::Realtime if self.settings.repeats.is_none() => self.send_position(self.settings.reply_delay),
            HostCommand::Realtime => {}
            HostCommand::Battery => {
                let value = if self.settings.moves { 0 } else { percent };
                self.reply(&Message::Battery { value, flag: 0 });
            }
            HostCommand::Games => self.reply(&Message::Games(0)),
            HostCommand::MoveBattery if self.settings.moves => self.reply(&Message::MoveBattery { charging: 0, percent }),
            HostCommand::Kind if self.settings.moves => self.reply(&Message::Kind([0; 4])),
            HostCommand::Pieces if self.settings.moves => self.reply(&Message::Pieces),
            HostCommand::Upload => {
                counters.dangerous += 1;
                (self.realtime, self.sent) = (false, None);
            }
            HostCommand::Delete | HostCommand::TransferReady | HostCommand::Transfer(_) | HostCommand::Move { .. } => {
                counters.dangerous += 1;
            }
            HostCommand::Lights(_) | HostCommand::Beep { .. } | HostCommand::Beeper(_) | HostCommand::Colours(_) => {
                counters.lights += 1;
            }
            // The answers of real boards to the first three are not known.
            HostCommand::Version(_)
            | HostCommand::Name
            | HostCommand::Time
            | HostCommand::MoveBattery
            | HostCommand::Kind
            | HostCommand::Pieces
            | HostCommand::Unknown(_) => counters.unknown += 1,
        }
    }
}

impl Device for Chessnut {
    fn load(&mut self, script: &Script) {
        self.core.load(script);
    }

    /// One write contains one or more commands. The rest of an incomplete command is dropped.
    fn host(&mut self, at: Instant, channel: u8, bytes: &[u8]) {
        self.run_until(at.max(self.core.now));
        if !self.core.powered {
            return;
        }
        if channel != POSITIONS {
            self.core.counters.dangerous += 1;
            return;
        }
        let mut rest = bytes;
        while let Some((command, length)) = HostCommand::decode(rest) {
            rest = &rest[length..];
            if self.accept_command() {
                self.on_command(command);
            }
        }
        self.core.counters.stray += rest.len() as u64;
    }

    fn next(&self) -> Option<Instant> {
        let inner = self.next_event().map(|(at, _)| at);
        [inner, self.core.line.next()].into_iter().flatten().min()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        self.run_until(to);
        self.core.line.take_arrived(self.core.now, out);
    }

    fn done(&self) -> bool {
        let all_sent = !self.realtime || !self.differs();
        let reported = !self.core.powered || (all_sent && self.core.seen() == *self.scan.reported());
        self.core.next_motion().is_none() && reported && self.core.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        self.core.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.core.impossible()
    }
}
