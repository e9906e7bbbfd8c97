//! Presents a finding so that an arbiter can read it within ten seconds (`laws/README.md#8`): in the same order on every screen
//! and on paper, as fields for programs and as plain text. It is for arbiters only, because it contains facts that no player may
//! know (Article 12.6).

mod choices;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::time::ClockTime;
use shakmaty::fen::Fen;

pub use self::choices::{Answer, Choice};
use super::finding::Finding;
use super::outcome::{Kind, Outcome, Phase, Recommended};
use super::plain::{diagram, wrap};
use super::why::{mate_decides, why};
use super::winnable::Verdict;
use crate::laws::outcome::GameResult;
use crate::pair::Pair;

/// The largest number of columns in a line of the plain text.
pub const WIDTH: usize = 80;

/// The content of the message that does not come from the finding.
#[derive(Clone, Debug, Default)]
pub struct Around<'a> {
    /// The board's name in the event; none if there is no board.
    pub board: Option<&'a str>,
    /// The number of seconds since the flag was seen.
    pub age_s: Option<u64>,
    /// The result of the arbiter's decision; `Open` if the game goes on.
    pub decided: Option<GameResult>,
    /// The times on the display.
    pub times: Pair<Option<ClockTime>>,
}

/// The first action for an arbiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Go and stop the clocks.
    StopTheClocks,
    /// Only a player may call this flag: signal nothing, and wait for a claim.
    WaitForAClaim,
    /// Ask the players how the game ended.
    AskForTheResult,
    /// Nothing.
    Nothing,
}

impl Act {
    const fn words(self) -> &'static str {
        match self {
            Act::StopTheClocks => "Go and stop the clocks.",
            Act::WaitForAClaim => "Do not signal the flag. Wait for a claim: only a player may call it.",
            Act::AskForTheResult => "Ask the players for the result.",
            Act::Nothing => "Nothing to do.",
        }
    }
}

/// The message, in the order in which it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    /// 1: board, flag and age.
    pub headline: String,
    /// 2: what to do.
    pub act: Act,
    /// 3: the proposal in words; what an undecided one depends on is in it.
    pub proposal: String,
    /// What to do besides: restore a position, add time.
    pub besides: Vec<String>,
    /// 4: the position that counts, FEN.
    pub position: String,
    /// Who is to move in it.
    pub to_move: &'static str,
    /// Both times as the clock shows them, `h:mm:ss`.
    pub times: Pair<Option<String>>,
    /// 5: moves completed, and the move that is not; empty without a flag.
    pub moves: String,
    /// 6: why, in one sentence.
    pub why: String,
    /// One tap deeper: the line that ends in mate, as chess writes it.
    pub line: Option<String>,
    /// The position with the mate, FEN.
    pub final_position: Option<String>,
    /// 7: what to look at.
    pub check: Vec<&'static str>,
    /// 8: what is not known.
    pub unknown: Vec<String>,
    /// Profile and articles.
    pub rules: String,
    /// 9: what can be chosen; the proposal first, if there is one to confirm.
    pub choices: Vec<Choice>,
}

/// The checks that an arbiter makes before he confirms.
const CHECK: [&str; 3] = ["the flag sign on the clock", "position equals diagram", "has anyone claimed?"];

impl Screen {
    /// The message of a finding.
    pub fn of(finding: &Finding, around: &Around<'_>) -> Screen {
        let line = match &finding.winnable {
            Verdict::Winnable(mate) if mate_decides(finding) => Some((mate.san.clone(), mate.final_fen.clone())),
            _ => None,
        };
        let (line, final_position) = line.filter(|(san, _)| !san.is_empty()).unzip();
        Screen {
            headline: headline(finding, around),
            act: act(finding, around),
            proposal: proposal(finding, around),
            besides: finding.recommended.iter().map(|besides| besides_words(*besides)).collect(),
            position: finding.position.clone(),
            to_move: if finding.position.split(' ').nth(1) == Some("b") { "black" } else { "white" },
            times: Pair { white: shown(around.times.white), black: shown(around.times.black) },
            moves: moves(finding),
            why: why(finding),
            line,
            final_position,
            check: CHECK.to_vec(),
            unknown: finding.unknown.iter().map(|name| name_of_unknown(name)).collect(),
            rules: rules(finding),
            choices: choices::choices(finding, around.decided),
        }
    }

