//! Runs `flagfall winnable`: answers the question of Article 6.9 (can this side still checkmate?) for one position or for a file
//! of positions.

#[cfg(feature = "tools")]
mod batch;
#[cfg(feature = "tools")]
mod progress;
#[cfg(feature = "tools")]
mod rows;

use std::io::Write;
#[cfg(feature = "tools")]
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use flagfall_game::laws::answering::SHORTER_NODES;
use flagfall_game::laws::plain::{diagram, wrap};
use flagfall_game::laws::winnable::NODE_BUDGET;
use flagfall_game::mate::MOST_MEN;
use flagfall_game::mate::explain::{Explanation, Helpmate, explain};
use flagfall_game::to_color;
use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, Position};

use super::settled::{Reader, Settled, position, settle, shortened};
use super::side::Side;
use crate::wire::winnable::{Cost, Verdict};

/// The width of the printed text, in characters.
const WIDTH: usize = 80;

/// Can a player still checkmate, by any series of legal moves?
///
/// When a flag falls, the opponent wins only if he could still checkmate by some series of legal
/// moves, the other side helping (Articles 6.9, 5.2.2, 7.5.5): material says too little, a locked
/// board or a forced capture can make mate impossible with all pieces on it. This command answers
/// exactly, and proves it: with a line that ends in mate, or with a reason that a second program
/// (the checker, which shares no search with the solver) has accepted. What it cannot settle
/// within its budget it leaves undecided; it never guesses. The 50-move rule and repetitions do
/// not count: the question is what moves are possible.
///
/// Examples. One position:
///   flagfall winnable '8/8/4k3/8/8/3NK3/8/8 b - - 0 1' --for white
///   flagfall winnable '4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - -' --for black --json
///
/// The verdict comes as soon as it is known. Then the command looks for the shortest line, for some
/// seconds at most, and prints a shorter one if there is one; --json waits for it. If nothing says
/// that no series is shorter, the line is not known to be the shortest.
///
/// Many: a CSV file (also gzipped; `-` = standard input) with the columns `fen` and
/// `intended_winner` (white, black, w or b) among others, in any order:
///   flagfall winnable --batch positions.csv.gz > answers.csv
///
/// Its answers come in the order of the file: fen,intended_winner,verdict,nodes,micros,proof. For a
/// row that cannot be read `fen` is what the row has of it, or the beginning of the row.
/// `verdict` is winnable, unwinnable, undecided, or invalid (no position: no king, or the side
/// that is not to move stands in check; positions that no game can reach are answered). `nodes`
/// are positions generated and `micros` the time of the search; every proof was checked besides.
/// `proof` is the mating line in UCI (nothing if mate is on the board), or the kind of reason:
/// mated, stalemate, bare-king, material, forced-capture, forced-stalemate,
/// loser-mates-by-force, forced-circle, locked-walls, exhausted-closure.
///
/// Exit code 0 if all was answered, also as undecided, and with --batch as invalid (such lines are
/// reported on stderr with file and line); 1 if the position or the file could not be read, or a proof
/// was refused.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Winnable {
    /// The position: a FEN of four or six fields, quoted or not.
    #[arg(value_name = "FEN", required_unless_present = "batch", conflicts_with = "batch", num_args = 1..=6)]
    fen: Vec<String>,
    /// The player who would have to checkmate: the opponent of the one whose flag fell.
    #[arg(long = "for", value_name = "SIDE", required_unless_present = "batch", conflicts_with = "batch")]
    side: Option<Side>,
    /// Print one JSON object: `fen`, `for`, `verdict`, `sentence` and what proves it, `cost`.
    #[arg(long, conflicts_with = "batch")]
    json: bool,
    /// Answer every row of this CSV file; `-` = standard input.
    #[arg(long, value_name = "FILE", hide = cfg!(not(feature = "tools")))]
    batch: Option<PathBuf>,
    /// Search so many positions at a time; each takes up to 64 MiB while it is hard. Default: one for each core.
    #[arg(long, value_name = "N", requires = "batch", value_parser = clap::value_parser!(u16).range(1..=256), hide = cfg!(not(feature = "tools")))]
    jobs: Option<u16>,
    /// Give up after so many positions generated, a million being some seconds.
    #[arg(long, value_name = "N", default_value_t = NODE_BUDGET)]
    nodes: u64,
    /// Give up the search for a shorter line after so many positions generated; 0 = do not look for one.
    #[arg(long, value_name = "N", default_value_t = SHORTER_NODES, conflicts_with = "batch")]
    shorter: u64,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    fen: &'a str,
    #[serde(rename = "for")]
    side: &'static str,
    #[serde(flatten)]
    verdict: Verdict,
    cost: Spent,
}

