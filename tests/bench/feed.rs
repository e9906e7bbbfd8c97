//! Driver and game in the order of `src/session/station.rs`, without messages: the cost of the deterministic part alone.

use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::input::Input as GameInput;
use flagfall_protocols::driver::{DeviceCommand, Driver, DriverInfo, Input, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;

use crate::stream;

/// A driver and its game.
pub(crate) struct Core {
    driver: Box<dyn Driver>,
    pub(crate) game: Game,
    effects: Vec<Effect>,
    questions: Vec<DeviceCommand>,
    /// The number of effects so far.
    pub(crate) made: u64,
}

/// The driver of the stream.
pub(crate) fn driver() -> &'static DriverInfo {
    drivers::find("dgt").expect("registered")
}

/// The game of the stream.
pub(crate) fn config() -> GameConfig {
    GameConfig { time_control: Some(TimeControl::parse(stream::CONTROL).expect("a time control")), ..GameConfig::default() }
}

impl Core {
    /// With `asks` the link is up; otherwise the driver is passive, as for a recording without host commands.
    pub(crate) fn new(asks: bool) -> Core {
        let info = driver();
        let game = Game::new(config(), info.timing);
        let mut core = Core { driver: info.start(), game, effects: Vec::new(), questions: Vec::new(), made: 0 };
        if asks {
            core.drive(Instant::ZERO, Input::LinkUp);
            core.play(Instant::ZERO, &GameInput::Link { up: true });
        }
        core
    }

    /// Feeds the deadlines that lie before `at`.
    pub(crate) fn wait(&mut self, at: Instant) {
        while let Some(due) = self.deadline().filter(|&due| due < at) {
            match self.driver.deadline() == Some(due) {
                true => self.drive(due, Input::Deadline),
                false => self.play(due, &GameInput::Deadline),
            }
            self.ask(due);
        }
    }

    /// Feeds bytes without the deadlines before them: call [`Core::wait`] first.
    pub(crate) fn bytes(&mut self, at: Instant, bytes: &[u8]) {
        self.drive(at, Input::Bytes { channel: 0, bytes });
        self.ask(at);
    }

    fn deadline(&self) -> Option<Instant> {
        [self.driver.deadline(), self.game.deadline()].into_iter().flatten().min()
    }

    fn drive(&mut self, at: Instant, input: Input<'_>) {
        self.driver.handle(at, input);
        while let Some(output) = self.driver.poll() {
            if let Output::Event { event, bytes, .. } = output {
                self.play(at, &GameInput::Device { event, source: bytes });
            }
        }
    }

    fn play(&mut self, at: Instant, input: &GameInput) {
        self.game.step(at, input, &mut self.effects);
        for effect in self.effects.drain(..) {
            self.made += 1;
            match effect {
                Effect::Device(command) => self.questions.push(command),
                other => drop(std::hint::black_box(other)),
            }
        }
    }

    fn ask(&mut self, at: Instant) {
        while let Some(command) = self.questions.pop() {
            self.drive(at, Input::Command(command));
        }
    }
}
