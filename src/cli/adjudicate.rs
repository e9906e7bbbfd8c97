//! Runs `flagfall adjudicate`: prints the ruling on a flag-fall for a position and moves that the user gives, without a board.

mod case;
mod checks;
mod choices;
mod events;
mod last_move;
mod report;
mod words;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::laws::adjudicate::adjudicate;
use flagfall_game::laws::answering::SHORTER_NODES;
use flagfall_game::laws::facts::Facts;
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::plain::wrap;
use flagfall_game::laws::rulebook::{PROFILES, Rulebook};
use flagfall_game::laws::screen::{Around, Screen};
use flagfall_game::laws::winnable::{NODE_BUDGET, Verdict};
use flagfall_game::{mate, to_color};
use flagfall_protocols::square::Color;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode};

use self::case::Case;
use self::choices::{Answer, Order, OtherFlag, Time};
use self::events::{Claim, End, IllegalMove};
use self::report::{Report, RulingReport};
use super::settled::{Reader, settle, shortened};
use super::side::Side;
use crate::config::InWords;

/// What do the rules say of this fallen flag, or of this claim, end or illegal move?
///
/// For an arbiter or club player with a position and a scoresheet, and no board that the daemon
/// reads: says what a flag-fall means under the chosen rules, why, and by which article, in the
/// order of the arbiter's screen. It is a proposal: an arbiter decides. What you do not give is
/// not guessed; if it could change the answer, the answer names it, with every outcome. What
/// cannot be together, or what the chosen rules do not use, is an error that names both.
///
/// Examples:
///   flagfall adjudicate --fen '8/8/4k3/8/8/3NK3/8/8 w - - 0 1' --flagged black \
///       --profile fide-2023-blitz --time-control 180+2 --completed 61 --observed
///   flagfall adjudicate --fen '...' --flagged white --profile fide-2023-standard \
///       --time-control 40/5400+30:1800+30 --period 1 --completed 39 --not-pressed Qd7 --observed
///   flagfall adjudicate --fen '...' --flagged white --profile fide-2023-standard --observed \
///       --time-control 300 --illegal move,white,counted,before-flag --claim 50-moves,black,after-flag
///   flagfall adjudicate --fen '...' --profile fide-2023-standard --ended resignation,white
///
/// Profiles: fide-2023-standard, fide-2023-rapid, fide-2023-rapid-supervised, fide-2023-blitz,
/// fide-2023-blitz-supervised, fide-print-old, us-chess, club-speed, material-only; add-ons
/// follow with `+`, as in fide-2023-standard+guidelines-III.4 or club-speed+article-6.9.
///
/// Events (--ended, --claim, --illegal) are words between commas, in any order. Each option may be
/// given several times. A time is one of before-flag, after-flag (and before anybody observed or
/// claimed the flag), after-call (after somebody did); without one the time is not known.
///
/// Exit code 0 whatever the ruling is; 1 if the position, profile or time control cannot be read,
/// if two options contradict each other, or if a proof was refused; 2 if an option cannot be read.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Adjudicate {
    /// The position after the last move made before the flag was observed: a FEN of four or six fields. If it is not known which
    /// of several positions that was, give the option several times, six times at most. After an illegal move: the position
    /// that is restored.
    #[arg(long, value_name = "FEN", required = true)]
    fen: Vec<String>,
    /// Whose flag fell. Without it no flag has fallen, and the ruling is on an end, a claim or an illegal move (--ended, --claim,
    /// --illegal), without a time.
    #[arg(long, value_name = "SIDE")]
    flagged: Option<Side>,
    /// The rules, with add-ons after `+`.
    #[arg(long, value_name = "NAME")]
    profile: String,
    /// Moves that this player completed (made and pressed) before the fall, from the first of the game.
    #[arg(long, value_name = "N")]
    completed: Option<u32>,
    /// One move more may have been completed before the fall.
    #[arg(long, requires = "completed", conflicts_with = "not_pressed")]
    perhaps_one_more: bool,
    /// Moves may have been made that nobody recorded.
    #[arg(long)]
    moves_missing: bool,
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
    /// Somebody called it, and it is not known who.
    #[arg(long, conflicts_with_all = ["observed", "claimed"])]
    called: bool,
    /// Both flags are down.
    #[arg(long)]
    both_flags: bool,
    /// Which of both fell first. Default: it is not known.
    #[arg(long, value_name = "ORDER", requires = "both_flags")]
    order: Option<Order>,
    /// With both flags down: the player whose flag fell first, as both players agree (club points 8, 11, 25).
    #[arg(long, value_name = "SIDE", requires = "both_flags", conflicts_with = "order")]
    agreed_first: Option<Side>,
    /// With both flags down: what is known of the other one.
    #[arg(long, value_name = "HOW", default_value = "seen", requires = "both_flags")]
    other_flag: OtherFlag,
    /// Moves that the other player completed: before his flag fell, or before this one fell.
    #[arg(long, value_name = "N")]
    other_completed: Option<u32>,
    /// The period in which the other flag fell, from 1, where that is needed.
    #[arg(long, value_name = "N", requires = "time_control", value_parser = clap::value_parser!(u32).range(1..))]
    other_period: Option<u32>,
    /// The game ended: checkmate, stalemate, dead-position (in the position of --fen), fivefold, 75-moves; resignation and the
    /// player who resigned; agreement, with both-moved or not-both-moved; king-captured and the player who captured it (club).
    /// Then the time; in a club that is the time of the press. A dead-position or 75-moves may be rejected (by an arbiter).
    #[arg(long, value_name = "WORDS", value_parser = events::end)]
    ended: Vec<End>,
    /// A claim: repetition, 50-moves, normal-means (III.5, 10.2, 14H) or additional-time (III.4); the claimant; lodged (without
    /// a ruling), accepted or refused; the time; with refused perhaps time-added, if the opponent got the time due to him.
    #[arg(long, value_name = "WORDS", value_parser = events::claim)]
    claim: Vec<Claim>,
    /// An illegal move that was completed: move, pawn-not-replaced, press-without-move or two-hands; who made it; open (without
    /// a ruling), settled (nobody said whether it counts), counted or not-counted; the time; replied, if the opponent has made
    /// his next move (A.5.2), in a club replied-and-pressed; with counted perhaps time-added.
    #[arg(long, value_name = "WORDS", value_parser = events::illegal)]
    illegal: Vec<IllegalMove>,
    /// An illegal position still stood after the next move (A.5.4): before-flag, after-flag, after-call or unknown.
    #[arg(long, value_name = "TIME")]
    illegal_position: Option<Time>,
    /// A player may still accept an offer of a draw.
    #[arg(long)]
    open_offer: bool,
    /// The game seemed to have ended before the flag fell, and no result was entered.
    #[arg(long, conflicts_with = "ended")]
    seemed_over: bool,
    /// The clock is set otherwise than the time control says.
    #[arg(long)]
    setting_differs: bool,
    /// It is doubtful whose display of the clock is whose.
    #[arg(long)]
    sides_doubted: bool,
    /// The claimant's scoresheet is reasonably complete (US Chess 13C7).
    #[arg(long, value_name = "YES|NO")]
    scoresheet: Option<Answer>,
    /// Both clocks were stopped with the declaration (club point 10).
    #[arg(long, value_name = "YES|NO")]
    clocks_stopped: Option<Answer>,
    /// Give up the search for a mate after so many positions generated.
    #[arg(long, value_name = "N", default_value_t = NODE_BUDGET)]
    nodes: u64,
    /// Give up the search for a shorter line after so many positions generated; 0 = do not look for one.
    #[arg(long, value_name = "N", default_value_t = SHORTER_NODES)]
    shorter: u64,
    /// Print one JSON object: `rulings`, each with `finding` and `screen`, the one that decides last, and `time_control` in words.
    #[arg(long)]
    json: bool,
}

