//! `cargo bench --bench reconstruction -- --unidentified`: games on a board that reports only which squares are occupied, read by this
//! decoder with and without parts, beside the number of games that no method could distinguish.

mod fits;

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufReader};
use std::sync::atomic::{AtomicUsize, Ordering};

use flagfall::emulate::noise::Noise;
use flagfall::emulate::score::{Differs, Score, score};
use flagfall::emulate::score_sheet::{self, ScoreSheet};
use flagfall::emulate::simulate::simulate;
use flagfall_game::reconstruct::tuning::{Tuning, Weights};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;

use crate::events::Recording;
use crate::options::Options;
use crate::ours;
use fits::fits;

/// The speeds of the goal; the numbers of games are those of `flagfall simulate --game`.
const SPEEDS: [&str; 2] = ["classical", "rapid"];
const FILES: [&str; SPEEDS.len()] = ["worldcup2025-classical.pgn", "worldcup2025-rapid.pgn"];

/// A row of the comparison: name, noise, and the tuning of the decoder.
struct Row {
    name: &'static str,
    noise: Noise,
    tuning: Tuning,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    games: u64,
    exact: u64,
    named: u64,
    wrong: u64,
    /// The games whose sure and pending moves at the end are the played moves.
    right: u64,
}

/// A game that is not exact, or for which other games fit.
struct Case {
    order: usize,
    number: u64,
    seed: u64,
    text: String,
}

#[derive(Default)]
struct Found {
    /// The sums by row, then by speed.
    sums: Vec<[Sum; SPEEDS.len()]>,
    /// The games for which no other legal game fits, by speed, with the hands of the first row.
    alone: [Sum; SPEEDS.len()],
    cases: Vec<Case>,
}

fn rows() -> Vec<Row> {
    let level = |name: &str| Noise::level(name).expect("a level").expect("the table is sound");
    let typical = || level("typical");
    let all = Tuning::default();
    let beam = |beam_unidentified| Tuning { beam_unidentified, ..all };
    let unbiased = Weights { pawn_given_up: 0, spared: 0, ..all.weights };
    vec![
        Row { name: "typical", noise: typical(), tuning: all },
        Row { name: "no noise but captures", noise: level("clean"), tuning: all },
        Row { name: "every victim taken off first", noise: Noise { capture_victim_first: 1.0, ..typical() }, tuning: all },
        Row { name: "no victim ever touched", noise: pushed(typical()), tuning: all },
        Row { name: "without what players prefer", noise: typical(), tuning: Tuning { weights: unbiased, ..all } },
        Row { name: "beam 1", noise: typical(), tuning: beam(1) },
        Row { name: "beam 16", noise: typical(), tuning: beam(16) },
        Row { name: "beam 256", noise: typical(), tuning: beam(256) },
    ]
}

fn pushed(noise: Noise) -> Noise {
    Noise { capture_victim_first: 0.0, capture_victim_last: 0.0, ..noise }
}

/// Writes the table and the cases as text.
pub(crate) fn tables(options: &Options, threads: usize, text: &mut String) -> io::Result<()> {
    let rows = rows();
    let mut jobs: Vec<(usize, u64, ScoreSheet, u64)> = Vec::new();
    for (order, name) in FILES.iter().enumerate() {
        let sheets = score_sheet::read(BufReader::new(File::open(options.data.join(name))?))?;
        for (number, sheet) in (1..).zip(sheets).take(options.games.unwrap_or(usize::MAX)) {
            jobs.extend((1..=options.seeds).map(|seed| (order, number, sheet.clone(), seed)));
        }
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Found { sums: vec![Default::default(); rows.len()], ..Found::default() };
        while let Some((order, number, sheet, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            for index in 0..rows.len() {
                one(&rows, index, *order, sheet, [*seed, *number], &mut found);
            }
        }
        found
    };
    let found: Vec<Found> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no game makes the program fail")).collect()
    });
    write_rows(&rows, found, text);
    Ok(())
}

