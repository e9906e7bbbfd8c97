//! The collector: from the state of a board at the broker to a file. The boards are played by this program.

use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flagfall::outputs::pgn::{Profile, write_round};
use flagfall::outputs::picture::Picture;
use flagfall::outputs::round::{Round, RoundGame};
use flagfall::system_clock::{MonotonicTime, monotonic};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::{AsyncClient, MqttOptions};
use serde_json::{Value, json};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

use crate::latency::share;
use crate::process::{PATIENCE, Process, mosquitto, pause};
use crate::table::{Goal, Row};

/// The boards of a hall, and of three halls.
const BOARDS: usize = 100;
const MANY: usize = 300;
/// The half-moves of each game before anything is measured.
const PLIES: usize = 60;
/// The time in which each board makes a half-move: blitz.
const MOVE: Duration = Duration::from_secs(3);
/// The half-moves that are measured alone, and the pause between two of them.
const ALONE: usize = 20;
const PAUSE: Duration = Duration::from_millis(1500);
/// The quiet time of the collector (`collect/README.md#2`).
const QUIET: f64 = 300.0;

/// A game that is played by nobody.
struct Game {
    number: usize,
    position: Chess,
    moves: Vec<Value>,
}

impl Game {
    fn new(number: usize) -> Game {
        let mut game = Game { number, position: Chess::default(), moves: Vec::new() };
        (0..PLIES).for_each(|_| game.play());
        game
    }

    fn play(&mut self) {
        let legal = self.position.legal_moves();
        // A game that has ended begins anew, which costs the same.
        let Some(choice) = legal.get((self.moves.len() * 7 + self.number * 3) % legal.len().max(1)) else {
            (self.position, self.moves) = (Chess::default(), Vec::new());
            return;
        };
        let san = SanPlus::from_move_and_play_unchecked(&mut self.position, *choice).to_string();
        let ms = 300_000 - 700 * self.moves.len();
        self.moves.push(json!({"ply": self.moves.len() + 1, "san": san, "uci": "", "white_ms": ms, "black_ms": ms}));
    }

    fn state(&self) -> String {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let body = json!({"game_no": 1, "initial_fen": fen, "moves": self.moves, "result": null});
        json!({"v": "1.1", "type": "board.state", "game": format!("e-1-{}-g1", self.number), "rev": self.moves.len(), "node": "pi-1",
               "boot": 1, "t": {"us": 9, "utc": "2026-11-21T13:02:11.412Z", "sync": "none"}, "body": body})
        .to_string()
    }
}

/// A collector with its broker and its boards. The fields are dropped in this order.
struct Hall {
    collector: Process,
    client: AsyncClient,
    games: Vec<Game>,
    _broker: Process,
    folder: tempfile::TempDir,
}

impl Hall {
    /// Returns when the file has all games, with the time from the start of the collector, milliseconds.
    fn open(boards: usize) -> (Hall, f64) {
        let folder = tempfile::tempdir().expect("a folder");
        let (broker, port) = mosquitto(folder.path());
        let games: Vec<Game> = (1..=boards).map(Game::new).collect();
        let pairings: Vec<Value> = (1..=boards)
            .map(|number| json!({"board": number.to_string(), "number": number, "white": {"name": "Beispiel, Anna"}, "black": {"name": "Muster, Ben"}}))
            .collect();
        let message = |kind: &str, body: Value| json!({"v": "1.1", "type": kind, "rev": 1, "body": body}).to_string();
        let client = publisher(port);
        let event = json!({"uuid": "6f1c0000-0000-4000-8000-00000000000a", "name": "Bench", "rounds": 9, "round": "1"});
        publish(&client, "flagfall/1/meta/e", message("meta.event", event));
        publish(&client, "flagfall/1/meta/e/1", message("meta.round", json!({"number": 1, "boards": pairings})));
        games.iter().for_each(|game| publish(&client, &topic(game.number), game.state()));
        // Everything is retained before the collector begins.
        pause(Duration::from_secs(2));
        let collector = Process::collector(folder.path(), port);
        let hall = Hall { collector, client, games, _broker: broker, folder };
        let mut file = Watched::new(hall.file());
        let all = file.wait(|plies| hall.games.iter().all(|game| plies.get(&game.number) == Some(&game.moves.len())));
        let took = all.since(hall.collector.began).as_secs_f64() * 1000.0;
        (hall, took)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tree/e/round-1/games.pgn")
    }

    /// The next half-move of a board; returns its number of half-moves.
    fn play(&mut self, board: usize) -> usize {
        let game = &mut self.games[board];
        game.play();
        publish(&self.client, &topic(game.number), game.state());
        game.moves.len()
    }
}

fn topic(board: usize) -> String {
    format!("flagfall/1/public/e/1/{board}/state")
}

fn publisher(port: u16) -> AsyncClient {
    let mut options = MqttOptions::new("boards", "127.0.0.1", port);
    options.set_outgoing_inflight_upper_limit(64);
    let (client, mut polled) = AsyncClient::new(options, 1024);
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async { while polled.poll().await.is_ok() {} });
    };
    std::thread::Builder::new().name("boards".to_owned()).spawn(work).expect("a thread");
    client
}

fn publish(client: &AsyncClient, topic: &str, payload: String) {
    client.try_publish(topic, QoS::AtLeastOnce, true, payload).expect("room");
}

