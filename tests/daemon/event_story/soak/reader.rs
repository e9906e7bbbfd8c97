//! A subscriber that must not miss an event: it keeps what it needs to find gaps and differences, and asks for what it missed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use flagfall::system_clock::monotonic;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use serde_json::{Value, json};

use crate::contract::line;
use crate::support::mqtt::publish;
use crate::support::waiting::{pause, thread};

/// How long it waits for what it asked for.
const ANSWERS: Duration = Duration::from_secs(30);
/// From one command to the next; a station refuses more than five in a second.
const APART: Duration = Duration::from_millis(250);

/// What it knows of an event: the id and a digest of the body.
type Known = (String, u64);

/// What was seen so far.
#[derive(Default)]
pub(super) struct Seen {
    /// Messages of any kind.
    pub(super) messages: u64,
    /// Messages that came again with the same content.
    pub(super) repeated: u64,
    /// Numbers that came again with another id, after a node was killed.
    pub(super) restated: u64,
    /// Numbers that were missing for a time, until they were asked for.
    pub(super) asked_for: u64,
    /// Events with the same id and different content.
    pub(super) different: Vec<String>,
    /// Moves that the live audience saw.
    pub(super) moves: u64,
    /// Sessions with the broker.
    pub(super) connections: u64,
    /// Answers to commands, by code.
    pub(super) answers: BTreeMap<String, u64>,
    /// The game at each board.
    games: BTreeMap<usize, String>,
    lines: BTreeMap<String, BTreeMap<u64, Known>>,
}

/// The subscriber.
pub(super) struct Reader(Arc<Mutex<Seen>>);

impl Reader {
    pub(super) fn start(broker: SocketAddr) -> Reader {
        let seen = Arc::<Mutex<Seen>>::default();
        let theirs = Arc::clone(&seen);
        // It reads until the test ends.
        thread("reader", move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(listen(broker, &theirs));
        });
        Reader(seen)
    }

    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().expect("no panic")
    }

    /// The game at a board, as soon as there was an event of it.
    pub(super) fn game(&self, board: usize) -> Option<String> {
        self.seen().games.get(&board).cloned()
    }

    /// A line about what was seen.
    pub(super) fn counts(&self) -> String {
        let seen = self.seen();
        format!(
            "{} messages, {} moves, {} repeated, {} restated, {} asked for, {} sessions, answers {:?}",
            seen.messages, seen.moves, seen.repeated, seen.restated, seen.asked_for, seen.connections, seen.answers
        )
    }

    /// Asks for every number that is missing, and returns the lines that still have gaps after that. Beside gaps before the highest
    /// number that came, those up to `last` count.
    pub(super) fn fill_gaps(&self, broker: u16, round: u32, last: &[(String, u64)]) -> Vec<String> {
        // What is on its way arrives without a question.
        let settled = monotonic().after(Duration::from_secs(10));
        while !self.gaps(last).is_empty() && monotonic() < settled {
            pause(Duration::from_millis(500));
        }
        let gaps = self.gaps(last);
        self.seen().asked_for += gaps.iter().map(|(_, missing)| missing.len() as u64).sum::<u64>();
        for (line, missing) in &gaps {
            let levels: Vec<&str> = line.split('/').collect();
            let id = format!("{}-{}", line.replace('/', "-"), missing[0]);
            let body = json!({"from": missing[0], "audience": levels[0]});
            let command = json!({"v": "1.0", "type": "cmd.resync", "id": id, "body": body});
            let topic = format!("flagfall/1/cmd/carl/open26/{round}/{}/resync", levels[2]);
            publish(broker, &topic, &command.to_string(), &[]);
            pause(APART);
        }
        let until = monotonic().after(ANSWERS);
        while !self.gaps(last).is_empty() && monotonic() < until {
            pause(Duration::from_millis(500));
        }
        let show =
            |(line, missing): (String, Vec<u64>)| format!("{line}: {} missing, the first is {}", missing.len(), missing[0]);
        self.gaps(last).into_iter().map(show).collect()
    }

    /// The missing numbers of each line that has some.
    fn gaps(&self, last: &[(String, u64)]) -> Vec<(String, Vec<u64>)> {
        let seen = self.seen();
        let mut highest: BTreeMap<&str, u64> = last.iter().map(|(line, last)| (line.as_str(), *last)).collect();
        for (line, known) in &seen.lines {
            let highest = highest.entry(line).or_default();
            *highest = (*highest).max(known.keys().next_back().copied().unwrap_or_default());
        }
        let missing = |(line, highest): (&str, u64)| {
            let known = seen.lines.get(line);
            let missing: Vec<u64> = (1..=highest).filter(|no| !known.is_some_and(|known| known.contains_key(no))).collect();
            (!missing.is_empty()).then(|| (line.to_owned(), missing))
        };
        highest.into_iter().filter_map(missing).collect()
    }
}

