//! Decides which games of a board are games of the round (`wire/README.md#7.1`).
//!
//! Men are moved before the round, and after it there is analysis and blitz on the same board. A bound of the configuration or
//! of the pairing keeps such games from the live audience and from the public. [`RoundGames`] reads no clock: the times of the
//! games are given to it, so a node and a collector come to the same answer.

use serde::Serialize;

use crate::system_clock::Utc;

/// A game of the round may begin so many microseconds before the round.
const EARLY: i64 = 5 * 60 * 1_000_000;
/// After so many made moves a game is not begun anew by itself: it is over when the initial position is set up again.
const BEGUN: u32 = 2;

/// The bound on the games of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundBound {
    /// The number of games, at least 1.
    pub games: u32,
    /// The time at which the round begins, if it is known.
    pub start: Option<Utc>,
}

/// What is known of the game on a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameOnBoard {
    /// Its number on this board; 0 before the first game.
    pub number: u32,
    /// Its first position is an initial position.
    pub initial_position: bool,
    /// An arbiter began it by the command `start-game`.
    pub by_command: bool,
    /// The number of made moves that were not taken back.
    pub made_moves: u32,
    /// When the first of them was made; none if there is none, or if no synchronised clock tells.
    pub first_move: Option<Utc>,
    /// It has a result, or mate, stalemate or kings in the centre stand on the board.
    pub over: bool,
}

/// How a game on a board stands to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The game before it is not over and goes on from another position.
    GoesOn,
    /// The game before it was begun anew.
    BegunAnew,
    /// The game before it is over.
    Another,
}

impl GameOnBoard {
    /// How the next game stands to this one.
    pub fn relation_to(&self, next: &GameOnBoard) -> Relation {
        let set_up_again = next.initial_position && !next.by_command && self.made_moves >= BEGUN;
        match (self.over || set_up_again, next.initial_position) {
            (true, _) => Relation::Another,
            (false, true) => Relation::BegunAnew,
            (false, false) => Relation::GoesOn,
        }
    }
}

/// Why a game is not published to the live audience and to the public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unpublished {
    /// Its first move was made too long before the start of the round.
    BeforeTheRound,
    /// All games of the round were played on this board.
    AfterTheRound,
}

/// How the game on a board belongs to the round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Standing {
    /// It has no move, or nobody knows when its first move was made.
    #[default]
    Open,
    OfTheRound,
    BeforeTheRound,
}

/// Follows the games on one board.
#[derive(Clone, Debug, Default)]
pub struct RoundGames {
    game: GameOnBoard,
    standing: Standing,
    /// The number of games of the round that are over and were followed by another game.
    played: u32,
    /// The number of games that commands of arbiters allow, whatever the bound is.
    allowed: u32,
}

impl RoundGames {
    /// Notes what the board shows now. Returns why the game on it is not published; none if it is, as every game is without a
    /// bound.
    ///
    /// If the time of a first move is needed and not known, the game is published and not counted: a round's game must not be
    /// missing because the clock of a machine is not synchronised.
    pub fn follow(&mut self, bound: Option<&RoundBound>, game: GameOnBoard) -> Option<Unpublished> {
        if game.number != self.game.number {
            self.begin(&game);
        } else if game.made_moves == 0 && self.game.made_moves > 0 && !game.by_command {
            // All moves were taken back: the next one is the first.
            self.standing = Standing::Open;
        }
        self.game = game;
        let has_room = bound.is_none_or(|bound| self.played < bound.games.max(self.allowed));
        if self.standing != Standing::OfTheRound && game.made_moves > 0 {
            let opens = bound.and_then(|bound| bound.start).map(|start| start.after_micros(-EARLY));
            self.standing = match (opens, game.first_move) {
                (Some(opens), Some(first)) if first < opens => Standing::BeforeTheRound,
                (Some(_), None) => Standing::Open,
                _ if has_room => Standing::OfTheRound,
                _ => Standing::Open,
            };
        }
        match self.standing {
            Standing::OfTheRound => None,
            Standing::BeforeTheRound => Some(Unpublished::BeforeTheRound),
            Standing::Open => (!has_room).then_some(Unpublished::AfterTheRound),
        }
    }

    /// Begins another game.
    fn begin(&mut self, next: &GameOnBoard) {
        let was_of_the_round = self.standing == Standing::OfTheRound;
        let relation = self.game.relation_to(next);
        self.played += u32::from(was_of_the_round && relation == Relation::Another);
        let goes_on = was_of_the_round && relation == Relation::GoesOn;
        self.standing = if next.by_command || goes_on { Standing::OfTheRound } else { Standing::Open };
        if next.by_command {
            self.allowed = self.allowed.max(self.played + 1);
        }
    }
}

