//! The messages for the live audience and for the public, side by side.

use flagfall::emulate::score_sheet;
use flagfall::journal::Limits;
use flagfall::publish::delay::Delay;
use flagfall::publish::{Message, states};
use flagfall::session::recorder::Recorder;
use flagfall::session::restore::RestoreReport;
use flagfall::session::station::StationOutput;
use flagfall_game::game::Game;
use flagfall_game::game_phase::GamePhase;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};
use serde_json::Value;
use shakmaty::CastlingMode;

use crate::support::parts::Parts;
use crate::support::tapes::Tape;
use crate::support::tapes::memory::Memory;

/// A recorder that publishes for the public, too.
pub(crate) struct PublicRecorder {
    pub(crate) memory: Memory,
    pub(crate) recorder: Recorder,
    pub(crate) restored: RestoreReport,
}

impl PublicRecorder {
    pub(crate) fn open(tape: &Tape, memory: Memory) -> PublicRecorder {
        PublicRecorder::open_logged(tape, memory, &mut PublishedLog::default())
    }

    pub(crate) fn open_logged(tape: &Tape, memory: Memory, published: &mut PublishedLog) -> PublicRecorder {
        let mut sink = |output| {
            published.record(output);
            Ok(())
        };
        let fs = Box::new(memory.clone());
        let (recorder, restored) = Recorder::open(fs, Limits::default(), &tape.setting, "test", &mut sink).expect("opens");
        PublicRecorder { memory, recorder, restored }
    }

    pub(crate) fn feed(&mut self, tape: &Tape, upto: usize, end: Instant) {
        self.feed_logged(tape, upto, end, &mut PublishedLog::default());
    }

    /// The inputs that are not in the journal yet, up to this one, and time up to `end`.
    pub(crate) fn feed_logged(&mut self, tape: &Tape, upto: usize, end: Instant, published: &mut PublishedLog) {
        let mut sink = |output| {
            published.record(output);
            Ok(())
        };
        let known = self.restored.inputs as usize;
        for (at, body) in tape.inputs.get(known..upto).unwrap_or_default() {
            self.recorder.feed(*at, body, &mut sink).expect("an input");
        }
        self.recorder.advance(end, &mut sink).expect("kept");
        self.recorder.flush(end).expect("written");
    }

    pub(crate) fn text(&self) -> String {
        let files = self.memory.files();
        let [(_, text)] = files.as_slice() else { panic!("{} files", files.len()) };
        text.clone()
    }
}

/// The recorded events of an audience: time, number, payload.
pub(crate) fn events(memory: &Memory, whose: Audience) -> Vec<(Instant, u64, String)> {
    let recovered = memory.recovered();
    let events = recovered.records().filter_map(|record| match record.body {
        Body::Out { number, audience, payload, .. } if audience == whose => Some((record.at, number, payload.to_owned())),
        _ => None,
    });
    events.collect()
}

/// One message with its parsed payload.
struct PublishedMessage {
    at: Instant,
    us: u64,
    payload: Value,
    delay: Delay,
    run: usize,
}

/// All messages for the two audiences.
#[derive(Default)]
pub(crate) struct PublishedLog {
    delay: Delay,
    run: usize,
    parts: Parts,
    live: Vec<PublishedMessage>,
    public: Vec<PublishedMessage>,
    /// Live states, by the time in them.
    states: Vec<(u64, Value)>,
    shown: Vec<PublishedMessage>,
    live_clocks: Vec<PublishedMessage>,
    clocks: Vec<PublishedMessage>,
    /// The times of the messages that the game is over.
    over: Vec<u64>,
}

impl PublishedLog {
    /// Begins a run with this delay.
    pub(crate) fn run(&mut self, delay: Delay) {
        self.delay = delay;
        self.run += 1;
    }

