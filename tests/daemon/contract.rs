//! Rules for every message: headers, delivery, fields that the live audience may see, numbers without gaps.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::mqtt::MosquittoMessage;

/// How a message is delivered (`wire/README.md#3`).
struct Delivery {
    qos: u8,
    retain: bool,
    expiry: Option<u32>,
}

/// All fields of `body` below `live/` and `public/`.
const SHOWN: [&str; 36] = [
    "after",
    "parts",
    "sum",
    "total",
    "game_no",
    "initial_fen",
    "fen",
    "moves",
    "clock",
    "result",
    "ply",
    "san",
    "uci",
    "white_ms",
    "black_ms",
    "running",
    "read_us",
    "resolution_ms",
    "source",
    "from_ply",
    "cause",
    "white",
    "black",
    "at",
    "clock_status",
    "link",
    "result_by",
    "ending",
    "players",
    "name",
    "title",
    "rating",
    "federation",
    "fide_id",
    "from",
    "withdrawn",
];
/// All fields of the header of any message.
const HEADER: [&str; 9] = ["v", "type", "id", "no", "game", "rev", "node", "boot", "t"];
/// The names of people in the configuration.
const NAMES: [&str; 2] = ["Wilhelmina", "Bartholomew"];

fn delivery(received: &MosquittoMessage) -> Delivery {
    let leaf = received.topic.rsplit('/').next().unwrap_or_default();
    match (received.branch(), leaf) {
        ("live" | "public", "clock") => Delivery { qos: 0, retain: true, expiry: None },
        ("node", "health") => Delivery { qos: 0, retain: true, expiry: Some(120) },
        ("public" | "live" | "arbiter", "move" | "revision" | "audit") => Delivery { qos: 1, retain: false, expiry: Some(3600) },
        ("reply", _) => Delivery { qos: 1, retain: false, expiry: Some(60) },
        _ => Delivery { qos: 1, retain: true, expiry: None },
    }
}

/// Checks each message of the daemon by itself.
pub(crate) fn each(all: &[MosquittoMessage]) {
    let ours = |received: &&MosquittoMessage| received.branch() != "cmd";
    for received in all.iter().filter(ours) {
        let about = || format!("{} {:.400}", received.topic, received.payload);
        let Delivery { qos, retain, expiry } = delivery(received);
        assert_eq!((received.qos, received.retain), (qos, retain), "{}", about());
        let is_pgn = received.topic.ends_with("/pgn");
        let content = if is_pgn { "application/x-chess-pgn" } else { "application/json" };
        assert_eq!((received.content_type.as_str(), received.format.as_str()), (content, "1"), "{}", about());
        let left: Option<u32> = received.expiry.parse().ok();
        assert!(left.is_some() == expiry.is_some() && left <= expiry, "{}: {left:?} s", about());
        assert!(NAMES.iter().all(|name| !received.topic.contains(name)), "{}", about());
        if received.payload.is_empty() {
            assert!(retain, "only a state is deleted: {}", about());
            continue;
        }
        if is_pgn {
            assert!(received.payload.starts_with("[Event ") && received.payload.ends_with('\n'), "{}", about());
            continue;
        }
        header(received, &about());
        if matches!(received.branch(), "live" | "public") {
            let mut fields = Vec::new();
            names(received.body(), &mut fields);
            let more: Vec<_> = fields.into_iter().filter(|field| !SHOWN.contains(field)).collect();
            assert!(more.is_empty(), "{more:?} in {}", about());
        }
    }
}

fn header(received: &MosquittoMessage, about: &str) {
    let fields = received.json.as_object().unwrap_or_else(|| panic!("no object: {about}"));
    assert!(fields.keys().all(|key| HEADER.contains(&key.as_str()) || key == "body"), "{about}");
    assert_eq!(received.json["v"], flagfall::wire::envelope::VERSION, "{about}");
    assert_eq!(received.json["node"], "pi-1", "{about}");
    assert!(received.json["boot"].as_u64().is_some_and(|boot| boot > 0), "{about}");
    let kind = received.json["type"].as_str().unwrap_or_default();
    let will = kind == "node.status" && received.body()["state"] == "lost";
    assert!(will || received.json["t"]["us"].is_u64() && received.json["t"]["utc"].is_string(), "{about}");
    if matches!(received.branch(), "arbiter" | "live" | "public") {
        assert_eq!(received.retain, received.json["rev"].is_u64(), "states have a revision: {about}");
        assert_eq!(!received.retain, received.no().is_some(), "events have a number: {about}");
        assert_eq!(!received.retain, received.json["id"].is_string(), "{about}");
        assert!(received.json["game"].is_string(), "{about}");
    }
}

/// The names of all fields at any depth.
fn names<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            out.push(name);
            names(value, out);
        }),
        Value::Array(values) => values.iter().for_each(|value| names(value, out)),
        _ => {}
    }
}

/// The audience, round and board of a topic: `live/open26/5/b1`.
pub(crate) fn line(topic: &str) -> String {
    let levels: Vec<&str> = topic.split('/').skip(2).take(4).collect();
    levels.join("/")
}

/// The events of each board and audience, each once; panics at a gap, or if the first publications are not in order.
pub(crate) fn events(all: &[MosquittoMessage]) -> BTreeMap<String, Vec<MosquittoMessage>> {
    let mut lines = BTreeMap::<String, Vec<MosquittoMessage>>::new();
    for received in all.iter().filter(|received| received.no().is_some()) {
        let line = lines.entry(line(&received.topic)).or_default();
        let (no, next) = (received.no().unwrap_or_default(), line.len() as u64 + 1);
        assert!(no <= next, "{} after {}: {}", no, next - 1, received.topic);
        if no == next {
            line.push(received.clone());
        } else {
            let first = &line[no as usize - 1];
            assert_eq!(
                (&first.topic, &first.json["body"]),
                (&received.topic, &received.json["body"]),
                "repeated with another body"
            );
        }
    }
    lines
}
