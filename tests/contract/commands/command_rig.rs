//! A station with a game, and a sender of commands.

use flagfall::arbiter::verbs::{self, Lock};
use flagfall::arbiter::{Configured, DaemonAction, Recorded, Reply, Setup, read};
use flagfall::config::Role;
use flagfall::publish::Message;
use flagfall::session::record_input::read_input;
use flagfall::session::replay;
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::system_clock::Utc;
use flagfall::wire::time::{Anchor, TimeSource};
use flagfall::wire::topics::{Board, CommandTopic};
use flagfall_game::game_phase::GamePhase;
use flagfall_game::laws::answering;
use flagfall_game::laws::winnable::Ask;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Trace};
use serde_json::{Value, json};

/// The wall time at the beginning of the journal.
pub(crate) const BEGAN: &str = "2026-11-21T13:00:00Z";

pub(crate) struct CommandRig {
    pub(crate) station: Station,
    pub(crate) now: Instant,
    pub(crate) anchor: Anchor,
    pub(crate) messages: Vec<Message>,
    pub(crate) daemon_actions: Vec<DaemonAction>,
    /// The questions of the trace that nobody has answered.
    asks: Vec<Ask>,
    /// The commands as the journal has them.
    pub(crate) records: Vec<(Instant, String)>,
}

/// The devices of the configuration.
pub(crate) fn setup() -> Setup {
    Setup {
        configuration: "0badcafe".to_owned(),
        family: "dgt".to_owned(),
        board: "own".to_owned(),
        configured: [Configured {
            board: "other".to_owned(),
            serial: Some("54321".to_owned()),
            ports: vec!["/dev/ttyUSB7".to_owned(), "C0:FF:EE:00:10:25".to_owned()],
            clock: None,
        }]
        .into(),
    }
}

/// A command's payload.
pub(crate) fn payload(verb: &str, id: &str, expect: &Value, body: Value) -> String {
    json!({"v": "1.0", "type": format!("cmd.{verb}"), "id": id, "expect": expect, "body": body}).to_string()
}

/// A station that is fed with a trace (`dgt/game`) until `until` is true.
fn rig_from_trace(name: &str, until: impl Fn(&Station) -> bool) -> CommandRig {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces/");
    let text = std::fs::read_to_string(format!("{path}{name}.trace")).expect("a trace");
    let trace = Trace::new(text.as_bytes()).expect("a trace");
    let mut station = Setting::from_trace(&trace, &Overrides::default()).expect("a setting").station().expect("a station");
    let (mut out, mut now) = (Vec::new(), Instant::ZERO);
    for record in trace.records() {
        let (_, record) = record.expect("a record");
        now = record.at;
        replay::feed(&mut station, &record, &mut out).expect("an input");
        if until(&station) {
            break;
        }
    }
    assert!(until(&station), "{name} has no such moment");
    let anchor = Anchor { at: Instant::ZERO, utc: Utc::parse(BEGAN).expect("a time"), sync: TimeSource::Ntp, err_ms: Some(3) };
    let ask = |output| if let StationOutput::Ask(ask) = output { Some(ask) } else { None };
    let asks = out.into_iter().filter_map(ask).collect();
    CommandRig { station, now, anchor, messages: Vec::new(), daemon_actions: Vec::new(), asks, records: Vec::new() }
}

impl CommandRig {
    /// Two moves were played and completed.
    pub(crate) fn playing() -> CommandRig {
        rig_from_trace("dgt/game", |station| station.game().moves().len() >= 2)
    }

    /// Like [`CommandRig::playing`] with a board that reports no serial number.
    pub(crate) fn at_a_board_without_a_number() -> CommandRig {
        rig_from_trace("chessnut/chessnut-moves", |station| station.game().moves().len() >= 2)
    }

    /// A flag fell in a game with a move.
    pub(crate) fn flag_fallen() -> CommandRig {
        rig_from_trace("dgt/one-move-short", |station| station.game().has_fallen_flag() && station.game().live_plies() > 0)
    }

    /// A flag fell, then kings in the centre ended the game; no result is known.
    pub(crate) fn over_with_a_flag() -> CommandRig {
        rig_from_trace("dgt/freeze-and-kings", |station| {
            station.game().has_fallen_flag() && station.game().stage() == GamePhase::Over
        })
    }

