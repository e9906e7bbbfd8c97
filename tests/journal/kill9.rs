//! The program is killed again and again while it records and sends: every sent message is in the journal, and the final journal is the
//! same as without kills.

mod game;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use fastrand::Rng;
use flagfall::journal::{Disk, read};
use flagfall_protocols::trace::Body;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::support::seeds::campaign;

/// The number of kills in the ordinary seed, and in every other seed.
const KILLS: [usize; 2] = [60, 10];
const ORDINARY: u64 = 9;

#[derive(Deserialize)]
struct Line<'a> {
    topic: &'a str,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Numbered {
    no: Option<u64>,
}

/// Numbered outputs: audience, number, topic, payload.
type Out = (String, u64, String, String);

/// The message in a line of output, if the line is complete and the message has a number.
fn parse_output(line: &str) -> Option<Out> {
    let line: Line<'_> = serde_json::from_str(line.strip_suffix('\n')?).expect("a whole line is JSON");
    let payload = line.payload?.get();
    let number = serde_json::from_str::<Numbered>(payload).expect("an envelope").no?;
    let audience = line.topic.split('/').nth(2).expect("an audience");
    Some((audience.to_owned(), number, line.topic.to_owned(), payload.to_owned()))
}

fn journalled(dir: &Path) -> Vec<Out> {
    let recovered = read(&mut Disk::reading(dir)).expect("readable");
    let out = recovered.records().filter_map(|record| match record.body {
        Body::Out { number, audience, topic, payload, .. } => {
            Some((audience.name().to_owned(), number, topic.to_owned(), payload.to_owned()))
        }
        _ => None,
    });
    out.collect()
}

fn command(trace: &Path, dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    command.arg("replay").arg(trace).arg("--journal").arg(dir).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// Starts the program and kills it after `lines` lines of output, or after `turns` checks if there are none; returns its output, and
/// whether it was still running.
fn kill(trace: &Path, dir: &Path, lines: usize, turns: u32) -> (String, bool) {
    let mut child = command(trace, dir).stdout(Stdio::piped()).spawn().expect("starts");
    let mut reader = BufReader::new(child.stdout.take().expect("piped"));
    let mut text = String::new();
    for _ in 0..lines {
        if reader.read_line(&mut text).expect("text") == 0 {
            break;
        }
    }
    for _ in 0..turns {
        std::thread::yield_now();
    }
    child.kill().expect("may be killed");
    let killed = child.wait().expect("ended").signal() == Some(9);
    reader.read_to_string(&mut text).expect("text");
    (text, killed)
}

#[test]
fn a_program_killed_anywhere_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("game.trace");
    std::fs::write(&trace, game::game()).expect("written");
    let whole = folder.path().join("whole");
    let output = command(&trace, &whole).output().expect("runs");
    assert!(output.status.success());
    let lines = output.stdout.iter().filter(|&&byte| byte == b'\n').count();
    let whole = journalled(&whole);
    let findings = whole.iter().filter(|(_, _, _, payload)| payload.contains("\"what\":\"finding\"")).count();
    assert!(whole.len() > 50 && findings > 0, "{} outputs, {findings} findings: this is not the expected game", whole.len());
    campaign("daemon kills", ORDINARY..ORDINARY + 1, |seed| killed_again_and_again(seed, &trace, &whole, lines, folder.path()));
}

/// Kills programs that write journals in this folder, and checks each journal; returns the number of kills.
fn killed_again_and_again(seed: u64, trace: &Path, whole: &[Out], lines: usize, folder: &Path) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let wanted = KILLS[usize::from(seed != ORDINARY)];
    let (mut kills, mut loops) = (0, 0);
    while kills < wanted {
        loops += 1;
        assert!(loops < 10 * wanted, "only {kills} of the programs were killed in time");
        let dir = folder.join(format!("journal-{seed}-{loops}"));
        let mut sent = Vec::new();
        for _ in 0..rng.usize(1..8) {
            let (lines, turns) = if rng.u8(..3) == 0 { (0, rng.u32(..4000)) } else { (rng.usize(1..lines), rng.u32(..50)) };
            let (text, killed) = kill(trace, &dir, lines, turns);
            kills += usize::from(killed);
            sent.extend(text.split_inclusive('\n').filter(|line| line.ends_with('\n')).filter_map(parse_output));
            if !killed {
                break;
            }
            if dir.is_dir() {
                let known: BTreeSet<Out> = journalled(&dir).into_iter().collect();
                let forgotten = sent.iter().find(|out| !known.contains(out));
                assert_eq!(forgotten, None, "loop {loops}: a message was sent that is not in the journal");
            }
        }
        let last = command(trace, &dir).output().expect("runs");
        assert!(last.status.success(), "loop {loops}");
        sent.extend(String::from_utf8(last.stdout).expect("text").split_inclusive('\n').filter_map(parse_output));
        let journal = journalled(&dir);
        assert!(journal == whole, "loop {loops}: {} outputs instead of {}", journal.len(), whole.len());
        for audience in ["arbiter", "live"] {
            let of = |outs: &[Out]| -> Vec<u64> {
                outs.iter().filter(|(whose, ..)| whose == audience).map(|(_, number, ..)| *number).collect()
            };
            let recorded = of(&journal);
            assert!(recorded.iter().copied().eq(1..=recorded.len() as u64), "loop {loops}: {audience} {recorded:?}");
            let sent = of(&sent);
            assert!(sent.is_sorted_by(|one, next| one < next), "loop {loops}: sent twice or out of order: {audience} {sent:?}");
        }
        let journal: BTreeSet<Out> = journal.into_iter().collect();
        assert!(sent.iter().all(|out| journal.contains(out)), "loop {loops}: a message was sent that is not in the journal");
        std::fs::remove_dir_all(&dir).expect("removed");
    }
    kills as u64
}
