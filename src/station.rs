//! One station: input → driver → game → effects → messages. Time is data; nothing here reads a clock or does IO.

mod submitted;

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::{Game, GameConfig};
use flagfall_game::input::{Command, Input as GameInput};
use flagfall_game::laws::winnable::{Answer, Ask};
use flagfall_protocols::bytes::crc32;
use flagfall_protocols::driver::{DeviceCommand, Driver, DriverInfo, Input, Output};
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::time::Instant;

use crate::arbiter::{Errand, Memory, Recorded, Reply};
use crate::publish::delay::{Delay, Lost, Public};
use crate::publish::topics::Board;
use crate::publish::{Message, Messages};

/// What happens to a station.
#[derive(Clone, Debug, PartialEq)]
pub enum StationInput<'a> {
    /// The link opened or went away.
    Link {
        /// It is up.
        up: bool,
    },
    /// Bytes arrived.
    Bytes {
        /// The channel.
        channel: u8,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// A command without an admission, as traces have it.
    Command(Command),
    /// A command with its admission.
    Submitted(Box<Recorded>),
    /// A worker's answer.
    Answer(Answer),
}

/// What a station wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum StationOutput {
    /// Write these bytes to the link.
    Send {
        /// When.
        at: Instant,
        /// The channel.
        channel: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Publish this.
    Message(Message),
    /// Ask the worker.
    Ask(Ask),
    /// The device said who or how it is: identity, battery, silent, responding.
    Device(DeviceEvent),
    /// Answer a command.
    Reply(Reply),
    /// Do what a command wants of the daemon.
    Do(Errand),
}

/// The pictures that changed since they were made last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stale {
    /// The arbiters'.
    pub arbiter: bool,
    /// The live audience's.
    pub live: bool,
    /// The clock alone.
    pub clock: bool,
    /// And another clock runs now, or none: worth saying at once.
    pub running_changed: bool,
}

impl Stale {
    /// Anything.
    pub fn any(self) -> bool {
        self != Stale::default()
    }

    /// These, less others.
    pub fn without(self, others: Stale) -> Stale {
        Stale {
            arbiter: self.arbiter && !others.arbiter,
            live: self.live && !others.live,
            clock: self.clock && !others.clock,
            running_changed: self.running_changed && !others.clock,
        }
    }
}

/// A driver and the game it feeds.
pub struct Station {
    driver: Box<dyn Driver>,
    /// Not in place: it is large, and what holds it is moved from stack frame to stack frame while a station is opened.
    game: Box<Game>,
    messages: Messages,
    effects: Vec<Effect>,
    anomalies: BTreeMap<Anomaly, u64>,
    questions: Vec<DeviceCommand>,
    made: Vec<Message>,
    /// The last deadline that came.
    woken: Option<Instant>,
    lazy: bool,
    stale: Stale,
    /// Whose clock ran when that was asked last.
    running: Option<&'static str>,
    /// What the public sees, if it sees anything.
    public: Option<Public>,
    commands: Memory,
    /// The device that an admitted command bound last, and under which configuration.
    bound: Option<(Errand, Option<String>)>,
}

impl Station {
    /// A station with one board.
    pub fn new(driver: &DriverInfo, config: GameConfig, board: Board, journal: &str) -> Station {
        Station {
            driver: driver.start(),
            game: Box::new(Game::new(config, driver.timing)),
            messages: Messages::new(board, journal),
            effects: Vec::new(),
            anomalies: BTreeMap::new(),
            questions: Vec::new(),
            made: Vec::new(),
            woken: None,
            lazy: false,
            stale: Stale::default(),
            running: None,
            public: None,
            commands: Memory::default(),
            bound: None,
        }
    }

    /// The station with something for the public, this much later; before its first input.
    pub fn with_public(mut self, delay: Option<Delay>) -> Station {
        self.public = delay.map(Public::new);
        self
    }

