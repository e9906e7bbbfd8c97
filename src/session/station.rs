//! Feeds the inputs of one board through its driver and its game, and makes messages of the effects. Time is data: nothing here
//! reads a clock, a file or a network.

mod input;
mod output;
mod pgn;
mod round;
mod start;
mod submitted;

use input::event_for_game;
pub use input::{AGAIN, ASKED, BOARD, CLOCK, LinkState, StationInput, UNHEARD, WEAK};
pub use output::{ChangedPgn, DirtyStates, StationOutput};

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall_game::config::GameConfig;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::input::Input as GameInput;
use flagfall_protocols::bytes::crc32;
use flagfall_protocols::driver::{DeviceCommand, Driver, DriverInfo, Input, Output};
use flagfall_protocols::event::{Anomaly, ByteRange, DeviceEvent};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use self::round::Round;
use crate::arbiter::{DaemonAction, Memory, Submission};
use crate::outputs::board_games::BoardHead;
use crate::publish::delay::{Delay, PublicAudience};
use crate::publish::{Message, Messages, states};
use crate::wire::audit::AuditBody;
use crate::wire::player::Players;
use crate::wire::topics::Board;

/// The drivers of one board and its clock, the game that they feed, and the maker of its messages.
pub struct Station {
    driver: Box<dyn Driver>,
    /// The driver of a clock on a link of its own.
    clock: Option<Box<dyn Driver>>,
    /// The game is large, so it is boxed: the structs that hold it are moved between stack frames while a station is opened.
    game: Box<Game>,
    messages: Messages,
    effects: Vec<Effect>,
    anomalies: BTreeMap<Anomaly, u64>,
    wrong_bytes: u64,
    questions: Vec<DeviceCommand>,
    made: Vec<Message>,
    /// The last deadline that was handled.
    woken: Option<Instant>,
    coalesced: bool,
    dirty: DirtyStates,
    /// Whose clock ran at the last check.
    running: Option<Color>,
    /// The public audience, if there is one.
    public: Option<PublicAudience>,
    /// Which games of the board are the round's.
    round: Round,
    /// What the tags of its games say.
    head: BoardHead,
    commands: Memory,
    /// The device that an admitted command bound last, with the configuration at that time.
    bound: Option<(DaemonAction, Option<String>)>,
}

impl Station {
    /// Makes a station with one board.
    pub fn new(driver: &DriverInfo, config: GameConfig, board: Board, journal: &str) -> Station {
        let head = BoardHead {
            board: board.clone(),
            time_control: config.time_control.clone(),
            chess960: config.chess960,
            players: Players::default(),
        };
        Station {
            driver: driver.start(),
            clock: None,
            game: Box::new(Game::new(config, driver.timing)),
            messages: Messages::new(board, journal),
            effects: Vec::new(),
            anomalies: BTreeMap::new(),
            wrong_bytes: 0,
            questions: Vec::new(),
            made: Vec::new(),
            woken: None,
            coalesced: false,
            dirty: DirtyStates::default(),
            running: None,
            public: None,
            round: Round::new(head.chess960),
            head,
            commands: Memory::default(),
            bound: None,
        }
    }

    /// Adds a clock on a link of its own. Call it before the first input.
    pub fn with_clock(mut self, clock: Option<&DriverInfo>) -> Station {
        self.clock = clock.map(DriverInfo::start);
        self
    }

    /// Adds a public audience with this delay. Call it before the first input.
    pub fn with_public(mut self, delay: Option<Delay>) -> Station {
        self.public = delay.map(|delay| PublicAudience::new(delay, self.head.chess960));
        self
    }

    /// Sets the players, who are in the states of every audience. Call it after [`Station::with_public`].
    pub fn with_players(mut self, players: Option<Players>) -> Station {
        if let Some(public) = &mut self.public {
            public.set_players(players.clone());
        }
        self.head.players = players.clone().unwrap_or_default();
        self.messages.players = players;
        self
    }

