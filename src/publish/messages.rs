//! Makes messages from the effects of one board: one flat header and a body. The events of each audience are numbered without a
//! gap.

mod earlier;
mod numbers;

use std::hash::Hash;

use flagfall_game::audit::AuditEntry;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_protocols::time::Instant;
use serde::Serialize;
use shakmaty::uci::UciMove;

use super::delay::{DelayedContent, DelayedItem};
use super::parts::{Changed, Parts};
use super::states::{self, EarlierState};
use crate::wire::alarm::{AlertBody, ProgramAlarm};
use crate::wire::audit::AuditBody;
use crate::wire::clock::ClockBody;
use crate::wire::decision::Ruling;
use crate::wire::envelope::VERSION;
use crate::wire::finding::Finding;
use crate::wire::moves::{LiveMove, LiveRevision, MoveBody, Restated};
use crate::wire::player::Players;
use crate::wire::round_games::{InRound, Unpublished};
use crate::wire::state::{ArbiterState, Lists, LiveState};
use crate::wire::topics::Board;

/// One message to be published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The audience that may see it.
    pub audience: Audience,
    /// Number in the audience's series of events; 0 for a state.
    pub number: u64,
    /// The topic on which it is published.
    pub topic: String,
    /// Whether the broker keeps it until the next message on this topic.
    pub retain: bool,
    /// JSON, or the PGN of a board. An empty payload deletes a retained message.
    pub payload: String,
    /// Whether it contains a finding, a decision or an arbiter's command. Such a message must be on disk before it is sent.
    pub finding: bool,
    /// Whether it is the record of a decision. No message to any audience may show the decision before this record is on disk.
    pub decision: bool,
    /// The time at which it was made: when its cause happened or, for the public, when the delay was over.
    pub at: Instant,
}

#[derive(Serialize)]
struct Time {
    us: u64,
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    v: &'static str,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no: Option<u64>,
    game: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rev: Option<u32>,
    t: Time,
    body: &'a T,
}

/// Makes messages of the effects of one board, and numbers them.
#[derive(Clone, Debug)]
pub struct Messages {
    board: Board,
    journal: String,
    /// How often the node was started, as of the last start.
    boot: u64,
    /// The last number of each audience.
    numbers: [u64; 3],
    /// The parts of the states of each audience.
    parts: [Parts; 3],
    /// The players of the states for arbiters and the live audience, if they are known.
    pub(crate) players: Option<Players>,
    /// What the states for the live audience say of the game on the board beside the game itself.
    pub(crate) in_round: InRound,
    /// The revision of the states for the live audience. It counts what they were shown, so no game that only arbiters saw is counted.
    pub(crate) live_rev: u32,
    /// Why the game on the board is not published to the live audience.
    pub(crate) unpublished: Option<Unpublished>,
}

impl Messages {
    /// Makes messages for this board. `journal` is the first part of the id of every event.
    pub fn new(board: Board, journal: &str) -> Messages {
        let journal = journal.to_owned();
        let in_round = InRound::default();
        let parts = Default::default();
        Messages { board, journal, boot: 0, numbers: [0; 3], parts, players: None, in_round, live_rev: 0, unpublished: None }
    }

    /// Returns the board as it stands in topics and payloads.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Adds every state as it is now, since the broker may have lost what it retained: the states of both audiences, the clock,
    /// the open alarms, and the last finding or decision. `earlier` is what the live audience keeps if the game on the board is not
    /// published. If there is no finding or decision it adds a deletion: deletions are not recorded, so one that waited for the
    /// broker may have been lost when the program ended. Alerts that are not open are found at the broker.
    pub fn add_all_current_states(
        &mut self,
        at: Instant,
        game: &Game,
        earlier: Option<Option<&EarlierState>>,
        out: &mut Vec<Message>,
    ) {
        self.parts.iter_mut().for_each(Parts::forget);
        self.add_effect(at, &Effect::State(Audience::Arbiter), game, out);
        for effect in [Effect::State(Audience::Live), Effect::Clock] {
            match earlier {
                Some(earlier) => self.add_earlier(at, &effect, earlier, out),
                None => self.add_effect(at, &effect, game, out),
            }
        }
        for alarm in game.alarms().iter().filter(|alarm| alarm.closed.is_none()) {
            let header = Header::state(at, Audience::Arbiter, "board.alert", self.board.alert(alarm.id));
            self.add_game_message(header, game, &AlertBody::from(alarm), out);
        }
        self.add_ruling(at, game, out);
    }