    /// The station with another driver of the family, one that was told about its device; before its first input.
    pub fn with_driver(mut self, driver: Box<dyn Driver>) -> Station {
        self.driver = driver;
        self
    }

    /// The game on the board.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The messages it makes, and their numbers.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// The same, to set the numbers.
    pub fn messages_mut(&mut self) -> &mut Messages {
        &mut self.messages
    }

    /// Every state as it is now: see [`Messages::present`].
    pub fn present(&mut self, at: Instant, out: &mut Vec<StationOutput>) {
        self.messages.present(at, &self.game, &mut self.made);
        if let Some(public) = &self.public {
            public.present(at, &mut self.messages, &mut self.made);
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }

    /// Lazy, the station makes no pictures when they change but remembers that they did: each costs as much as the game is
    /// long, and a board changes them more often than anybody looks. Numbered messages are not concerned.
    pub fn set_lazy(&mut self, lazy: bool) {
        self.lazy = lazy;
        self.stale = Stale::default();
    }

    /// What [`Station::render`] would make.
    pub fn stale(&self) -> Stale {
        self.stale
    }

    /// Makes these pictures, as they are at `at`.
    pub fn render(&mut self, at: Instant, which: Stale, out: &mut Vec<StationOutput>) {
        let effects = [
            (which.arbiter, Effect::State(Audience::Arbiter)),
            (which.live, Effect::State(Audience::Live)),
            (which.clock, Effect::Clock),
        ];
        self.stale = self.stale.without(which);
        for (_, effect) in effects.into_iter().filter(|(wanted, _)| *wanted) {
            self.messages.of(at, &effect, &self.game, &mut self.made);
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }

    /// Notes a picture that changed.
    fn mark(&mut self, effect: &Effect) {
        match effect {
            Effect::State(Audience::Arbiter) => self.stale.arbiter = true,
            Effect::State(Audience::Live) => self.stale.live = true,
            _ => self.stale.clock = true,
        }
        let running = self.game.clock().running;
        self.stale.running_changed |= running != self.running;
        self.running = running;
    }

    /// How often each anomaly was met.
    pub fn anomalies(&self) -> &BTreeMap<Anomaly, u64> {
        &self.anomalies
    }

    /// What the bounds of the delay have cost the public.
    pub fn lost(&self) -> Lost {
        self.public.as_ref().map(Public::lost).unwrap_or_default()
    }

    /// A digest of the whole state, for `snap` records: four bytes.
    pub fn digest(&self) -> [u8; 4] {
        let state = serde_json::to_vec(&self.game.arbiter_state()).unwrap_or_default();
        crc32(&state).to_be_bytes()
    }

    /// The moment at which the station wants to be woken.
    pub fn deadline(&self) -> Option<Instant> {
        let public = self.public.as_ref().and_then(Public::deadline);
        [self.driver.deadline(), self.game.deadline(), public].into_iter().flatten().min()
    }

    /// Takes one input. Deadlines that lie before it come first, each at its own time; one at the same time comes after.
    pub fn feed(&mut self, at: Instant, input: &StationInput<'_>, out: &mut Vec<StationOutput>) {
        while self.deadline().is_some_and(|due| due < at) {
            self.wake(out);
        }
        match input {
            StationInput::Link { up } => {
                self.drive(at, if *up { Input::LinkUp } else { Input::LinkDown }, out);
                self.play(at, &GameInput::Link { up: *up }, out);
            }
            StationInput::Bytes { channel, bytes } => self.drive(at, Input::Bytes { channel: *channel, bytes }, out),
            StationInput::Command(command) => self.play(at, &GameInput::Command(command.clone()), out),
            StationInput::Submitted(recorded) => self.submitted(at, recorded, out),
            StationInput::Answer(answer) => self.play(at, &GameInput::Answer(answer.clone()), out),
        }
        self.ask_device(at, out);
    }

    /// The earliest stamp of the next input that a replay, which knows inputs only, puts in the same order: after every
    /// deadline that has come.
    pub fn earliest(&self) -> Instant {
        self.woken.map_or(Instant::ZERO, |woken| woken.after(Duration::from_micros(1)))
    }

    /// Time has come to `to` without another input: every deadline up to then.
    pub fn advance(&mut self, to: Instant, out: &mut Vec<StationOutput>) {
        while self.deadline().is_some_and(|due| due <= to) {
            self.wake(out);
        }
    }

    /// The next deadline has come.
    pub fn wake(&mut self, out: &mut Vec<StationOutput>) {
        let Some(due) = self.deadline() else { return };
        self.woken = Some(due);
        if self.driver.deadline() == Some(due) {
            self.drive(due, Input::Deadline, out);
        } else if self.game.deadline() == Some(due) {
            self.play(due, &GameInput::Deadline, out);
        } else if let Some(public) = &mut self.public {
            public.wake(due, &mut self.messages, &mut self.made);
            out.extend(self.made.drain(..).map(StationOutput::Message));
        }
        self.ask_device(due, out);
    }

    /// For a replay that has records of what was sent: the public learns nothing but by [`Station::wake_recorded`].
    pub(crate) fn hold_public(&mut self) {
        self.public.iter_mut().for_each(Public::hold);
    }

    /// A record at `at` says that the public learned of one more event; whether the public sees anything at all.
    pub(crate) fn wake_recorded(&mut self, at: Instant, out: &mut Vec<StationOutput>) -> bool {
        let Some(public) = &mut self.public else { return false };
        public.wake_recorded(at, &mut self.messages, &mut self.made);
        out.extend(self.made.drain(..).map(StationOutput::Message));
        true
    }

    /// The records end at `floor`: the delay holds again.
    pub(crate) fn go_on(&mut self, floor: Instant) {
        self.public.iter_mut().for_each(|public| public.go_on(floor));
    }

    fn drive(&mut self, at: Instant, input: Input<'_>, out: &mut Vec<StationOutput>) {
        self.driver.handle(at, input);
        while let Some(output) = self.driver.poll() {
            match output {
                Output::Send { channel, bytes } => out.push(StationOutput::Send { at, channel, bytes }),
                Output::Event { event, bytes, .. } => {
                    let of_the_device = matches!(
                        event,
                        DeviceEvent::Identity(_) | DeviceEvent::Battery(_) | DeviceEvent::Silent | DeviceEvent::Responding
                    );
                    self.play(at, &GameInput::Device { event, source: bytes }, out);
                    if of_the_device {
                        out.push(StationOutput::Device(event));
                    }
                }
                Output::Anomaly { anomaly, .. } => *self.anomalies.entry(anomaly).or_default() += 1,
            }
        }
    }

    fn play(&mut self, at: Instant, input: &GameInput, out: &mut Vec<StationOutput>) {
        let mut effects = std::mem::take(&mut self.effects);
        self.game.step(at, input, &mut effects);
        self.pass_on(at, effects, out);
    }

    fn pass_on(&mut self, at: Instant, mut effects: Vec<Effect>, out: &mut Vec<StationOutput>) {
        for effect in effects.drain(..) {
            if let Some(public) = &mut self.public {
                public.take(at, &effect, &self.game);
            }
            match effect {
                Effect::Ask(ask) => out.push(StationOutput::Ask(ask)),
                Effect::Device(command) => self.questions.push(command),
                Effect::State(_) | Effect::Clock if self.lazy => self.mark(&effect),
                other => self.messages.of(at, &other, &self.game, &mut self.made),
            }
        }
        self.effects = effects;
        if let Some(public) = &mut self.public {
            public.stepped(at, &self.game);
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }

    /// Puts the game's questions to the driver, which was drained before as its contract wants.
    fn ask_device(&mut self, at: Instant, out: &mut Vec<StationOutput>) {
        while let Some(command) = self.questions.pop() {
            self.drive(at, Input::Command(command), out);
        }
    }
}