    /// Sets a driver that knows its calibration. Call it before the first input.
    pub fn with_driver(mut self, driver: Box<dyn Driver>) -> Station {
        self.driver = driver;
        self
    }

    /// The numbers of its links.
    pub fn links(&self) -> impl Iterator<Item = u8> + use<> {
        [BOARD].into_iter().chain(self.clock.as_ref().map(|_| CLOCK))
    }

    /// The game on the board.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The maker of its messages, with their numbers.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// The maker of its messages, to set the numbers.
    pub fn messages_mut(&mut self) -> &mut Messages {
        &mut self.messages
    }

    /// Makes every state as it is now: see [`Messages::add_all_current_states`].
    pub fn all_current_states(&mut self, at: Instant, out: &mut Vec<StationOutput>) {
        self.messages.add_all_current_states(at, &self.game, self.round.earlier_state(), &mut self.made);
        if let Some(public) = &mut self.public {
            public.add_all_current_states(at, &mut self.messages, &mut self.made);
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }

    /// While coalesced, the station makes no states when they change but marks them as dirty. A board changes its state more often
    /// than states are published. Numbered messages are not affected.
    pub fn set_coalesced(&mut self, coalesced: bool) {
        self.coalesced = coalesced;
        self.dirty = DirtyStates::default();
    }

    /// The states that [`Station::render_states`] should make.
    pub fn dirty_states(&self) -> DirtyStates {
        self.dirty
    }

    /// Makes the states in `which`, as they are at `at`.
    pub fn render_states(&mut self, at: Instant, which: DirtyStates, out: &mut Vec<StationOutput>) {
        let effects = [
            (which.arbiter, Effect::State(Audience::Arbiter)),
            (which.live, Effect::State(Audience::Live)),
            (which.clock, Effect::Clock),
        ];
        self.dirty = self.dirty.without(which);
        for (_, effect) in effects.into_iter().filter(|(wanted, _)| *wanted) {
            self.add_state(at, &effect);
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }

    /// Marks a state that changed.
    fn mark_dirty(&mut self, effect: &Effect) {
        match effect {
            Effect::State(Audience::Arbiter) => self.dirty.arbiter = true,
            Effect::State(Audience::Live) => self.dirty.live = true,
            _ => self.dirty.clock = true,
        }
        let running = self.game.clock().running;
        self.dirty.running_changed |= running != self.running;
        self.running = running;
    }

    /// How many bytes the drivers reported as wrong.
    pub fn wrong_bytes(&self) -> u64 {
        self.wrong_bytes
    }

    /// How often each anomaly occurred.
    pub fn anomalies(&self) -> &BTreeMap<Anomaly, u64> {
        &self.anomalies
    }

    /// A digest of the whole state, for `snap` records: four bytes.
    pub fn digest(&self) -> [u8; 4] {
        let state = serde_json::to_vec(&states::arbiter_state(&self.game)).unwrap_or_default();
        crc32(&state).to_be_bytes()
    }

    /// The next deadline of the station.
    pub fn deadline(&self) -> Option<Instant> {
        let public = self.public.as_ref().and_then(PublicAudience::deadline);
        let clock = self.clock.as_ref().and_then(|clock| clock.deadline());
        [self.driver.deadline(), clock, self.game.deadline(), public].into_iter().flatten().min()
    }

    /// Handles one input. Deadlines before it come first, each at its own time; a deadline at the same time comes after it.
    pub fn feed(&mut self, at: Instant, input: &StationInput<'_>, out: &mut Vec<StationOutput>) {
        if let StationInput::Boot { boot, restated, .. } = input {
            // What deadlines before it publish is of this start too. An earlier start may have published something else then.
            let first = self.deadline().map_or(at, |due| due.min(at));
            self.begin_numbers(first, *boot, *restated, out);
        }
        while self.deadline().is_some_and(|due| due < at) {
            self.wake(out);
        }
        match input {
            StationInput::Link { link: CLOCK, state } => self.handle_clock_link(at, *state, out),
            StationInput::Link { state, .. } => {
                self.feed_driver(at, BOARD, state.driver_input(), out);
                self.step_game(at, &GameInput::Link { up: *state != LinkState::Gone }, out);
                self.report_signal(at, BOARD, *state, out);
            }
            StationInput::Bytes { link, channel, bytes } => {
                self.feed_driver(at, *link, Input::Bytes { channel: *channel, bytes }, out);
            }
            StationInput::Command(command) => self.step_game(at, &GameInput::Command(command.clone()), out),
            StationInput::Submitted(recorded) => self.handle_submitted(at, recorded, out),
            StationInput::Answer(answer) => self.step_game(at, &GameInput::Answer(answer.clone()), out),
            StationInput::Boot { bound, until_press, .. } => self.handle_start(at, *bound, *until_press, out),
            StationInput::Anchor(record) => self.handle_anchor(at, record.at(at), out),
        }
        self.ask_device(at, out);
    }

    /// The earliest stamp of the next input that keeps the order in a replay, which knows inputs only: after every deadline that
    /// was handled.
    pub fn earliest(&self) -> Instant {
        self.woken.map_or(Instant::ZERO, |woken| woken.after(Duration::from_micros(1)))
    }

    /// Handles every deadline up to `to`, a time up to which no other input comes.
    pub fn advance(&mut self, to: Instant, out: &mut Vec<StationOutput>) {
        while self.deadline().is_some_and(|due| due <= to) {
            self.wake(out);
        }
    }

    /// Handles the next deadline.
    pub fn wake(&mut self, out: &mut Vec<StationOutput>) {
        let Some(due) = self.deadline() else { return };
        self.woken = Some(due);
        if self.driver.deadline() == Some(due) {
            self.feed_driver(due, BOARD, Input::Deadline, out);
        } else if self.clock.as_ref().is_some_and(|clock| clock.deadline() == Some(due)) {
            self.feed_driver(due, CLOCK, Input::Deadline, out);
        } else if self.game.deadline() == Some(due) {
            self.step_game(due, &GameInput::Deadline, out);
        } else if let Some(public) = &mut self.public {
            public.release_due(due, &mut self.messages, &mut self.made);
            out.extend(self.made.drain(..).map(StationOutput::Message));
        }
        self.ask_device(due, out);
    }

    /// For a replay with records of what was sent: the public audience gets something only by [`Station::wake_recorded`].
    pub(crate) fn hold_public(&mut self) {
        self.public.iter_mut().for_each(PublicAudience::hold);
    }

    /// A record at `at` says that one more event was published to the public. Returns whether there is a public audience.
    pub(crate) fn wake_recorded(&mut self, at: Instant, out: &mut Vec<StationOutput>) -> bool {
        let Some(public) = &mut self.public else { return false };
        public.release_recorded(at, &mut self.messages, &mut self.made);
        out.extend(self.made.drain(..).map(StationOutput::Message));
        true
    }

    /// The records end at `floor`: from here on the delay counts again.
    pub(crate) fn resume_public(&mut self, floor: Instant) {
        self.public.iter_mut().for_each(|public| public.resume(floor));
    }

    /// Feeds the driver of a link. A link that the station does not have is ignored.
    fn feed_driver(&mut self, at: Instant, link: u8, input: Input<'_>, out: &mut Vec<StationOutput>) {
        let Some(driver) = self.driver_of(link) else { return };
        driver.handle(at, input);
        while let Some(output) = self.driver_of(link).and_then(|driver| driver.poll()) {
            match output {
                Output::Send { channel, bytes } => out.push(StationOutput::Send { at, link, channel, bytes }),
                Output::Event { event, bytes, .. } => {
                    let is_device_status = matches!(
                        event,
                        DeviceEvent::Identity(_) | DeviceEvent::Battery(_) | DeviceEvent::Silent | DeviceEvent::Responding
                    );
                    if let Some(event) = event_for_game(link, event) {
                        self.step_game(at, &GameInput::Device { event, source: bytes }, out);
                    }
                    if is_device_status {
                        out.push(StationOutput::Device { link, event });
                    }
                }
                Output::Anomaly { anomaly, bytes, .. } => {
                    *self.anomalies.entry(anomaly).or_default() += 1;
                    self.wrong_bytes += bytes.end.saturating_sub(bytes.start);
                }
            }
        }
    }

    fn driver_of(&mut self, link: u8) -> Option<&mut Box<dyn Driver>> {
        if link == BOARD { Some(&mut self.driver) } else { self.clock.as_mut().filter(|_| link == CLOCK) }
    }

    /// A clock that lost its link counts as unplugged; one that was never heard is not lost.
    fn handle_clock_link(&mut self, at: Instant, state: LinkState, out: &mut Vec<StationOutput>) {
        self.feed_driver(at, CLOCK, state.driver_input(), out);
        let heard = self.game.clock().read.is_some();
        if state == LinkState::Gone && self.clock.is_some() && heard {
            self.step_game(at, &GameInput::Device { event: DeviceEvent::ClockAbsent, source: ByteRange::default() }, out);
        }
        if self.clock.is_some() {
            self.report_signal(at, CLOCK, state, out);
        }
    }

    /// Reports how well the device is received, if that is known.
    fn report_signal(&mut self, at: Instant, link: u8, state: LinkState, out: &mut Vec<StationOutput>) {
        if !matches!(state, LinkState::Gone | LinkState::Unheard) {
            self.step_game(at, &GameInput::Signal { clock: link == CLOCK, weak: state == LinkState::Weak }, out);
        }
    }

    fn step_game(&mut self, at: Instant, input: &GameInput, out: &mut Vec<StationOutput>) {
        let mut effects = std::mem::take(&mut self.effects);
        self.game.step(at, input, &mut effects);
        self.handle_effects(at, effects, None, out);
    }

    /// Handles what a step of the game gave, which may have carried out a command, on which there is a note.
    fn handle_effects(
        &mut self,
        at: Instant,
        mut effects: Vec<Effect>,
        command: Option<(&Submission, &str)>,
        out: &mut Vec<StationOutput>,
    ) {
        self.follow_round(at);
        for effect in effects.drain(..) {
            if !self.round.admits(at, &effect, &self.game) {
                continue;
            }
            self.messages.live_rev = self.live_rev();
            if let Some(public) = &mut self.public {
                public.handle_effect(at, &effect, &self.game, self.round.in_round_for_public());
            }
            match effect {
                Effect::Ask(ask) => out.push(StationOutput::Ask(ask)),
                Effect::Device(command) => self.questions.push(command),
                Effect::State(Audience::Public) => {}
                Effect::State(_) | Effect::Clock if self.coalesced => self.mark_dirty(&effect),
                other => match command.and_then(|(command, note)| submitted::in_full(command, note, &other)) {
                    Some(body) => {
                        let body = AuditBody::Command(Box::new(body));
                        self.messages.add_audit_entry(at, &self.game, &body, &mut self.made);
                    }
                    None => self.messages.add_effect(at, &other, &self.game, &mut self.made),
                },
            }
        }
        self.effects = effects;
        if let Some(public) = &mut self.public {
            public.finish_step(at, &self.game);
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
        self.ask_about_round(at, out);
    }

    /// Passes the game's questions to the driver, which was drained before, as its contract requires.
    fn ask_device(&mut self, at: Instant, out: &mut Vec<StationOutput>) {
        while let Some(command) = self.questions.pop() {
            let link = if command == DeviceCommand::ReadClock && self.clock.is_some() { CLOCK } else { BOARD };
            self.feed_driver(at, link, Input::Command(command), out);
        }
    }
}