    /// Adds the last finding or decision, which may belong to an earlier game.
    fn add_ruling(&mut self, at: Instant, game: &Game, out: &mut Vec<Message>) {
        let topic = self.board.ruling();
        match game.ruling() {
            Some((number, ruling)) => {
                let header = Header::state(at, Audience::Arbiter, "board.ruling", topic);
                self.add_message(Header { game: number, rev: game.rev(), finding: true, ..header }, &Ruling::from(&ruling), out);
            }
            None => out.push(deletion(at, topic)),
        }
    }

    /// Adds the messages of one effect.
    pub fn add_effect(&mut self, at: Instant, effect: &Effect, game: &Game, out: &mut Vec<Message>) {
        let topics = &self.board;
        match effect {
            Effect::State(Audience::Arbiter) => {
                let header = Header::state(at, Audience::Arbiter, "board.state", topics.arbiter_state());
                let header = Header { game: game.number(), rev: game.rev(), ..header };
                let (players, unpublished) = (self.players.clone(), self.unpublished);
                let mut state = ArbiterState { players, unpublished, ..states::arbiter_state(game) };
                self.add_parts(&header, state.lists(), |played| played.uci, out);
                self.add_message(header, &state, out);
            }
            Effect::State(Audience::Live) => {
                let header = Header::state(at, Audience::Live, "board.state", topics.live_state());
                let header = Header { game: game.number(), rev: self.live_rev, ..header };
                let state = LiveState { players: self.players.clone(), ..states::live_state(game).in_round(self.in_round) };
                self.add_live_state(header, state, out);
            }
            Effect::Clock => {
                let header = Header::state(at, Audience::Live, "board.clock", topics.live_clock());
                self.add_game_message(header, game, &ClockBody::from(game.clock()), out);
            }
            Effect::Move(played) => {
                let header = Header::event(at, Audience::Arbiter, "board.move", topics.arbiter_move());
                self.add_game_message(header, game, &MoveBody::from(*played), out);
            }
            Effect::LiveMove { audience: Audience::Live, played } => {
                let header = Header::event(at, Audience::Live, "board.move", topics.live_move());
                self.add_game_message(header, game, &LiveMove::from(*played), out);
            }
            Effect::LiveRevision { audience: Audience::Live, from_ply, moves } => {
                let header = Header::event(at, Audience::Live, "board.revision", topics.live_revision());
                self.add_game_message(header, game, &LiveRevision::new(*from_ply, moves), out);
            }
            Effect::Alert(alarm) => {
                let (topic, body) = (topics.alert(alarm.id), AlertBody::from(alarm));
                self.add_audit_entry(at, game, &AuditBody::Alarm(body.clone()), out);
                if body.closed_at.is_none() {
                    self.add_game_message(Header::state(at, Audience::Arbiter, "board.alert", topic), game, &body, out);
                } else {
                    out.push(deletion(at, topic));
                }
            }
            Effect::Finding(finding) => {
                self.add_audit_entry(at, game, &AuditBody::Finding(Box::new(Finding::from(&**finding))), out);
            }
            Effect::Ruling => self.add_ruling(at, game, out),
            Effect::Audit(entry) => {
                // A step that begins a new game may contain a decision about the game before.
                let number = if let AuditEntry::Decision(decided) = entry { decided.game_no } else { game.number() };
                self.add_audit_entry_of_game(at, game, number, &AuditBody::from(entry), out);
            }
            // The public gets them after its delay.
            Effect::LiveMove { .. } | Effect::LiveRevision { .. } | Effect::State(Audience::Public) => {}
            Effect::LiveTimes { .. } | Effect::Ask(_) | Effect::Device(_) => {}
        }
    }