    pub(crate) fn record(&mut self, output: StationOutput) {
        let StationOutput::Message(Message { audience, number, topic, retain, payload, at, .. }) = output else { return };
        if payload.is_empty() {
            return;
        }
        let payload: Value = serde_json::from_slice(&self.parts.joined(&topic, payload.as_bytes())).expect("JSON");
        if payload["type"] == "board.moves" {
            return assert!(retain);
        }
        let seen =
            PublishedMessage { at, us: payload["t"]["us"].as_u64().expect("a time"), payload, delay: self.delay, run: self.run };
        assert_eq!(retain, number == 0);
        match (audience, number > 0) {
            (Audience::Live, true) => self.live.push(seen),
            (Audience::Live, false) if topic.ends_with("/state") => self.states.push((seen.us, seen.payload["body"].clone())),
            (Audience::Public, true) => self.public.push(seen),
            (Audience::Live, false) => self.live_clocks.push(seen),
            (Audience::Public, false) if topic.ends_with("/clock") => self.clocks.push(seen),
            (Audience::Public, false) => self.shown.push(seen),
            (Audience::Arbiter, _) if matches!(seen.payload["body"]["event"].as_str(), Some("over")) => self.over.push(seen.us),
            _ => {}
        }
    }

    /// Checks the PGN that the public has now: its last game has the moves of the last state, whose time is checked. A run that has
    /// shown no state may have one from the records, which is not checked here.
    pub(crate) fn check_pgn(&self, name: &str, pgn: Option<&str>) {
        let last = self.shown.iter().rfind(|shown| shown.run == self.run);
        let games = score_sheet::read(pgn.unwrap_or_default().as_bytes()).expect("readable");
        let Some(moves) = last.and_then(|shown| shown.payload["body"]["moves"].as_array()) else { return };
        let shown: Vec<&str> = moves.iter().map(|played| played["uci"].as_str().expect("a move")).collect();
        let last = games.last().unwrap_or_else(|| panic!("{name}: no PGN"));
        // A game without moves is not written behind another one, and another part does not begin with the initial position.
        if !shown.is_empty() && last.unplayable.is_none() {
            let written: Vec<String> = last.moves.iter().map(|mv| mv.to_uci(CastlingMode::Standard).to_string()).collect();
            assert_eq!(written, shown, "{name}");
        }
    }

    pub(crate) fn check(&self, name: &str, game: &Game) {
        let over = game.stage() == GamePhase::Over || game.result().is_some();
        self.check_events(name, over);
        self.check_states(name);
        self.check_clocks(name);
        if over && !self.live.is_empty() {
            let last = &self.shown.last().expect("a state").payload["body"];
            let live = serde_json::to_value(states::live_state(game)).expect("JSON");
            for same in ["moves", "fen", "result", "result_by", "ending"] {
                assert_eq!(last[same], live[same], "{name}");
            }
        }
    }

    fn check_events(&self, name: &str, over: bool) {
        assert!(self.public.len() <= self.live.len(), "{name}");
        if over || self.delay.moves == 0 {
            assert_eq!(self.public.len(), self.live.len(), "{name}: every event becomes public");
        }
        for (index, (live, public)) in self.live.iter().zip(&self.public).enumerate() {
            let name = format!("{name}, event {index}");
            assert_eq!(public.payload["no"], index as u64 + 1, "{name}");
            for same in ["type", "game", "t", "body"] {
                assert_eq!(public.payload[same], live.payload[same], "{name}");
            }
            assert!(public.at >= live.at.after(public.delay.time), "{name}: {:?} after {:?}", public.at, live.at);
            let ended = self.over.iter().any(|&over| over <= public.at.0);
            let before: Vec<&PublishedMessage> = self.live.iter().filter(|event| event.at <= public.at).collect();
            let events = before.len() as u64 > index as u64 + u64::from(public.delay.moves);
            // A repair after a gap publishes several moves at once.
            let moves = before.last().is_some_and(|newest| plies(newest) >= plies(live) + u64::from(public.delay.moves));
            assert!(ended || events || moves, "{name}: {} events", before.len());
        }
    }

