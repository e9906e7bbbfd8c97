//! Messages as a node publishes them, for states that are hard to play on a board. Each keeps to its schema.

use std::sync::atomic::{AtomicU64, Ordering};

use flagfall::system_clock::{monotonic, utc};
use serde_json::{Value, json};

use super::room::ROUND;
use super::witness::Witness;

/// The node of all these messages.
pub(crate) const NODE: &str = "pi-1";
/// The position after 1. e4 e5.
pub(crate) const FEN: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Now, in the time of the node's journal, microseconds.
pub(crate) fn now_us() -> u64 {
    // The node has run for three hours.
    3 * 3_600_000_000 + monotonic().0
}

pub(crate) fn topic(audience: &str, board: &str, leaf: &str) -> String {
    format!("{audience}/{ROUND}/{board}/{leaf}")
}

/// The name of the game of a board.
pub(crate) fn game(board: &str) -> String {
    format!("open26-5-{board}-g1")
}

fn time() -> Value {
    json!({"us": now_us(), "utc": utc().to_string(), "sync": "ntp"})
}

/// A state of a board, whose revision is higher than that of any before.
pub(crate) fn state(kind: &str, board: &str, body: Value) -> Value {
    static REVISIONS: AtomicU64 = AtomicU64::new(1);
    let rev = REVISIONS.fetch_add(1, Ordering::Relaxed);
    json!({"v": "1.1", "type": kind, "game": game(board), "rev": rev, "node": NODE, "boot": 1, "t": time(), "body": body})
}

/// An event of a board with its number.
pub(crate) fn event(kind: &str, board: &str, no: u64, body: Value) -> Value {
    json!({"v": "1.1", "type": kind, "id": format!("{board}:1:{no}"), "no": no, "game": game(board), "node": NODE, "boot": 1,
        "t": time(), "body": body})
}

/// A message of a node or device.
pub(crate) fn plain(kind: &str, boot: u64, body: Value) -> Value {
    json!({"v": "1.1", "type": kind, "node": NODE, "boot": boot, "t": time(), "body": body})
}

pub(crate) fn clock(running: Value) -> Value {
    json!({"white_ms": 3_600_000, "black_ms": 3_540_000, "running": running, "read_us": now_us(), "resolution_ms": 1000, "source": "dgt"})
}

pub(crate) fn players() -> Value {
    json!({"white": {"name": "Anna Beispiel", "title": "WIM", "rating": 2143}, "black": {"name": "Ben Muster"}})
}

/// What commentators see of a game after 1. e4 e5.
pub(crate) fn live_body() -> Value {
    json!({"game_no": 1, "initial_fen": START, "fen": FEN,
        "moves": [{"ply": 1, "san": "e4", "uci": "e2e4", "white_ms": 3_600_000, "black_ms": 3_600_000},
            {"ply": 2, "san": "e5", "uci": "e7e5", "white_ms": 3_600_000, "black_ms": 3_540_000}],
        "clock": clock("white".into()), "clock_status": "reporting", "link": "up", "result": null, "players": players()})
}

/// What arbiters see of it.
pub(crate) fn arbiter_body() -> Value {
    let at = now_us() - 60_000_000;
    let mv = |ply: u32, color: &str, san: &str, uci: &str| {
        json!({"ply": ply, "color": color, "san": san, "uci": uci, "made_at": [at, at + 250_000], "pressed_at": [at, at + 1_000_000],
            "how": "press", "completed_at": [at, at + 1_000_000], "white_ms": 3_600_000, "black_ms": 3_540_000, "after_flag": false})
    };
    json!({"game_no": 1, "stage": "playing", "initial_fen": START, "fen": FEN, "board": FEN.split(' ').next(), "rotated": false,
        "moves": [mv(1, "white", "e4", "e2e4"), mv(2, "black", "e5", "e7e5")], "pending": [], "phase": "idle",
        "completed": {"white": 1, "black": 1}, "period": {"white": 1, "black": 1},
        "recording": {"white": "required", "black": "required"}, "clock": clock("white".into()), "clock_status": "reporting",
        "lever_up": "white", "flags": [], "alarms": [], "finding": null, "hints": [], "ending": null, "result": null,
        "players": players()})
}

/// An open alarm.
pub(crate) fn alert_body(id: u64, kind: &str, class: &str) -> Value {
    json!({"id": id, "kind": kind, "class": class, "status": "open", "side": null, "squares": [], "opened_at": now_us(), "closed_at": null})
}

pub(crate) fn device_body(board: &str, state: &str) -> Value {
    json!({"state": state, "kind": "board", "transport": "serial", "port": "/dev/ttyACM0", "board": format!("{ROUND}/{board}"),
        "serial": board, "firmware": "1.80", "dropouts": 0})
}

/// The name of the device of a board.
pub(crate) fn device(board: &str) -> String {
    format!("device/dgt-{board}/status")
}

pub(crate) fn health_body() -> Value {
    json!({"disk_free_mib": 20_000, "journal_ok": true, "failed_boards": [], "withheld_boards": []})
}

impl Witness {
    /// A node that is ready with these boards, on each of which a game is played; `anna` is an arbiter, `carl` chief, `otto` operator.
    pub(crate) fn publish_hall(&self, boards: &[&str]) {
        self.publish("node/pi-1/status", &plain("node.status", 1, json!({"state": "ready", "run": "0123456789abcdef01234567"})));
        let names: Vec<String> = boards.iter().map(|board| format!("{ROUND}/{board}")).collect();
        let roles = json!({"anna": {"role": "arbiter"}, "carl": {"role": "chief"}, "otto": {"role": "operator"}});
        let info = json!({"version": "0.1.0", "capabilities": ["dgt"], "boards": names, "rounds": [ROUND], "delay": 0, "delay_moves": 0,
            "roles": roles});
        self.publish("node/pi-1/info", &plain("node.info", 1, info));
        self.publish("node/pi-1/health", &plain("node.health", 1, health_body()));
        for board in boards {
            self.publish(&device(board), &plain("device.status", 1, device_body(board, "online")));
            self.publish_live(board, live_body());
            self.publish(&topic("arbiter", board, "state"), &state("board.state", board, arbiter_body()));
        }
    }

    pub(crate) fn publish_live(&self, board: &str, body: Value) {
        self.publish(&topic("live", board, "clock"), &state("board.clock", board, body["clock"].clone()));
        self.publish(&topic("live", board, "state"), &state("board.state", board, body));
    }

    pub(crate) fn publish_alert(&self, board: &str, body: Value) {
        let leaf = format!("alert/{}", body["id"]);
        self.publish(&topic("arbiter", board, &leaf), &state("board.alert", board, body));
    }

    pub(crate) fn publish_ruling(&self, board: &str, body: Value) {
        self.publish(&topic("arbiter", board, "ruling"), &state("board.ruling", board, body));
    }
}
