//! A board without a clock and a clock by itself, each on a link of its own, with one station for both.

use std::borrow::Cow;
use std::time::Duration;

use flagfall::session::station::{BOARD, CLOCK, LinkState, Station, StationInput, StationOutput};
use flagfall::wire::command::Command;
use flagfall::wire::topics::Board;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::dgt3000_gateway::{Gateway, GatewaySettings};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Kind, Sent, Start};
use flagfall_protocols::drivers;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, Record};

pub(crate) const CLOCK_DRIVER: &str = "dgt3000_gateway";
const CONTROL: &str = "300";

/// Two devices, the station, and its inputs as a trace.
pub(crate) struct TwoLinkRig {
    devices: [Box<dyn Device>; 2],
    /// Which links are up.
    up: [bool; 2],
    /// The link whose radio delays messages, and the end of the delay.
    held: Option<(u8, Instant)>,
    holds: Vec<Sent>,
    pub(crate) station: Station,
    pub(crate) now: Instant,
    out: Vec<StationOutput>,
    pub(crate) trace: String,
    seq: u64,
}

impl TwoLinkRig {
    /// Both devices are switched on and connected; without `clock` only the board is connected.
    pub(crate) fn new(kind: &Kind, clock: bool) -> TwoLinkRig {
        TwoLinkRig::with_white(kind, clock, ClockSide::Left)
    }

    /// Like [`TwoLinkRig::new`] with White on this side of the clock.
    pub(crate) fn with_white(kind: &Kind, clock: bool, white: ClockSide) -> TwoLinkRig {
        let info = drivers::find(kind.driver).expect("registered");
        let clock = clock.then(|| drivers::find(CLOCK_DRIVER).expect("registered"));
        let right = white == ClockSide::Right;
        let mut settings = GatewaySettings::default();
        settings.clock.left_is_white = !right;
        let config = GameConfig {
            time_control: Some(TimeControl::parse(CONTROL).expect("a time control")),
            clock_source: clock.unwrap_or(info).clock_source(),
            own_clock: clock.map(|clock| clock.timing.press_delay),
            casual: true,
            white_clock: right.then_some(white),
            ..GameConfig::default()
        };
        let mut trace = format!("{}\n", trace::FORMAT);
        let heads = [("driver", Some(kind.driver)), ("clock", clock.map(|clock| clock.name)), ("time-control", Some(CONTROL))];
        let white = [("white-clock", right.then_some("right"))];
        let rest = [("casual", Some("true")), ("device", Some("flagfall emulator"))];
        for (key, value) in heads.into_iter().chain(white).chain(rest) {
            value.iter().for_each(|value| trace::print_header(key, value, &mut trace).expect("a header"));
        }
        let mut rig = TwoLinkRig {
            devices: [(kind.start)(&Start::default()), Box::new(Gateway::new(settings))],
            up: [false; 2],
            held: None,
            holds: Vec::new(),
            station: Station::new(info, config, Board::default(), "own-clock").with_clock(clock),
            now: Instant::ZERO,
            out: Vec::new(),
            trace,
            seq: 0,
        };
        let links: &[u8] = if clock.is_some() { &[BOARD, CLOCK] } else { &[BOARD] };
        links.iter().for_each(|link| rig.link(*link, true));
        rig
    }

    /// A link comes up or goes down.
    pub(crate) fn link(&mut self, link: u8, up: bool) {
        self.up[usize::from(link)] = up;
        self.note(Body::Link { link, up, cause: if up { "opened" } else { "lost" } });
        let state = if up { LinkState::Opened } else { LinkState::Gone };
        self.station.feed(self.now, &StationInput::Link { link, state }, &mut self.out);
        self.carry_out();
    }

    /// The radio of a link delays all messages for this time; then all come at once.
    #[allow(dead_code, reason = "not every subject has such a radio")]
    pub(crate) fn hold(&mut self, link: u8, seconds: f64) {
        self.held = Some((link, self.now.after(Duration::from_secs_f64(seconds))));
    }

