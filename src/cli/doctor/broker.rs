//! Checks whether the broker can be reached, and whether it accepts the login of this node; for the broker inside this program,
//! whether `flagfall run` could start it.

use std::net::SocketAddr;

use super::Finding;
use super::listener::{self, Listener};
use crate::config::Config;
use crate::daemon::node_name;
use crate::event::problems::problems_of;
use crate::mqtt::{Identity, Trouble, probe, read_retained};
use crate::wire::topics;

pub(super) fn check(config: &Config) -> Vec<Finding> {
    let broker = &config.broker;
    if !broker.enabled {
        return reach(config, None);
    }
    let addresses = [("MQTT", &broker.tcp), ("WebSocket", &broker.websocket)];
    // Wrong addresses were refused with the configuration; an empty one is none.
    let addresses = addresses.iter().filter_map(|(what, text)| Some((*what, text.parse().ok()?)));
    let mut findings: Vec<Finding> = addresses.map(|(what, address)| embedded(what, address)).collect();
    if !config.publishes_to_own_broker() {
        findings.extend(reach(
            config,
            Some("Leave mqtt.host and mqtt.port out: then messages go to the broker inside this program."),
        ));
    }
    findings
}

/// Checks one address of the broker inside this program.
fn embedded(what: &str, address: SocketAddr) -> Finding {
    let about = format!("broker at {address}");
    let own = "the broker inside this program, which flagfall run starts";
    match listener::find(address) {
        Listener::Flagfall => Finding::ok(about, format!("flagfall serves {what} there")),
        Listener::Free => {
            Finding::warning(about, format!("nothing listens there; it is {own}"), "Start flagfall, then look again.")
        }
        Listener::Other(holder) => Finding::problem(
            about,
            format!("held by {holder}, so flagfall run cannot start {own}"),
            "Give broker.tcp or broker.websocket another port; or set broker.enabled = false to publish to the other broker.",
        ),
        Listener::Impossible(why) => {
            Finding::problem(about, format!("cannot be listened at: {why}"), "Correct broker.tcp or broker.websocket.")
        }
    }
}

/// Checks the broker that messages go to, and what the node of this machine has published there about the organiser's messages. `start`
/// says what to do if nothing listens there, if that is not to start the broker.
fn reach(config: &Config, start: Option<&'static str>) -> Vec<Finding> {
    let port = config.mqtt.port();
    let place = format!("{}:{port}", config.mqtt.host);
    let about = format!("broker at {place}");
    let node = node_name(config.node.name.as_deref());
    let identity = match Identity::read(&config.mqtt, &node) {
        Ok(identity) => identity,
        Err(error) => return vec![Finding::problem(about, error.to_string(), "Correct the file, or the key that names it.")],
    };
    let client = format!("flagfall-doctor-{node}-{}", std::process::id());
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return vec![Finding::problem(about, error.to_string(), "Close other programs, or restart the machine.")],
    };
    // A topic that no program uses, among those of the first board.
    let board = config.board.first().map_or("none", |board| &board.id);
    let topic = format!("{}/1/arbiter/{}/{}/{board}/doctor", config.mqtt.root, config.event.id, config.event.round);
    let reached = match runtime.block_on(probe(&identity, &client, &topic)) {
        Ok(true) => Finding::ok(about, "takes us"),
        Ok(false) => Finding::warning(
            about,
            "takes us, but does not let us read our own messages below arbiter/, so old alerts may stay there",
            "Give this user the right to read and write arbiter/, live/ and public/ (the file acl of config/mosquitto shows how).",
        ),
        Err(cause) => {
            let Trouble { found, advice, nothing_listens, .. } = identity.trouble(cause.as_ref());
            let advice = start.filter(|_| nothing_listens).map_or(advice, str::to_owned);
            return vec![Finding::problem(about, found, advice)];
        }
    };
    // The node itself and its collector.
    let infos = [node.clone(), topics::collector(&node)].map(|node| topics::node_info(&config.mqtt.root, &node));
    // Where it may not be read, the finding above says so.
    let infos = runtime.block_on(read_retained(&identity, &client, &infos)).unwrap_or_default();
    let problems = infos.iter().flat_map(|(_, payload)| problems_of(payload));
    let advice = "Correct the event's file and run `flagfall event publish`.";
    [reached].into_iter().chain(problems.map(|problem| Finding::warning("event", problem, advice))).collect()
}