/// Whether a game with this first position, as FEN, begins from the initial position of chess or of Chess960.
pub fn is_initial(fen: &str) -> bool {
    let mut parts = fen.split(' ');
    let (Some(board), Some("w")) = (parts.next(), parts.next()) else { return false };
    let Some((black, rest)) = board.split_once('/') else { return false };
    let Some(white) = rest.strip_prefix("pppppppp/8/8/8/8/PPPPPPPP/") else { return false };
    let mut men: Vec<u8> = white.bytes().collect();
    men.sort_unstable();
    men == b"BBKNNQRR" && black.to_ascii_uppercase() == white && black.to_ascii_lowercase() == black
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60 * 1_000_000;

    fn game(number: u32, made_moves: u32, minute: i64) -> GameOnBoard {
        let first_move = (made_moves > 0).then_some(Utc(minute * MINUTE));
        GameOnBoard { number, made_moves, first_move, initial_position: true, ..GameOnBoard::default() }
    }

    fn over(game: GameOnBoard) -> GameOnBoard {
        GameOnBoard { over: true, ..game }
    }

    const BEFORE: Option<Unpublished> = Some(Unpublished::BeforeTheRound);
    const AFTER: Option<Unpublished> = Some(Unpublished::AfterTheRound);

    /// Each row: the number of games, the minute of the start, and what the board shows one after the other with the answer.
    #[test]
    fn games_of_a_round() {
        let by_command = |game| GameOnBoard { by_command: true, ..game };
        let elsewhere = |game| GameOnBoard { initial_position: false, ..game };
        let no_time = |game| GameOnBoard { first_move: None, ..game };
        type Row<'a> = (&'a str, Option<(u32, Option<i64>)>, &'a [(GameOnBoard, Option<Unpublished>)]);
        let rows: &[Row<'_>] = &[
            (
                "no bound",
                None,
                &[(over(game(1, 4, 0)), None), (game(2, 0, 0), None), (over(game(2, 5, 1)), None), (game(3, 1, 2), None)],
            ),
            (
                "the next game after a mate",
                Some((1, None)),
                &[
                    (game(0, 0, 0), None),
                    (game(1, 0, 0), None),
                    (over(game(1, 4, 0)), None),
                    (game(2, 0, 0), AFTER),
                    (game(2, 3, 9), AFTER),
                ],
            ),
            ("set up again after two moves", Some((1, None)), &[(game(1, 2, 0), None), (game(2, 0, 0), AFTER)]),
            (
                "set up again after one move",
                Some((1, None)),
                &[(game(1, 1, 0), None), (game(2, 0, 0), None), (game(2, 2, 1), None), (game(3, 0, 0), AFTER)],
            ),
            (
                "another position",
                Some((1, None)),
                &[
                    (game(1, 9, 0), None),
                    (elsewhere(game(2, 0, 0)), None),
                    (elsewhere(game(2, 3, 9)), None),
                    (game(3, 0, 0), AFTER),
                ],
            ),
            (
                "another position after the end",
                Some((1, None)),
                &[(over(game(1, 9, 0)), None), (elsewhere(game(2, 0, 0)), AFTER)],
            ),
            (
                "two games",
                Some((2, None)),
                &[(over(game(1, 9, 0)), None), (game(2, 0, 0), None), (over(game(2, 4, 1)), None), (game(3, 1, 2), AFTER)],
            ),
            (
                "before the start, and five minutes before it",
                Some((1, Some(60))),
                &[
                    (game(1, 0, 0), None),
                    (game(1, 1, 54), BEFORE),
                    (over(game(1, 8, 54)), BEFORE),
                    (game(2, 0, 0), None),
                    (game(2, 1, 55), None),
                    (over(game(2, 4, 55)), None),
                    (game(3, 1, 80), AFTER),
                ],
            ),
            (
                "all moves taken back before the start",
                Some((1, Some(60))),
                &[
                    (game(1, 3, 10), BEFORE),
                    (game(1, 0, 0), None),
                    (game(1, 1, 61), None),
                    (game(1, 0, 0), None),
                    (game(1, 1, 62), None),
                ],
            ),
            (
                "no synchronised clock, and later one",
                Some((1, Some(60))),
                &[
                    (over(no_time(game(1, 9, 0))), None),
                    (no_time(game(2, 4, 0)), None),
                    (game(2, 4, 70), None),
                    (over(game(2, 5, 70)), None),
                    (game(3, 0, 0), AFTER),
                ],
            ),
            (
                "an arbiter begins another game",
                Some((1, Some(60))),
                &[
                    (over(game(1, 9, 60)), None),
                    (game(2, 1, 70), AFTER),
                    (by_command(game(3, 0, 0)), None),
                    (by_command(game(3, 1, 1)), None),
                    (game(4, 0, 0), None),
                    (over(game(4, 4, 90)), None),
                    (game(5, 0, 0), AFTER),
                ],
            ),
            (
                "an arbiter begins the game anew",
                Some((2, None)),
                &[
                    (game(1, 9, 0), None),
                    (by_command(game(2, 0, 0)), None),
                    (over(by_command(game(2, 5, 1))), None),
                    (game(3, 4, 2), None),
                    (game(4, 0, 0), AFTER),
                ],
            ),
        ];
        for (name, bound, steps) in rows {
            let bound = bound.map(|(games, start)| RoundBound { games, start: start.map(|minute| Utc(minute * MINUTE)) });
            let mut games = RoundGames::default();
            for (index, (shown, unpublished)) in steps.iter().enumerate() {
                for _ in 0..2 {
                    assert_eq!(games.follow(bound.as_ref(), *shown), *unpublished, "{name}: step {index}");
                }
            }
        }
    }

    #[test]
    fn a_higher_bound_publishes_the_game_on_the_board_and_a_lower_one_hides_none() {
        let (one, two) = (RoundBound { games: 1, start: None }, RoundBound { games: 2, start: None });
        let mut games = RoundGames::default();
        games.follow(Some(&one), over(game(1, 9, 0)));
        assert_eq!(games.follow(Some(&one), game(2, 3, 1)), AFTER);
        assert_eq!(games.follow(Some(&two), game(2, 3, 1)), None);
        assert_eq!(games.follow(Some(&one), game(2, 4, 1)), None, "what was published stays published");
        assert_eq!(games.follow(None, game(3, 4, 1)), None);
    }

    #[test]
    fn initial_positions() {
        for (fen, initial) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true),
            ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", false),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1", false),
            ("rnbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", false),
            ("", false),
        ] {
            assert_eq!(is_initial(fen), initial, "{fen}");
        }
    }
}
