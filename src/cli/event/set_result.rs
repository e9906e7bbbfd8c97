//! Runs `flagfall event result`. The result of a game with moves is a decision that the node of its board records first; everything else,
//! such as a forfeit, stands in the pairing (`wire/README.md#6`).

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::broker::Broker;
use super::requests::Common;
use crate::event::plan;
use crate::event::ready::{Heard, why_unserved};
use crate::wire::envelope::VERSION;
use crate::wire::meta::PairingResult;
use crate::wire::topics;

/// Enter the result of a game.
///
/// Example: flagfall event result 7 1-0
///
/// The result of a game with moves is recorded by the node of its board, in its journal first, and is then in all outputs. It counts if the
/// game is not in play, no flag, illegal move or claim is open, and no arbiter decided otherwise; if not, it is refused, and the exit code
/// is 1. An arbiter can change it later. The result of a game without moves on an electronic board, such as a forfeit, is published with the
/// pairings.
#[derive(Args)]
pub(in crate::cli) struct SetResult {
    /// The board.
    board: String,
    /// One of 1-0 0-1 1/2-1/2, for a game without moves also +/- -/+ -/- 0-0 1/2-0 0-1/2; * takes it back.
    #[arg(allow_hyphen_values = true)]
    result: String,
    /// The number of the round; without it, the current one.
    #[arg(long, value_name = "NUMBER")]
    round: Option<u32>,
    #[command(flatten)]
    common: Common,
}

impl SetResult {
    pub(super) fn run(self) -> Result<ExitCode> {
        let SetResult { board, result, round: asked, common } = self;
        let parsed = PairingResult::parse(&result);
        ensure!(parsed.is_some() || result == "*", "{result:?} is none of 1-0 0-1 1/2-1/2 +/- -/+ -/- 0-0 1/2-0 0-1/2 and *");
        let (file, _) = common.chosen.read()?;
        let (round, pairing) = plan::pairing(&file, asked, &board).map_err(anyhow::Error::msg)?;
        let place = format!("{}/{round}/{}", file.id, pairing.board);
        let broker = common.login.broker()?;
        let heard = heard(&broker, &place)?;
        if let (None, Some((node, other))) = (asked, heard.serving_in_another_round(&place)) {
            bail!(
                "board {board} still plays round {other} at node {node}: say --round {other} for that game, or --round {round}. Nothing was \
                 changed"
            );
        }
        let Some((game, node)) = played(&heard, &place)? else {
            return common.publish(|file| {
                let round = plan::change_board(file, asked, &board, |pairing| pairing.result = parsed)?;
                Ok(format!("Board {board} of round {round}: {result}."))
            });
        };
        ensure!(
            matches!(result.as_str(), "1-0" | "0-1" | "1/2-1/2" | "*"),
            "board {board} has a game with moves, and {result} is the result of a game without moves: enter 1-0, 0-1 or 1/2-1/2. Nothing \
             was changed"
        );
        enter(&broker, &place, &game, &node, &result)?;
        let done = match result.as_str() {
            "*" => format!("Board {board} of round {round}: node {node} has no result of the desk for the game {game}."),
            _ => format!("Board {board} of round {round}: {result}. Node {node} has recorded it for the game {game}."),
        };
        // What was entered before the game had moves was the result of a pairing that is not played.
        if pairing.result.is_some() {
            return common.publish(|file| {
                plan::change_board(file, asked, &board, |pairing| pairing.result = None)?;
                Ok(done)
            });
        }
        writeln!(std::io::stdout(), "{done}")?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What the broker has of a board and of the nodes.
fn heard(broker: &Broker, place: &str) -> Result<Heard> {
    let below = |rest: &str| format!("{}/1/{rest}", broker.root);
    let [live, public] = states(place).map(|state| below(&state));
    Ok(Heard::new(&broker.root, &broker.read(&[live, public, below("node/+/info"), below("node/+/status")])?))
}

fn states(place: &str) -> [String; 2] {
    ["live", "public"].map(|audience| format!("{audience}/{place}/state"))
}

/// The game of a board, if it has moves, with the node that serves the board.
///
/// # Errors
/// No living node serves the board.
fn played(heard: &Heard, place: &str) -> Result<Option<(String, String)>> {
    let states = states(place);
    let filled = |list: &Value| list.as_array().is_some_and(|list| !list.is_empty());
    let has_moves = |state: &&Value| {
        let body = &state["body"];
        filled(&body["moves"]) || filled(&body["segments"]) || body["parts"].is_object()
    };
    let state = states.iter().filter_map(|topic| heard.message(topic)).find(has_moves);
    let Some(game) = state.and_then(|state| state["game"].as_str()) else { return Ok(None) };
    let node = heard.serving(place).find(|node| heard.is_alive(node));
    let Some(node) = node else {
        bail!(
            "{place} has a game with moves, whose result its node must record first, but {}. Nothing was changed",
            why_unserved(place, heard)
        );
    };
    Ok(Some((game.to_owned(), node.to_owned())))
}

/// Lets the node record the result.
///
/// # Errors
/// It refuses, or does not answer.
fn enter(broker: &Broker, place: &str, game: &str, node: &str, result: &str) -> Result<()> {
    let (user, client) = (broker.user(), broker.client());
    let topic = format!("{}/1/cmd/{user}/{place}/enter-result", broker.root);
    let answers = topics::reply(&broker.root, &user, client);
    let command = json!({
        "v": VERSION, "type": "cmd.enter-result", "id": client, "expect": {"game": game}, "reply_to": answers, "body": {"result": result},
    });
    let last = |payload: &[u8]| {
        let mut answer: Value = serde_json::from_slice(payload).ok()?;
        (answer["body"]["stage"] != "accepted").then(|| answer["body"].take())
    };
    let answer = broker.request(&topic, &command.to_string(), &answers, last)?;
    let answer = answer.with_context(|| {
        format!("node {node} does not answer: it is not known whether {result} is recorded. The same command again does no harm")
    })?;
    if answer["stage"] == "done" {
        return Ok(());
    }
    let message = answer["message"].as_str().unwrap_or_default();
    if answer["code"] == "denied" {
        bail!(
            "node {node} takes no results from the user {user}: its configuration needs [user.{user}] with role = \"organiser\" \
             ({message}). Nothing was changed"
        );
    }
    let why = message.strip_prefix("enter-result: ").unwrap_or(message);
    bail!("{place}: {result} is refused, and nothing was changed: {why}");
}
