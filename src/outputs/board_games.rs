//! Makes the PGN of one board in a round: the game that an audience sees, and the games of the round before it (`outputs/README.md#1.1`).

use flagfall_game::clock::control::TimeControl;

use super::names;
use super::pgn::{self, Profile};
use super::picture::Body;
use super::round::{Round, RoundGame, date_and_time};
use crate::system_clock::Utc;
use crate::wire::outcome::GameResult;
use crate::wire::player::Players;
use crate::wire::round_games::{GameOnBoard, Relation, is_initial};
use crate::wire::state::LiveState;
use crate::wire::topics;

/// The largest number of games before the one on the board.
pub const MAX_EARLIER: usize = 8;
/// The largest PGN of a board, in bytes. The oldest games are left out until the others fit.
pub const LARGEST_PGN: usize = 128 << 10;

/// What the tags of a board's games say beside the games themselves.
#[derive(Clone, Debug, Default)]
pub struct BoardHead {
    /// The board in topics; the ids of the games are made of it.
    pub board: topics::Board,
    /// The time control; none if it is not known.
    pub time_control: Option<TimeControl>,
    /// Whether the games are Chess960.
    pub chess960: bool,
    /// The players, as far as they are known.
    pub players: Players,
}

/// A game as an audience last saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenGame {
    /// Its state.
    pub body: Body,
    /// When its first move was made; none if there is none, or if no synchronised clock tells it.
    pub began: Option<Utc>,
}

/// The games of the round that were on a board before the present one, as an audience saw them.
#[derive(Clone, Debug, Default)]
pub struct BoardGames {
    earlier: Vec<SeenGame>,
}

/// What the rules for the games of a round need to know of a game. Times are those of its first move.
pub fn on_board(number: u32, body: &Body, first_move: Option<Utc>, chess960: bool) -> GameOnBoard {
    let first = body.segments.first().map_or(&body.initial_fen, |part| &part.initial_fen);
    let ended = body.result.is_some_and(|result| result != GameResult::Open) || pgn::is_decided(body, chess960);
    GameOnBoard {
        number,
        initial_position: is_initial(first),
        by_command: false,
        made_moves: body.plies() as u32,
        first_move,
        latest_move: None,
        round_game: body.round_game,
        over: ended,
        settled: ended,
    }
}

impl From<&LiveState> for SeenGame {
    fn from(state: &LiveState) -> SeenGame {
        SeenGame { body: state.into(), began: state.began }
    }
}

impl SeenGame {
    fn relation_to(&self, next: &SeenGame, chess960: bool) -> Relation {
        let on_board = |game: &SeenGame| on_board(game.body.game_no, &game.body, game.began, chess960);
        on_board(self).relation_to(&on_board(next))
    }
}

impl BoardGames {
    /// Another game is on the board. A game without moves is forgotten, and so is one that was begun anew.
    pub fn end_game(&mut self, game: SeenGame, chess960: bool) {
        if game.body.plies() == 0 {
            return;
        }
        if self.earlier.last().is_some_and(|last| last.relation_to(&game, chess960) == Relation::BegunAnew) {
            self.earlier.pop();
        }
        if self.earlier.len() >= MAX_EARLIER {
            self.earlier.remove(0);
        }
        self.earlier.push(game);
    }

    /// All games of the board in their order. None if even the last one is larger than [`LARGEST_PGN`].
    pub fn pgn(&self, present: &SeenGame, head: &BoardHead) -> Option<String> {
        let mut games: Vec<&SeenGame> = self.earlier.iter().collect();
        let relation = games.last().map(|last| last.relation_to(present, head.chess960));
        if relation == Some(Relation::BegunAnew) {
            games.pop();
        }
        // The men were set up again. Until a move is made, nobody knows whether a game follows.
        if games.is_empty() || present.body.plies() > 0 {
            games.push(present);
        }
        let texts: Vec<String> = games.into_iter().map(|game| head.write(game)).collect();
        let fits = |from: &usize| texts[*from..].iter().map(|text| text.len() + 1).sum::<usize>() <= LARGEST_PGN;
        let from = (0..texts.len()).find(fits)?;
        Some(texts[from..].join("\n"))
    }
}

