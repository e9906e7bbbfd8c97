//! Binds devices by hand (`flagfall event bind --ask`): for each board a person touches it, and the device whose men change is its device.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::sync::{mpsc, watch};

use super::broker::Broker;
use crate::event::bind;
use crate::event::model::EventFile;
use crate::wire::topics;

/// The largest number of devices that are looked at.
const DEVICES: usize = 1024;
/// The time in which the broker sends what it keeps.
const FIRST_WITHIN: Duration = Duration::from_secs(10);
/// All retained messages are here when none has come for this time.
const SETTLED: Duration = Duration::from_millis(500);
/// The longest wait for that.
const SETTLED_WITHIN: Duration = Duration::from_secs(3);
/// After the first change others are awaited until none has come for this time: if several devices change, nobody knows which one is
/// meant. A node reports the men that are touched once a second.
const TOGETHER: Duration = Duration::from_millis(1500);
/// The longest wait for that.
const TOGETHER_WITHIN: Duration = Duration::from_secs(6);

/// How often the men on each device were touched.
type Touched = BTreeMap<String, u64>;

/// Binds the boards of a round that have no device, one after the other. The file is written after each, so nothing is lost if the person
/// stops.
///
/// # Errors
/// No device is heard, the file cannot be written, or the operating system gives no thread.
pub(super) fn ask(broker: &Broker, file: &mut EventFile, path: &Path, round: u32) -> Result<Vec<(String, String)>> {
    let (sender, mut devices) = watch::channel(Touched::new());
    let prefix = format!("{}/1/device/", broker.root);
    let filters = [format!("{prefix}+/status")];
    let note = |topic: &str, payload: &[u8]| {
        let device = topic.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix("/status"));
        let Some(device) = device.filter(|device| topics::is_id(device)) else { return };
        let message: serde_json::Value = serde_json::from_slice(payload).unwrap_or_default();
        let body = &message["body"];
        if body["kind"] != "board" {
            return;
        }
        let touched = body["touched"].as_u64().unwrap_or_default();
        sender.send_if_modified(|known| {
            let has_room = known.len() < DEVICES || known.contains_key(device);
            has_room && known.insert(device.to_owned(), touched) != Some(touched)
        });
    };
    // A broker that cannot be used is an error now; later it is waited for.
    broker.read(&filters)?;
    let mut words = words_of_stdin()?;
    broker.follow(&filters, note, async {
        let first = tokio::time::timeout(FIRST_WITHIN, devices.wait_for(|known| !known.is_empty())).await;
        if !first.is_ok_and(|first| first.is_ok()) {
            bail!("no device is heard: is a node running, and may this login read device/?");
        }
        settle(&mut devices, SETTLED, SETTLED_WITHIN).await;
        let mut bound = Vec::new();
        let boards = file.rounds.get(&round).map(|round| round.boards.clone()).unwrap_or_default();
        let mut open: Vec<_> = boards.into_iter().filter(|pairing| pairing.device.is_none()).collect();
        open.sort_by_key(|pairing| pairing.number);
        for pairing in open {
            say(&format!("Board {}: set a king on d4. Enter leaves this board out, q ends.", pairing.board))?;
            match touched_device(&mut devices, &mut words, file, round).await? {
                Found::Device(device) => {
                    let pair = (pairing.board.clone(), device.clone());
                    bind::bind(file, round, std::slice::from_ref(&pair)).map_err(anyhow::Error::msg)?;
                    file.write(path)?;
                    say(&format!("Board {} is {device}.", pairing.board))?;
                    bound.push(pair);
                }
                Found::LeaveOut => {}
                Found::End => break,
            }
        }
        Ok(bound)
    })
}

/// What became of the question about a board.
enum Found {
    Device(String),
    LeaveOut,
    End,
}

/// Waits until the men on one device change that has no board yet.
async fn touched_device(
    devices: &mut watch::Receiver<Touched>,
    words: &mut mpsc::Receiver<String>,
    file: &EventFile,
    round: u32,
) -> Result<Found> {
    loop {
        let before = devices.borrow_and_update().clone();
        loop {
            tokio::select! {
                changed = devices.changed() => changed?,
                word = words.recv() => return Ok(match word.as_deref() {
                    Some("") => Found::LeaveOut,
                    // At the end of the input nobody is there any more.
                    Some("q") | None => Found::End,
                    Some(_) => continue,
                }),
            }
            if !changed_since(&before, &devices.borrow()).is_empty() {
                break;
            }
        }
        settle(devices, TOGETHER, TOGETHER_WITHIN).await;
        let changed = changed_since(&before, &devices.borrow_and_update());
        let boards = file.rounds.get(&round).map(|round| round.boards.as_slice()).unwrap_or_default();
        let board_of = |device: &str| boards.iter().find(|pairing| pairing.device.as_deref() == Some(device));
        let free: Vec<&String> = changed.iter().filter(|device| board_of(device).is_none()).collect();
        match free.as_slice() {
            [one] => return Ok(Found::Device((*one).clone())),
            [] => {
                for device in &changed {
                    let board = board_of(device).map_or("another", |pairing| &pairing.board);
                    say(&format!("The men on {device} have changed, which is board {board}."))?;
                }
            }
            several => {
                let names: Vec<&str> = several.iter().map(|device| device.as_str()).collect();
                say(&format!("Several devices have changed: {}. Do it again, one board at a time.", names.join(", ")))?;
            }
        }
    }
}

/// Waits until nothing has changed for `quiet`, at most for `longest`: in a full hall somebody always touches a man.
async fn settle(devices: &mut watch::Receiver<Touched>, quiet: Duration, longest: Duration) {
    let settled = async { while tokio::time::timeout(quiet, devices.changed()).await.is_ok_and(|changed| changed.is_ok()) {} };
    _ = tokio::time::timeout(longest, settled).await;
}

/// The devices that were touched more often than before. One that was not there before, or that counts anew, has not been touched.
fn changed_since(before: &Touched, now: &Touched) -> Vec<String> {
    let more = now.iter().filter(|(device, touched)| before.get(*device).is_some_and(|known| known < *touched));
    more.map(|(device, _)| device.clone()).collect()
}

/// The lines of the standard input. A thread waits for them, because nothing else can interrupt the reading; it ends with the program.
fn words_of_stdin() -> Result<mpsc::Receiver<String>> {
    let (sender, words) = mpsc::channel(1);
    let read = move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line.trim().to_lowercase()).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("stdin".to_owned()).spawn(read).context("a thread for the input")?;
    Ok(words)
}

fn say(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_counts_anew_was_not_touched() {
        let touched = |list: &[(&str, u64)]| -> Touched { list.iter().map(|(id, count)| ((*id).to_owned(), *count)).collect() };
        let before = touched(&[("dgt-1", 3), ("dgt-2", 5)]);
        let now = touched(&[("dgt-1", 4), ("dgt-2", 1), ("dgt-3", 9)]);
        assert_eq!(changed_since(&before, &now), ["dgt-1"]);
        assert_eq!(changed_since(&before, &before), Vec::<String>::new());
    }
}
