//! The LiveChess API: from the bytes of a board to the frame of a client.

use std::borrow::Cow;
use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, sync_channel};

use flagfall::system_clock::{MonotonicTime, monotonic};
use serde_json::{Value, json};

use crate::boards::Write;
use crate::latency::{Latency, share};
use crate::listener::placement;
use crate::process::PATIENCE;
use crate::table::{Goal, Row};

/// The time for which a move must stand until it is followed, milliseconds (`livechess/README.md#3`).
const SETTLED: f64 = 300.0;
const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// More than a bench reads.
const FRAMES: usize = 100_000;
const PING: u8 = 9;
const PONG: u8 = 10;

/// A frame as it arrived.
#[derive(Clone)]
pub(crate) struct Frame {
    at: MonotonicTime,
    payload: Vec<u8>,
}

/// A client of the API that follows the first board of a node.
pub(crate) struct Client {
    frames: Receiver<Frame>,
    stream: TcpStream,
}

impl Client {
    /// Subscribes to the board and begins a line of moves from the initial position.
    pub(crate) fn follow(port: u16) -> Client {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a listener");
        stream.set_nodelay(true).expect("an option");
        let head = format!(
            "GET /api/v1.0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("a request");
        let (mut answer, mut byte) = (Vec::new(), [0]);
        while !answer.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).expect("an answer");
            answer.push(byte[0]);
        }
        let (sender, frames) = sync_channel(FRAMES);
        let mut reader = stream.try_clone().expect("a second handle");
        let read = move || {
            // It ends with the connection.
            while let Ok((opcode, payload)) = read_frame(&mut reader) {
                let at = monotonic();
                let goes_on = match opcode {
                    PING => write_frame(&mut reader, PONG, &payload).is_ok(),
                    _ => sender.send(Frame { at, payload }).is_ok(),
                };
                if !goes_on {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("livechess-client".to_owned()).spawn(read).expect("a thread");
        let mut client = Client { frames, stream };
        let boards = client.call(&json!({"id": 1, "call": "eboards"}));
        let feed = json!({"feed": "eboardevent", "id": 1, "param": {"serialnr": boards["param"][0]["serialnr"]}});
        client.call(&json!({"id": 2, "call": "subscribe", "param": feed}));
        let set_up = json!({"id": 1, "method": "setup", "param": {"fen": INITIAL}});
        client.call(&json!({"id": 3, "call": "call", "param": set_up}));
        client
    }

    /// Sends a call and returns the answer to it.
    fn call(&mut self, call: &Value) -> Value {
        write_frame(&mut self.stream, 1, call.to_string().as_bytes()).expect("the server is there");
        loop {
            let frame = self.frames.recv_timeout(PATIENCE).expect("an answer");
            let answer: Value = serde_json::from_slice(&frame.payload).expect("JSON");
            assert_ne!(answer["response"], "error", "{answer}");
            if answer["response"] == "call" {
                return answer;
            }
        }
    }

    /// The messages of the feed so far.
    pub(crate) fn received(&self) -> Vec<Frame> {
        self.frames.try_iter().collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The other thread ends. A connection that is closed already is as good.
        _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

fn read_frame(stream: &mut TcpStream) -> std::io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head)?;
    let mut long = [0; 2];
    let length = match head[1] {
        short @ 0..126 => usize::from(short),
        126 => {
            stream.read_exact(&mut long)?;
            usize::from(u16::from_be_bytes(long))
        }
        other => panic!("a frame of length code {other}"),
    };
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload)?;
    Ok((head[0] & 0x0f, payload))
}

fn write_frame(stream: &mut TcpStream, opcode: u8, payload: &[u8]) -> std::io::Result<()> {
    let length = u8::try_from(payload.len()).ok().filter(|length| *length < 126);
    let mut frame = vec![0x80 | opcode];
    match length {
        Some(length) => frame.push(0x80 | length),
        None => {
            frame.push(0xfe);
            frame.extend((payload.len() as u16).to_be_bytes());
        }
    }
    // A mask of zeros leaves the payload as it is.
    frame.extend([0; 4]);
    frame.extend(payload);
    stream.write_all(&frame)
}

/// The rows of one run; `copies` are the latencies of the yardstick.
pub(crate) fn rows(writes: &[Write], received: &[Frame], copies: &Latency) -> Vec<Row> {
    let mut pictures = Latency::default();
    let texts = received.iter().map(|frame| (frame.at, String::from_utf8_lossy(&frame.payload)));
    let texts: Vec<(MonotonicTime, Cow<'_, str>)> = texts.collect();
    pictures.of_pictures(writes, texts.iter().filter_map(|(at, text)| Some((*at, placement(text)?))));
    let settled = settled(writes, received);
    assert!(settled.len() >= 5, "only {} moves were followed", settled.len());
    let row =
        |what: &str, value, yardstick, goal| Row { what: format!("LiveChess API: {what}"), value, yardstick, unit: "ms", goal };
    let of = |latency: &Latency, at| share(&latency.all, at) / 1000.0;
    vec![
        row("change to frame, p50", of(&pictures, 0.5), Some(of(copies, 0.5)), None),
        row("change to frame, p99", of(&pictures, 0.99), Some(of(copies, 0.99)), None),
        row("settled move to frame, p50", share(&settled, 0.5), None, None),
        row("settled move to frame, p99", share(&settled, 0.99), None, Some(Goal::Units(5.0))),
    ]
}

/// The milliseconds from the moment at which a move had settled to the frame that has it, of all moves that made the line longer.
fn settled(writes: &[Write], received: &[Frame]) -> Vec<f64> {
    let fields: Vec<MonotonicTime> = writes.iter().filter(|write| write.shown.is_some()).map(|write| write.at).collect();
    let (mut line, mut all) = (Vec::new(), Vec::new());
    for frame in received {
        let message: Value = serde_json::from_slice(&frame.payload).expect("JSON");
        let Some(moves) = message["param"]["san"].as_array() else { continue };
        let last_change = fields[..fields.partition_point(|at| *at <= frame.at)].last();
        if moves.len() > line.len()
            && moves.starts_with(&line)
            && let Some(last_change) = last_change
        {
            all.push(frame.at.since(*last_change).as_secs_f64() * 1000.0 - SETTLED);
        }
        line.clone_from(moves);
    }
    all
}

/// The configuration of a node that offers the API at this port.
pub(crate) fn section(port: u16) -> String {
    format!("[livechess]\nenabled = true\nlisten = [\"127.0.0.1:{port}\"]\n")
}