    /// Adds the event that reports to an audience that numbers from `from` on may have been given to other events before.
    pub(crate) fn add_restated(&mut self, at: Instant, audience: Audience, game: u32, from: u64, out: &mut Vec<Message>) {
        let topics = &self.board;
        let (kind, topic) = match audience {
            Audience::Arbiter => ("board.audit", topics.audit()),
            Audience::Live => ("board.restated", topics.live_revision()),
            Audience::Public => ("board.restated", topics.public_revision()),
        };
        let header = Header { game, ..Header::event(at, audience, kind, topic) };
        match audience {
            Audience::Arbiter => self.add_message(header, &AuditBody::Restated { from }, out),
            _ => self.add_message(header, &Restated { from }, out),
        }
    }

    /// Adds an entry about the game on the board to the arbiters' audit.
    pub fn add_audit_entry(&mut self, at: Instant, game: &Game, body: &AuditBody, out: &mut Vec<Message>) {
        self.add_audit_entry_of_game(at, game, game.number(), body, out);
    }

    /// Adds the alert of an alarm that the program raises about itself, or, without a body, its deletion. It has no number and no
    /// line in the audit: it is in no journal. `game` and `rev` are those of the board when it was made.
    pub fn add_program_alert(
        &mut self,
        at: Instant,
        (game, rev): (u32, u32),
        (alarm, body): (ProgramAlarm, Option<&AlertBody>),
        out: &mut Vec<Message>,
    ) {
        let topic = self.board.alert(alarm.id());
        match body {
            Some(body) => {
                let header = Header::state(at, Audience::Arbiter, "board.alert", topic);
                self.add_message(Header { game, rev, ..header }, body, out);
            }
            None => out.push(deletion(at, topic)),
        }
    }

    fn add_audit_entry_of_game(&mut self, at: Instant, game: &Game, number: u32, body: &AuditBody, out: &mut Vec<Message>) {
        let header = Header::event(at, Audience::Arbiter, "board.audit", self.board.audit());
        let decision = matches!(body, AuditBody::Decision(_));
        let finding = decision || matches!(body, AuditBody::Finding(_) | AuditBody::Command(_));
        self.add_message(Header { game: number, rev: game.rev(), finding, decision, ..header }, body, out);
    }

    /// Adds an event for the public, which is released at `now`. For a state and for times of moves it adds nothing.
    pub(super) fn add_public_event(&mut self, now: Instant, item: &DelayedItem, out: &mut Vec<Message>) {
        let header =
            |kind, topic| Header { happened: item.at, game: item.game, ..Header::event(now, Audience::Public, kind, topic) };
        match &item.content {
            DelayedContent::Move(played) => {
                self.add_message(header("board.move", self.board.public_move()), &LiveMove::from(*played), out);
            }
            DelayedContent::Revision { from_ply, moves } => {
                let body = LiveRevision::new(*from_ply, moves);
                self.add_message(header("board.revision", self.board.public_revision()), &body, out);
            }
            DelayedContent::Times(_) | DelayedContent::State { .. } => {}
        }
    }

    /// Adds the times of the clock for the public, as they were on the board at `happened`.
    pub(super) fn add_public_clock(
        &mut self,
        now: Instant,
        happened: Instant,
        game: u32,
        rev: u32,
        body: &ClockBody,
        out: &mut Vec<Message>,
    ) {
        let header = Header::state(now, Audience::Public, "board.clock", self.board.public_clock());
        self.add_message(Header { happened, game, rev, ..header }, body, out);
    }

    /// Adds the state for the public, as it was on the board at `happened`.
    pub(super) fn add_public_state(
        &mut self,
        now: Instant,
        happened: Instant,
        rev: u32,
        state: LiveState,
        out: &mut Vec<Message>,
    ) {
        let header = Header::state(now, Audience::Public, "board.state", self.board.public_state());
        self.add_live_state(Header { happened, game: state.game_no, rev, ..header }, state, out);
    }