    /// Checks that no times of a clock are early, that they are those of the live audience, that none of them is older than the one
    /// before, and that they come often enough.
    fn check_clocks(&self, name: &str) {
        let mut before = (0, 0);
        for shown in &self.clocks {
            let (us, body) = (shown.us, &shown.payload["body"]);
            assert!(shown.run > before.0 || us >= before.1, "{name}: back from {} to {us}", before.1);
            before = (shown.run, us);
            let same = |live: &&PublishedMessage| live.us == us && &live.payload["body"] == body;
            let of_state = |(at, live): &(u64, Value)| *at == us && &live["clock"] == body;
            assert!(self.live_clocks.iter().any(|live| same(&live)) || self.states.iter().any(of_state), "{name}: {us} {body}");
            // With another delay the public may know more than this delay would show it.
            let earlier = |other: &&PublishedMessage| other.run < shown.run && other.us >= us;
            if self.public.iter().chain(&self.shown).chain(&self.clocks).any(|other| earlier(&other)) {
                continue;
            }
            assert!(us + shown.delay.time.as_micros() as u64 <= shown.at.0, "{name}: a clock of {us} at {:?}", shown.at);
            let known =
                |until: u64| self.live.iter().rfind(|event| event.at.0 <= until).map_or(0, plies) + u64::from(shown.delay.moves);
            let followed = self.live.iter().any(|event| us < event.at.0 && event.at <= shown.at && plies(event) >= known(us));
            let game = |state: &Value| {
                shown.payload["game"].as_str().is_some_and(|game| game.ends_with(&format!("-g{}", state["game_no"])))
            };
            let ended = self.over.iter().any(|&over| over <= shown.at.0)
                || self.states.iter().any(|(at, state)| *at <= shown.at.0 && !game(state));
            assert!(
                shown.delay.moves == 0 || followed || ended,
                "{name}: a clock of {us} at {:?}, too few moves later",
                shown.at
            );
        }
        // While a clock runs for the public, it has times at least every ten seconds; else every thirty.
        for pair in self.clocks.windows(2).filter(|pair| pair[0].run == pair[1].run) {
            let most = if pair[0].payload["body"]["running"].is_null() { 30 } else { 10 };
            let passed = pair[1].at.0 - pair[0].at.0;
            let [one, other] = [&pair[0], &pair[1]].map(|shown| format!("{:?} {}", shown.at, shown.payload));
            assert!(passed <= most * 1_000_000, "{name}: no clock for {passed} µs between {one} and {other}");
        }
    }

    fn check_states(&self, name: &str) {
        let (mut newest, mut before, mut rev) = (0, (0, 0), 0);
        for shown in &self.shown {
            let in_time = shown.us + shown.delay.time.as_micros() as u64 <= shown.at.0;
            assert!(in_time || shown.us <= newest, "{name}: a state of {} at {:?}", shown.us, shown.at);
            // With another delay a state may be older than the last one.
            assert!(shown.run > before.0 || shown.us >= before.1, "{name}: back from {} to {}", before.1, shown.us);
            rev = if shown.run > before.0 { 0 } else { rev };
            (newest, before) = (newest.max(shown.us), (shown.run, shown.us));
            let now = shown.payload["rev"].as_u64().expect("a revision");
            assert!(now >= rev, "{name}");
            rev = now;
            // Several states may be of the same moment.
            let shows = |live: &Value| {
                ["game_no", "initial_fen", "fen", "moves", "clock_status", "link", "result", "result_by", "ending"]
                    .iter()
                    .all(|same| shown.payload["body"][same] == live[same])
            };
            let mut live = self.states.iter().filter(|(us, _)| *us == shown.us).peekable();
            assert!(
                live.peek().is_none() || live.any(|(_, live)| shows(live)),
                "{name}: state of {}: {}",
                shown.us,
                shown.payload
            );
        }
    }
}

/// The number of moves of the game after this event.
fn plies(event: &PublishedMessage) -> u64 {
    let body = &event.payload["body"];
    match body["moves"].as_array() {
        Some(moves) => body["from_ply"].as_u64().expect("a ply") - 1 + moves.len() as u64,
        None => body["ply"].as_u64().expect("a ply"),
    }
}
