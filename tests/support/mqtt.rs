//! A real broker, an independent client, a proxy that cuts, and a node that publishes, for tests of the network side.
//! Each has a free port and a folder of its own, and ends when it is dropped.

pub(crate) mod broker;
pub(crate) mod client;
pub(crate) mod node;
pub(crate) mod packets;
pub(crate) mod proxy;

pub(crate) use broker::Mosquitto;
pub(crate) use client::{MosquittoMessage, MosquittoSub, publish};
pub(crate) use node::{Node, SessionReport};
pub(crate) use proxy::Proxy;

pub(crate) use super::ports::free_port;
pub(crate) use super::waiting::{PATIENCE, thread};

use std::collections::VecDeque;
use std::fmt::Debug;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use flagfall::system_clock;

/// The lines that a process writes; the channel closes at the end of the output.
pub(crate) fn lines(source: impl Read + Send + 'static) -> Receiver<String> {
    lines_to(source, |sender, line| sender.send(line).is_ok())
}

/// The same for a log: lines are dropped when too many wait, since a broker whose log nobody reads would stop.
pub(crate) fn log_lines(source: impl Read + Send + 'static) -> Receiver<String> {
    lines_to(source, |sender, line| !matches!(sender.try_send(line), Err(TrySendError::Disconnected(_))))
}

/// `send` returns whether it wants further lines.
fn lines_to(source: impl Read + Send + 'static, send: fn(&SyncSender<String>, String) -> bool) -> Receiver<String> {
    let (sender, receiver) = sync_channel(100_000);
    thread("lines", move || {
        let mut source = BufReader::new(source);
        let mut line = Vec::new();
        while source.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            if !send(&sender, String::from_utf8_lossy(&line).trim_end().to_owned()) {
                return;
            }
            line.clear();
        }
    });
    receiver
}

/// Waits for the first item of the channel for which `want` returns something. After [`PATIENCE`] it fails with `what` and with the
/// last items.
pub(crate) fn wait_for<T: Debug, U>(from: &Receiver<T>, what: &str, mut want: impl FnMut(T) -> Option<U>) -> U {
    const KEPT: usize = 10;
    let until = system_clock::monotonic().after(PATIENCE);
    let mut last = VecDeque::new();
    loop {
        let left = until.since(system_clock::monotonic());
        match from.recv_timeout(left) {
            Ok(thing) => {
                if last.len() == KEPT {
                    last.pop_front();
                }
                last.push_back(format!("{thing:?}").chars().take(1500).collect::<String>());
                if let Some(found) = want(thing) {
                    return found;
                }
            }
            Err(error) => panic!("waiting for {what}: {error}; the last messages: {last:#?}"),
        }
    }
}