    pub(crate) fn command(&mut self, json: &str) {
        self.note(Body::Cmd(json));
        let command: Command = serde_json::from_str(json).expect("a command");
        self.station.feed(self.now, &StationInput::Command(command.into()), &mut self.out);
        self.carry_out();
    }

    /// Plays hand motions at the board, and lets this number of seconds pass.
    pub(crate) fn hands(&mut self, script: &str, seconds: f64) {
        self.at_device(BOARD, script, seconds);
    }

    /// Plays hand motions at the clock, and lets this number of seconds pass.
    pub(crate) fn clock(&mut self, script: &str, seconds: f64) {
        self.at_device(CLOCK, script, seconds);
    }

    fn at_device(&mut self, link: u8, script: &str, seconds: f64) {
        self.devices[usize::from(link)].load(&Script::parse(script).expect("a script"));
        self.wait(seconds);
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, seconds: f64) {
        let end = self.now.after(Duration::from_secs_f64(seconds));
        loop {
            let released = self.held.map(|(_, until)| until);
            let next =
                self.devices.iter().filter_map(|device| device.next()).chain(self.station.deadline()).chain(released).min();
            let next = next.filter(|next| *next < end).unwrap_or(end);
            let mut sent: Vec<(u8, Sent)> = Vec::new();
            for (link, device) in [BOARD, CLOCK].into_iter().zip(&mut self.devices) {
                let mut own = Vec::new();
                device.advance(next, &mut own);
                if let Some((_, until)) = self.held.filter(|(held, _)| *held == link) {
                    self.holds.append(&mut own);
                    if next >= until {
                        own.extend(self.holds.drain(..).map(|sent| Sent { at: next, ..sent }));
                        self.held = None;
                    }
                }
                sent.extend(own.into_iter().map(|sent| (link, sent)));
            }
            sent.sort_by_key(|(_, sent)| sent.at);
            for (link, Sent { at, channel, bytes }) in sent {
                if self.up[usize::from(link)] {
                    self.now = self.now.max(at);
                    self.note(Body::Rx { link, channel, bytes: Cow::Borrowed(&bytes) });
                    self.station.feed(self.now, &StationInput::Bytes { link, channel, bytes: &bytes }, &mut self.out);
                }
            }
            self.now = next;
            self.station.advance(next, &mut self.out);
            self.carry_out();
            if next == end {
                break;
            }
        }
        for device in &self.devices {
            assert_eq!((device.impossible(), device.counters()), (&[][..], Counters::default()), "{device:?}");
        }
    }

    fn carry_out(&mut self) {
        for output in std::mem::take(&mut self.out) {
            match output {
                StationOutput::Send { at, link, channel, bytes } if self.up[usize::from(link)] => {
                    self.devices[usize::from(link)].host(at, channel, &bytes);
                    self.note(Body::Tx { link, channel, bytes: Cow::Borrowed(&bytes) });
                }
                _ => {}
            }
        }
    }

    fn note(&mut self, body: Body<'_>) {
        self.seq += 1;
        trace::print(&Record { seq: self.seq, at: self.now, body }, &mut self.trace).expect("a record");
    }
}

/// The beginning of a game with both, the clock's link lost and found again in the middle.
pub(crate) fn a_game(kind: &Kind) -> TwoLinkRig {
    let mut rig = TwoLinkRig::new(kind, true);
    rig.wait(9.0);
    rig.clock("0 run", 2.0);
    rig.hands("0 move e2 e4", 0.7);
    rig.clock("0 press left", 2.0);
    rig.hands("0 move e7 e5", 0.7);
    rig.clock("0 press right", 2.0);
    rig.hands("0 slide f1 c4 0.5", 1.0);
    rig.clock("0 press left", 1.5);
    rig.link(CLOCK, false);
    rig.hands("0 move b8 c6", 4.0);
    rig.clock("0 press right", 1.0);
    rig.link(CLOCK, true);
    rig.wait(4.0);
    rig.hands("0 move d1 h5", 0.7);
    rig.clock("0 press left", 3.0);
    rig.clock("0 stop", 1.0);
    rig.command(r#"{"verb":"stop-clocks"}"#);
    rig.wait(3.0);
    rig
}
