//! Answers a file of questions: one thread reads them, several threads search, and one writes the answers in the order of the
//! file.
//!
//! The memory is limited: at most [`WINDOW`] rows are between reading and writing, and each search has its own limit.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use flagfall_game::mate::Answer;
use flagfall_game::mate::explain::word;
use shakmaty::Position;

use super::progress::{EVERY, Progress, Tally};
use super::rows::{Columns, Line, Source, side};
use crate::cli::settled::{Reader, position, settle};
use crate::outputs::names::csv_cell;

/// The verdict on a row that contains no valid position.
const INVALID: &str = "invalid";
/// The largest number of rows that wait for a slow row before them.
const WINDOW: usize = 4096;

/// A question by its place in the file.
struct Job {
    place: u64,
    line: Line,
}

/// A row of the answer.
struct Row {
    place: u64,
    text: String,
    verdict: &'static str,
    /// A message for standard error.
    complaint: Option<String>,
}

/// A message of the threads.
enum SearchResult {
    Row(Row),
    /// The file cannot be read any further.
    Broken(anyhow::Error),
}

pub(super) fn run(path: &Path, jobs: usize, nodes: u64) -> Result<ExitCode> {
    let (mut source, reading) = Source::open(path)?;
    let name = path.display();
    let header = source.next_line()?.with_context(|| format!("{name}: empty"))?;
    let columns = match &header.text {
        Ok(text) => Columns::from_header(text),
        Err(unreadable) => Err(unreadable.problem.to_owned()),
    };
    let columns = match columns {
        Ok(columns) => columns,
        Err(problem) => bail!("{name}: line {}: {problem}", header.number),
    };
    let (ask, asked) = sync_channel::<Job>(WINDOW);
    let (result_sender, results) = sync_channel::<SearchResult>(WINDOW);
    // A row takes a place when it is read and frees it when it is written.
    let (place_sender, place_receiver) = sync_channel::<()>(WINDOW);
    let asked = Arc::new(Mutex::new(asked));
    for index in 0..jobs {
        let (asked, result_sender) = (Arc::clone(&asked), result_sender.clone());
        let thread = std::thread::Builder::new().name(format!("search-{index}"));
        thread.spawn(move || search_rows(&asked, &result_sender, columns, nodes)).context("a thread")?;
    }
    let reader = std::thread::Builder::new().name("rows".to_owned());
    reader.spawn(move || read_rows(&mut source, &place_sender, &ask, &result_sender)).context("a thread")?;
    write_rows(&results, &place_receiver, &mut Progress::new(reading), path)
}

fn read_rows(
    source: &mut Source,
    place_sender: &SyncSender<()>,
    ask: &SyncSender<Job>,
    result_sender: &SyncSender<SearchResult>,
) {
    for place in 0.. {
        // This fails only when the writer has ended.
        if place_sender.send(()).is_err() {
            return;
        }
        match source.next_line() {
            Ok(Some(line)) => {
                if ask.send(Job { place, line }).is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => {
                // This fails only when the writer has ended.
                let _ = result_sender.send(SearchResult::Broken(error));
                return;
            }
        }
    }
}

fn search_rows(asked: &Mutex<Receiver<Job>>, result_sender: &SyncSender<SearchResult>, columns: Columns, nodes: u64) {
    loop {
        let next = asked.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        if result_sender.send(SearchResult::Row(answer(job, columns, nodes))).is_err() {
            return;
        }
    }
}

fn answer(Job { place, line }: Job, columns: Columns, nodes: u64) -> Row {
    let number = line.number;
    let invalid = |fen: &str, winner: &str, problem: &str| Row {
        place,
        text: format!("{},{},invalid,0,0,", csv_cell(fen), csv_cell(winner)),
        verdict: INVALID,
        complaint: Some(format!("line {number}: {problem}")),
    };
    let (fen, winner) = match line.text.and_then(|text| columns.read(&text)) {
        Ok(row) => row,
        Err(unreadable) => return invalid(&unreadable.beginning, "", unreadable.problem),
    };
    let Some(color) = side(&winner) else {
        return invalid(&fen, &winner, "intended_winner is neither white nor black");
    };
    let at = match position(&fen) {
        Ok(at) => at,
        Err(problem) => return invalid(&fen, &winner, &problem),
    };
    let settled = settle(&at, color, nodes, Reader::Program);
    let (verdict, proof) = match &settled.answer {
        Answer::Winnable { line, .. } => {
            let mode = at.castles().mode();
            let line: Vec<String> = line.iter().map(|step| step.to_uci(mode).to_string()).collect();
            ("winnable", line.join(" "))
        }
        Answer::Unwinnable { reason } => ("unwinnable", word(&at, color, reason).name().to_owned()),
        Answer::Undecided { .. } => ("undecided", String::new()),
    };
    let (fen, winner, nodes) = (csv_cell(&fen), csv_cell(&winner), settled.counters.nodes);
    Row {
        place,
        text: format!("{fen},{winner},{verdict},{nodes},{},{proof}", settled.micros),
        verdict,
        complaint: settled.complaint.map(|complaint| format!("line {number}: {complaint}")),
    }
}

/// Writes the rows in their order, until all threads have ended.
fn write_rows(
    results: &Receiver<SearchResult>,
    place_receiver: &Receiver<()>,
    progress: &mut Progress,
    path: &Path,
) -> Result<ExitCode> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    writeln!(out, "fen,intended_winner,verdict,nodes,micros,proof")?;
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    let mut tally = Tally::default();
    let mut clean = true;
    let mut broken = None;
    loop {
        let row = match results.try_recv() {
            Ok(row) => row,
            Err(TryRecvError::Disconnected) => break,
            Err(TryRecvError::Empty) => {
                // The next program in a pipe gets what there is.
                out.flush()?;
                match results.recv_timeout(EVERY) {
                    Ok(row) => row,
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        progress.draw(&tally);
                        continue;
                    }
                }
            }
        };
        match row {
            SearchResult::Row(row) => waiting.insert(row.place, row),
            SearchResult::Broken(error) => {
                broken = Some(error);
                continue;
            }
        };
        while let Some(row) = waiting.remove(&next) {
            next += 1;
            writeln!(out, "{}", row.text)?;
            tally.add(row.verdict);
            if let Some(complaint) = &row.complaint {
                // A row that is no position is an answer too; a refused proof is a fault of this program.
                clean &= row.verdict == INVALID;
                progress.print_line(&format!("{}: {complaint}", path.display()));
            }
            // The reading thread took the place before it read the row.
            let _ = place_receiver.try_recv();
        }
        progress.draw(&tally);
    }
    out.flush()?;
    progress.end(&tally);
    match broken {
        Some(error) => Err(error),
        None if clean => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::FAILURE),
    }
}