    /// Like [`CommandRig::over_with_a_flag`] before the kings, with a proof that Black could have mated.
    pub(crate) fn flag_and_mate() -> CommandRig {
        let mut rig = rig_from_trace("dgt/freeze-and-kings", |station| station.game().has_fallen_flag());
        let line = "{\"id\":1,\"line\":[\"a2a3\",\"f8c5\",\"a3a4\",\"d8f6\",\"a4a5\",\"f6f2\"]}";
        let body = Body::Answer(line);
        let input = read_input(&body).expect("readable").expect("an input");
        rig.now = rig.now.max(rig.station.earliest());
        rig.station.feed(rig.now, &input, &mut Vec::new());
        rig
    }

    /// Gives the answers of the worker to all questions so far.
    pub(crate) fn answer_asks(mut self) -> CommandRig {
        for ask in std::mem::take(&mut self.asks) {
            self.now = self.now.max(self.station.earliest());
            self.station.feed(self.now, &StationInput::Answer(answering::answer(&ask).answer), &mut Vec::new());
        }
        self
    }

    /// The game and its revision, as a lock names them.
    pub(crate) fn now(&self) -> (String, u32) {
        (Board::default().game_id(self.station.game().number()), self.station.game().rev())
    }

    pub(crate) fn digest(&self) -> [u8; 4] {
        self.station.digest()
    }

    /// A payload with the right lock.
    pub(crate) fn ask(&self, verb: &str, id: &str, body: Value) -> String {
        let (game, rev) = self.now();
        match verbs::find(verb).map(|verb| verb.lock) {
            Some(Lock::Finding) => self.decide(verb, id, self.finding()),
            _ => payload(verb, id, &json!({"game": game, "rev": rev}), body),
        }
    }

    /// The deciding finding, as in a lock; the first one if there is none.
    pub(crate) fn finding(&self) -> (u32, u32) {
        self.station.game().deciding_finding().map_or((1, 1), |finding| (finding.id, finding.revision))
    }

    /// The payload of a decision about this revision of this finding.
    pub(crate) fn decide(&self, verb: &str, id: &str, (finding, revision): (u32, u32)) -> String {
        let expect = json!({"game": self.now().0, "finding": {"id": finding, "revision": revision}});
        let mut message: Value = serde_json::from_str(&payload(verb, id, &expect, json!({}))).expect("JSON");
        message["reason"] = json!("the clock was set wrong");
        message.to_string()
    }

    pub(crate) fn send(&mut self, role: Option<Role>, verb: &str, payload: &str) -> Vec<Reply> {
        self.send_as("anna", role, verb, payload)
    }

    pub(crate) fn send_as(&mut self, user: &str, role: Option<Role>, verb: &str, payload: &str) -> Vec<Reply> {
        let topic = CommandTopic { user, event: "replay", round: "1", board: "1", verb };
        let submission = read("flagfall", &topic, payload.as_bytes(), role, self.now, &self.anchor);
        let recorded = self.station.admit(submission, &setup());
        self.take(&recorded)
    }

    /// Records the command and feeds the record to the station.
    pub(crate) fn take(&mut self, recorded: &Recorded) -> Vec<Reply> {
        let json = recorded.to_json();
        let body = Body::Cmd(&json);
        let input = read_input(&body).expect("readable").expect("an input");
        assert_eq!(input, StationInput::Submitted(Box::new(recorded.clone())));
        let mut out = Vec::new();
        self.now = self.now.max(self.station.earliest());
        self.station.feed(self.now, &input, &mut out);
        self.records.push((self.now, json.clone()));
        let mut replies = Vec::new();
        for output in out {
            match output {
                StationOutput::Reply(reply) => replies.push(reply),
                StationOutput::Message(message) => self.messages.push(message),
                StationOutput::Daemon(action) => self.daemon_actions.push(action),
                _ => {}
            }
        }
        replies
    }

    /// The bodies of the audit's lines about commands.
    pub(crate) fn audits(&self) -> Vec<Value> {
        let commands = self.messages.iter().filter(|message| message.payload.contains("\"what\":\"command\""));
        commands
            .map(|message| {
                assert!(message.finding, "a decision is on the disk before it is sent");
                serde_json::from_str::<Value>(&message.payload).expect("JSON")["body"].clone()
            })
            .collect()
    }

    #[track_caller]
    pub(crate) fn one_audit(&self, name: &str) -> Value {
        let audits = self.audits();
        assert_eq!(audits.len(), 1, "{name}: {audits:#?}");
        audits[0].clone()
    }
}
