//! Writes the reason for a finding, in one sentence.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::{CastlingMode, Chess, Position};

use super::answering::read;
use super::finding::{Finding, FindingStatus};
use super::material;
use super::outcome::{Kind, Outcome};
use super::phrases::{BY_ARTICLE, UNKNOWN, WHEN};
use super::rulebook::Profile;
use super::winnable::Verdict;

/// True if the opponent's ability to checkmate decides or may decide. Under some rules it is known but does not decide.
pub(super) fn mate_decides(finding: &Finding) -> bool {
    let may = matches!(finding.outcome, Outcome::WhiteWins | Outcome::BlackWins | Outcome::Undecided);
    may && !asks_for_force(finding)
}

/// True if the rules ask for a forced win and not for a helpmate.
fn asks_for_force(finding: &Finding) -> bool {
    finding.articles.contains(&"14E2")
}

fn by_force(finding: &Finding, opponent: &str) -> Option<String> {
    let (at, side) = claimant(finding)?;
    let men = material::men_in_words(at.board(), side);
    Some(match finding.outcome {
        Outcome::WhiteWins | Outcome::BlackWins => format!("{opponent} has {men}, and can force mate all the same."),
        Outcome::Draw => format!("{opponent} has {men}, and cannot force mate with them."),
        _ => format!("{opponent} has {men}; whether they can force mate was not settled."),
    })
}

/// The position that counts, and the opponent of the player whose flag fell.
fn claimant(finding: &Finding) -> Option<(Chess, Color)> {
    let side = if finding.flag? == "white" { Color::Black } else { Color::White };
    let at = |mode| read(&finding.position, mode);
    Some((at(CastlingMode::Standard).or_else(|| at(CastlingMode::Chess960))?, side))
}

/// The sentences for this finding. An undecided one names everything on which it depends. The earlier illegal moves follow, with what
/// was made of them.
pub(super) fn why(finding: &Finding) -> String {
    let earlier = finding.illegal_moves.iter().filter(|it| !it.open);
    earlier.fold(why_now(finding), |text, it| format!("{text} {}.", it.words))
}

fn why_now(finding: &Finding) -> String {
    let open = matches!(finding.outcome, Outcome::Undecided | Outcome::ResultNotEntered);
    // The first sentence says already that the solver has no answer.
    let unsolved = matches!(finding.winnable, Verdict::Pending | Verdict::Undecided(_));
    let in_words = |name: &&'static str| UNKNOWN.iter().find(|(known, _)| known == name).map_or(*name, |(_, sentence)| *sentence);
    let unknown: Vec<&str> =
        finding.unknown.iter().filter(|name| open && !(unsolved && **name == "winnable")).map(in_words).collect();
    let reason = reason(finding);
    match unknown.is_empty() {
        true => reason,
        false if reason == DEPENDS => format!("The answer depends on {}.", unknown.join(", and on ")),
        false => format!("{reason} The answer depends on {}.", unknown.join(", and on ")),
    }
}

/// The sentence for an answer that depends on something else than a mate.
const DEPENDS: &str = "The answer depends on what is not known.";

fn reason(finding: &Finding) -> String {
    let opponent = match finding.flag {
        Some("white") => "Black",
        Some(_) => "White",
        None => "the opponent",
    };
    let wins = matches!(finding.outcome, Outcome::WhiteWins | Outcome::BlackWins);
    if asks_for_force(finding)
        && !matches!(finding.winnable, Verdict::Unwinnable(_) | Verdict::Pending)
        && let Some(reason) = by_force(finding, opponent)
    {
        return reason;
    }
    match &finding.winnable {
        Verdict::Winnable(mate) if mate_decides(finding) => {
            return event(finding).map_or_else(|| mate.sentence.clone(), |event| format!("{event} {}", mate.sentence));
        }
        Verdict::Unwinnable(reason) if !wins => {
            let cannot = || format!("No legal mate by {opponent}: {}", reason.sentence);
            return event(finding)
                .map_or_else(cannot, |event| format!("{event} No legal mate by the opponent: {}", reason.sentence));
        }
        Verdict::Winnable(_) | Verdict::Unwinnable(_) => {}
        Verdict::Pending => return format!("Whether {opponent} can still checkmate is being worked out."),
        Verdict::Undecided(cost) => {
            return format!("Whether {opponent} can still checkmate was not settled in {} positions.", cost.nodes);
        }
        Verdict::NotAsked => {}
    }
    match finding.outcome {
        Outcome::GameGoesOn => match (finding.completed, finding.required) {
            (Some(done), Some(need)) if done >= need => "The required moves were completed before the flag fell.".to_string(),
            _ if finding.kind == Kind::Claim => "The record of the game does not bear out the claim.".to_string(),
            _ if finding.flag.is_none() && finding.status == FindingStatus::Confirmed => "The illegal move counts.".to_string(),
            _ if finding.flag.is_none() && finding.status == FindingStatus::Rejected => {
                "No illegal move counts here.".to_string()
            }
            _ if finding.flag.is_none() && finding.articles.contains(&"A.5.2") => {
                "Nobody has ruled on the illegal move yet. Once the opponent has made the next move, the arbiter can no \
                 longer correct it (A.5.2)."
                    .to_string()
            }
            _ if finding.flag.is_none() => "Nobody has ruled on the illegal move yet.".to_string(),
            // Club points 10 and 12: a player may have declared it while a clock ran on.
            _ if finding.conditional && finding.articles.contains(&"12") => {
                "No player has declared the flag and stopped both clocks.".to_string()
            }
            _ if finding.conditional => "No player has claimed the flag.".to_string(),
            _ if finding.articles.contains(&"13C7") => "The claimant's scoresheet is not reasonably complete.".to_string(),
            _ => "Nothing is lost by this flag.".to_string(),
        },
        Outcome::ResultNotEntered => "The game seems to have ended before the flag fell, and no result was entered.".to_string(),
        Outcome::Undecided => DEPENDS.to_string(),
        Outcome::WhiteWins | Outcome::BlackWins | Outcome::Draw => {
            by_material(finding, opponent).unwrap_or_else(|| by_article(finding))
        }
    }
}

/// The sentence for the men if only they decide (profile `material-only`, rows 14 and 15).
fn by_material(finding: &Finding, opponent: &str) -> Option<String> {
    let by_men = finding.profile == Profile::MaterialOnly.name() || finding.profile.starts_with("material-only+");
    if !by_men || !matches!(finding.row, "14" | "15") {
        return None;
    }
    claimant(finding).map(|(at, side)| material::sentence(&at, side, opponent))
}

/// The event that decides, if the possible mate only says whether it wins: a resignation, or an illegal move that loses.
fn event(finding: &Finding) -> Option<String> {
    const EVENTS: [&str; 6] = ["5.1.2", "5.1", "13B", "7.5.5", "10.3", "11D"];
    let decided = matches!(finding.outcome, Outcome::WhiteWins | Outcome::BlackWins | Outcome::Draw);
    let first = BY_ARTICLE.iter().find(|(article, _)| finding.articles.contains(article));
    first.filter(|(article, _)| decided && EVENTS.contains(article)).map(|_| by_article(finding))
}

fn by_article(finding: &Finding) -> String {
    let said = BY_ARTICLE.iter().find(|(article, _)| finding.articles.contains(article));
    match (said, finding.flag) {
        (None, _) => format!("It follows from {}.", finding.articles.join(", ")),
        (Some((_, why)), Some(_)) => (*why).to_string(),
        (Some((_, why)), None) => WHEN.iter().fold((*why).to_string(), |why, when| why.replace(when, "")),
    }
}
