//! Commands of arbiters: they are answered and audited, and have no effect if they are refused.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall::emulate::games::game;
use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall::system_clock::monotonic;
use serde_json::{Value, json};
use shakmaty::Chess;

use crate::contract;
use crate::end_to_end::games::{sans, topic};
use crate::rig::{Daemon, ROUND, Rig, Seat};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, publish};
use crate::support::waiting::{PATIENCE, pause};
use crate::watch::Watch;

const SEATS: [Seat<'static>; 2] = [Seat { id: "b1", time_control: "60" }, Seat { id: "b2", time_control: "60" }];

/// A game after three moves, a second board, and a client that sends commands.
struct CommandSetup {
    watch: Watch,
    daemon: Option<Daemon>,
    _boards: [PtyBoard; 2],
    rig: Rig,
    broker: Mosquitto,
}

impl CommandSetup {
    fn new() -> CommandSetup {
        let broker = Mosquitto::start();
        let rig = Rig::new(broker.port(), "", &SEATS);
        let watch = Watch::new(broker.port());
        let boards = [("b1", 101), ("b2", 102)].map(|(id, serial)| rig.board(id, game(1).settings(serial), 2.0));
        let daemon = Some(rig.start());
        let armed = |board: &str| watch.on(&topic("arbiter", board, "state"), "armed", |json| json["body"]["stage"] == "armed");
        _ = (armed("b1"), armed("b2"));
        let turn = |san: &str| Turn { san: san.to_owned(), think: Duration::from_millis(500), manner: Manner::Straight };
        let turns = ["e4", "e5", "Nf3"].map(turn).to_vec();
        // On a slow machine Black's flag would fall before the end of a test.
        let end = End { stop_after: Some(Duration::from_secs(1)), ..End::default() };
        let play = Play { start: Chess::default(), turns, end, rotated: false };
        boards[0].load(&play.script(&Habits { adjusts: 0, ..Habits::default() }, 1).expect("legal")).expect("it runs");
        watch.on(&topic("arbiter", "b1", "state"), "three moves and a clock that stands", |json| {
            let (moves, clock) = (&json["body"]["moves"], &json["body"]["clock"]);
            sans(moves) == ["e4", "e5", "Nf3"] && clock["white_ms"].is_number() && clock["running"].is_null()
        });
        CommandSetup { watch, daemon, _boards: boards, rig, broker }
    }

    /// The game and the revision, as in a lock, and the result.
    fn state(&self) -> (Value, Value, Value) {
        let state = self.watch.last(&topic("arbiter", "b1", "state")).expect("a state").json;
        (state["game"].clone(), state["rev"].clone(), state["body"]["result"].clone())
    }

    fn lock(&self) -> Value {
        let (game, rev, _) = self.state();
        json!({"game": game, "rev": rev})
    }

    fn send(&self, user: &str, verb: &str, payload: &Value, more: &[&str]) {
        self.send_for(&format!("flagfall/1/reply/{user}/desk"), user, verb, payload, more);
    }

    /// Sends a command with this response topic.
    fn send_for(&self, to: &str, user: &str, verb: &str, payload: &Value, more: &[&str]) {
        let topic = format!("flagfall/1/cmd/{user}/{ROUND}/b1/{verb}");
        let id = payload["id"].as_str().unwrap_or_default();
        let about = ["-D", "publish", "response-topic", to, "-D", "publish", "correlation-data", id];
        publish(self.broker.port(), &topic, &payload.to_string(), &[&about, more].concat());
    }

    /// Waits for the last answer to a command; returns all its answers.
    fn answers(&self, id: &str, topic: &str) -> Vec<MosquittoMessage> {
        self.watch.wait(&format!("the answer to {id}"), |all| {
            let answers: Vec<MosquittoMessage> =
                all.iter().filter(|received| received.branch() == "reply" && received.json["id"] == id).cloned().collect();
            assert!(answers.iter().all(|received| received.topic == topic), "{answers:?}");
            answers.last().is_some_and(|last| last.body()["stage"] != "accepted").then_some(answers)
        })
    }

    /// The lines of the audit about a command.
    fn audits(&self, id: &str) -> Vec<Value> {
        let all = self.watch.all();
        let lines = all
            .iter()
            .filter(|received| received.topic == topic("arbiter", "b1", "audit") && received.body()["what"] == "command");
        lines.filter(|received| received.body()["id"] == id).map(|received| received.body().clone()).collect()
    }

    fn audited(&self, id: &str, code: &str, user: &str) {
        self.watch.wait(&format!("{id} in the audit"), |all| {
            let line = all.iter().find(|received| received.body()["what"] == "command" && received.body()["id"] == id)?;
            assert_eq!((line.body()["code"].as_str(), line.body()["actor"].as_str()), (Some(code), Some(user)), "{line:?}");
            Some(())
        });
        assert_eq!(self.audits(id).len(), 1);
    }

    /// Sends a command and checks that it is refused with this code: it is answered and audited, and has no effect.
    fn refused(&self, user: &str, verb: &str, payload: &Value, code: &str) {
        let before = self.state();
        self.send(user, verb, payload, &[]);
        let id = payload["id"].as_str().expect("an id");
        let answers = self.answers(id, &format!("flagfall/1/reply/{user}/desk"));
        let [answer] = answers.as_slice() else { panic!("{answers:?}") };
        let body = answer.body();
        assert_eq!((&body["stage"], &body["code"]), (&json!("failed"), &json!(code)), "{id}: {answer:?}");
        let shown = if code == "denied" { (&Value::Null, &Value::Null) } else { (&before.0, &before.1) };
        assert_eq!((&body["game"], &body["rev"]), shown, "a sender that may see it gets the present value: {answer:?}");
        assert_eq!(answer.correlation, id);
        self.audited(id, code, user);
        assert_eq!(self.state(), before, "{id} had an effect");
    }
}

fn command(verb: &str, id: &str, expect: Value, body: Value) -> Value {
    json!({"v": "1.0", "type": format!("cmd.{verb}"), "id": id, "expect": expect, "body": body})
}

fn declare(id: &str, expect: Value, result: &str) -> Value {
    command("declare-result", id, expect, json!({"result": result}))
}

#[test]
fn commands_are_answered_and_audited_and_those_refused_change_nothing() {
    let setup = CommandSetup::new();
    let (game, rev, _) = setup.state();
    let stale = json!({"game": game, "rev": rev.as_u64().expect("a number") - 1});
    setup.refused("anna", "declare-result", &declare("stale", stale, "1-0"), "stale");
    setup.refused(
        "carl",
        "declare-result",
        &declare("other-game", json!({"game": "open26-5-b1-g9", "rev": rev}), "1-0"),
        "stale",
    );
    setup.refused("carl", "declare-result", &declare("no-lock", json!({}), "1-0"), "invalid");
    setup.refused("eve", "declare-result", &declare("unknown-user", setup.lock(), "1-0"), "denied");
    setup.refused("otto", "declare-result", &declare("wrong-role", setup.lock(), "1-0"), "denied");
    setup.refused("arne", "declare-result", &declare("wrong-board", setup.lock(), "1-0"), "denied");
    setup.refused("otto", "sing", &command("sing", "no-verb", json!({}), json!({})), "unsupported");
    setup.refused("olga", "identify", &command("identify", "identify", json!({}), json!({})), "unsupported");
    // Retained commands are ignored without an answer: otherwise each start would carry them out again.
    setup.send("carl", "declare-result", &declare("retained", setup.lock(), "0-1"), &["-r"]);
    // An answer goes only to the sender of the command.
    let astray = declare("astray", json!({}), "1-0");
    setup.send_for("flagfall/1/reply/anna/desk", "otto", "declare-result", &astray, &[]);
    setup.answers("astray", "flagfall/1/reply/otto/all");
    setup.audited("astray", "denied", "otto");

    // Without access rules at the broker any client may use a name; then the role of that name counts.
    let good = declare("good", setup.lock(), "1/2-1/2");
    setup.send("anna", "declare-result", &good, &[]);
    let to = "flagfall/1/reply/anna/desk";
    let answers = setup.answers("good", to);
    let stages: Vec<_> =
        answers.iter().map(|received| (received.body()["stage"].clone(), received.body()["code"].clone())).collect();
    assert_eq!(stages, [(json!("accepted"), json!("ok")), (json!("done"), json!("ok"))]);
    setup.audited("good", "ok", "anna");
    for audience in ["arbiter", "live", "public"] {
        setup.watch.on(&topic(audience, "b1", "state"), "the result", |json| json["body"]["result"] == "1/2-1/2");
    }
    let after = setup.state();
    assert_eq!(answers[1].body()["rev"], after.1);

    // The same command again gets the same answer and has no second effect, although its lock is old now.
    setup.send("anna", "declare-result", &good, &[]);
    let done = |received: &&MosquittoMessage| received.json["id"] == "good" && received.body()["stage"] == "done";
    setup.watch.wait("the same answer", |all| {
        let both: Vec<&MosquittoMessage> = all.iter().filter(done).collect();
        let [one, other] = both.as_slice() else { return None };
        assert_eq!(one.body(), other.body());
        Some(())
    });
    old_client(&setup);
    assert_eq!((setup.audits("good").len(), setup.state()), (1, after));
    assert!(setup.audits("retained").is_empty());
    contract::each(&setup.watch.all());
    crate::end_to_end::keep_to_schemas(&setup.watch.all());
}

/// A client of MQTT 3.1.1 names the response topic and the correlation data in the payload.
fn old_client(setup: &CommandSetup) {
    let mut payload = command("resync", "old", json!({}), json!({"from": 1, "audience": "live"}));
    payload["reply_to"] = json!("flagfall/1/reply/carl/old");
    payload["corr"] = json!("c-1");
    let topic = format!("flagfall/1/cmd/carl/{ROUND}/b1/resync");
    publish(setup.broker.port(), &topic, &payload.to_string(), &["-V", "311"]);
    let answers = setup.answers("old", "flagfall/1/reply/carl/old");
    assert!(answers.len() == 2 && answers.iter().all(|received| received.body()["corr"] == "c-1"), "{answers:?}");
    // The events of the resync command come again.
    let line = format!("live/{ROUND}/b1");
    setup.watch.wait("the first live event again", |all| {
        let again = all.iter().filter(|received| contract::line(&received.topic) == line && received.no() == Some(1));
        (again.count() == 2).then_some(())
    });
    contract::events(&setup.watch.all());
}

#[test]
fn too_many_commands_are_refused_and_not_audited() {
    const AT_ONCE: usize = 30;
    let setup = CommandSetup::new();
    let before = setup.state();
    let topic = format!("flagfall/1/cmd/otto/{ROUND}/b1/resync");
    let mut command_line = Command::new("mosquitto_pub");
    command_line.args(["-V", "5", "-h", "127.0.0.1", "-p", &setup.broker.port().to_string(), "-q", "1", "-t", &topic, "-l"]);
    command_line.args(["-D", "publish", "response-topic", "flagfall/1/reply/otto/desk"]);
    let mut sender = command_line.stdin(Stdio::piped()).spawn().expect("mosquitto_pub");
    let mut input = sender.stdin.take().expect("its input");
    let last = |code: &'static str| {
        move |received: &&MosquittoMessage| {
            received.branch() == "reply" && received.body()["stage"] != "accepted" && received.body()["code"] == code
        }
    };
    let began = monotonic();
    let (mut sent, mut is_busy) = (0, false);
    // If they take some seconds on a slow machine, all are accepted, and more are sent.
    while !is_busy {
        assert!(monotonic() < began.after(PATIENCE), "none of {sent} was refused");
        let more = sent..sent + AT_ONCE;
        sent = more.end;
        let lines: String = more
            .map(|n| {
                command("resync", &format!("many-{n}"), json!({}), json!({"from": 99_999, "audience": "live"})).to_string() + "\n"
            })
            .collect();
        input.write_all(lines.as_bytes()).expect("written");
        is_busy = setup.watch.wait("an answer to each, or one that says `busy`", |all| {
            let count = |code| all.iter().filter(last(code)).count();
            let is_busy = count("busy") > 0;
            (is_busy || count("ok") == sent).then_some(is_busy)
        });
    }
    drop(input);
    assert!(sender.wait().expect("a child").success());
    // The commands of another sender are not delayed, and its answer comes after all others.
    setup.refused("anna", "declare-result", &declare("no-lock", json!({}), "1-0"), "invalid");
    let seconds = monotonic().since(began).as_secs() as usize + 1;
    let all = setup.watch.all();
    let ids = |code| all.iter().filter(last(code)).map(|received| received.json["id"].as_str().expect("an id").to_owned());
    let (ok, busy): (Vec<_>, Vec<_>) = (ids("ok").collect(), ids("busy").collect());
    // Five commands are accepted at once, and five for each further second; of the others, one in a second gets an answer.
    assert!((5..=5 + 5 * seconds).contains(&ok.len()), "{} of {sent} were accepted in {seconds} s", ok.len());
    assert!((1..=1 + seconds).contains(&busy.len()), "{} of {sent} got the answer `busy` in {seconds} s", busy.len());
    ok.iter().for_each(|id| setup.audited(id, "ok", "otto"));
    assert!(busy.iter().all(|id| setup.audits(id).is_empty()));
    assert_eq!(setup.state(), before);
}

