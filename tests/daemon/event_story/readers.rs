//! The outside readers of the event. They never see a game that got shorter, or a move before its time.

use std::collections::BTreeMap;
use std::io::{Read as _, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use flagfall::system_clock::Utc;

use super::hall::Hall;
use crate::collect::{Read, Watch, plies, shorter};
use crate::lichess::fake::{ROUND, ROUND_2};
use crate::support::mqtt::MosquittoMessage;
use crate::support::waiting::PATIENCE;
use crate::watch;

/// Programs that read the file and the page of a round, and when moves were made by what the live audience sees.
pub(super) struct Readers {
    read: Vec<(u32, &'static str, Watch)>,
    live: watch::Watch,
}

impl Readers {
    pub(super) fn start(hall: &Hall) -> Readers {
        let of_round = |round: u32| {
            let (file, pages) = (hall.games(round), hall.pages);
            let page = move || get(pages, &format!("/open26/round-{round}/games.pgn"));
            let page = Watch::reading(Duration::from_millis(100), page);
            [(round, "file", Watch::start(file)), (round, "page", page)]
        };
        let read = [1, 2].into_iter().flat_map(of_round).collect();
        Readers { read, live: watch::Watch::new(hall.broker.port()) }
    }

    /// Ends them, and checks what they read and what lichess got.
    pub(super) fn end(self, hall: &Hall) {
        let (live, delay) = (self.live.all(), Duration::from_secs(hall.size.delay.into()));
        for (round, what, watch) in self.read {
            let read = watch.stop();
            assert_eq!(read.faults, Vec::<String>::new(), "the {what} of round {round}: no game was ever shorter");
            nothing_is_early(&live, round, delay, &read);
        }
        for id in [ROUND, ROUND_2] {
            let pushes: Vec<_> = hall.lichess.with_round(id, |round| round.pushes.iter().map(|text| plies(text)).collect());
            let faults: Vec<String> = pushes.windows(2).flat_map(|two| shorter(&two[0], &two[1])).collect();
            assert_eq!(faults, Vec::<String>::new(), "no push had less than the one before");
        }
    }
}

/// No version had a move before the delay of the public had passed since the live audience saw it.
fn nothing_is_early(live: &[MosquittoMessage], round: u32, delay: Duration, read: &Read) {
    let mut made: BTreeMap<(u32, u64), i64> = BTreeMap::new();
    let prefix = format!("flagfall/1/live/open26/{round}/");
    for received in live {
        let board = received.topic.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix("/move")?.parse().ok());
        let at = received.json["t"]["utc"].as_str().and_then(Utc::parse);
        if let (Some(board), Some(ply), Some(Utc(at))) = (board, received.body()["ply"].as_u64(), at) {
            made.entry((board, ply)).or_insert(at);
        }
    }
    let mut compared = 0;
    for (Utc(at), boards) in &read.versions {
        for (board, plies) in boards {
            // What was made while the broker was away may have no time here.
            let Some(made) = made.get(&(*board, *plies as u64)) else { continue };
            let after = at - made;
            assert!(after >= delay.as_micros() as i64, "board {board}, half-move {plies}: after {after} microseconds");
            compared += 1;
        }
    }
    assert!(compared > 30, "only {compared} moves of round {round} have times");
}

/// A page; none if there is no whole answer, or no page yet.
fn get(address: SocketAddr, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    (head.starts_with("HTTP/1.1 200 ") && length == Some(body.len())).then(|| body.to_owned())
}
