//! Prints the score of each simulated game, as a line or a JSON object, and the sums of all games.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use super::work::{Done, Job};
use crate::config::InWords;
use crate::emulate::boards::SimulatedBoard;
use crate::emulate::score::{Differs, Score};
use crate::emulate::simulate::Simulated;

/// One game.
#[derive(Serialize)]
struct Game<'a> {
    file: &'a str,
    game: u32,
    white: &'a str,
    black: &'a str,
    /// Why it was left out; the other fields are missing then.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'static str>,
    #[serde(flatten)]
    played: Option<Played<'a>>,
}

#[derive(Serialize)]
struct Played<'a> {
    time_control: String,
    time_control_derived: bool,
    plies: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    illegal_tail: Option<&'a str>,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<&'a Differs>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<String>,
    /// For a board that does not identify men, where the game is not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<bool>,
    wrong_commits: u64,
    unnamed_commits: u64,
    false_alarms: &'a [(String, u64)],
    missed_alarms: &'a [&'static str],
    irregularities: Vec<&'static str>,
    commit_ms_p50: Option<f64>,
    commit_ms_p99: Option<f64>,
    made_at_coverage: Option<f64>,
    /// By fault; null = never.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    in_step_ms: Vec<(&'static str, Option<f64>)>,
}

/// All games.
#[derive(Default, Serialize)]
struct Sums {
    games: u64,
    games_exact: u64,
    /// For boards that do not identify men: games that are not exact, where what was played is among the named alternatives, or
    /// is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    games_named: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    games_not_named: Option<u64>,
    left_out: u64,
    plies: u64,
    moves: u64,
    wrong_commits: u64,
    /// Those of them that were not taken back, and whose played move is not named in the end.
    unnamed_commits: u64,
    false_alarms: u64,
    false_alarms_by_kind: BTreeMap<String, u64>,
    false_alarms_per_1000_plies: f64,
    missed_alarms: u64,
    missed_alarms_by_kind: BTreeMap<&'static str, u64>,
    irregularities: u64,
    irregularities_by_kind: BTreeMap<&'static str, u64>,
    commit_ms_p50: Option<f64>,
    commit_ms_p99: Option<f64>,
    commit_ms_max: Option<f64>,
    made_at_coverage: Option<f64>,
    made_at_width_ms: Option<f64>,
    in_step_ms_p50: Option<f64>,
    in_step_ms_p99: Option<f64>,
    never_in_step: u64,
    in_step_by_kind: BTreeMap<&'static str, InStep>,
    seed: u64,
    noise: String,
    simulated_hours: f64,
}

/// The times until the position is right again after one kind of fault.
#[derive(Default, Serialize)]
struct InStep {
    faults: u64,
    never: u64,
    ms_p50: Option<f64>,
    ms_p99: Option<f64>,
    #[serde(skip)]
    us: Vec<u64>,
}

/// Collects the scores and prints them.
pub(super) struct Report {
    json: bool,
    sums: Sums,
    commit_us: Vec<u64>,
    in_step_us: Vec<u64>,
    made: [u64; 3],
}

impl Report {
    pub(super) fn new(json: bool, seed: u64, noise: &str) -> Report {
        let sums = Sums { seed, noise: noise.to_owned(), ..Sums::default() };
        Report { json, sums, commit_us: Vec::new(), in_step_us: Vec::new(), made: [0; 3] }
    }

