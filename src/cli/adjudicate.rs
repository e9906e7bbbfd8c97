//! Runs `flagfall adjudicate`: prints the ruling on a flag-fall for a position and moves that the user gives, without a board.

mod case;
mod report;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use flagfall_game::clock::control::TimeControl;
use flagfall_game::laws::adjudicate::adjudicate;
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::rulebook::{PROFILES, Rulebook};
use flagfall_game::laws::screen::{Around, Screen};
use flagfall_game::laws::winnable::{NODE_BUDGET, Verdict};
use flagfall_game::to_color;
use flagfall_protocols::square::Color;
use shakmaty::{Chess, Position};

use self::report::{Report, RulingReport};
use super::settled::{Reader, position, settle};
use super::side::Side;

/// What do the rules say of this fallen flag?
///
/// For an arbiter or club player with a position and a scoresheet, and no board that the daemon
/// reads: says what a flag-fall means under the chosen rules, why, and by which article, in the
/// order of the arbiter's screen. It is a proposal: an arbiter decides. What you do not give is
/// not guessed; if it could change the answer, the answer names it, with every outcome.
///
/// Examples:
///   flagfall adjudicate --fen '8/8/4k3/8/8/3NK3/8/8 w - - 0 1' --flagged black \
///       --profile fide-2023-blitz --time-control 180+2 --completed 61 --observed
///   flagfall adjudicate --fen '...' --flagged white --profile fide-2023-standard \
///       --time-control 40/5400+30:1800+30 --period 1 --completed 39 --not-pressed Qd7 --observed
///
/// Profiles: fide-2023-standard, fide-2023-rapid, fide-2023-rapid-supervised, fide-2023-blitz,
/// fide-2023-blitz-supervised, fide-print-old, us-chess, club-speed, material-only; add-ons
/// follow with `+`, as in fide-2023-standard+guidelines-III.4 or club-speed+article-6.9.
///
/// Exit code 0 whatever the ruling is; 1 if the position, profile or time control cannot be read,
/// or a proof was refused.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Adjudicate {
    /// The position after the last move made before the flag was observed: a FEN of four or six fields.
    #[arg(long, value_name = "FEN")]
    fen: String,
    /// Whose flag fell.
    #[arg(long, value_name = "SIDE")]
    flagged: Side,
    /// The rules, with add-ons after `+`.
    #[arg(long, value_name = "NAME")]
    profile: String,
    /// Moves that this player completed (made and pressed) before the fall, from the first of the game.
    #[arg(long, value_name = "N")]
    completed: Option<u32>,
    /// The time control, PGN notation: `300+5`, `40/5400+30:1800+30`.
    #[arg(long, value_name = "TC")]
    time_control: Option<String>,
    /// The period in which the flag fell, from 1. It is not needed if there is only one, or if fewer moves were completed than
    /// the first one requires.
    #[arg(long, value_name = "N", requires = "time_control", value_parser = clap::value_parser!(u32).range(1..))]
    period: Option<u32>,
    /// The last move on the board, if it is made and its clock was not pressed; the position contains it.
    #[arg(long, value_name = "MOVE")]
    not_pressed: Option<String>,
    /// An arbiter observed the fall.
    #[arg(long)]
    observed: bool,
    /// The opponent claimed it (in a club: declared it).
    #[arg(long, conflicts_with = "observed")]
    claimed: bool,
    /// Both flags are down.
    #[arg(long)]
    both_flags: bool,
    /// Which of both fell first.
    #[arg(long, value_name = "ORDER", default_value = "unknown", requires = "both_flags")]
    order: Order,
    /// With both flags down: moves that the other player completed.
    #[arg(long, value_name = "N", requires = "both_flags")]
    other_completed: Option<u32>,
    /// The claimant's scoresheet is reasonably complete (US Chess 13C7).
    #[arg(long, value_name = "YES|NO")]
    scoresheet: Option<Answer>,
    /// Both clocks were stopped with the declaration (club point 10).
    #[arg(long, value_name = "YES|NO")]
    clocks_stopped: Option<Answer>,
    /// Print one JSON object: `rulings`, each with `finding` and `screen`, the one that decides last.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    Unknown,
    WhiteFirst,
    BlackFirst,
}

#[derive(Clone, Copy, ValueEnum)]
enum Answer {
    Yes,
    No,
}

impl Answer {
    const fn is_yes(self) -> bool {
        matches!(self, Answer::Yes)
    }
}

impl Adjudicate {
    pub(super) fn run(self) -> Result<ExitCode> {
        let at = match position(&self.fen) {
            Ok(at) => at,
            Err(problem) => bail!("--fen: `{}` is no position: {problem}", self.fen),
        };
        let rulebook = match Rulebook::parse(&self.profile) {
            Ok(rulebook) => rulebook,
            Err(problem) => {
                let names: Vec<&str> = PROFILES.into_iter().map(|profile| profile.name()).collect();
                bail!("--profile: {problem} (profiles: {})", names.join(", "));
            }
        };
        let control = match self.time_control.as_deref().map(TimeControl::parse) {
            None => None,
            Some(Ok(control)) => Some(control),
            Some(Err(problem)) => bail!("--time-control: {problem}"),
        };
        let mut complaints = Vec::new();
        // The first question is whether the position is dead, and the tables ask it again.
        let mut answered: Vec<(Chess, Color, Verdict)> = Vec::new();
        let mut oracle = |position: &Chess, side: Color| {
            if let Some((.., verdict)) = answered.iter().find(|(of, by, _)| of == position && *by == side) {
                return verdict.clone();
            }
            let settled = settle(position, to_color(side), NODE_BUDGET, Reader::Person);
            complaints.extend(settled.complaint);
            let verdict = Verdict::of(position, side, &settled.answer);
            answered.push((position.clone(), side, verdict.clone()));
            verdict
        };
        let facts = case::facts(&self, rulebook, control.as_ref(), &at, &mut oracle);
        let found = adjudicate(&facts, &mut oracle);
        let around = Around { made: self.not_pressed.as_deref(), ..Around::default() };
        let rulings: Vec<(Finding, Screen)> = found
            .into_iter()
            .enumerate()
            .map(|(index, found)| {
                let finding = case::finding(&facts, found, index as u32 + 1, &at);
                let screen = Screen::of(&finding, &around);
                (finding, screen)
            })
            .collect();
        let mut out = std::io::stdout().lock();
        if self.json {
            let rulings =
                rulings.iter().map(|(finding, screen)| RulingReport { finding: finding.into(), screen: screen.into() }).collect();
            writeln!(out, "{}", serde_json::to_string(&Report { rulings })?)?;
        } else {
            let texts: Vec<String> = rulings.iter().map(|(_, screen)| screen.text()).collect();
            out.write_all(texts.join(&format!("\n{}\n\n", "-".repeat(80))).as_bytes())?;
        }
        for complaint in &complaints {
            writeln!(std::io::stderr(), "flagfall: {} for {}: {complaint}", self.fen, at.turn())?;
        }
        Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
