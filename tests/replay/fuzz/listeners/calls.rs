//! Calls of programs at the LiveChess API.

use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};

use flagfall::config::LiveChess;
use flagfall::outputs::livechess::{Hall, bind};
use flagfall::outputs::tap::{Device, GamePicture, Picture, Seat, Tap};
use flagfall_protocols::square::Placement;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::oneshot;

use super::watched::{Watched, assert_no_panic};
use super::{connect, exchange, frame, runtime, upgrade};
use crate::fuzz::{BYTES, campaign};
use crate::support::nearly::{mutated, run_until};
use crate::support::ports::free_address;

/// The name of the thread that serves the API, and its path.
const THREAD: &str = "livechess";
const PATH: &str = "/api/v1.0";
/// The last call of each connection. Its id is in no other one.
const LAST: &str = r#"{"id":"the last","call":"sources"}"#;
/// The most calls of a connection before that one.
const CALLS: usize = 40;
/// The largest answer to one call, in bytes, beside what it repeats of the call.
const ANSWER: usize = 4 << 10;

const SAMPLES: [&str; 9] = [
    r#"{"call":"eboards","id":"1","param":null}"#,
    r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"b1"}}}"#,
    r#"{"id":1e999,"call":"subscribe","param":{"feed":"eboardevent","id":"\ud800","param":{"serialnr":"4711"}}}"#,
    r#"{"id":3,"call":"call","param":{"id":1,"method":"setup","param":{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"}}}"#,
    r#"{"id":4,"call":"call","param":{"id":"1","method":"setup","param":{"fen":"4k3/8/8/8/8/8/4P3/4K2R w K - 0 1","flip":true}}}"#,
    r#"{"id":5,"call":"call","param":{"id":1,"method":"flip","param":{"fen":true}}}"#,
    r#"{"id":6,"call":"unsubscribe","param":{"id":1,"method":"unsubscribe","param":null}}"#,
    r#"{"id":7,"call":"call","param":{"id":1,"method":"unsubscribe","param":{"é":[{"\u0000":-0.5e-7}]}}}"#,
    LAST,
];

/// One message of the API.
#[derive(Deserialize)]
#[allow(dead_code, reason = "what is not compared must be there")]
struct Answer {
    response: String,
    id: Value,
    param: Value,
    time: i64,
}

/// Two boards: one of this machine that shows a game, one of another machine.
fn hall() -> Arc<Hall> {
    let tap = |id: &str, is_elsewhere| {
        let seat = Seat { id: id.to_owned(), transport: "serial".to_owned(), is_elsewhere };
        let device = Device { online: true, serial: Some("4711".to_owned()), port: Some("/dev/board".to_owned()), battery: None };
        let tap = Tap::new(seat, device.clone(), GamePicture::default());
        let placement = Placement::initial();
        tap.show(Picture { placement, known: placement, ..Picture::unknown(device) });
        Arc::new(tap)
    };
    let hall = Hall::default();
    hall.set_own(vec![tap("b1", false)]);
    hall.set_elsewhere(vec![tap("b2", true)]);
    Arc::new(hall)
}

/// Serves the API in a thread until the sender is dropped.
fn serve(settings: LiveChess) -> (JoinHandle<()>, oneshot::Sender<()>) {
    let (stop, stopped) = oneshot::channel();
    let (began, begins) = mpsc::sync_channel(1);
    let body = move || {
        runtime().block_on(async {
            let running = bind(&settings).and_then(|bound| bound.serve(&hall())).expect("it is served");
            began.send(()).expect("the test waits");
            _ = stopped.await;
            running.stop().await;
        });
    };
    let thread = Builder::new().name(THREAD.to_owned()).spawn(body).expect("a thread");
    begins.recv().expect("it begins");
    (thread, stop)
}

/// The texts of the frames of a server, until it closes.
fn texts(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut texts = Vec::new();
    while let [kind, length, rest @ ..] = bytes {
        let (length, rest) = match (*length, rest) {
            (126, [high, low, rest @ ..]) => (usize::from(u16::from_be_bytes([*high, *low])), rest),
            (short @ 0..126, rest) => (usize::from(short), rest),
            _ => panic!("a long or broken frame"),
        };
        let (payload, rest) = rest.split_at_checked(length).expect("whole frames");
        if *kind == 0x81 {
            texts.push(payload);
        }
        bytes = rest;
    }
    texts
}

#[test]
fn the_livechess_api_takes_any_calls() {
    let runtime = runtime();
    let address = free_address();
    let settings = LiveChess { enabled: true, listen: vec![address.to_string()], ..LiveChess::default() };
    let (thread, stop) = serve(settings);
    let head = upgrade(PATH, address).replace(&format!("http://{address}"), "https://lichess.org");
    let mut watched = Watched::new();
    let mut one = |random: &mut fastrand::Rng| {
        let calls: Vec<String> = (0..random.usize(..CALLS)).map(|_| mutated(random, &SAMPLES[..8])).collect();
        let mut sent = head.clone().into_bytes();
        for call in &calls {
            // One that is not text is an error, too.
            sent.extend(frame(if random.u8(..) < 5 { 2 } else { 1 }, call.as_bytes()));
        }
        sent.extend(frame(1, LAST.as_bytes()));
        sent.extend(frame(8, b""));
        let answer = runtime.block_on(async { exchange(&mut connect(address).await.0, &sent, true).await });
        assert_no_panic(THREAD);
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        assert!(answer.len() <= 6 * sent.len() + (calls.len() + 2) * ANSWER, "{} bytes answer {}", answer.len(), sent.len());
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("the end of the head");
        let answers: Vec<Answer> = texts(&answer[end + 4..])
            .into_iter()
            .map(|text| {
                let shown = String::from_utf8_lossy(text);
                serde_json::from_slice(text).unwrap_or_else(|error| panic!("{error}: {shown}"))
            })
            .collect();
        assert!(answers.len() > calls.len(), "every call is answered: {} of {}", answers.len(), calls.len());
        let last = answers.iter().filter(|answer| answer.id == "the last" && answer.response == "call").count();
        assert_eq!(last, 1, "the connection goes on whatever was called");
        sent.len()
    };
    campaign("fuzz of calls of the LiveChess API", 0..1, |seed| watched.after(run_until(seed, BYTES / 2, &mut one)));
    drop(stop);
    thread.join().expect("no panic");
}