    pub(super) fn game(&mut self, job: &Job, done: &Done) -> Result<()> {
        let sheet = &job.sheet;
        let simulated = match done {
            Done::Played(simulated) => Some(simulated),
            Done::Left(_) => None,
        };
        let played = simulated.map(|simulated| {
            let (score, truth, outcome) = (&simulated.score, &simulated.play.truth, &simulated.outcome);
            Played {
                time_control: simulated.play.control.control.to_string(),
                time_control_derived: simulated.play.control.derived,
                plies: truth.plies.len(),
                illegal_tail: sheet.illegal_tail.as_deref(),
                exact: score.exact,
                differs: score.differs.as_ref(),
                open: if score.exact { Vec::new() } else { [outcome.open.as_slice(), &outcome.unconfirmed].concat() },
                named: (!score.exact && unidentified(simulated)).then_some(score.named),
                wrong_commits: score.wrong_commits,
                unnamed_commits: score.unnamed_commits,
                false_alarms: &score.false_alarms,
                missed_alarms: &score.missed_alarms,
                irregularities: truth.irregularities.iter().map(|irregularity| irregularity.kind).collect(),
                commit_ms_p50: quantile(&score.commit_us, 0.5),
                commit_ms_p99: quantile(&score.commit_us, 0.99),
                made_at_coverage: share(score.made_inside, score.made_of),
                in_step_ms: score.in_step.iter().map(|(kind, us)| (*kind, us.map(|us| us as f64 / 1000.0))).collect(),
            }
        });
        if let Some(simulated) = simulated {
            self.add(&simulated.score, simulated.play.truth.end_us);
            if unidentified(simulated) {
                let Score { exact, named, .. } = simulated.score;
                *self.sums.games_named.get_or_insert(0) += u64::from(!exact && named);
                *self.sums.games_not_named.get_or_insert(0) += u64::from(!exact && !named);
            }
            for irregularity in &simulated.play.truth.irregularities {
                self.sums.irregularities += 1;
                *self.sums.irregularities_by_kind.entry(irregularity.kind).or_default() += 1;
            }
            self.sums.plies += simulated.play.truth.plies.len() as u64;
        }
        let left_out = match done {
            Done::Left(why) => Some(*why),
            Done::Played(_) => None,
        };
        self.sums.left_out += u64::from(left_out.is_some());
        self.print_game(&Game { file: &job.file, game: job.number, white: &sheet.white, black: &sheet.black, left_out, played })
    }

    fn add(&mut self, score: &Score, end_us: u64) {
        let sums = &mut self.sums;
        sums.games += 1;
        sums.games_exact += u64::from(score.exact);
        sums.moves += score.made_of;
        sums.wrong_commits += score.wrong_commits;
        sums.unnamed_commits += score.unnamed_commits;
        sums.false_alarms += score.false_alarms.len() as u64;
        for (kind, _) in &score.false_alarms {
            *sums.false_alarms_by_kind.entry(kind.clone()).or_default() += 1;
        }
        sums.missed_alarms += score.missed_alarms.len() as u64;
        for kind in &score.missed_alarms {
            *sums.missed_alarms_by_kind.entry(kind).or_default() += 1;
        }
        for (kind, us) in &score.in_step {
            let of = sums.in_step_by_kind.entry(kind).or_default();
            of.faults += 1;
            of.never += u64::from(us.is_none());
            of.us.extend(us);
            sums.never_in_step += u64::from(us.is_none());
            self.in_step_us.extend(us);
        }
        sums.simulated_hours += end_us as f64 / 3.6e9;
        self.commit_us.extend(&score.commit_us);
        for (sum, more) in self.made.iter_mut().zip([score.made_inside, score.made_of, score.made_width_us]) {
            *sum += more;
        }
    }