    /// The message in lines of at most [`WIDTH`] columns.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut say = |line: &str, indent: &str| text.push_str(&wrap(line, WIDTH, indent));
        say(&self.headline, "");
        say(self.act.words(), "");
        say(&self.proposal, "");
        self.besides.iter().for_each(|besides| say(&format!("Besides: {besides}."), ""));
        say("", "");
        if let Ok(fen) = self.position.parse::<Fen>() {
            diagram(&fen.as_setup().board).lines().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        let mut say = |line: &str, indent: &str| text.push_str(&wrap(line, WIDTH, indent));
        let time = |time: &Option<String>| time.clone().unwrap_or_else(|| "not known".to_string());
        let to_move = if self.to_move == "black" { "Black" } else { "White" };
        let mut place = format!("{to_move} to move.");
        if self.times.white.is_some() || self.times.black.is_some() {
            place.push_str(&format!(" Clock: White {}, Black {}.", time(&self.times.white), time(&self.times.black)));
        }
        say(&place, "  ");
        say("", "");
        if !self.moves.is_empty() {
            say(&self.moves, "");
        }
        say(&format!("Why: {}", self.why), "");
        if let Some(line) = &self.line {
            say(line, "  ");
        }
        say(&format!("Check yourself: {}", self.check.join("; ")), "");
        if !self.unknown.is_empty() {
            say(&format!("Not known: {}.", self.unknown.join(", ")), "");
        }
        say(&format!("Rules: {}.", self.rules), "");
        let choices: Vec<String> = self.choices.iter().map(|choice| format!("[{}]", choice.label)).collect();
        say(&choices.join(" "), "");
        text
    }
}

/// What is not known, in a word or two.
fn name_of_unknown(name: &str) -> String {
    match name {
        // The time control itself is mostly known.
        "time_control" => "period".to_string(),
        _ => name.replace('_', " "),
    }
}

fn shown(time: Option<ClockTime>) -> Option<String> {
    time.map(|time| time.to_string())
}

fn headline(finding: &Finding, around: &Around<'_>) -> String {
    let mut text = around.board.map_or_else(String::new, |board| format!("Board {board} - "));
    text.push_str(match (finding.flag, finding.kind) {
        (Some("white"), _) => "WHITE FLAG",
        (Some(_), _) => "BLACK FLAG",
        (None, Kind::FlagFall) => "FLAG",
        (None, Kind::IllegalMove) => match finding.offender {
            Some("white") => "ILLEGAL MOVE BY WHITE",
            Some(_) => "ILLEGAL MOVE BY BLACK",
            None => "ILLEGAL MOVE",
        },
        (None, Kind::Resignation) => "RESIGNATION",
        (None, Kind::Agreement) => "DRAW AGREED",
        (None, Kind::Claim) => "CLAIM OF A DRAW",
        (None, Kind::MoveOnBoard) => "GAME OVER ON THE BOARD",
    });
    if let Some(age) = around.age_s {
        text.push_str(&match age {
            0..60 => format!(", {age} s ago"),
            60..3600 => format!(", {} min ago", age / 60),
            _ => format!(", {} h {} min ago", age / 3600, age / 60 % 60),
        });
    }
    text
}

/// True if only a player may call a flag under these rules, and no arbiter (US Chess 13C1, club point 10, B6 of the older
/// print).
fn players_call(profile: &str) -> bool {
    let mut parts = profile.split('+');
    match parts.next() {
        Some("us-chess" | "club-speed") => true,
        Some("fide-print-old") => parts.any(|part| part == "rapid"),
        _ => false,
    }
}

/// True if an ending decides whether or not somebody calls the flag: these are the rows of the profile's table without a
/// clock.
fn ended_before(finding: &Finding) -> bool {
    let rows: &[&str] = match finding.profile.split('+').next() {
        Some("us-chess") => &["1", "2"],
        Some("club-speed") => &["4", "5"],
        _ => &["1", "2", "3", "4", "5", "6", "7a"],
    };
    matches!(finding.outcome, Outcome::WhiteWins | Outcome::BlackWins | Outcome::Draw) && rows.contains(&finding.row)
}

fn act(finding: &Finding, around: &Around<'_>) -> Act {
    let waits = finding.conditional && players_call(&finding.profile) && !ended_before(finding);
    match finding.outcome {
        _ if around.decided.is_some() => Act::Nothing,
        // Nothing is lost until a player calls the flag.
        // After an illegal move a position must be restored and time added.
        Outcome::GameGoesOn if !waits && !finding.recommended.is_empty() => Act::StopTheClocks,
        Outcome::GameGoesOn if waits && !finding.alternatives.is_empty() => Act::WaitForAClaim,
        Outcome::GameGoesOn => Act::Nothing,
        Outcome::ResultNotEntered => Act::AskForTheResult,
        _ if waits => Act::WaitForAClaim,
        _ => Act::StopTheClocks,
    }
}