/// A file that another program replaces.
struct Watched {
    path: PathBuf,
    inode: u64,
}

impl Watched {
    fn new(path: PathBuf) -> Watched {
        Watched { path, inode: 0 }
    }

    /// The half-moves of each board, if the file was replaced.
    fn news(&mut self) -> Option<BTreeMap<usize, usize>> {
        let inode = std::fs::metadata(&self.path).ok()?.ino();
        (std::mem::replace(&mut self.inode, inode) != inode).then(|| plies_by_board(&self.path))
    }

    /// The time at which the file fulfils this.
    fn wait(&mut self, done: impl Fn(&BTreeMap<usize, usize>) -> bool) -> MonotonicTime {
        let until = monotonic().after(PATIENCE);
        loop {
            let now = monotonic();
            if self.news().is_some_and(|plies| done(&plies)) {
                return now;
            }
            assert!(now < until, "waiting for {}", self.path.display());
            pause(Duration::from_millis(1));
        }
    }
}

fn plies_by_board(file: &Path) -> BTreeMap<usize, usize> {
    let text = read_to_string(file).unwrap_or_default();
    let boards = text.split("[Event ").filter_map(|game| {
        let number = game.split_once("[Board \"")?.1.split('"').next()?.parse().ok()?;
        Some((number, game.matches("[%clk").count()))
    });
    boards.collect()
}

/// The scene.
pub(crate) fn collect(span: Duration) -> Vec<Row> {
    let row = |what: &str, value: f64, unit, goal: Option<f64>| Row {
        what: what.to_owned(),
        value,
        unit,
        goal: goal.map(Goal::Units),
        ..Row::default()
    };
    let (mut hall, _) = Hall::open(BOARDS);
    let alone: Vec<f64> = alone(&mut hall);
    let all = at_blitz_rate(&mut hall, span);
    let usage = hall.collector.usage();
    let render = render(&hall.games);
    drop(hall);
    let (_hall, load) = Hall::open(MANY);
    vec![
        row("100 boards: state to file after the quiet time, p50", share(&alone, 0.5) - QUIET, "ms", None),
        row("100 boards: state to file after the quiet time, p99", share(&alone, 0.99) - QUIET, "ms", Some(50.0)),
        row("100 boards, blitz: state to file, p50", share(&all, 0.5), "ms", None),
        row("100 boards, blitz: state to file, p99", share(&all, 0.99), "ms", None),
        row("100 boards: collector, resident", usage.rss, "MB", Some(24.0)),
        row("100 boards: collector, of that not from files", usage.anon, "MB", None),
        row("100 games: all written as PGN", render, "ms", Some(5.0)),
        row("300 boards: start to the file with all retained games", load, "ms", None),
    ]
}

/// Single half-moves, each after a quiet time: the milliseconds to the file.
fn alone(hall: &mut Hall) -> Vec<f64> {
    let mut file = Watched::new(hall.file());
    let one = |number: usize| {
        pause(PAUSE);
        _ = file.news();
        let (began, board) = (monotonic(), number * 7 % BOARDS);
        let plies = hall.play(board);
        file.wait(|found| found.get(&(board + 1)) == Some(&plies)).since(began).as_secs_f64() * 1000.0
    };
    (0..ALONE).map(one).collect()
}

/// All boards play: the milliseconds from each state to the first file with it.
fn at_blitz_rate(hall: &mut Hall, span: Duration) -> Vec<f64> {
    let (mut file, mut open, mut found) = (Watched::new(hall.file()), Vec::new(), Vec::new());
    let (began, step) = (monotonic(), MOVE / BOARDS as u32);
    let mut next = 0;
    while next < (span.as_secs_f64() / step.as_secs_f64()) as u32 || !open.is_empty() {
        let now = monotonic();
        if now >= began.after(step * next) && now < began.after(span) {
            let board = next as usize % BOARDS;
            open.push((board + 1, hall.play(board), now));
            next += 1;
        }
        if now >= began.after(span) {
            next = u32::MAX;
        }
        if let Some(plies) = file.news() {
            let is_there = |(board, made, at): &mut (usize, usize, MonotonicTime)| {
                plies.get(board).is_some_and(|shown| shown >= made).then(|| now.since(*at).as_secs_f64() * 1000.0)
            };
            open.retain_mut(|played| is_there(played).map(|took| found.push(took)).is_none());
        }
        assert!(now < began.after(span + PATIENCE), "{} half-moves are not in the file", open.len());
        pause(Duration::from_millis(1));
    }
    found
}

/// The milliseconds of one render of all games, the best of some.
fn render(games: &[Game]) -> f64 {
    let shown = |game: &Game| {
        let picture = Picture::read(game.state().as_bytes()).expect("our own state");
        RoundGame { board: game.number as u32, id: picture.game, shown: Some(picture.body), ..RoundGame::default() }
    };
    let round = Round { games: games.iter().map(shown).collect(), ..Round::default() };
    let once = || {
        let began = monotonic();
        std::hint::black_box(write_round(std::hint::black_box(&round), Profile::Full));
        monotonic().since(began).as_secs_f64() * 1000.0
    };
    (0..20).map(|_| once()).fold(f64::MAX, f64::min)
}
