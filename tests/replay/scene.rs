//! A scene: hand motions at an emulated board and clock, written move by move, and the outputs of the daemon.

#![allow(dead_code, reason = "every test file that plays scenes uses another part of this")]

pub(crate) mod clockless;
mod motions;
pub(crate) mod outcome;
pub(crate) mod own_clock;
pub(crate) mod recording;

use std::borrow::Cow;
use std::fmt::Write;
use std::time::Duration;

use flagfall::publish::Message;
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::command::Command;
use flagfall::wire::envelope::{self, Stamp};
use flagfall::wire::time::Anchor;
use flagfall::wire::topics::Board;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::{Action, Script};
use flagfall_hardware::emulator::{Emulator, Sent, Settings};
use flagfall_protocols::drivers;
use flagfall_protocols::square::Square;
use flagfall_protocols::time::{ClockTime, Instant};
use flagfall_protocols::trace::Body;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

use motions::{motions, quiet_move};
pub(crate) use outcome::Outcome;
use recording::Recording;

/// At this time the link is up and the driver's first questions are answered.
pub(crate) const STARTED: f64 = 5.0;
/// The question for the board's own log.
const READ_LOG: u8 = 0x49;

/// Returns the pieces that arrive for the bytes that the board sends at this time.
pub(crate) type Line<'a> = &'a mut dyn FnMut(Instant, &[u8]) -> Vec<Vec<u8>>;

/// The actions of people at a board, in order of time.
pub(crate) struct Scene {
    script: Vec<(f64, String)>,
    commands: Vec<(Instant, Command)>,
    links: Vec<(Instant, bool)>,
    /// Seconds since the beginning.
    pub(crate) now: f64,
    position: Chess,
    pub(crate) settings: Settings,
    pub(crate) config: GameConfig,
    rotated: bool,
    log_unread: bool,
}

impl Scene {
    /// A board with this clock; the daemon's configuration has `time_control`.
    pub(crate) fn new(clock: ClockSettings, time_control: &str) -> Scene {
        let settings = Settings { clock: Some(clock), ..Settings::default() };
        let time_control = (!time_control.is_empty()).then(|| TimeControl::parse(time_control).expect("a time control"));
        let config = GameConfig { time_control, ..GameConfig::default() };
        let position = Chess::default();
        let (script, commands, links) = (Vec::new(), Vec::new(), Vec::new());
        Scene { script, commands, links, now: STARTED, position, settings, config, rotated: false, log_unread: false }
    }

    /// Five minutes and five seconds a move; White's clock was started a second ago.
    pub(crate) fn running() -> Scene {
        let mut scene = Scene::five_and_five();
        scene.act("run").wait(1.0);
        scene
    }

