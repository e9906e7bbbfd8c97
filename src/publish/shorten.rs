//! Shortens the PGN of a board for a broker that does not take the whole of it.

/// Returns a PGN with as many of the last games as fit into `most` bytes. None: even the last game does not fit, or it is another message.
pub fn shorten(payload: &str, most: usize) -> Option<String> {
    let games = payload.match_indices("\n\n[").map(|(blank, _)| blank + 2).filter(|_| payload.starts_with('['));
    games.filter(|start| payload.len() - start <= most).map(|start| payload[start..].to_owned()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_is_no_pgn_is_not_shortened() {
        for payload in ["", "{}", "[", "{\"a\":\"\\n\\n[\"}\n\n[Event \"1\"]"] {
            assert_eq!(shorten(payload, 10_000), None, "{payload}");
        }
    }
}
