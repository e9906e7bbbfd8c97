//! Driver and game in the order of `src/session/station.rs`, without messages.

use flagfall::emulate::simulated_game::{Heard, Outcome, Reported, ReportedMove};
use flagfall_game::audit::AuditEntry;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::input::Input as GameInput;
use flagfall_game::played::GameMove;
use flagfall_game::reconstruct::tuning::Tuning;
use flagfall_protocols::driver::{DeviceCommand, Driver, DriverInfo, Input, Output};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;

use crate::events::{Fed, Recording};
use crate::output::outcome;

/// A driver and its game.
pub(crate) struct Player {
    driver: Box<dyn Driver>,
    pub(crate) game: Game,
    effects: Vec<Effect>,
    questions: Vec<DeviceCommand>,
    /// The number of events from the driver so far.
    pub(crate) events: u64,
    /// The number of deadlines so far.
    pub(crate) woken: u64,
    /// Whether the last input was a report of squares.
    pub(crate) squares: bool,
    /// The moves and revisions that were published; none if they are not wanted.
    told: Option<Vec<Reported>>,
    /// The number of the game of the first move.
    first_game: Option<u32>,
}

impl Player {
    pub(crate) fn new(driver: &DriverInfo, control: &TimeControl, tuning: Tuning, listen: bool) -> Player {
        let config =
            GameConfig { time_control: Some(control.clone()), clock_source: driver.name, tuning, ..GameConfig::default() };
        Player {
            driver: driver.start(),
            game: Game::new(config, driver.timing),
            effects: Vec::new(),
            questions: Vec::new(),
            events: 0,
            woken: 0,
            squares: false,
            told: listen.then(Vec::new),
            first_game: None,
        }
    }

    /// Feeds the deadlines that lie before `at`.
    pub(crate) fn wait(&mut self, at: Instant) {
        while let Some(due) = self.deadline().filter(|&due| due < at) {
            match self.driver.deadline() == Some(due) {
                true => self.drive(due, Input::Deadline),
                false => {
                    self.woken += 1;
                    self.play(due, &GameInput::Deadline);
                }
            }
            self.ask(due);
        }
    }

    /// Feeds one input without the deadlines before it: call [`Player::wait`] first.
    pub(crate) fn feed(&mut self, at: Instant, fed: &Fed) {
        self.squares = false;
        match fed {
            Fed::Bytes(bytes) => self.drive(at, Input::Bytes { channel: 0, bytes }),
            Fed::Link(up) => {
                self.drive(at, if *up { Input::LinkUp } else { Input::LinkDown });
                self.play(at, &GameInput::Link { up: *up });
            }
            Fed::Command(command) => self.play(at, &GameInput::Command(command.clone())),
        }
        self.ask(at);
    }

    fn deadline(&self) -> Option<Instant> {
        [self.driver.deadline(), self.game.deadline()].into_iter().flatten().min()
    }

    fn drive(&mut self, at: Instant, input: Input<'_>) {
        self.driver.handle(at, input);
        while let Some(output) = self.driver.poll() {
            if let Output::Event { event, bytes, .. } = output {
                self.events += 1;
                self.squares |= matches!(event, DeviceEvent::Square { .. } | DeviceEvent::Frame(_));
                self.play(at, &GameInput::Device { event, source: bytes });
            }
        }
    }

    fn play(&mut self, at: Instant, input: &GameInput) {
        self.game.step(at, input, &mut self.effects);
        for effect in self.effects.drain(..) {
            match (effect, &mut self.told) {
                (Effect::Device(command), _) => self.questions.push(command),
                (Effect::Move(mv), Some(told)) => {
                    let number = self.game.number();
                    let first_game = *self.first_game.get_or_insert(number) == number;
                    told.push(Reported::Move { at: at.0, first_game, mv: of(mv) });
                }
                (Effect::Audit(AuditEntry::Revision(revision)), Some(told)) => {
                    let moves = revision.moves.into_iter().map(of).collect();
                    told.push(Reported::Revision { at: at.0, from_ply: revision.from_ply as usize, moves });
                }
                (other, _) => drop(std::hint::black_box(other)),
            }
        }
    }

    fn ask(&mut self, at: Instant) {
        while let Some(command) = self.questions.pop() {
            self.drive(at, Input::Command(command));
        }
    }
}

fn of(played: GameMove) -> ReportedMove {
    ReportedMove { ply: played.ply as usize, uci: played.uci.to_string(), made_at: played.made.micros() }
}

/// The moves that this decoder with this tuning reads in a recorded game that lasts until `end`.
pub(crate) fn play(
    driver: &DriverInfo,
    recording: &Recording,
    control: &TimeControl,
    end: Instant,
    tuning: Tuning,
    heard: &Heard,
) -> Outcome {
    let mut player = Player::new(driver, control, tuning, true);
    for (at, fed) in &recording.0 {
        player.wait(*at);
        player.feed(*at, fed);
    }
    player.wait(end);
    Outcome {
        sure: player.game.moves().map(|played| played.uci.to_string()).collect(),
        pending: player.game.pending().map(|played| played.uci.to_string()).collect(),
        open: player.game.open_moves(),
        unconfirmed: player.game.unconfirmed_promotions(),
        ..outcome(player.told.unwrap_or_default(), heard.clone())
    }
}
