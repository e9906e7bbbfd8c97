//! One form for each kind of message that this program publishes.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::head::{self, Head};
use crate::wire::alarm::AlertBody;
use crate::wire::audit::AuditBody;
use crate::wire::clock::ClockBody;
use crate::wire::decision::Ruling;
use crate::wire::device::{DeviceRaw, DeviceStatus};
use crate::wire::moves::{LiveMove, LiveRevision, MoveBody};
use crate::wire::node::{NodeHealth, NodeInfo, NodeStatus};
use crate::wire::reply::Reply;
use crate::wire::state::{ArbiterState, LiveState};

/// A kind of message: what stands around the body, and the body.
pub(super) struct Form {
    pub(super) name: &'static str,
    /// `type` in the message.
    kind: &'static str,
    head: Head,
    about: &'static str,
    body: fn(&mut SchemaGenerator) -> Schema,
}

const fn form<T: JsonSchema>(name: &'static str, kind: &'static str, head: Head, about: &'static str) -> Form {
    Form { name, kind, head, about, body: SchemaGenerator::subschema_for::<T> }
}

pub(super) const FORMS: [Form; 15] = [
    form::<ArbiterState>("board.state.arbiter", "board.state", Head::State, "The picture of a board for arbiters."),
    form::<LiveState>(
        "board.state.live",
        "board.state",
        Head::State,
        "The picture of a board for the live and public audiences.",
    ),
    form::<ClockBody>("board.clock", "board.clock", Head::State, "The times of a board, for the live audience."),
    form::<MoveBody>("board.move.arbiter", "board.move", Head::Event, "A move that is sure, for arbiters."),
    form::<LiveMove>("board.move.live", "board.move", Head::Event, "A made move, for the live and public audiences."),
    form::<LiveRevision>("board.revision", "board.revision", Head::Event, "The moves were changed from a ply on."),
    form::<AlertBody>("board.alert", "board.alert", Head::State, "An open alarm, for arbiters; an empty payload deletes it."),
    form::<Ruling>(
        "board.ruling",
        "board.ruling",
        Head::State,
        "The last finding or decision in full, for arbiters; an empty payload deletes it.",
    ),
    form::<AuditBody>("board.audit", "board.audit", Head::Event, "One entry of a board's record, for arbiters."),
    form::<NodeStatus>("node.status", "node.status", Head::Will, "Where a node is in its life; the will says no time."),
    form::<NodeInfo>("node.info", "node.info", Head::Node, "What a node is and serves."),
    form::<NodeHealth>("node.health", "node.health", Head::Node, "How a node is."),
    form::<DeviceStatus>("device.status", "device.status", Head::Node, "A board or clock; an empty payload deletes it."),
    form::<DeviceRaw>("device.raw", "device.raw", Head::Node, "Bytes as they were read."),
    form::<Reply>("cmd.reply", "cmd.reply", Head::Reply, "The answer to a command."),
];

impl Form {
    pub(super) fn schema(&self) -> Value {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let body = (self.body)(&mut generator);
        let mut schema = head::object(self.name, self.about);
        let (required, mut properties) = self.head.fields(self.kind);
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
