//! Writes the reason for a finding, in one sentence.

use alloc::format;
use alloc::string::{String, ToString};

use super::finding::Finding;
use super::outcome::{Kind, Outcome};
use super::winnable::Verdict;

/// The article of each ending, and its sentence.
const ENDED: [(&str, &str); 11] = [
    ("5.1.1", "Checkmate was on the board before the fall was observed."),
    ("5.1.2", "A player resigned before the fall was observed."),
    ("5.2.1", "Stalemate was on the board before the fall was observed."),
    ("5.2.2", "Neither side could checkmate any more (dead position) before the fall was observed."),
    ("5.2.3", "A draw was agreed before the fall was observed."),
    ("9.5.2", "A correct claim of a draw was lodged before the fall was observed."),
    ("9.6.1", "The position had occurred five times before the fall was observed."),
    ("9.6.2", "75 moves of each side without capture or pawn move were made before the fall was observed."),
    ("7.5.5", "It is the illegal move that loses."),
    ("14E1", "The claimant has only the king."),
    ("14D4", "Nobody can checkmate by any series of legal moves."),
];

/// True if the opponent's ability to checkmate decides or may decide. Under some rules it is known but does not decide.
pub(super) fn mate_decides(finding: &Finding) -> bool {
    let may = matches!(finding.outcome, Outcome::WhiteWins | Outcome::BlackWins | Outcome::Undecided);
    may && !asks_for_force(finding)
}

/// True if the rules ask for a forced win and not for a helpmate.
fn asks_for_force(finding: &Finding) -> bool {
    finding.articles.contains(&"14E2")
}

fn by_force(finding: &Finding, opponent: &str) -> String {
    match finding.outcome {
        Outcome::WhiteWins | Outcome::BlackWins => format!("{opponent} has few men, and can force mate all the same."),
        Outcome::Draw => format!("{opponent} has few men, and cannot force mate with them."),
        _ => format!("{opponent} has few men; whether they can force mate was not settled."),
    }
}

/// The sentence for this finding.
pub(super) fn why(finding: &Finding) -> String {
    let opponent = match finding.flag {
        Some("white") => "Black",
        Some(_) => "White",
        None => "the opponent",
    };
    let wins = matches!(finding.outcome, Outcome::WhiteWins | Outcome::BlackWins);
    if asks_for_force(finding) && !matches!(finding.winnable, Verdict::Unwinnable(_) | Verdict::Pending) {
        return by_force(finding, opponent);
    }
    match &finding.winnable {
        Verdict::Winnable(mate) if mate_decides(finding) => return mate.sentence.clone(),
        Verdict::Unwinnable(reason) if !wins => return format!("No legal mate by {opponent}: {}", reason.sentence),
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
            _ if finding.flag.is_none() => "Nobody has ruled on the illegal move yet.".to_string(),
            _ => "Nothing is lost by this flag.".to_string(),
        },
        Outcome::ResultNotEntered => "The game seems to have ended before the flag fell, and no result was entered.".to_string(),
        Outcome::Undecided => "The answer depends on what is not known.".to_string(),
        Outcome::WhiteWins | Outcome::BlackWins | Outcome::Draw => {
            let ended = ENDED.iter().find(|(article, _)| finding.articles.contains(article));
            ended.map_or_else(
                || format!("It follows from {}.", finding.articles.join(", ")),
                |(_, why)| match finding.flag {
                    Some(_) => (*why).to_string(),
                    None => why.replace(" before the fall was observed", ""),
                },
            )
        }
    }
}
