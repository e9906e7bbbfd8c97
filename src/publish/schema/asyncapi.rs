//! Makes an AsyncAPI 3.1 document of every topic: its address, its messages, the direction, and how they are sent
//! (`wire/README.md#1` and `wire/README.md#3`).

use serde_json::{Map, Value, json};

use super::{PGN, command, names};
use crate::wire::envelope::VERSION;
use crate::wire::topics::{self, Board};

/// One topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The name of the function in [`topics`] that makes it.
    pub name: &'static str,
    /// The topic, with a word in braces for each level that varies.
    pub address: String,
    /// The names of the schemas of its messages, or [`PGN`].
    pub messages: Vec<&'static str>,
    /// Whether this program publishes on it. If not, it subscribes to it.
    pub published: bool,
    /// The quality of service.
    pub qos: u8,
    /// Whether the broker keeps the last message. An empty payload deletes it.
    pub retain: bool,
    /// The seconds after which a message expires.
    pub expiry: Option<u32>,
}

/// How a kind of message is sent.
struct Delivery {
    qos: u8,
    retain: bool,
    expiry: Option<u32>,
}

/// The delivery of a state: at least once, and the broker keeps it.
const STATE: Delivery = Delivery { qos: 1, retain: true, expiry: None };
/// The delivery of clock times: at most once, and the broker keeps them.
const CLOCK: Delivery = Delivery { qos: 0, retain: true, expiry: None };
/// The delivery of the health of a node: at most once, and the broker keeps it for 120 s.
const HEALTH: Delivery = Delivery { qos: 0, retain: true, expiry: Some(120) };
/// The delivery of an event: at least once, for subscribers that return within an hour.
const EVENT: Delivery = Delivery { qos: 1, retain: false, expiry: Some(3600) };
/// The delivery of a command: at least once, within 10 s.
const COMMAND: Delivery = Delivery { qos: 1, retain: false, expiry: Some(10) };
/// The delivery of other messages: at least once, within 60 s.
const ONCE: Delivery = Delivery { qos: 1, retain: false, expiry: Some(60) };

