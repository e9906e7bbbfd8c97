//! Shortens the state or the PGN of a board for a broker that does not take the whole of it.

use serde_json::{Map, Value};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

/// Returns the state of a board with as many of the last moves as fit into `most` bytes, or a PGN with as many of the last games. None: even
/// the last game does not fit, or it is another message.
pub fn shorten(payload: &str, most: usize) -> Option<String> {
    if !payload.starts_with('[') {
        return shorten_state(payload, most);
    }
    let games = payload.match_indices("\n\n[").map(|(blank, _)| blank + 2);
    games.filter(|start| payload.len() - start <= most).map(|start| payload[start..].to_owned()).next()
}

/// Returns the state of a board with as many of the last moves as fit into `most` bytes, with `moves_from` and the start position
/// that belongs to them. The parts of the game before `initial_fen` are left out. None: the message is no state of a board, or does
/// not fit even without moves.
fn shorten_state(payload: &str, most: usize) -> Option<String> {
    let mut message: Value = serde_json::from_str(payload).ok()?;
    if message["type"] != "board.state" {
        return None;
    }
    let body = message["body"].as_object_mut()?;
    let moves = body.get_mut("moves")?.as_array_mut().map(std::mem::take)?;
    let starts = start_positions(body["initial_fen"].as_str()?, &moves)?;
    body.remove("segments");
    set_start(body, &moves, &starts, moves.len());
    let whole = serde_json::to_string(&message).ok()?.len();
    let size = |from: usize| {
        // Each move needs a comma too.
        let listed: usize = moves[from..].iter().map(|played| played.to_string().len() + 1).sum();
        whole + listed + starts[from].len() - starts[moves.len()].len()
    };
    // The size falls with each move that is left out, but for a few bytes of the start position.
    let from = (0..=moves.len()).find(|from| size(*from) <= most)?;
    let body = message["body"].as_object_mut()?;
    set_start(body, &moves, &starts, from);
    body.insert("moves".to_owned(), moves[from..].into());
    serde_json::to_string(&message).ok().filter(|shorter| shorter.len() <= most)
}

/// Sets where the list of moves begins: behind this number of moves.
fn set_start(body: &mut Map<String, Value>, moves: &[Value], starts: &[String], from: usize) {
    let first = moves.first().and_then(|played| played["ply"].as_u64()).unwrap_or(1);
    body.insert("moves_from".to_owned(), (first + from as u64).into());
    body.insert("initial_fen".to_owned(), starts[from].as_str().into());
}

/// The position before each move and after the last one, in FEN.
fn start_positions(start: &str, moves: &[Value]) -> Option<Vec<String>> {
    let setup = Fen::from_ascii(start.as_bytes()).ok()?.into_setup();
    let mode = CastlingMode::detect(&setup);
    let mut position: Chess = setup.position(mode).ok()?;
    let mut starts = vec![start.to_owned()];
    for played in moves {
        let uci: UciMove = played["uci"].as_str()?.parse().ok()?;
        position.play_unchecked(uci.to_move(&position).ok()?);
        starts.push(Fen::from_position(&position, EnPassantMode::Legal).to_string());
    }
    Some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state of a game with castling, a capture en passant and a promotion.
    fn state(segments: bool) -> String {
        let moves = "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 g1f3 a5a4 f1e2 a4a3 e1g1 a3b2 d6c7 b2a1q c7b8q";
        let list: Vec<String> = (1..)
            .zip(moves.split(' '))
            .map(|(ply, uci)| format!(r#"{{"ply":{ply},"san":"?","uci":"{uci}","white_ms":5400000,"black_ms":null}}"#))
            .collect();
        let segments = if segments { r#""segments":[{"initial_fen":"x","moves":[]}],"# } else { "" };
        let start = Fen::from_position(&Chess::default(), EnPassantMode::Legal);
        format!(
            r#"{{"v":"1.0","type":"board.state","rev":3,"body":{{{segments}"initial_fen":"{start}","fen":"last","moves":[{}]}}}}"#,
            list.join(",")
        )
    }

    #[test]
    fn the_last_moves_that_fit_lead_to_the_same_position() {
        let whole = state(true);
        let all = start_positions(
            &Fen::from_position(&Chess::default(), EnPassantMode::Legal).to_string(),
            serde_json::from_str::<Value>(&whole).expect("JSON")["body"]["moves"].as_array().expect("moves"),
        )
        .expect("legal");
        let mut kept = Vec::new();
        for most in (0..whole.len()).rev() {
            let Some(shorter) = shorten(&whole, most) else { break };
            assert!(shorter.len() <= most, "{most}: {shorter}");
            let message: Value = serde_json::from_str(&shorter).expect("JSON");
            let (body, moves) = (&message["body"], message["body"]["moves"].as_array().expect("moves"));
            assert_eq!((&message["rev"], &body["fen"], &body["segments"]), (&3.into(), &"last".into(), &Value::Null));
            let from = 15 - moves.len();
            assert_eq!(body["moves_from"], from as u64 + 1);
            assert_eq!(body["initial_fen"], all[from]);
            let played = start_positions(body["initial_fen"].as_str().expect("a FEN"), moves).expect("legal");
            assert_eq!(played.last(), all.last());
            // One more move would not fit, but for the length of the start position.
            kept.push(moves.len());
        }
        assert!(kept.is_sorted_by(|more, less| more >= less) && kept.contains(&0) && kept.contains(&15), "{kept:?}");
    }

    #[test]
    fn the_last_games_of_a_pgn_are_kept() {
        let whole = "[Event \"1\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n*\n\n[Event \"3\"]\n\n1. d4 *\n";
        let (two, one) = (whole.find("[Event \"2").expect("there"), whole.find("[Event \"3").expect("there"));
        for (most, from) in [(whole.len(), two), (whole.len() - two, two), (whole.len() - one, one)] {
            assert_eq!(shorten(whole, most).as_deref(), Some(&whole[from..]), "{most}");
        }
        assert_eq!(shorten(whole, whole.len() - one - 1), None);
    }

    #[test]
    fn what_is_no_state_of_a_board_is_not_shortened() {
        let whole = state(false);
        for payload in ["", "{}", "[", &whole.replace("board.state", "board.move"), &whole.replace("e2e4", "e2e5")] {
            assert_eq!(shorten(payload, 10_000), None, "{payload}");
        }
        assert_eq!(shorten(&whole, 100), None, "it does not fit without moves either");
    }
}