    fn print_game(&self, game: &Game<'_>) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            return Ok(writeln!(out, "{}", serde_json::to_string(game)?)?);
        }
        let name = format!("{}, game {}", game.file, game.game);
        if let Some(why) = game.left_out {
            return Ok(writeln!(out, "{name}: left out: {why}")?);
        }
        let Some(played) = &game.played else { return Ok(()) };
        if played.time_control_derived {
            let in_words = InWords::of(&played.time_control, None).map_or(played.time_control.clone(), |time| time.text);
            writeln!(out, "{name}: no time control that can be read; {} concluded", in_words)?;
        }
        if let Some(tail) = played.illegal_tail {
            writeln!(out, "{name}: ends before the illegal move {tail}")?;
        }
        if let Some(Differs { ply, played, told }) = played.differs {
            let [played, told] = [played, told].map(|uci| uci.as_deref().unwrap_or("nothing"));
            writeln!(out, "{name}: differs at ply {ply}: {played} was played, {told} was reported")?;
        }
        if !played.open.is_empty() {
            writeln!(out, "{name}: open in the end: {}", played.open.join(" or "))?;
        }
        if played.named == Some(false) {
            writeln!(out, "{name}: what was played is not named")?;
        }
        if played.wrong_commits > 0 {
            writeln!(out, "{name}: {} wrong when reported", played.wrong_commits)?;
        }
        for (kind, at) in played.false_alarms {
            writeln!(out, "{name}: false alarm {kind} at {:.1} s", *at as f64 / 1e6)?;
        }
        for kind in played.missed_alarms {
            writeln!(out, "{name}: {kind} was not reported")?;
        }
        Ok(())
    }

    pub(super) fn end(mut self) -> Result<ExitCode> {
        self.commit_us.sort_unstable();
        self.in_step_us.sort_unstable();
        let sums = &mut self.sums;
        sums.commit_ms_p50 = quantile(&self.commit_us, 0.5);
        sums.commit_ms_p99 = quantile(&self.commit_us, 0.99);
        sums.commit_ms_max = quantile(&self.commit_us, 1.0);
        sums.in_step_ms_p50 = quantile(&self.in_step_us, 0.5);
        sums.in_step_ms_p99 = quantile(&self.in_step_us, 0.99);
        for of in sums.in_step_by_kind.values_mut() {
            (of.ms_p50, of.ms_p99) = (quantile(&of.us, 0.5), quantile(&of.us, 0.99));
        }
        let [inside, of, width] = self.made;
        sums.made_at_coverage = share(inside, of);
        sums.made_at_width_ms = share(width, of).map(|us| us / 1000.0);
        sums.false_alarms_per_1000_plies = share(sums.false_alarms * 1000, sums.plies).unwrap_or(0.0);
        let mut out = std::io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&self.sums)?)?;
        } else {
            table(&self.sums, &mut out)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether it was played at a board that does not identify men.
fn unidentified(simulated: &Simulated) -> bool {
    matches!(simulated.play.board, SimulatedBoard::Occupancy(_))
}

fn table(sums: &Sums, out: &mut dyn Write) -> Result<()> {
    let ms = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.0} ms"));
    if let (Some(named), Some(not)) = (sums.games_named, sums.games_not_named) {
        writeln!(out, "{:<28}{named} with what was played among the alternatives named, {not} without", "games not exact")?;
    }
    let rows = [
        ("games exact", format!("{} of {}", sums.games_exact, sums.games)),
        ("plies", format!("{}", sums.plies)),
        ("wrong when reported", format!("{}, {} of them neither taken back nor named", sums.wrong_commits, sums.unnamed_commits)),
        ("false alarms", format!("{} ({:.2} per 1000 plies)", sums.false_alarms, sums.false_alarms_per_1000_plies)),
        ("irregularities", format!("{}, {} of them not reported", sums.irregularities, sums.missed_alarms)),
        ("reported after the press", format!("{} median, {} for 99 %", ms(sums.commit_ms_p50), ms(sums.commit_ms_p99))),
        (
            "made within the interval",
            sums.made_at_coverage.map_or_else(|| "-".to_owned(), |share| format!("{:.2} %", share * 100.0)),
        ),
        ("... of this average width", ms(sums.made_at_width_ms)),
        (
            "in step again after",
            format!("{} median, {} for 99 %, never {}", ms(sums.in_step_ms_p50), ms(sums.in_step_ms_p99), sums.never_in_step),
        ),
        ("simulated", format!("{:.1} hours", sums.simulated_hours)),
    ];
    for (name, value) in rows {
        writeln!(out, "{name:<28}{value}")?;
    }
    Ok(())
}

/// Returns a quantile in milliseconds; none if there are no values.
fn quantile(micros: &[u64], share: f64) -> Option<f64> {
    let mut sorted = micros.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().checked_sub(1)?;
    Some(sorted[(last as f64 * share).ceil() as usize] as f64 / 1000.0)
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