/// Returns every topic on which this program publishes or to which it subscribes.
pub fn channels() -> Vec<Channel> {
    let word = str::to_owned;
    let board = Board { root: word("{root}"), event: word("{event}"), round: word("{round}"), board: word("{board}") };
    let root = "{root}";
    let alert = board.alert(0).replace("alert/0", "alert/{alert}");
    let moves = |topic: String| topic.replace("moves/0", "moves/{part}");
    let commands = board.commands().replacen('+', "{user}", 1).replacen('+', "{verb}", 1);
    let rows: [(_, _, &[&'static str], _); 29] = [
        ("arbiter_state", board.arbiter_state(), &["board.state.arbiter"], STATE),
        ("arbiter_moves", moves(board.arbiter_moves(0)), &["board.moves.arbiter"], STATE),
        ("arbiter_move", board.arbiter_move(), &["board.move.arbiter"], EVENT),
        ("audit", board.audit(), &["board.audit"], EVENT),
        ("alert", alert, &["board.alert"], STATE),
        ("ruling", board.ruling(), &["board.ruling"], STATE),
        ("live_state", board.live_state(), &["board.state.live"], STATE),
        ("live_moves", moves(board.live_moves(0)), &["board.moves.live"], STATE),
        ("live_clock", board.live_clock(), &["board.clock"], CLOCK),
        ("live_move", board.live_move(), &["board.move.live"], EVENT),
        ("live_revision", board.live_revision(), &["board.revision", "board.restated"], EVENT),
        ("live_pgn", board.live_pgn(), &[PGN], STATE),
        ("public_state", board.public_state(), &["board.state.live"], STATE),
        ("public_moves", moves(board.public_moves(0)), &["board.moves.live"], STATE),
        ("public_clock", board.public_clock(), &["board.clock"], CLOCK),
        ("public_move", board.public_move(), &["board.move.live"], EVENT),
        ("public_revision", board.public_revision(), &["board.revision", "board.restated"], EVENT),
        ("public_pgn", board.public_pgn(), &[PGN], STATE),
        ("round_pgn", topics::round_pgn(root, "{event}", "{round}"), &[PGN], STATE),
        ("node_status", topics::node_status(root, "{node}"), &["node.status"], STATE),
        ("node_info", topics::node_info(root, "{node}"), &["node.info"], STATE),
        ("node_health", topics::node_health(root, "{node}"), &["node.health"], HEALTH),
        ("output_status", topics::output_status(root, "{node}", "{output}"), &["node.output"], STATE),
        ("meta_event", topics::meta_event(root, "{event}"), &["meta.event"], STATE),
        ("meta_round", topics::meta_round(root, "{event}", "{round}"), &["meta.round"], STATE),
        ("device_status", topics::device_status(root, "{device}"), &["device.status"], STATE),
        ("device_raw", topics::device_raw(root, "{device}"), &["device.raw"], ONCE),
        ("reply", topics::reply(root, "{user}", "{client}"), &["cmd.reply"], ONCE),
        ("commands", commands, &[], COMMAND),
    ];
    let channel = |(name, address, messages, delivery): (&'static str, String, &[&'static str], Delivery)| Channel {
        name,
        address,
        published: !messages.is_empty(),
        messages: if messages.is_empty() { command::NAMES.to_vec() } else { messages.to_vec() },
        qos: delivery.qos,
        retain: delivery.retain,
        expiry: delivery.expiry,
    };
    rows.into_iter().map(channel).collect()
}

/// Makes the document. It refers to the schemas as files beside it.
pub fn asyncapi() -> Value {
    let all = channels();
    let by_name = |make: fn(&Channel) -> Value| -> Map<String, Value> {
        all.iter().map(|channel| (channel.name.to_owned(), make(channel))).collect()
    };
    let mut messages: Map<String, Value> = names().map(|name| (name.to_owned(), describe_message(name))).collect();
    messages.insert(PGN.to_owned(), describe_pgn());
    json!({
        "asyncapi": "3.1.0",
        "info": {
            "title": "flagfall",
            "version": format!("{VERSION}.0"),
            "description": "Electronic chess boards and clocks on MQTT. The audience is the first level below the version: \
                one prefix for an access rule. Consumers ignore unknown fields and drop a message whose known field has an \
                illegal value.",
            "license": {"name": env!("CARGO_PKG_LICENSE")},
        },
        "defaultContentType": "application/json",
        "channels": by_name(describe_channel),
        "operations": by_name(describe_operation),
        "components": {"messages": messages, "parameters": describe_parameters()},
    })
}

fn describe_channel(channel: &Channel) -> Value {
    let refers = |kind: &str, name: &str| (name.to_owned(), json!({"$ref": format!("#/components/{kind}/{name}")}));
    let varying = channel.address.split('/').filter_map(|level| level.strip_prefix('{')?.strip_suffix('}'));
    let parameters: Map<String, Value> = varying.map(|name| refers("parameters", name)).collect();
    let messages: Map<String, Value> = channel.messages.iter().map(|name| refers("messages", name)).collect();
    json!({"address": channel.address, "parameters": parameters, "messages": messages})
}

fn describe_operation(channel: &Channel) -> Value {
    let mut mqtt = json!({"qos": channel.qos, "retain": channel.retain, "bindingVersion": "0.2.0"});
    if let Some(seconds) = channel.expiry {
        mqtt["messageExpiryInterval"] = seconds.into();
    }
    let mut operation = json!({
        "action": if channel.published { "send" } else { "receive" },
        "channel": {"$ref": format!("#/channels/{}", channel.name)},
        "bindings": {"mqtt": mqtt},
    });
    if !channel.published {
        operation["description"] = "The answer goes to the response topic, else to reply_to, else to the client `all`; only \
            below reply/<user>/ of the sender."
            .into();
        operation["reply"] = json!({"channel": {"$ref": "#/channels/reply"}});
    }
    operation
}

fn describe_message(name: &str) -> Value {
    json!({
        "name": name,
        "contentType": "application/json",
        "payload": {
            "schemaFormat": "application/schema+json;version=draft-2020-12",
            "schema": {"$ref": format!("./{name}.json")},
        },
    })
}

/// PGN has no header and no JSON schema.
fn describe_pgn() -> Value {
    json!({
        "name": PGN,
        "contentType": topics::PGN_TYPE,
        "description": "The games of a board in this round, or of a whole round, as PGN.",
        "payload": {"type": "string"},
    })
}

fn describe_parameters() -> Value {
    let id = "[a-z0-9-]{1,40}";
    json!({
        "root": {"description": "First level, configurable.", "default": topics::ROOT},
        "event": {"description": format!("The event, {id}.")},
        "round": {"description": format!("The round, {id}.")},
        "board": {"description": format!("The board, {id}.")},
        "part": {"description": "Number of the part of the game's moves, from 0."},
        "alert": {"description": "Number of the alarm in its game, from 1."},
        "node": {"description": format!("The node, {id}.")},
        "output": {"description": format!("The output of a collector, {id}.")},
        "device": {"description": format!("The board or clock, {id}.")},
        "user": {"description": "The authenticated user, [A-Za-z0-9._@:-]{1,64}."},
        "client": {"description": "The client's own word, [A-Za-z0-9._@:-]{1,64}."},
        "verb": {"description": "What is to be done.", "enum": command::NAMES.map(|name| name.trim_start_matches("cmd."))},
    })
}
