//! Answers the commands of a host as a DGT board does (`dgt/README.md#3`, `dgt/README.md#4`, `dgt/README.md#5` and
//! `dgt/README.md#10`).

use flagfall_protocols::drivers::dgt::board::{BatteryReport, BoardMessage};
use flagfall_protocols::drivers::dgt::clock::ClockAck;
use flagfall_protocols::drivers::dgt::host::{ClockCommand, HostMessage, Query};
use flagfall_protocols::drivers::dgt::host_decoder::HostItem;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;

use super::board::Emulator;
use super::clock::Clock;
use super::port::Reporting;

/// The reports that the DGT board sends by itself. In bus mode it sends none, as in IDLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Idle,
    UpdateBoard,
    Update,
    UpdateNice,
}

impl Mode {
    pub(super) const fn reports_clock(self) -> bool {
        matches!(self, Mode::Update | Mode::UpdateNice)
    }

    pub(super) const fn reporting(self) -> Reporting {
        match self {
            Mode::Idle | Mode::UpdateBoard => Reporting::Never,
            Mode::Update => Reporting::OnChangeAndEverySecond,
            Mode::UpdateNice => Reporting::OnChange,
        }
    }
}

impl Emulator {
    /// Passes bytes of the host that arrive at `at`. The board first does everything that is due until then.
    pub fn host(&mut self, at: Instant, bytes: &[u8]) {
        self.run_until(at.max(self.now));
        if !self.powered {
            return;
        }
        for &byte in bytes {
            match self.decoder.push(byte) {
                None => {}
                // In bus mode the board is IDLE already, so entering single mode changes nothing but the decoder.
                Some(HostItem::Message(message)) => self.on_command(message),
                Some(HostItem::Bus { .. }) => {
                    self.mode = Mode::Idle;
                    self.counters.bus += 1;
                }
                Some(HostItem::Broken | HostItem::Stray(_)) => self.counters.stray += 1,
            }
        }
    }

    /// Sets the state that a former host left: single-board mode, with reports, in the middle of a board dump.
    pub(super) fn begin_mid_message(&mut self) {
        self.host(self.now, &[Query::UpdateNice as u8]);
        let mut dump = Vec::new();
        BoardMessage::Board(&self.codes()).encode(&mut dump);
        self.line.send(self.now, &dump[40..]);
    }

    fn on_command(&mut self, message: HostMessage) {
        match message {
            HostMessage::Query(query) => self.answer_query(query),
            HostMessage::ToBusMode => self.mode = Mode::Idle,
            HostMessage::Clock(command) => self.acknowledge_clock_command(command),
            HostMessage::Lights { .. } | HostMessage::LightsRaw(_) => self.counters.lights += 1,
            HostMessage::StartBootloader | HostMessage::ScanBlack | HostMessage::ScanWhite | HostMessage::ScanAll => {
                self.counters.dangerous += 1;
            }
            HostMessage::BlackSquares | HostMessage::WhiteSquares | HostMessage::I2cClock(_) | HostMessage::Unknown(_) => {
                self.counters.unknown += 1;
            }
        }
    }

    fn answer_query(&mut self, query: Query) {
        let serial = self.settings.serial;
        match query {
            Query::Reset => self.mode = Mode::Idle,
            Query::Update => self.set_mode(Mode::Update),
            Query::UpdateBoard => self.set_mode(Mode::UpdateBoard),
            Query::UpdateNice => self.set_mode(Mode::UpdateNice),
            Query::Clock => {
                if let Some(message) = self.port.query() {
                    self.reply(&BoardMessage::Clock(message.encode()));
                }
            }
            Query::Board => self.reply(&BoardMessage::Board(&self.codes())),
            Query::Serial => self.reply(&BoardMessage::Serial(format!("{serial:05}").as_bytes())),
            Query::BusAddress => self.reply(&BoardMessage::BusAddress(serial & 0x3fff)),
            Query::Trademark => {
                let (major, minor) = self.settings.version;
                let text = format!("flagfall emulated board\r\nVs {major}.{minor:02}. Serial nr. {serial:05}");
                self.reply(&BoardMessage::Trademark(text.as_bytes()));
            }
            Query::HardwareVersion => self.reply(&BoardMessage::HardwareVersion { major: 1, minor: 0 }),
            Query::EeMoves => self.send_log(),
            // A board by cable is asked too, and it does not answer.
            Query::Battery => {
                if let Some(percent) = self.settings.battery {
                    let unknown = BatteryReport { left: [0x7f; 2], on: [0x7f; 2], standby: [0x7f; 3], ..Default::default() };
                    self.reply(&BoardMessage::Battery(BatteryReport { percent: percent.min(100), status: 0x02, ..unknown }));
                }
            }
            Query::Version => {
                let (major, minor) = self.settings.version;
                self.reply(&BoardMessage::Version { major, minor });
            }
            Query::LongSerial => {
                let mut text = [b'0'; 10];
                text[5..].copy_from_slice(&digits(serial));
                self.reply(&BoardMessage::LongSerial(&text));
            }
            Query::ClockVersion => self.acknowledge_clock_command(ClockCommand::Version),
            // The layout of an I2C clock's messages is not known, so none are sent.
            Query::I2cClock | Query::UpdateI2c | Query::UpdateI2cNice => self.counters.unknown += 1,
        }
    }

    fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.port.forget();
    }

    fn acknowledge_clock_command(&mut self, command: ClockCommand) {
        let ack = match command {
            ClockCommand::Version => {
                let (major, minor) = self.clock().map_or((0, 0), |clock: &Clock| clock.settings().model.version());
                ClockAck::version(major, minor)
            }
            ClockCommand::SetAndRun { .. } => {
                self.counters.set_and_run += 1;
                // The clock is not in its computer mode.
                ClockAck([ClockAck::REFUSED, command.number(), 0, 0])
            }
            ClockCommand::Button => ClockAck([ClockAck::GOOD, command.number(), 0, 0]),
            ClockCommand::Display { .. }
            | ClockCommand::Icons(_)
            | ClockCommand::End
            | ClockCommand::Beep(_)
            | ClockCommand::Ascii { .. }
            | ClockCommand::Rev2Ascii { .. } => {
                self.counters.display += 1;
                ClockAck([ClockAck::GOOD, command.number(), 0, 0])
            }
        };
        let due = self.now.after(self.settings.ack_delay);
        self.port.acknowledge(self.now, due, ack);
    }

    pub(super) fn send_log(&mut self) {
        let data = self.memory.read_out();
        self.reply(&BoardMessage::EeMoves(&data));
    }

    fn reply(&mut self, message: &BoardMessage<'_>) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.line.send(self.now.after(self.settings.reply_delay), &bytes);
    }

    fn codes(&self) -> [u8; 64] {
        let mut codes = [0; 64];
        for square in Square::all() {
            codes[usize::from(squares::index(square))] = squares::code(self.scan.reported().get(square)).unwrap_or(0);
        }
        codes
    }
}

/// Five decimal digits.
fn digits(number: u16) -> [u8; 5] {
    [10_000, 1000, 100, 10, 1].map(|place| b'0' + (number / place % 10) as u8)
}
