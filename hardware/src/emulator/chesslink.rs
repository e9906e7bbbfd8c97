//! Emulates a Millennium board, which sends the picture of all squares after a scan that found a difference
//! (`chesslink/README.md`).
//!
//! [`Scan`] samples the squares one after another, so a piece that moves during a scan can be seen on two squares or on none.

use std::time::Duration;

use flagfall_protocols::drivers::chesslink::framing::{Framed, Framing, Speaker, with_parity};
use flagfall_protocols::drivers::chesslink::host::{HostCommand, REPORTS, SCAN_STEP_US, SCAN_TIME, SHORTEST_SCAN};
use flagfall_protocols::drivers::chesslink::message::{Message, letters};
use flagfall_protocols::square::{Placement, Square};
use flagfall_protocols::time::Instant;

use super::device::{Device, Kind, Sent, Start};
use super::emulator_core::EmulatorCore;
use super::line::Line;
use super::scan::Scan;
use super::script::Script;
use super::{Counters, Impossible};

/// The speed of a board by cable, in baud.
const BAUD: u64 = 38_400;

/// Defines when an emulated Millennium board sends pictures of all squares by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// After every scan.
    EveryScan,
    /// Never: the host must ask.
    Never,
    /// After a scan that differs from the last sent picture, when `equal` scans were equal.
    Changes {
        /// The number of equal scans, 1 to 5; 1 = at once.
        equal: u8,
    },
}

/// The settings of an emulated Millennium board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChesslinkSettings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// The time of one scan of all squares, 31 ms to 0.52 s, rounded to steps of 2.048 ms.
    pub scan: Duration,
    /// When it sends pictures by itself.
    pub reports: Reports,
    /// The time from a command's arrival to the first byte of its answer.
    pub reply_delay: Duration,
    /// Bytes leave at the pace of 38400 baud. Otherwise each message leaves at once, as by Bluetooth.
    pub paced: bool,
    /// Bytes carry odd parity in bit 7, as older boards send them.
    pub parity: bool,
    /// Firmware version, major and minor.
    pub version: (u8, u8),
    /// It identifies its pieces.
    pub names: bool,
}

/// The kinds of emulated Millennium boards. Two scans may pass before the board notices a change, and the picture needs its
/// time on the line.
pub(super) const KINDS: &[Kind] = &[
    kind("chesslink", "", 2 * 41 + 25, |start| begin(start, Reports::Changes { equal: 1 }, true, false)),
    kind("chesslink", "changes after three scans, parity", 4 * 41 + 25, |start| {
        begin(start, Reports::Changes { equal: 3 }, true, true)
    }),
    kind("chesslink", "every scan", 2 * 41 + 25, |start| begin(start, Reports::EveryScan, true, true)),
    // The host asks every 100 ms, and the answer takes 23 ms.
    kind("chesslink", "when asked", 41 + 100 + 50, |start| begin(start, Reports::Never, true, false)),
    kind("chesslink", "changes, not paced", 2 * 41 + 25, |start| begin(start, Reports::Changes { equal: 1 }, false, false)),
    kind("chesslink_eone", "", 2 * 41 + 25, |start| {
        Box::new(Chesslink::new(ChesslinkSettings { placement: start.placement, ..ChesslinkSettings::eone() }))
    }),
];

const fn kind(driver: &'static str, variant: &'static str, late_ms: u64, start: fn(&Start) -> Box<dyn Device>) -> Kind {
    Kind { driver, variant, late: Duration::from_millis(late_ms), learns: Duration::ZERO, start }
}

fn begin(start: &Start, reports: Reports, paced: bool, parity: bool) -> Box<dyn Device> {
    let usual = ChesslinkSettings::default();
    Box::new(Chesslink::new(ChesslinkSettings { placement: start.placement, reports, paced, parity, ..usual }))
}

impl ChesslinkSettings {
    /// The settings of an eONE over Bluetooth LE, which reports every piece as a white pawn.
    pub fn eone() -> ChesslinkSettings {
        ChesslinkSettings { version: (2, 0), paced: false, names: false, ..ChesslinkSettings::default() }
    }
}

impl Default for ChesslinkSettings {
    /// A board by cable in the initial position that reports changes.
    fn default() -> ChesslinkSettings {
        ChesslinkSettings {
            placement: Placement::initial(),
            scan: Duration::from_millis(41),
            reports: Reports::Changes { equal: 1 },
            reply_delay: Duration::from_millis(5),
            paced: true,
            parity: false,
            version: (1, 3),
            names: true,
        }
    }
}

/// A Millennium board that answers like real ones.
///
/// Lights are counted and acknowledged; settings that are written are counted as [`Counters::dangerous`], acknowledged, and
/// valid until the board is switched off. A reset is also counted there and not carried out.
#[derive(Clone, Debug)]
pub struct Chesslink {
    settings: ChesslinkSettings,
    core: EmulatorCore,
    decoder: Framing,
    memory: [u8; 256],
    began: Instant,
    scan: Scan,
    /// The last sent picture.
    sent: Option<Placement>,
    /// The picture of the last scan that differed from it, and the number of consecutive scans that showed it.
    steady: (Placement, u8),
    /// The next end of a scan is looked for after this moment.
    scanned_until: Instant,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    ScanEnd,
    Sample(Square),
}

