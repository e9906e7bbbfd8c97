//! Emulates a DGT Pegasus, which scans all squares at once, many times a second, and reports each square where a piece was put
//! down or lifted (`dgt_pegasus/README.md#4`).

use std::time::Duration;

use flagfall_protocols::drivers::dgt::board::{BatteryReport, BoardMessage};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::drivers::dgt_pegasus::code;
use flagfall_protocols::drivers::dgt_pegasus::host::{HostCommand, HostDecoder, Query};
use flagfall_protocols::square::{Placement, Square};
use flagfall_protocols::time::Instant;

use super::device::{Device, Kind, Sent, Start};
use super::emulator_core::EmulatorCore;
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// The settings of an emulated Pegasus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PegasusSettings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// The time from one scan to the next, 50 to 100 ms.
    pub poll: Duration,
    /// The time from a command's arrival to its answer.
    pub reply_delay: Duration,
    /// The largest size of one notification, in bytes.
    pub notification: usize,
    /// Serial number, 0..=99999.
    pub serial: u32,
    /// Firmware version, major and minor.
    pub version: (u8, u8),
    /// Charge of the battery in percent.
    pub battery: u8,
}

/// The kinds of emulated Pegasus boards. The delay of a report is that of the slowest scan.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        driver: "dgt_pegasus",
        variant: "",
        late: Duration::from_millis(50),
        learns: Duration::ZERO,
        start: |start| Box::new(Pegasus::new(settings(start))),
    },
    Kind {
        driver: "dgt_pegasus",
        variant: "slow",
        late: Duration::from_millis(100),
        learns: Duration::ZERO,
        start: |start| Box::new(Pegasus::new(PegasusSettings { poll: Duration::from_millis(100), ..settings(start) })),
    },
];

fn settings(start: &Start) -> PegasusSettings {
    PegasusSettings { placement: start.placement, serial: start.serial.into(), ..PegasusSettings::default() }
}

impl Default for PegasusSettings {
    /// A board in the initial position, its battery half full, in notifications of the smallest size.
    fn default() -> PegasusSettings {
        PegasusSettings {
            placement: Placement::initial(),
            poll: Duration::from_millis(50),
            reply_delay: Duration::from_millis(15),
            notification: 20,
            serial: 1025,
            version: (1, 0),
            battery: 50,
        }
    }
}

/// A Pegasus that answers like real ones. Lights and keys change nothing. Modes with a clock are counted as
/// [`Counters::dangerous`].
#[derive(Clone, Debug)]
pub struct Pegasus {
    settings: PegasusSettings,
    core: EmulatorCore,
    decoder: HostDecoder,
    began: Instant,
    /// The codes of the last scan, a8 first.
    codes: [u8; 64],
    /// The board reports changes.
    updates: bool,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Scan,
}

impl Pegasus {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: PegasusSettings) -> Pegasus {
        Pegasus {
            settings,
            core: EmulatorCore::new(settings.placement, Line::unpaced(settings.notification)),
            decoder: HostDecoder::default(),
            began: Instant::ZERO,
            codes: codes(&settings.placement),
            updates: false,
        }
    }

    fn power_up(&mut self) {
        self.began = self.core.now;
        self.codes = codes(&self.core.seen());
        self.updates = false;
        self.decoder.reset();
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.core.next_motion().map(|at| (at, Next::Motion));
        // A scan that finds no change is skipped.
        let differs = self.core.powered && codes(&self.core.seen()) != self.codes;
        let scan = differs.then(|| (self.next_scan(), Next::Scan));
        [motion, scan].into_iter().flatten().min()
    }

    /// Returns the time of the next scan, now or later.
    fn next_scan(&self) -> Instant {
        let period = self.settings.poll.clamp(Duration::from_millis(50), Duration::from_millis(100)).as_micros() as u64;
        let waited = self.core.now.since(self.began).as_micros() as u64;
        self.began.after(Duration::from_micros(waited.div_ceil(period).saturating_mul(period)))
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
                Next::Scan => self.scan_squares(),
            }
        }
        self.core.advance_time(to);
    }

    fn scan_squares(&mut self) {
        let seen = codes(&self.core.seen());
        let before = std::mem::replace(&mut self.codes, seen);
        for (index, (code, before)) in (0u8..).zip(seen.into_iter().zip(before)) {
            if code != before && self.updates {
                self.send(Duration::ZERO, &BoardMessage::Field { index, code });
            }
        }
    }

    fn send(&mut self, after: Duration, message: &BoardMessage<'_>) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.core.line.send(self.core.now.after(after), &bytes);
    }

    fn on_command(&mut self, command: &HostCommand) {
        match command {
            HostCommand::Query(query) => self.answer_query(*query),
            HostCommand::Lights { .. } | HostCommand::LightsOut => self.core.counters.lights += 1,
            HostCommand::Unknown(0x43 | 0x4b) => self.core.counters.dangerous += 1,
            HostCommand::DeveloperKey | HostCommand::Unknown(_) => self.core.counters.unknown += 1,
        }
    }

    fn answer_query(&mut self, query: Query) {
        let serial = self.settings.serial % 100_000;
        let (major, minor) = self.settings.version;
        let soon = self.settings.reply_delay;
        match query {
            // A real board does not answer this.
            Query::Reset => self.updates = false,
            Query::Updates => self.updates = true,
            Query::Board => self.send(soon, &BoardMessage::Board(&self.codes.clone())),
            Query::Serial => self.send(soon, &BoardMessage::Serial(format!("{serial:05}").as_bytes())),
            Query::Trademark => {
                let text = format!("flagfall emulated board\r\nsoftware version: {major}.{minor:02}\r\nserial no: {serial:05}");
                self.send(soon, &BoardMessage::Trademark(text.as_bytes()));
            }
            Query::HardwareVersion => self.send(soon, &BoardMessage::HardwareVersion { major: 1, minor: 0 }),
            Query::Battery => {
                let report = BatteryReport { percent: self.settings.battery.min(100), status: 2, ..BatteryReport::default() };
                self.send(soon, &BoardMessage::Battery(report));
            }
            Query::Version => self.send(soon, &BoardMessage::Version { major, minor }),
            Query::LongSerial => {
                let text = format!("P{serial:09}");
                if let Ok(text) = text.as_bytes().try_into() {
                    self.send(soon, &BoardMessage::LongSerial(text));
                }
            }
            Query::LockState => self.send(soon, &BoardMessage::LockState(0)),
            Query::KeyState => self.send(soon, &BoardMessage::KeyState(0)),
        }
    }
}

/// Returns the codes of the sensors for these pieces, a8 first.
fn codes(placement: &Placement) -> [u8; 64] {
    let mut codes = [0; 64];
    for square in Square::all() {
        codes[usize::from(squares::index(square))] = code(placement.get(square));
    }
    codes
}

impl Device for Pegasus {
    fn load(&mut self, script: &Script) {
        self.core.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.run_until(at.max(self.core.now));
        if !self.core.powered {
            return;
        }
        for &byte in bytes {
            if let Some(command) = self.decoder.push(byte) {
                self.on_command(&command);
            }
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
        let all_sent = !self.core.powered || codes(&self.core.seen()) == self.codes;
        self.core.next_motion().is_none() && all_sent && self.core.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        self.core.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.core.impossible()
    }
}