#[test]
fn a_command_that_expired_while_nobody_listened_is_gone() {
    let mut setup = CommandSetup::new();
    setup.daemon.take().expect("it runs").kill();
    let before = setup.state();
    setup.send(
        "anna",
        "declare-result",
        &declare("late", setup.lock(), "1-0"),
        &["-D", "publish", "message-expiry-interval", "1"],
    );
    let lasting = command("resync", "lasting", json!({}), json!({"from": 1, "audience": "arbiter"}));
    setup.send("carl", "resync", &lasting, &["-D", "publish", "message-expiry-interval", "60"]);
    pause(Duration::from_millis(2500));
    setup.daemon = Some(setup.rig.start());
    setup.answers("lasting", "flagfall/1/reply/carl/desk");
    setup.audited("lasting", "ok", "carl");
    assert!(setup.audits("late").is_empty());
    assert!(setup.watch.all().iter().all(|received| received.branch() != "reply" || received.json["id"] != "late"));
    assert_eq!(setup.state().2, before.2);
}

#[test]
fn a_device_is_bound_until_the_configuration_changes() {
    const OVER: &str = "bound under another configuration";
    let mut setup = CommandSetup::new();
    let bind = |setup: &CommandSetup, id: &str, body: Value| command("bind-device", id, json!({"game": setup.state().0}), body);
    let theirs = bind(&setup, "theirs", json!({"port": setup.rig.port("b2")}));
    setup.refused("otto", "bind-device", &theirs, "invalid");
    setup.send("otto", "bind-device", &bind(&setup, "mine", json!({"serial": "777"})), &[]);
    let answers = setup.answers("mine", "flagfall/1/reply/otto/desk");
    let last = answers.last().expect("an answer").body();
    assert!(last["stage"] == "done" && last["message"].as_str().is_some_and(|text| text.contains("status")), "{last}");
    setup.audited("mine", "ok", "otto");
    for (id, changed) in [("again", false), ("changed", true)] {
        setup.daemon.take().expect("it runs").kill();
        if changed {
            let mut file = std::fs::File::options().append(true).open(setup.rig.config()).expect("a configuration");
            file.write_all(b"[user.nina]\nrole = \"operator\"\n").expect("written");
        }
        setup.daemon = Some(setup.rig.start());
        let ask = command("resync", id, json!({}), json!({"from": 1, "audience": "live"}));
        // The command waits at the broker until the daemon is connected.
        setup.send("carl", "resync", &ask, &["-D", "publish", "message-expiry-interval", "60"]);
        setup.answers(id, "flagfall/1/reply/carl/desk");
        assert_eq!(setup.rig.log().contains(OVER), changed, "{}", setup.rig.log());
    }
}