impl Chesslink {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: ChesslinkSettings) -> Chesslink {
        let line = if settings.paced { Line::serial(BAUD) } else { Line::unpaced(usize::MAX) };
        let mut board = Chesslink {
            settings,
            core: EmulatorCore::new(settings.placement, line),
            decoder: Framing::new(Speaker::Host),
            memory: [0; 256],
            began: Instant::ZERO,
            scan: Scan::new(Instant::ZERO, Duration::ZERO, settings.placement),
            sent: None,
            steady: (settings.placement, 0),
            scanned_until: Instant::ZERO,
        };
        board.power_up();
        board
    }

    fn power_up(&mut self) {
        let steps = (self.settings.scan.as_micros() as u64 + SCAN_STEP_US / 2) / SCAN_STEP_US;
        self.memory[usize::from(SCAN_TIME)] = steps.clamp(SHORTEST_SCAN.into(), 255) as u8;
        self.memory[usize::from(REPORTS)] = match self.settings.reports {
            Reports::EveryScan => 0,
            Reports::Never => 1,
            Reports::Changes { equal } => 2 + equal.clamp(1, 5),
        };
        self.decoder.reset();
        self.sent = None;
        self.begin_scan();
    }

    fn begin_scan(&mut self) {
        (self.began, self.scanned_until) = (self.core.now, self.core.now);
        self.scan = Scan::new(self.began, self.period(), self.core.seen());
        self.steady.1 = 0;
    }

    fn period(&self) -> Duration {
        Duration::from_micros(u64::from(self.memory[usize::from(SCAN_TIME)].max(SHORTEST_SCAN)) * SCAN_STEP_US)
    }

    /// Returns the number of equal scans that make a report; `None` if the board sends no reports.
    fn needed(&self) -> Option<u8> {
        match self.memory[usize::from(REPORTS)] {
            0 | 3 => Some(1),
            more @ 4..=7 => Some(more - 2),
            _ => None,
        }
    }

    fn reports_always(&self) -> bool {
        self.memory[usize::from(REPORTS)] == 0
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.core.next_motion().map(|at| (at, Next::Motion));
        if !self.core.powered {
            return motion;
        }
        let sample = self.scan.next(&self.core.seen(), self.core.now).map(|(at, square)| (at, Next::Sample(square)));
        let differs = self.sent.as_ref() != Some(self.scan.reported());
        let end = (self.needed().is_some() && (differs || self.reports_always())).then(|| (self.scan_end(), Next::ScanEnd));
        [motion, sample, end].into_iter().flatten().min()
    }

    /// Returns the end of the scan that is under way after `scanned_until`.
    fn scan_end(&self) -> Instant {
        let period = self.period();
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
                    if self.sent.as_ref() == Some(self.scan.reported()) {
                        self.steady.1 = 0;
                    }
                }
                Next::ScanEnd => self.end_scan(),
            }
        }
        self.core.advance_time(to);
    }

    fn end_scan(&mut self) {
        self.scanned_until = self.core.now;
        let picture = *self.scan.reported();
        let before = if self.steady.0 == picture { self.steady.1 } else { 0 };
        self.steady = (picture, before.saturating_add(1));
        if self.needed().is_some_and(|needed| self.steady.1 >= needed) {
            self.send_picture(Duration::ZERO);
        }
    }

    fn send_picture(&mut self, after: Duration) {
        let picture = *self.scan.reported();
        self.sent = Some(picture);
        self.steady.1 = 0;
        let mut text = letters(&picture);
        if !self.settings.names {
            text.iter_mut().filter(|letter| **letter != b'.').for_each(|letter| *letter = b'P');
        }
        self.send(after, &Message::Board(&text));
    }

    fn send(&mut self, after: Duration, message: &Message<'_>) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        if self.settings.parity {
            bytes.iter_mut().for_each(|letter| *letter = with_parity(*letter));
        }
        self.core.line.send(self.core.now.after(after), &bytes);
    }

    fn on_command(&mut self, text: &[u8]) {
        let soon = self.settings.reply_delay;
        match HostCommand::decode(text) {
            Some(HostCommand::Version) => {
                let (major, minor) = self.settings.version;
                self.send(soon, &Message::Version { major, minor });
            }
            Some(HostCommand::Board) => self.send_picture(soon),
            Some(HostCommand::Read { address }) => {
                self.send(soon, &Message::Setting { address, value: self.memory[usize::from(address)] });
            }
            Some(HostCommand::Write { address, value }) => {
                self.core.counters.dangerous += 1;
                self.memory[usize::from(address)] = value;
                self.begin_scan();
                self.send(soon, &Message::Written { address, value });
            }
            Some(HostCommand::Lights(_)) => {
                self.core.counters.lights += 1;
                self.send(soon, &Message::Lit);
            }
            Some(HostCommand::LightsOut) => {
                self.core.counters.lights += 1;
                self.send(soon, &Message::Unlit);
            }
            Some(HostCommand::Reset) => self.core.counters.dangerous += 1,
            Some(HostCommand::Other(_)) | None => self.core.counters.unknown += 1,
        }
    }
}

impl Device for Chesslink {
    fn load(&mut self, script: &Script) {
        self.core.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.run_until(at.max(self.core.now));
        if !self.core.powered {
            return;
        }
        for &byte in bytes {
            let text = match self.decoder.push(byte) {
                None => continue,
                Some(Framed::Message { text, .. }) => text.to_vec(),
                Some(Framed::Anomaly { .. }) => {
                    self.core.counters.stray += 1;
                    continue;
                }
            };
            self.on_command(&text);
        }
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
        let all_sent = self.needed().is_none() || self.sent.as_ref() == Some(self.scan.reported());
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