    /// Like [`Scene::running`] before the clock is started.
    pub(crate) fn five_and_five() -> Scene {
        let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(300_000), ClockTime(5_000));
        Scene::new(clock, "300+5")
    }

    /// Like [`Scene::running`] with a game that an arbiter began from this position.
    pub(crate) fn from(fen: &str) -> Scene {
        let mut scene = Scene::five_and_five().standing(fen);
        scene.begin(fen);
        scene
    }

    /// An arbiter begins a game from `fen`, and its clock is started.
    pub(crate) fn begin(&mut self, fen: &str) -> &mut Scene {
        self.command(&format!(r#"{{"verb":"start-game","fen":"{fen}"}}"#)).wait(0.5);
        if self.position.turn().is_black() {
            self.act("press left").wait(0.5);
        }
        self.act("run").wait(1.0)
    }

    /// The board's first scan begins this much later.
    pub(crate) fn scan_phase(mut self, seconds: f64) -> Scene {
        self.settings.scan_phase = Duration::from_secs_f64(seconds);
        self
    }

    /// The board does not answer when it is asked for its own log.
    pub(crate) fn without_log(mut self) -> Scene {
        self.log_unread = true;
        self
    }

    /// The board has this placement from the beginning.
    pub(crate) fn standing(mut self, fen: &str) -> Scene {
        let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN");
        let placement = fen.as_setup().board.board_fen().to_string();
        self.settings.placement = flagfall_protocols::square::Placement::parse(&placement).expect("a placement");
        self.position = fen.into_position(CastlingMode::Standard).expect("a position");
        self
    }

    /// White sits on the other side of the board and of the clock.
    pub(crate) fn rotated(mut self) -> Scene {
        self.rotated = true;
        self.settings.placement = self.settings.placement.rotated();
        if let Some(clock) = &mut self.settings.clock {
            clock.left_is_white = false;
        }
        self
    }

    /// A whole game from a script, played `speed` times as fast.
    pub(crate) fn performed(settings: Settings, time_control: &str, script: &Script, speed: f64) -> Scene {
        let mut scene = Scene::new(settings.clock.clone().expect("a clock"), time_control);
        for step in script.steps() {
            let action = match step.action {
                Action::Slide { from, to, lasts } => Action::Slide { from, to, lasts: lasts.div_f64(speed) },
                other => other,
            };
            scene.script.push((STARTED + step.at.as_secs_f64() / speed, action.to_string()));
        }
        scene.now = STARTED + script.end().as_secs_f64() / speed;
        scene
    }

    /// Adds one line of script at the present time, as seen from White's side.
    pub(crate) fn act(&mut self, action: &str) -> &mut Scene {
        let turned = |word: &str| match (Square::parse(word), word) {
            (Some(square), _) => square.rotated().to_string(),
            (None, "left") => "right".to_owned(),
            (None, "right") => "left".to_owned(),
            (None, other) => other.to_owned(),
        };
        let words = action.split(' ').map(|word| if self.rotated { turned(word) } else { word.to_owned() });
        let action = words.collect::<Vec<_>>().join(" ");
        self.script.push((self.now, action));
        self
    }

    /// Adds lines of script. A line after `|` comes a quarter of a second later, or after the number of seconds behind it; a line after
    /// `;` comes at the same moment.
    pub(crate) fn hands(&mut self, motions: &str) -> &mut Scene {
        for (index, together) in motions.split('|').enumerate() {
            let together = together.trim();
            let (pause, together) = match together.split_once(' ') {
                Some((first, rest)) if first.parse::<f64>().is_ok() => (first.parse().expect("seconds"), rest),
                _ => (if index == 0 { 0.0 } else { 0.25 }, together),
            };
            self.wait(pause);
            for motion in together.split(';') {
                self.act(motion.trim());
            }
        }
        self
    }

    /// Notes that the hands have made this move; the scene continues from the position after it.
    pub(crate) fn played(&mut self, uci: &str) -> &mut Scene {
        let mv = uci.parse::<UciMove>().expect("UCI").to_move(&self.position).expect(uci);
        self.position.play_unchecked(mv);
        self
    }

    /// Plays these moves, each a second after the last one and with its press.
    pub(crate) fn game(&mut self, moves: &str) -> &mut Scene {
        for uci in moves.split(' ') {
            self.play(uci, 1.0);
        }
        self
    }

    /// The link is lost from this time on, for this number of seconds.
    pub(crate) fn away(&mut self, from: f64, seconds: f64) -> &mut Scene {
        self.links.extend([(from, false), (from + seconds, true)].map(|(at, up)| (Instant((at * 1e6) as u64), up)));
        self
    }

    /// The link between board and daemon is lost, or is back.
    pub(crate) fn link(&mut self, up: bool) -> &mut Scene {
        self.links.push((Instant((self.now * 1e6) as u64), up));
        self
    }

    /// Lets three seconds pass and plays the scene.
    pub(crate) fn end(&mut self) -> Outcome {
        self.wait(3.0).run()
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, seconds: f64) -> &mut Scene {
        self.now += seconds;
        self
    }

    /// An arbiter sends this command now.
    pub(crate) fn command(&mut self, json: &str) -> &mut Scene {
        let command = serde_json::from_str(json).expect("a command");
        self.commands.push((Instant((self.now * 1e6) as u64), command));
        self
    }

    /// The hands make a move after half a second and do not press.
    pub(crate) fn make(&mut self, uci: &str) -> &mut Scene {
        let mv = uci.parse::<UciMove>().expect("UCI").to_move(&self.position).expect(uci);
        for motion in motions(&self.position, mv) {
            self.wait(0.4).act(&motion);
        }
        self.position.play_unchecked(mv);
        self.wait(0.3)
    }

    /// A player presses the clock.
    pub(crate) fn press(&mut self, white: bool) -> &mut Scene {
        self.act(if white { "press left" } else { "press right" }).wait(0.7)
    }

    /// Plays a move after `think` seconds, and its press.
    pub(crate) fn play(&mut self, uci: &str, think: f64) -> &mut Scene {
        let white = self.position.turn().is_white();
        self.wait(think).make(uci).press(white)
    }

    /// Plays quiet legal moves, each with its press, until there are `plies` plies.
    pub(crate) fn shuffle(&mut self, plies: usize, think: f64) -> &mut Scene {
        for ply in 0..plies {
            let uci = quiet_move(&self.position, ply);
            self.play(&uci, think);
        }
        self
    }

    /// The move that [`Scene::shuffle`] would play next.
    pub(crate) fn next_quiet(&self) -> String {
        quiet_move(&self.position, usize::from(self.position.turn().is_black()))
    }

    /// The position that the hands have reached.
    pub(crate) fn position(&self) -> &Chess {
        &self.position
    }

    /// Continues from another position, which the hands have set up.
    pub(crate) fn assume(&mut self, fen: &str) -> &mut Scene {
        let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN");
        self.position = fen.into_position(CastlingMode::Standard).expect("a position");
        self
    }

    /// Plays the scene with emulator, bytes, driver and game, up to the present time.
    pub(crate) fn run(&mut self) -> Outcome {
        self.run_over(&mut |_, bytes| vec![bytes.to_vec()], &mut |_, _| {})
    }

    /// Like [`Scene::run`] over a `line` that says which pieces arrive for the bytes that the board sends. `look` sees the station
    /// after each event.
    pub(crate) fn run_over(&mut self, line: Line<'_>, look: &mut dyn FnMut(Instant, &Station)) -> Outcome {
        let mut emulator = Emulator::new(self.settings.clone());
        let script = self.text();
        emulator.load(&Script::parse(&script).expect("a script"));
        let driver = drivers::find("dgt").expect("registered");
        let mut station = Station::new(driver, self.config.clone(), Board::default(), "scene");
        let end = Instant((self.now * 1e6) as u64);
        let (mut out, mut messages, mut sent) = (Vec::new(), Vec::new(), Vec::new());
        let mut commands = self.commands.iter().peekable();
        let mut links = self.links.iter().peekable();
        let mut up = true;
        let mut trace = Recording::new("dgt", &self.config);
        trace.note(Instant::ZERO, Body::Link { link: 0, up: true, cause: "opened" });
        station.feed(Instant::ZERO, &StationInput::link(true), &mut out);
        loop {
            for output in out.drain(..) {
                match output {
                    StationOutput::Send { at, bytes, .. } => {
                        trace.note(at, Body::Tx { link: 0, channel: 0, bytes: Cow::Borrowed(&bytes) });
                        if up && !(self.log_unread && bytes == [READ_LOG]) {
                            emulator.host(at, &bytes);
                        }
                    }
                    StationOutput::Message(message) => messages.push(message),
                    StationOutput::Ask(_) | StationOutput::Device { .. } | StationOutput::Reply(_) | StationOutput::Daemon(_) => {
                    }
                }
            }
            let command = commands.peek().map(|(at, _)| *at);
            let link = links.peek().map(|(at, _)| *at);
            let Some(next) = [emulator.next(), station.deadline(), command, link].into_iter().flatten().min() else { break };
            if next > end {
                break;
            }
            emulator.advance(next, &mut sent);
            for Sent { at, bytes, .. } in sent.drain(..).filter(|_| up) {
                for bytes in line(at, &bytes) {
                    trace.note(at, Body::Rx { link: 0, channel: 0, bytes: Cow::Borrowed(&bytes) });
                    station.feed(at, &StationInput::bytes(0, &bytes), &mut out);
                }
            }
            if let Some((at, command)) = commands.next_if(|(at, _)| *at <= next) {
                trace.note(*at, Body::Cmd(&serde_json::to_string(command).expect("JSON")));
                station.feed(*at, &StationInput::Command(command.clone().into()), &mut out);
            }
            if let Some(&(at, there)) = links.next_if(|(at, _)| *at <= next) {
                up = there;
                trace.note(at, Body::Link { link: 0, up, cause: if up { "opened" } else { "gone" } });
                station.feed(at, &StationInput::link(up), &mut out);
            }
            station.advance(next, &mut out);
            look(next, &station);
        }
        assert_eq!(emulator.impossible(), [], "the script asks for the impossible:\n{script}");
        let sent = emulator.counters();
        assert_eq!(
            [sent.set_and_run, sent.display, sent.lights, sent.dangerous, sent.bus],
            [0; 5],
            "the players would have noticed the daemon"
        );
        keep_to_their_schemas(&messages);
        Outcome { station, messages, trace: trace.text }
    }
}

impl Scene {
    /// The script, in order of time.
    fn text(&self) -> String {
        let mut lines = self.script.clone();
        lines.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut text = String::new();
        for (at, action) in lines {
            writeln!(text, "{at:.6} {action}").expect("a string");
        }
        text
    }
}

/// Checks the events and the last states, as a node would send them.
fn keep_to_their_schemas(messages: &[Message]) {
    let stamp = Stamp { node: "scene".to_owned(), boot: 1, anchor: Anchor::default() };
    let (events, pictures): (Vec<&Message>, Vec<&Message>) = messages.iter().partition(|message| message.number > 0);
    for message in events.into_iter().chain(pictures.into_iter().rev().take(20)) {
        let payload = envelope::add_stamp(&message.payload, &stamp);
        crate::support::schemas::validate(&message.topic, payload).unwrap_or_else(|problem| panic!("{problem}"));
    }
}