fn one(rows: &[Row], index: usize, order: usize, sheet: &ScoreSheet, [seed, number]: [u64; 2], found: &mut Found) {
    let driver = drivers::find("dgt_pegasus").expect("registered");
    let row = &rows[index];
    let Ok(played) = simulate(driver, sheet, &row.noise, [seed, number], Some("bench")) else { return };
    let (truth, control) = (&played.play.truth, &played.play.control.control);
    let replayed = (row.tuning != Tuning::default()).then(|| {
        let recording = Recording::of(played.outcome.trace.as_deref().unwrap_or_default());
        let end = Instant::ZERO.after(played.play.end);
        ours::play(driver, &recording, control, end, row.tuning, &played.outcome.heard)
    });
    let (score, outcome) = match &replayed {
        Some(outcome) => (score(truth, outcome), outcome),
        None => (played.score, &played.outcome),
    };
    let sum = &mut found.sums[index][order];
    sum.games += 1;
    sum.exact += u64::from(score.exact);
    sum.named += u64::from(!score.exact && score.named);
    sum.wrong += score.wrong_commits;
    let reported = outcome.sure.iter().chain(&outcome.pending);
    sum.right += u64::from(reported.eq(truth.plies.iter().map(|ply| &ply.uci)));
    if index > 0 {
        return;
    }
    let fits = fits(truth);
    let alone = fits.as_ref().is_some_and(|fits| fits.games == 1);
    found.alone[order].games += 1;
    found.alone[order].exact += u64::from(alone);
    if !score.exact || !alone {
        let other = match fits {
            Some(fits) if alone => format!("{} game fits", fits.games),
            Some(fits) => {
                let differs: Vec<String> = fits.differs.iter().map(|(ply, uci)| format!("{ply} {uci}")).collect();
                format!("{} games fit, one with {}", fits.games, differs.join(", "))
            }
            None => "too many games fit".to_owned(),
        };
        let moves = [&outcome.open[..], &outcome.unconfirmed].concat().join(" ");
        found.cases.push(Case { order, number, seed, text: format!("{}; {other}", case(&score, &moves)) });
    }
}

fn case(score: &Score, open: &str) -> String {
    let Some(Differs { ply, played, told }) = &score.differs else { return "exact".to_owned() };
    let [played, told] = [played, told].map(|uci| uci.as_deref().unwrap_or("-"));
    let how = if score.named { "named" } else { "NOT NAMED" };
    format!("ply {ply}: {played} played, {told} told, open: {open}: {how}")
}

fn write_rows(rows: &[Row], all: Vec<Found>, text: &mut String) {
    let _ = writeln!(text, "{:32} {:>48} {:>48}", "", SPEEDS[0], SPEEDS[1]);
    let head = "exact          named  not  wrong  right";
    let _ = writeln!(text, "{:32} {head:>48} {head:>48}", "");
    let line = |name: &str, sums: [Sum; SPEEDS.len()], text: &mut String| {
        let _ = write!(text, "{name:32}");
        for Sum { games, exact, named, wrong, right } in sums {
            let share = 100.0 * exact as f64 / games.max(1) as f64;
            let not = games - exact - named;
            let _ = write!(text, " {exact:>5} of {games:>4} {share:>5.1} % {named:>5} {not:>4} {wrong:>6} {right:>6}    ");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    };
    for (index, row) in rows.iter().enumerate() {
        line(row.name, all.iter().map(|found| found.sums[index]).fold(Default::default(), added), text);
    }
    let alone = all.iter().map(|found| found.alone).fold([Sum::default(); SPEEDS.len()], added);
    for (speed, sum) in SPEEDS.iter().zip(alone) {
        let share = 100.0 * sum.exact as f64 / sum.games.max(1) as f64;
        let _ = writeln!(text, "{speed}: no other legal game fits {} of {} ({share:.1} %)", sum.exact, sum.games);
    }
    let mut cases: Vec<Case> = all.into_iter().flat_map(|found| found.cases).collect();
    cases.sort_by_key(|case| (case.order, case.seed, case.number));
    let _ = writeln!(text, "\ntypical hands, games that are not exact or that another game fits:");
    for Case { order, number, seed, text: case } in cases {
        let _ = writeln!(text, "{} {number}, seed {seed}: {case}", SPEEDS[order]);
    }
}

fn added(one: [Sum; SPEEDS.len()], other: [Sum; SPEEDS.len()]) -> [Sum; SPEEDS.len()] {
    std::array::from_fn(|index| Sum {
        games: one[index].games + other[index].games,
        exact: one[index].exact + other[index].exact,
        named: one[index].named + other[index].named,
        wrong: one[index].wrong + other[index].wrong,
        right: one[index].right + other[index].right,
    })
}