impl Seen {
    fn read(&mut self, topic: &str, payload: &[u8]) {
        self.messages += 1;
        let name = topic.rsplit('/').next().unwrap_or_default();
        if matches!(name, "state" | "clock" | "pgn") {
            return;
        }
        let Ok(json) = serde_json::from_slice::<Value>(payload) else { return };
        if topic.starts_with("flagfall/1/reply/") {
            let code = json["body"]["code"].as_str().unwrap_or("none");
            *self.answers.entry(format!("{} {code}", json["body"]["stage"].as_str().unwrap_or_default())).or_default() += 1;
            return;
        }
        let Some(no) = json["no"].as_u64() else { return };
        // A series continues over rounds: the round is no part of its name.
        let levels: Vec<String> = line(topic).split('/').map(str::to_owned).collect();
        let [audience, event, _, board] = &levels[..] else { return };
        if let (Ok(board), Some(game)) = (board.parse(), json["game"].as_str()) {
            self.games.insert(board, game.to_owned());
        }
        let mut hasher = DefaultHasher::new();
        json["body"].to_string().hash(&mut hasher);
        let known = (json["id"].as_str().unwrap_or_default().to_owned(), hasher.finish());
        let lines = self.lines.entry(format!("{audience}/{event}/{board}")).or_default();
        match lines.get(&no) {
            Some(before) if *before == known => self.repeated += 1,
            Some(before) if before.0 == known.0 => self.different.push(format!("{topic} {no}: {payload:?}")),
            Some(_) => {
                self.restated += 1;
                lines.insert(no, known);
            }
            None => {
                self.moves += u64::from(name == "move" && audience == "live");
                lines.insert(no, known);
            }
        }
    }
}

async fn listen(broker: SocketAddr, seen: &Mutex<Seen>) {
    let mut options = MqttOptions::new("soak-reader", broker.ip().to_string(), broker.port());
    options.set_max_packet_size(Some(1 << 20));
    options.set_clean_start(false).set_session_expiry_interval(Some(3600));
    let (client, mut events) = AsyncClient::new(options, 4);
    loop {
        match events.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                seen.lock().expect("no panic").connections += 1;
                let filters = ["arbiter", "live", "public", "reply"].map(|branch| format!("flagfall/1/{branch}/#"));
                client.try_subscribe_many(filters.map(|filter| Filter::new(filter, QoS::AtLeastOnce))).expect("room");
            }
            Ok(Event::Incoming(Packet::Publish(publish))) => {
                let topic = String::from_utf8_lossy(&publish.topic).into_owned();
                seen.lock().expect("no panic").read(&topic, &publish.payload);
            }
            Ok(_) => {}
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

#[test]
fn gaps_and_two_contents_are_found() {
    let reader = Reader(Arc::default());
    let read = |round: u32, no: u64, boot: u32, san: &str| {
        let message = json!({"id": format!("x:{boot}:{no}"), "no": no, "game": "g", "body": {"san": san}});
        reader.seen().read(&format!("flagfall/1/live/open26/{round}/7/move"), message.to_string().as_bytes());
    };
    for (round, no) in [(1, 1), (1, 2), (1, 2), (2, 5)] {
        read(round, no, 1, "e4");
    }
    assert_eq!(reader.gaps(&[]), [("live/open26/7".to_owned(), vec![3, 4])]);
    let last = [("live/open26/7".to_owned(), 6), ("live/open26/8".to_owned(), 1)];
    assert_eq!(reader.gaps(&last), [("live/open26/7".to_owned(), vec![3, 4, 6]), ("live/open26/8".to_owned(), vec![1])]);
    (3..=4).for_each(|no| read(2, no, 1, "e4"));
    read(2, 4, 2, "d4");
    assert_eq!(reader.gaps(&[]), []);
    let counts = || {
        let seen = reader.seen();
        (seen.repeated, seen.restated, seen.different.len(), seen.moves)
    };
    assert_eq!(counts(), (1, 1, 0, 5));
    read(2, 3, 1, "d4");
    assert_eq!(counts(), (1, 1, 1, 5));
    assert_eq!(reader.game(7).as_deref(), Some("g"));
}