/// An outcome in words.
pub const fn words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WhiteWins => "White wins",
        Outcome::BlackWins => "Black wins",
        Outcome::Draw => "draw",
        Outcome::GameGoesOn => "the game goes on",
        Outcome::Undecided => "the arbiter decides",
        Outcome::ResultNotEntered => "the result was not entered",
    }
}

fn proposal(finding: &Finding, around: &Around<'_>) -> String {
    let mut text = match finding.outcome {
        // The answer comes in a moment.
        Outcome::Undecided if finding.winnable == Verdict::Pending => "BEING WORKED OUT".to_string(),
        Outcome::Undecided => "YOU DECIDE".to_string(),
        outcome => words(outcome).to_uppercase(),
    };
    if finding.outcome == Outcome::Undecided && !finding.alternatives.is_empty() {
        text.push_str(": ");
        text.push_str(&alternatives(finding));
    } else if !finding.alternatives.is_empty() {
        text.push_str(&format!(" (otherwise: {})", alternatives(finding)));
    }
    if finding.conditional
        && !ended_before(finding)
        && !matches!(finding.outcome, Outcome::GameGoesOn | Outcome::ResultNotEntered)
    {
        let now = if players_call(&finding.profile) {
            "the opponent claims the flag now"
        } else {
            "the flag is observed or claimed now"
        };
        text.push_str(&format!(", if {now}"));
    }
    if finding.contested {
        text.push_str(". Contested: the ending may have come after the flag fell");
    }
    if let Some(decided) = around.decided {
        return format!("Decided: {}. The proposal was: {text}.", decided.words());
    }
    format!("Proposal: {text}.")
}

fn besides_words(recommended: Recommended) -> String {
    let name = |side: &str| if side == "white" { "White" } else { "Black" };
    match recommended {
        Recommended::RestorePosition => "restore the position before the illegal move".to_string(),
        Recommended::ReplaceByQueen => "replace the pawn on the last rank by a queen".to_string(),
        Recommended::AddTime { side, seconds } => {
            format!("give {} {}:{:02} more", name(side), seconds / 60, seconds % 60)
        }
        Recommended::PlayIndicatedMove { side } => format!("{} must play the move indicated with the claim", name(side)),
        Recommended::BringScoresheetsUpToDate => "have the scoresheets brought up to date".to_string(),
    }
}

fn alternatives(finding: &Finding) -> String {
    let each = finding.alternatives.iter().map(|other| format!("{} if {}", words(other.outcome), other.depends_on));
    each.collect::<Vec<_>>().join("; ")
}

fn moves(finding: &Finding) -> String {
    if finding.flag.is_none() && finding.completed.is_none() {
        return String::new();
    }
    let plural = |count: u32| if count == 1 { "move" } else { "moves" };
    let mut text = match (finding.completed, finding.required, finding.last_period) {
        (Some(done), Some(need), _) => format!("{done} of {need} moves completed"),
        (Some(done), None, Some(true)) => format!("{done} {} completed, last period", plural(done)),
        (Some(done), None, _) => format!("{done} {} completed", plural(done)),
        (None, Some(need), _) => format!("Completed moves are not known; {need} were required"),
        (None, None, Some(true)) => "Completed moves are not known; last period".to_string(),
        (None, None, _) => "Completed moves are not known".to_string(),
    };
    text.push_str(&match (finding.phase, &finding.made) {
        (Phase::Made, Some(made)) => format!("; {made} made, clock NOT PRESSED"),
        (Phase::Made, None) => "; one more move made, clock NOT PRESSED".to_string(),
        (Phase::Touched, _) => "; a piece is lifted, no move made".to_string(),
        (Phase::Illegal, _) => "; no legal move stands on the board, the position before it counts".to_string(),
        (Phase::Idle, _) => String::new(),
    });
    text.push('.');
    text
}

fn rules(finding: &Finding) -> String {
    let mut text = format!("{}, row {}", finding.profile, finding.row);
    match finding.articles.len() {
        0 => {}
        1 => text.push_str(&format!(", article {}", finding.articles[0])),
        _ => text.push_str(&format!(", articles {}", finding.articles.join(", "))),
    }
    text
}

#[cfg(test)]
mod tests;