impl BoardHead {
    fn write(&self, game: &SeenGame) -> String {
        let topics::Board { event, round, board, .. } = &self.board;
        let head = Round {
            event: event.clone(),
            number: round.parse().ok(),
            time_control: self.time_control.clone(),
            chess960: self.chess960,
            ..Round::default()
        };
        let game = RoundGame {
            board: names::board_number(board).unwrap_or(1),
            id: self.board.game_id(game.body.game_no),
            players: self.players.clone(),
            began: game.began.map(date_and_time),
            shown: Some(game.body.clone()),
            ..RoundGame::default()
        };
        let mut text = String::new();
        pgn::write_game(&head, &game, Profile::Full, &mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::picture::PictureMove;

    const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const ELSEWHERE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 7";

    fn game(number: u32, initial_fen: &str, moves: &str) -> SeenGame {
        let one = |san: &str| PictureMove { san: san.to_owned(), white_ms: None, black_ms: None };
        let (moves, initial_fen) = (moves.split_whitespace().map(one).collect(), initial_fen.to_owned());
        SeenGame { body: Body { game_no: number, initial_fen, moves, ..Body::default() }, began: None }
    }

    /// The ids of the games that are written after these games, of which the last one is on the board.
    fn written(games: &[SeenGame]) -> Vec<String> {
        let (last, earlier) = games.split_last().expect("a game");
        let mut board = BoardGames::default();
        earlier.iter().for_each(|game| board.end_game(game.clone(), false));
        let text = board.pgn(last, &BoardHead::default()).expect("it fits");
        assert_eq!(text.matches("\n\n[").count() + 1, text.matches("[Event ").count());
        let ids = text.lines().filter_map(|line| line.strip_prefix("[GameId \"replay-1-1-")?.strip_suffix("\"]"));
        ids.map(str::to_owned).collect()
    }

    #[test]
    fn the_games_of_a_board_are_those_that_were_played() {
        let initial = |number, moves| game(number, INITIAL, moves);
        let nth = |round_game, SeenGame { body, began }| SeenGame { body: Body { round_game: Some(round_game), ..body }, began };
        for (games, ids) in [
            (vec![initial(1, "")], &["g1"][..]),
            (vec![initial(1, ""), initial(2, "e4")], &["g2"]),
            // Set up again after two moves, and not played yet.
            (vec![initial(1, "e4 e5"), initial(2, "")], &["g1"]),
            (vec![initial(1, "e4 e5"), initial(2, "d4")], &["g1", "g2"]),
            // Begun anew after one move.
            (vec![initial(1, "e4"), initial(2, "")], &["g2"]),
            (vec![initial(1, "e4"), initial(2, "d4"), initial(3, "c4 c5"), initial(4, "b3")], &["g3", "g4"]),
            // An arbiter has said that the game that was set up again is the round's, or one more.
            (vec![nth(1, initial(1, "e4 e5")), nth(1, initial(2, ""))], &["g2"]),
            (vec![nth(1, initial(1, "e4 e5")), nth(1, initial(2, "d4 d5"))], &["g2"]),
            (vec![nth(1, initial(1, "e4 e5")), nth(1, game(2, ELSEWHERE, "e4"))], &["g1", "g2"]),
            (vec![nth(1, initial(1, "e4 e5")), nth(2, initial(2, "d4 d5"))], &["g1", "g2"]),
            // It goes on from another position.
            (vec![initial(1, "e4"), game(2, ELSEWHERE, "e4 Kd7"), initial(3, "")], &["g1", "g2"]),
        ] {
            assert_eq!(written(&games), ids, "{games:?}");
        }
    }

    #[test]
    fn the_oldest_games_are_left_out() {
        let many: Vec<SeenGame> = (1..=12).map(|number| game(number, INITIAL, "e4 e5")).collect();
        assert_eq!(written(&many).len(), MAX_EARLIER + 1);
        let long = |plies: usize| "Nf3 Nf6 Ng1 Ng8 ".repeat(plies / 4);
        let four: Vec<SeenGame> = (1..=4).map(|number| game(number, INITIAL, &long(7_000))).collect();
        let ids = written(&four);
        assert!((2..4).contains(&ids.len()) && ids.ends_with(&["g4".to_owned()]), "{ids:?}");
        assert_eq!(BoardGames::default().pgn(&game(1, INITIAL, &long(40_000)), &BoardHead::default()), None);
    }
}
