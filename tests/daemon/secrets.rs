//! No password and no token is in a log, an error, a message, a file or a command line.
#![cfg(feature = "outputs")]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flagfall::config;
use flagfall::emulate::PtyBoard;
use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;
use tempfile::TempDir;

use crate::lichess::fake::{FakeLichess, ROUND, TOKEN, Trouble};
use crate::program::{flagfall, text};
use crate::support::mqtt::Mosquitto;
use crate::support::mqtt::broker::print_skipped;
use crate::support::waiting::{PATIENCE, wait_until};
use crate::watch::Watch;

const NODE: &str = "nodeNODEnode4711";
const COLLECTOR: &str = "collectCOLLECT4712";
const ORGANISER: &str = "organiseORGANISE4713";
const WRONG: &str = "wrongWRONGwrong4714";
const STRANGE_TOKEN: &str = "lip_strangestrange4715";
const SECRETS: [&str; 6] = [NODE, COLLECTOR, ORGANISER, WRONG, STRANGE_TOKEN, TOKEN];

/// Everything that was said, with the place where it was.
#[derive(Default)]
struct Said(Vec<(String, String)>);

impl Said {
    fn add(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.0.push((place.into(), text.into()));
    }

    /// Runs a command and notes what it says; returns whether it succeeded.
    fn run(&mut self, folder: &Path, words: &[&str]) -> bool {
        let output = flagfall(words).current_dir(folder).output().expect("it runs");
        self.add(words.join(" "), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
        output.status.success()
    }

    /// Whether a text is anywhere.
    fn has(&self, text: &str) -> bool {
        self.0.iter().any(|(_, said)| said.contains(text))
    }

    /// The command lines of all processes.
    fn add_command_lines(&mut self) {
        let processes = std::fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
        for process in processes.filter(|process| process.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()))
        {
            // It may have ended.
            let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            self.add(process.path().display().to_string(), String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }

    /// All files below a folder but the ones with the secrets.
    fn add_files(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let path = entry.path();
            if entry.file_type().expect("a type").is_dir() {
                self.add_files(&path);
            } else if entry.file_type().expect("a type").is_file() && !path.to_string_lossy().ends_with(".secret") {
                self.add(path.display().to_string(), String::from_utf8_lossy(&std::fs::read(&path).expect("a file")));
            }
        }
    }
}

fn secret(folder: &Path, name: &str, secret: &str) -> PathBuf {
    let path = folder.join(format!("{name}.secret"));
    std::fs::write(&path, format!("{secret}\n")).expect("a file");
    std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("a mode");
    path
}

/// Names and hashed passwords of the broker's users; none if the program that makes them is missing.
fn passwords(folder: &Path) -> Option<String> {
    let path = folder.join("passwords.secret");
    std::fs::write(&path, format!("node-1:{NODE}\ncollector:{COLLECTOR}\norganiser:{ORGANISER}\n")).expect("a file");
    match Command::new("mosquitto_passwd").arg("-U").arg(&path).status() {
        Ok(status) if status.success() => Some(std::fs::read_to_string(&path).expect("a file")),
        other => {
            print_skipped(&format!("mosquitto_passwd: {other:?}"));
            None
        }
    }
}

/// A broker with users, and with a second port for the witness; and the files of a node, a collector and an organiser.
struct Hall {
    folder: TempDir,
    broker: Mosquitto,
    lichess: FakeLichess,
}

impl Hall {
    fn new() -> Option<Hall> {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        let users = passwords(here)?;
        let lines = "per_listener_settings true\nlistener TCP 127.0.0.1\npassword_file DIR/users\nallow_anonymous false\n\
                     listener WEB 127.0.0.1\nallow_anonymous true";
        let broker = Mosquitto::with_files(lines, &[("users", &users)])?;
        let lichess = FakeLichess::start();
        let write = |name: &str, text: String| std::fs::write(here.join(name), text).expect("a file");
        let mqtt = |user: &str, secret: &Path| {
            format!("[mqtt]\nport = {}\nuser = \"{user}\"\npassword_file = {secret:?}\n", broker.port())
        };
        write(
            "node.toml",
            format!(
                "log.level = \"debug\"\nnode.name = \"node-1\"\njournal.dir = {:?}\ndiscovery.folders = []\n\
                 [event]\nid = \"open26\"\nround = \"1\"\nfrom_meta = true\n{}[[board]]\nid = \"1\"\nport = {:?}\n",
                here.join("journals"),
                mqtt("node-1", &secret(here, "node", NODE)),
                here.join("port")
            ),
        );
        let token = secret(here, "token", TOKEN);
        let outputs = format!(
            "[[output]]\nname = \"lichess\"\nkind = \"lichess\"\nurl = {:?}\ntoken_file = {token:?}\nround = \"{ROUND}\"\nevery = 1\n\
             [[output]]\nname = \"files\"\nkind = \"files\"\ndir = {:?}\n",
            lichess.url(),
            here.join("pgn")
        );
        write(
            "collect.toml",
            format!(
                "log.level = \"debug\"\nnode.name = \"desk\"\n[event]\nid = \"open26\"\n[collect]\ndir = {:?}\n{}{outputs}",
                here.join("store"),
                mqtt("collector", &secret(here, "collector", COLLECTOR))
            ),
        );
        write("organiser.toml", mqtt("organiser", &secret(here, "organiser", ORGANISER)));
        write("wrong.toml", mqtt("organiser", &secret(here, "wrong", WRONG)));
        let open = secret(here, "open", WRONG);
        std::fs::set_permissions(&open, Permissions::from_mode(0o644)).expect("a mode");
        write("open.toml", mqtt("organiser", &open));
        write("round.csv", "board,white,black\n1,Beispiel Anna,Muster Ben\n".to_owned());
        Some(Hall { folder, broker, lichess })
    }

