//! Writes the reason for a finding, in one sentence.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

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

/// What is not known, in words; the name itself if it has none.
const UNKNOWN: [(&str, &str); 33] = [
    ("agreement_before_both_moved", "whether both players had made a move before they agreed"),
    ("agreement_on_order", "whether both players agree which flag fell first"),
    ("both_players_moved", "whether both players had made a move"),
    ("called_by", "who called the flag"),
    ("claim_ruling", "the ruling on the claim"),
    ("clock_setting", "which setting of the clock is right"),
    ("clocks_stopped", "whether both clocks were stopped"),
    ("completed_moves", "how many moves were completed"),
    ("decision_of_the_director", "the decision of the director"),
    ("declaration", "whether a player declared the flag and stopped both clocks"),
    ("forced_win", "whether the claimant can force mate"),
    ("illegal_move_ruling", "the ruling on the illegal move"),
    ("moment_of_expiry", "when the time expired"),
    ("moves_missing", "whether moves are missing from the record"),
    ("observation_of_first_flag", "whether the flag that fell first was observed"),
    ("observation_of_illegal_position", "whether the arbiter observed the illegal position"),
    ("order_of_claim_and_flag", "whether the claimant's own flag fell before the claim"),
    ("order_of_declaration_and_flag", "whether the other flag fell before the declaration"),
    ("order_of_ending_and_claim", "whether the game ended before the claim"),
    ("order_of_ending_and_declaration", "whether the game ended before the declaration"),
    ("order_of_ending_and_flag", "whether the game ended before the flag fell"),
    ("order_of_ending_and_observation", "whether the game ended before the fall was observed"),
    ("order_of_endings", "which of the endings came first"),
    ("order_of_flags", "which flag fell first"),
    ("order_of_press_and_flag", "whether the clock was pressed before the flag fell"),
    ("other_flag", "what is open about the other flag"),
    ("own_flag", "whether the claimant's own flag was down"),
    ("penalty_time", "whether the time that was due was added"),
    ("position", "which position counts"),
    ("rook_or_queen", "whether a rook is meant as a queen"),
    ("scoresheet", "whether the claimant's scoresheet is reasonably complete"),
    ("time_control", "which period it was"),
    ("winnable", "whether the opponent can checkmate by any series of legal moves"),
];

/// The sentences for this finding. An undecided one names everything on which it depends.
pub(super) fn why(finding: &Finding) -> String {
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
            _ if finding.flag.is_none() && finding.articles.contains(&"A.5.2") => {
                "Nobody has ruled on the illegal move yet. Once the opponent has made the next move, the arbiter can no \
                 longer correct it (A.5.2)."
                    .to_string()
            }
            _ if finding.flag.is_none() => "Nobody has ruled on the illegal move yet.".to_string(),
            _ => "Nothing is lost by this flag.".to_string(),
        },
        Outcome::ResultNotEntered => "The game seems to have ended before the flag fell, and no result was entered.".to_string(),
        Outcome::Undecided => DEPENDS.to_string(),
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
