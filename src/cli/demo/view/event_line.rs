//! Formats an event as one line, for logs and for output without a terminal.

use serde_json::Value;

use flagfall_protocols::trace::Audience;

use super::super::topic::Topic;
use super::arbiter::{alarm_text, proposal};
use super::paint::{fit, side};
use super::public::numbered;

/// The line of an event: when, which board, which audience, what. None for states.
pub(super) fn event_line(topic: Topic<'_>, message: &Value) -> Option<String> {
    let number = message["no"].as_u64()?;
    let body = &message["body"];
    let what = match topic.kind {
        "move" => move_text(topic.audience, body),
        "revision" => revision_text(body),
        "audit" => audit_text(body),
        other => other.to_owned(),
    };
    let seconds = message["t"]["us"].as_u64().unwrap_or(0) as f64 / 1e6;
    let clean: String = what.chars().filter(|c| !c.is_control()).collect();
    Some(format!("{seconds:8.1}  board {}  {} {number:>3}  {clean}", topic.board, fit(topic.audience.name(), 7)))
}

fn move_text(audience: Audience, body: &Value) -> String {
    let mv = numbered(body["ply"].as_u64().unwrap_or(0), body["san"].as_str().unwrap_or("?"));
    let pressed = if body["pressed_at"].is_null() { ", not pressed" } else { ", pressed" };
    if audience == Audience::Arbiter { format!("{mv}{pressed}") } else { mv }
}

fn revision_text(body: &Value) -> String {
    let moves: Vec<&str> = body["moves"].as_array().into_iter().flatten().filter_map(|mv| mv["san"].as_str()).collect();
    let cause = body["cause"].as_str().unwrap_or("?");
    format!("from ply {} on: {} ({cause})", body["from_ply"].as_u64().unwrap_or(0), moves.join(" "))
}

fn audit_text(body: &Value) -> String {
    let what = body["what"].as_str().unwrap_or("?");
    let event = body["event"].as_str().unwrap_or("?");
    let whose = || side(body["side"].as_str());
    match what {
        "flag" => format!("FLAG {}", whose()),
        "finding" => format!("{} FLAG. {}", side(body["flag"].as_str()).to_uppercase(), proposal(body)),
        "alarm" => format!("alarm: {} - {}", alarm_text(body), body["status"].as_str().unwrap_or("?").replace('_', " ")),
        "revision" => revision_text(body),
        "game" => format!("game {event}"),
        "clock" if body["side"].is_string() => format!("clock {event}, {}", whose()),
        "clock" => format!("clock {event}"),
        "hint" => format!("kings show {}", body["result"].as_str().unwrap_or("?")),
        "command" => format!("command {}", body["verb"].as_str().unwrap_or("?")),
        "refused" => format!("refused: {}", body["problem"].as_str().unwrap_or("?")),
        other => other.replace('_', " "),
    }
}
