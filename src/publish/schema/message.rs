//! Lists the kinds of messages that this program publishes, and makes one JSON Schema for each.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::header::{self, Header};
use crate::wire::alarm::AlertBody;
use crate::wire::audit::AuditBody;
use crate::wire::clock::ClockBody;
use crate::wire::decision::Ruling;
use crate::wire::device::{DeviceRaw, DeviceStatus};
use crate::wire::meta::{MetaEvent, MetaRound};
use crate::wire::moves::{LiveMove, LiveRevision, MoveBody, Restated};
use crate::wire::moves_part::MovesPart;
use crate::wire::node::{NodeHealth, NodeInfo, NodeStatus};
use crate::wire::output::OutputStatus;
use crate::wire::reply::Reply;
use crate::wire::state::{ArbiterState, LiveState};

/// The schema of one kind of message: its header and its body.
pub(super) struct MessageSchema {
    /// The name of the schema.
    pub(super) name: &'static str,
    /// The value of `type` in the message.
    kind: &'static str,
    header: Header,
    /// The description in the schema.
    about: &'static str,
    body: fn(&mut SchemaGenerator) -> Schema,
}

const fn message<T: JsonSchema>(name: &'static str, kind: &'static str, header: Header, about: &'static str) -> MessageSchema {
    MessageSchema { name, kind, header, about, body: SchemaGenerator::subschema_for::<T> }
}

pub(super) const MESSAGES: [MessageSchema; 21] = [
    message::<ArbiterState>("board.state.arbiter", "board.state", Header::State, "The picture of a board for arbiters."),
    message::<LiveState>(
        "board.state.live",
        "board.state",
        Header::State,
        "The picture of a board for the live and public audiences.",
    ),
    message::<MovesPart<MoveBody>>(
        "board.moves.arbiter",
        "board.moves",
        Header::State,
        "Moves of a game before those in its state, for arbiters; an empty payload deletes them.",
    ),
    message::<MovesPart<LiveMove>>(
        "board.moves.live",
        "board.moves",
        Header::State,
        "Moves of a game before those in its state, for the live and public audiences; an empty payload deletes them.",
    ),
    message::<ClockBody>("board.clock", "board.clock", Header::State, "The times of a board, for the live and public audiences."),
    message::<MoveBody>("board.move.arbiter", "board.move", Header::Event, "A move that is sure, for arbiters."),
    message::<LiveMove>("board.move.live", "board.move", Header::Event, "A made move, for the live and public audiences."),
    message::<LiveRevision>("board.revision", "board.revision", Header::Event, "The moves were changed from a ply on."),
    message::<Restated>(
        "board.restated",
        "board.restated",
        Header::Event,
        "Numbers from one on may have been given to other events before.",
    ),
    message::<AlertBody>(
        "board.alert",
        "board.alert",
        Header::State,
        "An open alarm, for arbiters; an empty payload deletes it.",
    ),
    message::<Ruling>(
        "board.ruling",
        "board.ruling",
        Header::State,
        "The last finding or decision in full, for arbiters; an empty payload deletes it.",
    ),
    message::<AuditBody>("board.audit", "board.audit", Header::Event, "One entry of a board's record, for arbiters."),
    message::<NodeStatus>("node.status", "node.status", Header::Will, "Where a node is in its life; the will says no time."),
    message::<NodeInfo>("node.info", "node.info", Header::Node, "What a node is and serves."),
    message::<NodeHealth>("node.health", "node.health", Header::Node, "How a node is."),
    message::<OutputStatus>(
        "node.output",
        "node.output",
        Header::Node,
        "Whether an output of a collector works; an empty payload deletes it.",
    ),
    message::<DeviceStatus>("device.status", "device.status", Header::Node, "A board or clock; an empty payload deletes it."),
    message::<DeviceRaw>("device.raw", "device.raw", Header::Node, "Bytes as they were read."),
    message::<MetaEvent>(
        "meta.event",
        "meta.event",
        Header::Organiser,
        "What the organiser says of the event and its current round.",
    ),
    message::<MetaRound>("meta.round", "meta.round", Header::Organiser, "The pairings of a round, by the organiser."),
    message::<Reply>("cmd.reply", "cmd.reply", Header::Reply, "The answer to a command."),
];

impl MessageSchema {
    pub(super) fn build(&self) -> Value {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let body = (self.body)(&mut generator);
        let mut schema = header::new_schema(self.name, self.about);
        let (required, mut properties) = self.header.fields(self.kind);
        properties.insert("body".to_owned(), body.to_value());
        schema.insert("required".to_owned(), required.iter().chain(&["body"]).copied().collect());
        schema.insert("properties".to_owned(), Value::Object(properties));
        let definitions = generator.take_definitions(true);
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Value::Object(schema)
    }
}