#[derive(Serialize)]
struct Spent {
    #[serde(flatten)]
    cost: Cost,
    micros: u64,
}

impl Winnable {
    pub(super) fn run(self) -> Result<ExitCode> {
        #[cfg(not(feature = "tools"))]
        if self.batch.is_some() {
            bail!("--batch: this program was built without its tools");
        }
        #[cfg(feature = "tools")]
        if let Some(path) = &self.batch {
            let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
            let jobs = self.jobs.map_or_else(cores, usize::from);
            return batch::run(path, jobs, self.nodes);
        }
        let Some(side) = self.side else { bail!("for whom? --for white or --for black") };
        self.answer_one(&self.fen.join(" "), to_color(side.into()))
    }

    fn answer_one(&self, fen: &str, side: Color) -> Result<ExitCode> {
        let position = match position(fen) {
            Ok(position) => position,
            Err(problem) => bail!("`{fen}` is no position: {problem}"),
        };
        let settled = settle(&position, side, self.nodes, Reader::Person);
        let mut explanation = explain(&position, side, &settled.answer);
        let better = || shortened(&position, side, &settled.answer, self.shorter).map(|better| explain(&position, side, &better));
        let mut out = std::io::stdout().lock();
        if self.json {
            explanation = better().unwrap_or(explanation);
            let cost =
                Spent { cost: Cost { nodes: settled.counters.nodes, walls: settled.counters.walls }, micros: settled.micros };
            let side = side.fold_wb("white", "black");
            writeln!(out, "{}", serde_json::to_string(&Report { fen, side, verdict: Verdict::from(&explanation), cost })?)?;
        } else {
            // Nobody waits for the verdict while a shorter line is looked for.
            out.write_all(text(&position, &explanation, &settled).as_bytes())?;
            out.flush()?;
            if let (Explanation::Winnable(first), Some(Explanation::Winnable(mate))) = (&explanation, better()) {
                out.write_all(shorter_text(first, &mate).as_bytes())?;
            }
        }
        if let Some(complaint) = &settled.complaint {
            writeln!(std::io::stderr(), "flagfall: {complaint}")?;
        }
        Ok(if settled.complaint.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Returns the answer as text for a person.
fn text(position: &Chess, explanation: &Explanation, settled: &Settled) -> String {
    let (verdict, sentence) = match explanation {
        Explanation::Winnable(mate) => ("WINNABLE", mate.sentence.clone()),
        Explanation::Unwinnable(why) => ("UNWINNABLE", why.sentence.clone()),
        Explanation::Undecided(_) => ("UNDECIDED", undecided(position, settled)),
    };
    let mut text = wrap(&format!("{verdict}: {sentence}"), WIDTH, "");
    if let Explanation::Winnable(mate) = explanation {
        text.push_str(&line_text(mate));
    } else {
        text.push_str(&format!("\nThe position, {} to move:\n\n", position.turn().fold_wb("White", "Black")));
        text.push_str(&indented(&diagram(position.board())));
    }
    let checked = match explanation {
        Explanation::Undecided(_) => "",
        _ => "; the proof was checked",
    };
    let (nodes, seconds) = (settled.counters.nodes, settled.micros as f64 / 1e6);
    text.push_str(&format!("\n{nodes} positions generated, {seconds:.3} s{checked}\n"));
    text
}

/// Says why there is no answer.
fn undecided(position: &Chess, settled: &Settled) -> String {
    if settled.complaint.is_some() {
        "No answer passed the check, so nothing is said.".to_owned()
    } else if position.board().occupied().count() > MOST_MEN {
        format!("A position with more than {MOST_MEN} men is not searched, so nothing is said.")
    } else {
        "The search has spent its budget without an answer, so nothing is said. --nodes allows more.".to_owned()
    }
}

/// The line and the mate at its end.
fn line_text(mate: &Helpmate) -> String {
    let mut text = if mate.san.is_empty() { String::new() } else { wrap(&mate.san, WIDTH, "  ") };
    if let Ok(fen) = mate.final_fen.parse::<Fen>() {
        text.push_str(&format!("\nThe mate:\n\n{}", indented(&diagram(&fen.as_setup().board))));
    }
    text
}

/// The line that was found after the first one; or only that there is none.
fn shorter_text(first: &Helpmate, mate: &Helpmate) -> String {
    if mate.line.len() == first.line.len() {
        return "\nNo series of moves is shorter than this one; that was checked too.\n".to_owned();
    }
    format!("\n{}{}", wrap(&format!("A SHORTER LINE: {}", mate.sentence), WIDTH, ""), line_text(mate))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