    /// Adds a state for the live audience or the public, behind the parts that it needs.
    fn add_live_state(&mut self, header: Header, mut state: LiveState, out: &mut Vec<Message>) {
        self.add_parts(&header, state.lists(), |played| played.uci, out);
        self.add_message(header, &state, out);
    }

    /// Moves the moves of a state into parts, and adds those that have changed.
    fn add_parts<Move: Copy + Hash + Serialize>(
        &mut self,
        header: &Header,
        lists: Lists<'_, Move>,
        uci: fn(&Move) -> UciMove,
        out: &mut Vec<Message>,
    ) {
        let (audience, board) = (header.audience, self.board.clone());
        let topic = |part| match audience {
            Audience::Arbiter => board.arbiter_moves(part),
            Audience::Live => board.live_moves(part),
            Audience::Public => board.public_moves(part),
        };
        for changed in self.parts[audience as usize].divide(header.game, lists, uci) {
            match changed {
                Changed::Gone(part) => out.push(Message { audience, ..deletion(header.at, topic(part)) }),
                Changed::Part(part, body) => {
                    self.add_message(Header { kind: "board.moves", topic: topic(part), ..*header }, &body, out);
                }
            }
        }
    }

    /// Adds the games of the board as PGN, for the live audience or for the public.
    pub(crate) fn add_pgn(&mut self, at: Instant, audience: Audience, pgn: String, out: &mut Vec<Message>) {
        let topic = if audience == Audience::Public { self.board.public_pgn() } else { self.board.live_pgn() };
        out.push(Message { audience, number: 0, topic, retain: true, payload: pgn, finding: false, decision: false, at });
    }

    fn add_game_message(&mut self, header: Header, game: &Game, body: &impl Serialize, out: &mut Vec<Message>) {
        let rev = if header.audience == Audience::Arbiter { game.rev() } else { self.live_rev };
        self.add_message(Header { game: game.number(), rev, ..header }, body, out);
    }

    fn add_message(&mut self, header: Header, body: &impl Serialize, out: &mut Vec<Message>) {
        let Header { audience, kind, topic, event, at, happened, game, rev, finding, decision } = header;
        let series = &mut self.numbers[audience as usize];
        *series += u64::from(event);
        let number = if event { *series } else { 0 };
        let game = self.board.game_id(game);
        let envelope = Envelope {
            v: VERSION,
            r#type: kind,
            id: event.then(|| self.event_id(number)),
            no: event.then_some(number),
            game: &game,
            rev: (!event).then_some(rev),
            t: Time { us: happened.0 },
            body,
        };
        // The structs hold numbers, text and lists only, which JSON can represent, so this does not fail.
        let payload = serde_json::to_string(&envelope).unwrap_or_default();
        out.push(Message { audience, number, topic, retain: !event, payload, finding, decision, at });
    }
}

/// The fields of a message without its body.
struct Header {
    audience: Audience,
    kind: &'static str,
    topic: String,
    event: bool,
    /// The time at which it is sent.
    at: Instant,
    /// The time at which its cause happened.
    happened: Instant,
    game: u32,
    rev: u32,
    /// See [`Message::finding`] and [`Message::decision`].
    finding: bool,
    decision: bool,
}

impl Header {
    /// The header of a state, which the broker retains.
    fn state(at: Instant, audience: Audience, kind: &'static str, topic: String) -> Header {
        Header { audience, kind, topic, event: false, at, happened: at, game: 0, rev: 0, finding: false, decision: false }
    }

    fn event(at: Instant, audience: Audience, kind: &'static str, topic: String) -> Header {
        Header { event: true, ..Header::state(at, audience, kind, topic) }
    }
}

fn deletion(at: Instant, topic: String) -> Message {
    let audience = Audience::Arbiter;
    Message { audience, number: 0, topic, retain: true, payload: String::new(), finding: false, decision: false, at }
}
