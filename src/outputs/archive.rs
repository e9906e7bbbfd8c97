//! Reads arbiters' states for the organiser's archive. What they say beyond the game goes into the profile `archive` only, which no output
//! for broadcasts writes (`outputs/README.md#1.2`).

use serde::Deserialize;

use super::picture::{Picture, PictureError, PictureMove, PictureSegment};
use crate::system_clock::Utc;
use crate::wire::outcome::GameResult;

/// A game as the arbiters' state has it.
#[derive(Clone, Debug)]
pub struct ArchivedGame {
    /// The game with every move that was made: also those that are not sure, and those after an illegal move without a ruling.
    pub picture: Picture,
    /// How it ended, in the words of the standard of PGN; none if the state does not say it.
    pub termination: Option<&'static str>,
    /// When its first move was made; none if there is none, or if no synchronised clock tells it.
    pub began: Option<Utc>,
    /// It is not one of the round (`wire/README.md#7.1`).
    pub is_unpublished: bool,
    /// Parts of its moves are missing.
    pub is_incomplete: bool,
}

/// The fields of the state that no other reader of this program needs.
#[derive(Deserialize)]
struct Arbiters {
    body: Facts,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Facts {
    moves: Vec<MadeMove>,
    segments: Vec<MadeSegment>,
    pending: Vec<PictureMove>,
    after_illegal_move: Option<PictureSegment>,
    finding: Option<Finding>,
    decisions: Vec<Decision>,
    unpublished: Option<String>,
}

#[derive(Deserialize)]
struct MadeMove {
    made_at: [u64; 2],
}

#[derive(Deserialize)]
struct MadeSegment {
    moves: Vec<MadeMove>,
}

#[derive(Deserialize)]
struct Finding {
    id: u32,
    kind: String,
}

#[derive(Deserialize)]
struct Decision {
    number: u32,
    kind: String,
    result: GameResult,
    finding: Option<FindingId>,
    supersedes: Option<u32>,
}

#[derive(Deserialize)]
struct FindingId {
    id: u32,
}

/// Reads the payload of a state for arbiters.
///
/// # Errors
/// See [`PictureError`].
pub fn read(payload: &[u8]) -> Result<ArchivedGame, PictureError> {
    let mut picture = Picture::read(payload)?;
    let Arbiters { body: facts } = serde_json::from_slice(payload).map_err(|error| PictureError::Json(error.to_string()))?;
    let first = facts.segments.iter().map(|part| &part.moves).chain([&facts.moves]).find_map(|moves| moves.first());
    let began = first.and_then(|first| {
        let utc = Utc::parse(&picture.t.utc).filter(|_| picture.t.sync.is_synchronised())?;
        let earlier = i64::try_from(picture.t.us.checked_sub(first.made_at[0])?).ok()?;
        Some(utc.after_micros(-earlier))
    });
    let termination = facts.termination(picture.body.result.unwrap_or(GameResult::Open));
    let is_incomplete = picture.body.is_incomplete();
    let body = &mut picture.body;
    body.moves.extend(facts.pending);
    if let Some(PictureSegment { initial_fen, moves }) = facts.after_illegal_move {
        let initial_fen = std::mem::replace(&mut body.initial_fen, initial_fen);
        let moves = std::mem::replace(&mut body.moves, moves);
        body.segments.push(PictureSegment { initial_fen, moves });
    }
    Ok(ArchivedGame { picture, termination, began, is_unpublished: facts.unpublished.is_some(), is_incomplete })
}

impl Facts {
    /// The word of PGN for the end of the game. A decision of which the finding is not in the state any more gives none.
    fn termination(&self, result: GameResult) -> Option<&'static str> {
        if result == GameResult::Open {
            return Some("unterminated");
        }
        let is_superseded = |number| self.decisions.iter().any(|other| other.supersedes == Some(number));
        let valid = |decision: &&Decision| decision.result != GameResult::Open && !is_superseded(decision.number);
        let Some(decision) = self.decisions.iter().rev().find(valid) else { return Some("normal") };
        let finding = decision.finding.as_ref().map(|id| {
            let known = self.finding.as_ref().filter(|finding| finding.id == id.id);
            known.map(|finding| finding.kind.as_str())
        });
        match (decision.kind.as_str(), finding) {
            ("penalty", _) => Some("rules infraction"),
            ("confirmed" | "declared", Some(None)) => None,
            ("confirmed", Some(Some("flag_fall"))) => Some("time forfeit"),
            ("confirmed", Some(Some("illegal_move"))) => Some("rules infraction"),
            // The arbiter decided otherwise than the finding proposes.
            ("declared", Some(Some("flag_fall" | "illegal_move"))) => Some("adjudication"),
            _ => Some("normal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn state(more: &Value) -> Vec<u8> {
        let played = |san: &str, at: u64| json!({"san": san, "white_ms": 1000, "black_ms": null, "made_at": [at, at + 9]});
        let mut body = json!({"game_no": 1, "initial_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                              "moves": [played("e4", 1_000_000)], "pending": [played("e5", 2_000_000)], "result": "1-0"});
        for (key, value) in more.as_object().expect("fields") {
            body[key] = value.clone();
        }
        let t = json!({"us": 61_000_000, "utc": "2026-11-21T13:02:11.412Z", "sync": "ntp"});
        json!({"game": "e-1-1-g1", "rev": 3, "t": t, "body": body}).to_string().into_bytes()
    }

    #[test]
    fn what_was_made_is_there_whether_it_is_sure_or_not() {
        let read = read(&state(&json!({}))).expect("a state");
        let sans: Vec<&str> = read.picture.body.moves.iter().map(|played| played.san.as_str()).collect();
        assert_eq!((sans, read.is_unpublished, read.is_incomplete), (vec!["e4", "e5"], false, false));
        assert_eq!(read.began.map(|began| began.to_string()).as_deref(), Some("2026-11-21T13:01:11.412Z"));
        let after = json!({"after_illegal_move": {"by": "white", "initial_fen": "x", "moves": []}, "unpublished": "after_the_round",
                           "moves_from": 7, "parts": {"total": 1, "sum": 5}});
        let read = super::read(&state(&after)).expect("a state");
        assert_eq!((read.picture.body.segments.len(), read.picture.body.initial_fen.as_str()), (1, "x"));
        assert_eq!((read.is_unpublished, read.is_incomplete), (true, true));
        assert!(super::read(b"{}").is_err());
    }

    #[test]
    fn the_end_of_a_game_has_a_word_of_pgn() {
        let finding = |kind: &str| json!({"id": 4, "kind": kind});
        let decision = |number: u32, kind: &str, result: &str, finding: Option<u32>, supersedes: Option<u32>| {
            json!({"number": number, "kind": kind, "result": result, "finding": finding.map(|id| json!({"id": id, "revision": 1})),
                   "supersedes": supersedes})
        };
        let flag = decision(1, "confirmed", "1-0", Some(4), None);
        for (more, word) in [
            (json!({}), Some("normal")),
            (json!({"result": null}), Some("unterminated")),
            (json!({"finding": finding("flag_fall"), "decisions": [flag]}), Some("time forfeit")),
            (json!({"finding": finding("illegal_move"), "decisions": [flag]}), Some("rules infraction")),
            (json!({"finding": finding("resignation"), "decisions": [flag]}), Some("normal")),
            (json!({"finding": null, "decisions": [flag]}), None),
            (json!({"decisions": [decision(1, "declared", "1-0", None, None)]}), Some("normal")),
            (json!({"decisions": [decision(1, "agreed", "1/2-1/2", None, None)]}), Some("normal")),
            (json!({"decisions": [decision(1, "penalty", "1-0", None, None)]}), Some("rules infraction")),
            (
                json!({"finding": finding("flag_fall"), "decisions": [decision(1, "declared", "1-0", Some(4), None)]}),
                Some("adjudication"),
            ),
            // A later decision takes the place of an earlier one; one that lets the game go on has no result.
            (
                json!({"finding": finding("flag_fall"), "decisions": [flag, decision(2, "agreed", "1/2-1/2", None, Some(1))]}),
                Some("normal"),
            ),
            (
                json!({"finding": finding("flag_fall"), "decisions": [decision(1, "claim_refused", "*", None, None), flag]}),
                Some("time forfeit"),
            ),
        ] {
            assert_eq!(read(&state(&more)).expect("a state").termination, word, "{more}");
        }
    }
}
