//! The organiser's desk after a round, with a node, a collector and `flagfall event` as processes: it enters the results of games with
//! moves, which the node records first, and it learns which game holds back the next round.

use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use crate::collect::CollectHall;
use crate::program::{flagfall, text};
use crate::rig::{Rig, Seat};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, publish};
use crate::support::schemas::keeps_to;
use crate::support::waiting::{PATIENCE, wait_until};
use crate::watch::Watch;

const MOVES: &str = "0.2 run\n0.4 move e2 e4\n0.8 press left\n1.2 move e7 e5\n1.6 press right\n";
const STOP: &str = "0.1 stop\n";
const STOP_AND_SET_UP: &str = "0.1 stop\n1.0 board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\n";

/// The laptop of the organiser.
struct Desk {
    dir: tempfile::TempDir,
    port: u16,
}

impl Desk {
    /// Publishes two rounds with the same three boards, of which the first is the current one.
    fn new(port: u16) -> Desk {
        let desk = Desk { dir: tempfile::tempdir().expect("a folder"), port };
        let write = |name: &str, text: &str| std::fs::write(desk.dir.path().join(name), text).expect("written");
        write("desk.toml", &format!("[mqtt]\nport = {port}\n"));
        write("pairings.csv", "board,white,black\n1,Anna A,Ben B\n2,Clara C,Dan D\n3,Eva E,Fay F\n");
        desk.does(&["new", "open26", "--name", "Example Open", "--rounds", "2", "--time-control", "5400+30"]);
        for round in ["1", "2"] {
            desk.does(&["import", "pairings.csv", "--round", round]);
        }
        desk.does(&["publish"]);
        desk
    }

    /// Runs a command; returns its exit code and what it printed.
    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let mut command = flagfall(&["event"]);
        let config = self.dir.path().join("desk.toml");
        let needs_broker = !matches!(words[0], "new" | "import");
        let login = ["--config", text(&config)];
        let output = command.args(words).args(if needs_broker { &login[..] } else { &[] }).current_dir(self.dir.path());
        let output = output.env_clear().output().expect("the program starts");
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).expect("text"))
    }

    #[track_caller]
    fn does(&self, words: &[&str]) -> String {
        let (code, printed) = self.run(words);
        assert_eq!(code, Some(0), "{words:?}: {printed}");
        printed
    }

    /// The result is refused in these words, and nothing is published.
    #[track_caller]
    fn is_refused(&self, board: &str, result: &str, why: &str) {
        let (code, printed) = self.run(&["result", board, result, "--round", "1"]);
        assert!(code == Some(1) && printed.contains(why), "{board} {result}: {code:?} {printed}");
    }

    /// Waits until a game of the round has this result for the live audience.
    fn sees(&self, watch: &Watch, board: &str, result: Value) -> Value {
        let topic = format!("flagfall/1/live/open26/1/{board}/state");
        watch.wait(&format!("board {board} has {result}"), |all| {
            let last = all.iter().rev().find(|message| message.topic == topic)?;
            (last.body()["result"] == result).then(|| last.json.clone())
        })
    }

    /// An arbiter sends a command about the game on a board.
    fn arbiter(&self, watch: &Watch, board: &str, verb: &str, body: Value) {
        let state = watch.last(&format!("flagfall/1/arbiter/open26/1/{board}/state")).expect("a state").json;
        let expect = json!({"game": state["game"], "rev": state["rev"]});
        let id = format!("{verb}-{board}-{}", state["rev"]);
        let command = json!({"v": "1.1", "type": format!("cmd.{verb}"), "id": id, "expect": expect, "body": body});
        publish(self.port, &format!("flagfall/1/cmd/anna/open26/1/{board}/{verb}"), &command.to_string(), &[]);
        watch.wait(&format!("{verb} is done"), |all| {
            let answered = |message: &&MosquittoMessage| message.json["id"] == *id && message.body()["stage"] == "done";
            all.iter().find(answered).map(|_| ())
        });
    }
}