impl Adjudicate {
    pub(super) fn run(self) -> Result<ExitCode> {
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
        let time_control = self.time_control.as_deref().and_then(|text| InWords::of(text, Some(&self.profile)));
        let mut positions = Vec::new();
        for fen in &self.fen {
            match checks::read(fen, &rulebook) {
                Ok(position) => positions.push(position),
                Err(problem) => bail!("--fen: `{fen}` is no position: {problem}"),
            }
        }
        let case = Case { given: &self, rulebook, control: control.as_ref(), positions: &positions };
        if let Some(problem) = checks::contradiction(&case) {
            bail!("{problem}");
        }
        let mut complaints = Vec::new();
        // The first question is whether the position is dead, and the tables ask it again.
        let mut answered: Vec<Answered> = Vec::new();
        let mut oracle = |position: &Chess, side: Color| {
            if let Some(known) = answered.iter().find(|known| known.position == *position && known.side == side) {
                return known.verdict.clone();
            }
            let settled = settle(position, to_color(side), self.nodes, Reader::Person);
            let fen = || Fen::from_position(position, EnPassantMode::Legal);
            complaints.extend(settled.complaint.map(|complaint| format!("{} for {side:?}: {complaint}", fen())));
            let verdict = Verdict::of(position, side, &settled.answer);
            answered.push(Answered { position: position.clone(), side, answer: settled.answer, verdict: verdict.clone() });
            verdict
        };
        let facts = case.facts(&mut oracle)?;
        let rulings = self.rulings(&facts, &positions[0], &mut oracle);
        let nothing_given =
            self.ended.is_empty() && self.claim.is_empty() && self.illegal.is_empty() && self.illegal_position.is_none();
        if rulings.is_empty() && nothing_given {
            bail!("there is nothing to rule on: give --flagged, --ended, --claim or --illegal");
        }
        // The tables ask nothing that they have not asked before.
        let mut better = || {
            let shorter = answered.iter_mut().filter_map(|known| known.shorten(self.shorter)).count();
            let mut oracle = |position: &Chess, side: Color| {
                let found = answered.iter().find(|known| known.position == *position && known.side == side);
                found.map_or(Verdict::NotAsked, |known| known.verdict.clone())
            };
            (shorter > 0).then(|| self.rulings(&facts, &positions[0], &mut oracle))
        };
        let mut out = std::io::stdout().lock();
        if self.json {
            let rulings = better().unwrap_or(rulings);
            let rulings =
                rulings.iter().map(|(finding, screen)| RulingReport { finding: finding.into(), screen: screen.into() }).collect();
            writeln!(out, "{}", serde_json::to_string(&Report { rulings, time_control })?)?;
        } else {
            if let Some(doubt) = time_control.as_ref().and_then(|time| time.doubt.as_ref()) {
                out.write_all(wrap(&format!("WARNING: {doubt}."), 80, "").as_bytes())?;
                writeln!(out)?;
            }
            if rulings.is_empty() {
                writeln!(out, "The game goes on: what is given does not affect the result.")?;
            }
            let texts: Vec<String> = rulings.iter().map(|(_, screen)| screen.text()).collect();
            out.write_all(texts.join(&format!("\n{}\n\n", "-".repeat(80))).as_bytes())?;
            if let Some(InWords { text, .. }) = &time_control {
                out.write_all(wrap(&format!("Time control: {text}."), 80, "").as_bytes())?;
            }
            // Nobody waits for the ruling while a shorter line is looked for.
            out.flush()?;
            let better = better().unwrap_or_default();
            for ((_, before), (_, after)) in rulings.iter().zip(&better).filter(|((_, old), (_, new))| old.line != new.line) {
                let why = if rulings.len() > 1 { format!(" ({})", before.headline) } else { String::new() };
                let line = after.line.as_deref().unwrap_or_default();
                out.write_all(wrap(&format!("A shorter line{why}: {line}"), 80, "").as_bytes())?;
            }
        }
        for complaint in &complaints {
            writeln!(std::io::stderr(), "flagfall: {complaint}")?;
        }
        Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn rulings(
        &self,
        facts: &Facts,
        position: &Chess,
        oracle: &mut dyn FnMut(&Chess, Color) -> Verdict,
    ) -> Vec<(Finding, Screen)> {
        let found = adjudicate(facts, oracle).into_iter().zip(1..);
        found
            .map(|(found, number)| {
                let mut finding = case::finding(facts, found, number, position);
                finding.made.clone_from(&self.not_pressed);
                let screen = Screen::of(&finding, &Around::default());
                (finding, screen)
            })
            .collect()
    }
}

/// A question of Article 6.9 and its answer.
struct Answered {
    position: Chess,
    side: Color,
    answer: mate::Answer,
    verdict: Verdict,
}

impl Answered {
    /// Replaces the line by a shorter one, if there is one.
    fn shorten(&mut self, nodes: u64) -> Option<()> {
        self.answer = shortened(&self.position, to_color(self.side), &self.answer, nodes)?;
        self.verdict = Verdict::of(&self.position, self.side, &self.answer);
        Some(())
    }
}