    fn here(&self) -> &Path {
        self.folder.path()
    }

    /// Starts a part of the program whose log goes to a file here.
    fn start(&self, words: &[&str]) -> std::process::Child {
        let log = std::fs::File::create(self.here().join(format!("{}.log", words[0]))).expect("a log");
        flagfall(words).current_dir(self.here()).stdout(Stdio::null()).stderr(log).spawn().expect("it starts")
    }

    fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.here().join(format!("{name}.log"))).unwrap_or_default()
    }
}

#[test]
fn no_secret_is_anywhere() {
    let Some(hall) = Hall::new() else { return };
    let here = hall.here();
    let mut said = Said::default();
    let watch = Watch::new(hall.broker.websocket.port());
    assert!(said.run(here, &["event", "new", "open26", "--name", "Open", "--rounds", "9"]));
    assert!(said.run(here, &["event", "import", "round.csv", "--round", "1"]));
    assert!(said.run(here, &["event", "publish", "--config", "organiser.toml"]));
    let board = PtyBoard::start("1", game(1).settings(101), &Script::new(), 1.0).expect("a board");
    board.link_at(&here.join("port")).expect("a link");
    // The first pushes fail in several ways.
    let troubles = [Trouble::Status(500), Trouble::CutBody, Trouble::Status(401)];
    hall.lichess.with(|round| round.troubles.extend(troubles));
    let mut running = [hall.start(&["run", "--config", "node.toml"]), hall.start(&["collect", "--config", "collect.toml"])];
    watch.on("flagfall/1/node/node-1/status", "the node", |json| json["body"]["state"] == "ready");
    watch.on("flagfall/1/arbiter/open26/1/1/state", "the board", |json| json["body"]["stage"] == "armed");
    board.load(&Script::parse("0.2 run\n0.5 move e2 e4\n1.0 press left\n").expect("a script")).expect("it runs");
    watch.on("flagfall/1/public/open26/1/1/state", "a move", |json| json["body"]["moves"][0]["san"] == "e4");
    watch.on("flagfall/1/node/desk-collect/output/lichess", "a refusal", |json| json["body"]["state"] == "refused");
    said.add_command_lines();
    let strange = secret(here, "strange", STRANGE_TOKEN);
    // The outputs of the collector, and the login of the organiser.
    let of_output = ["event", "lichess", ROUND, "--config", "collect.toml", "--config", "organiser.toml"];
    assert!(said.run(here, &of_output));
    assert!(!said.run(
        here,
        &["event", "lichess", ROUND, "--config", "organiser.toml", "--token-file", text(&strange), "--url", &hall.lichess.url()]
    ));
    said.run(here, &["event", "retry", "lichess", "--config", "organiser.toml"]);
    wait_until("lichess has the game", PATIENCE, || hall.lichess.with(|round| round.chapters.len() == 1));
    for words in [
        &["event", "ready", "--config", "organiser.toml"][..],
        &["event", "status", "--config", "organiser.toml"],
        &["event", "bind", "--in-order", "--config", "organiser.toml"],
        &["event", "publish", "--config", "wrong.toml"],
        &["event", "publish", "--config", "open.toml"],
        &["check-config", "--config", "node.toml"],
        &["check-config", "--config", "collect.toml"],
        &["check-config", "--config", "open.toml"],
        &["doctor", "--config", "node.toml"],
        &["doctor", "--json", "--config", "wrong.toml"],
        &["collect", "--config", "open.toml"],
        &["run", "--config", "open.toml"],
    ] {
        said.run(here, words);
        said.add_command_lines();
    }
    for child in &mut running {
        assert!(Command::new("kill").arg(child.id().to_string()).status().expect("kill").success());
        assert!(child.wait().expect("it ends").success(), "{}{}", hall.log("run"), hall.log("collect"));
    }
    for message in watch.all() {
        said.add(message.topic.clone(), message.payload.clone());
    }
    said.add_files(here);
    for name in ["node.toml", "collect.toml", "organiser.toml"] {
        said.add(
            format!("Debug of {name}"),
            format!("{:?}", config::load(&[here.join(name)], std::iter::empty()).expect("right").config),
        );
    }
    // What must be said is there, so this is the place to look.
    for words in [
        "node-1",
        "may write broadcasts as",
        "lichess does not know the token",
        "user name or password is wrong",
        "Beispiel Anna",
    ] {
        assert!(
            said.has(words),
            "nobody says {words:?}: {:#?}",
            said.0.iter().filter(|(place, _)| place.starts_with("event")).collect::<Vec<_>>()
        );
    }
    for secret in SECRETS {
        let found: Vec<&String> = said.0.iter().filter(|(_, said)| said.contains(secret)).map(|(place, _)| place).collect();
        assert_eq!(found, Vec::<&String>::new(), "{secret}");
    }
}