/// The arbiters' record of at least so many decisions about a board.
fn decisions(watch: &Watch, board: &str, count: usize) -> Vec<Value> {
    let topic = format!("flagfall/1/arbiter/open26/1/{board}/audit");
    watch.wait(&format!("{count} decisions"), |all| {
        let entries = all.iter().filter(|message| message.topic == topic && message.body()["what"] == "decision");
        let found: Vec<Value> = entries.map(|message| message.body().clone()).collect();
        (found.len() >= count).then_some(found)
    })
}

#[test]
fn the_desk_enters_results_and_sees_what_holds_back_the_next_round() {
    let broker = Mosquitto::start();
    let port = broker.port();
    let seats = ["1", "2", "3"].map(|id| Seat { id, time_control: "5400+30" });
    let rig = Rig::new(port, "from_meta = true\ndelay = 1", &seats);
    let desk = Desk::new(port);
    let watch = Watch::new(port);
    let boards = [101, 102, 103].map(|serial| rig.board(["1", "2", "3"][serial as usize - 101], game(1).settings(serial), 1.0));
    let mut daemon = rig.start();
    let collector = CollectHall::new(port, "desk", "");
    let _collector = collector.start();
    for board in ["1", "2", "3"] {
        watch.on(&format!("flagfall/1/arbiter/open26/1/{board}/state"), "armed", |json| json["body"]["stage"] == "armed");
    }
    boards.iter().for_each(|board| board.load(&Script::parse(MOVES).expect("a script")).expect("hands"));
    let state = |audience: &str, board: &str| format!("flagfall/1/{audience}/open26/1/{board}/state");
    for board in ["1", "2", "3"] {
        watch.on(&state("live", board), "both moves", |json| {
            json["body"]["moves"].as_array().is_some_and(|moves| moves.len() == 2)
        });
    }
    desk.is_refused("1", "1-0", "the game is in play: its clock runs");
    desk.is_refused("1", "+/-", "enter 1-0, 0-1 or 1/2-1/2");

    // The players of board 1 leave, those of board 2 set the men up again, and at board 3 a flag is open.
    for (board, hands) in boards.iter().zip([STOP, STOP_AND_SET_UP, STOP]) {
        board.load(&Script::parse(hands).expect("a script")).expect("hands");
    }
    watch.on(&state("arbiter", "2"), "the men are set up again", |json| {
        json["body"]["stage"] == "armed" && json["body"]["game_no"] == 2
    });
    for board in ["1", "3"] {
        watch.on(&state("arbiter", board), "the clock stands", |json| json["body"]["clock"]["running"] == json!(null));
    }
    desk.arbiter(&watch, "3", "claim", json!({"flag": "white"}));
    desk.is_refused("3", "0-1", "White's flag fell and awaits a decision");

    // The next round waits, and everybody who looks learns for what.
    desk.does(&["round", "2"]);
    let info = "flagfall/1/node/pi-1/info";
    let waiting = watch.on(info, "what the round waits for", |json| {
        json["body"]["next_round"]["held_by"].as_array().is_some_and(|held| held.len() == 2)
    });
    assert_eq!(keeps_to("node.info", &waiting), Ok(()));
    let next = &waiting["body"]["next_round"];
    assert_eq!((&next["round"], &next["boards"][1]), (&json!("open26/2"), &json!("open26/2/2")), "{next}");
    let reasons = |index: usize| next["held_by"][index].as_str().unwrap_or_default().to_owned();
    assert!(reasons(0).starts_with("board 1, game 1: ") && reasons(1).starts_with("board 3, game 1: "), "{next}");
    assert!(reasons(0).contains("no clock runs") && reasons(0).contains("flagfall event result 1 RESULT --round 1"), "{next}");
    assert!(reasons(1).contains("White's flag fell and awaits a decision. It waits for the decision of an arbiter"), "{next}");
    let (code, printed) = desk.run(&["result", "1", "1-0"]);
    assert!(code == Some(1) && printed.contains("board 1 still plays round 1 at node pi-1: say --round 1"), "{code:?} {printed}");
    let (_, ready) = desk.run(&["ready", "--json"]);
    let ready: Value = serde_json::from_str(&ready).expect("JSON");
    let of_board_2 = ready["boards"][1]["problems"][0].as_str().expect("a problem").to_owned();
    for words in ["node pi-1 still serves round 1", "board 1, game 1: the game has no result", "board 3, game 1:"] {
        assert!(of_board_2.contains(words) && !of_board_2.contains("board 2"), "{words}: {of_board_2}");
    }

    // Results: again, another one, by an arbiter, and against an arbiter.
    desk.does(&["result", "1", "1-0", "--round", "1"]);
    let entered = desk.sees(&watch, "1", json!("1-0"));
    assert_eq!(entered["body"]["result_by"], "arbiter");
    desk.does(&["result", "1", "1-0", "--round", "1"]);
    let sent = |message: &&MosquittoMessage| {
        message.topic.ends_with("/1/audit") && message.body()["verb"] == "enter-result" && message.body()["role"] == "organiser"
    };
    watch
        .wait("the refused command and both others are in the audit", |all| (all.iter().filter(sent).count() == 3).then_some(()));
    assert_eq!(decisions(&watch, "1", 1).len(), 1, "the same result is no second decision");
    desk.does(&["result", "1", "1/2-1/2", "--round", "1"]);
    desk.sees(&watch, "1", json!("1/2-1/2"));
    desk.arbiter(&watch, "1", "declare-result", json!({"result": "0-1"}));
    desk.is_refused("1", "1-0", "anna declared the result 0-1: only an arbiter can change it");
    let made = decisions(&watch, "1", 3);
    let summary: Vec<Value> = made.iter().map(|one| json!([one["by"], one["role"], one["result"], one["supersedes"]])).collect();
    assert_eq!(
        summary,
        [
            json!(["organiser", "organiser", "1-0", null]),
            json!(["organiser", "organiser", "1/2-1/2", 1]),
            json!(["anna", null, "0-1", 2])
        ]
    );
    // The game that was left has its result too, though another one is set up on the board.
    desk.does(&["result", "2", "0-1", "--round", "1"]);
    desk.does(&["result", "2", "1/2-1/2", "--round", "1"]);
    assert_eq!(desk.sees(&watch, "2", json!("1/2-1/2"))["game"], "open26-1-2-g1");
    assert_eq!(decisions(&watch, "2", 2).len(), 2);
    // Nobody is asked any more whether the game on the board is the round's.
    let asks = |json: &Value| {
        json["body"]["alarms"].as_array().is_some_and(|all| all.iter().any(|one| one["kind"] == "unpublished_game"))
    };
    assert!(watch.all().iter().any(|message| message.topic == state("arbiter", "2") && asks(&message.json)), "it was asked");
    watch.wait("the question is closed", |all| {
        let last = all.iter().rev().find(|message| message.topic == state("arbiter", "2"))?;
        (!asks(&last.json)).then_some(())
    });

    // A node that is away records nothing, and a restart has everything.
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    desk.is_refused("3", "1-0", "node pi-1 serves this board, and is stopped. Nothing was changed");
    daemon = rig.start();
    let again = Watch::new(port);
    again.on("flagfall/1/node/pi-1/status", "ready", |json| json["body"]["state"] == "ready");
    for (board, result) in [("1", "0-1"), ("2", "1/2-1/2")] {
        desk.sees(&again, board, json!(result));
        again.on(&state("public", board), "the public has it", |json| json["body"]["result"] == result);
    }
    desk.arbiter(&again, "3", "declare-result", json!({"result": "0-1"}));
    again.on(info, "round 2", |json| json["body"]["rounds"] == json!(["open26/2"]) && json["body"].get("next_round").is_none());
    let games = collector.path("tree/open26/round-1/games.pgn");
    wait_until("all results are in the file", PATIENCE, || {
        let pgn = std::fs::read_to_string(&games).unwrap_or_default();
        let results: Vec<&str> = pgn.lines().filter_map(|line| line.strip_prefix("[Result \"")?.strip_suffix("\"]")).collect();
        results == ["0-1", "1/2-1/2", "0-1"]
    });
    let csv = desk.does(&["results", "--format", "csv", "--round", "1"]);
    let results: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(results, ["0-1", "1/2-1/2", "0-1"], "{csv}");
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    let log = rig.log();
    assert!(log.matches("waits: board 3, game 1").count() <= 2, "once for each start: {log}");
    assert!(log.contains("waits: board 1, game 1: the game has no result"), "{log}");
}
