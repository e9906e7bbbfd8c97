//! Decides which games of a board are games of the round (`wire/README.md#7.1`).
//!
//! Men are moved before the round, and after it there is analysis and blitz on the same board. A bound of the configuration or
//! of the pairing keeps such games from the live audience and from the public. [`RoundGames`] reads no clock: the times of the
//! games are given to it, so a node and a collector come to the same answer.
//!
//! The round's game is over when it has a result. The initial position alone does not show it: the men may be set up again because the
//! round's game begins anew. The game that follows is not published then, and an arbiter is asked.

use serde::Serialize;

use crate::system_clock::Utc;

/// A game of the round may begin so many microseconds before the round.
const EARLY: i64 = 5 * 60 * 1_000_000;
/// After so many made moves a game is not begun anew by itself: it is over when the initial position is set up again.
const BEGUN: u32 = 2;

/// The bound on the games of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundBound {
    /// The number of games; 0 = the round has pairings and this board has none, so no game on it is the round's.
    pub games: u32,
    /// The time at which the round begins, if it is known.
    pub start: Option<Utc>,
}

impl RoundBound {
    /// Whether the round has pairings and this board has none.
    pub const fn is_unpaired(&self) -> bool {
        self.games == 0
    }
}

/// What the station knows of the game that the live audience and the public see, beside the game itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InRound {
    /// When its first move was made, if a synchronised clock has told it.
    pub began: Option<Utc>,
    /// Which game of the round it is, from 1; none without a bound, and as long as nobody knows whether it is one.
    pub round_game: Option<u32>,
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
    /// When the newest of them was made, in the same way.
    pub latest_move: Option<Utc>,
    /// Which game of the round it is, from 1, if the node that published it has said so.
    pub round_game: Option<u32>,
    /// It has a result, or mate, stalemate or kings in the centre stand on the board.
    pub over: bool,
    /// It has a result, or its players have shown one.
    pub settled: bool,
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
    /// How the next game stands to this one. What a node says of both comes first.
    pub fn relation_to(&self, next: &GameOnBoard) -> Relation {
        let set_up_again = next.initial_position && !next.by_command && self.made_moves >= BEGUN;
        let is_another = self.round_game.zip(next.round_game).map(|(own, other)| own != other);
        match (is_another.unwrap_or(self.over || set_up_again), next.initial_position) {
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
    /// The round has pairings, and this board has none.
    NoPairing,
}

/// How the game on a board belongs to the round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Standing {
    /// It has no move, or nobody knows when its first move was made.
    #[default]
    Open,
    OfTheRound,
    BeforeTheRound,
    /// An arbiter has said that it is private; it was not published for this reason.
    Private(Unpublished),
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
    /// The last game that `played` counts has no result.
    unsettled: bool,
    /// Whether an arbiter must say whether the game on the board is the round's.
    asks: bool,
}

impl RoundGames {
    /// Notes what the board shows now. Returns why the game on it is not published; none if it is, as every game is without a
    /// bound.
    ///
    /// If the time of a first move is needed and not known, the game is published and not counted: a round's game must not be
    /// missing because the clock of a machine is not synchronised.
    pub fn follow(&mut self, bound: Option<&RoundBound>, game: GameOnBoard) -> Option<Unpublished> {
        let unpaired = bound.is_some_and(RoundBound::is_unpaired);
        if game.number != self.game.number {
            self.begin(&game, unpaired);
        } else if game.made_moves == 0 && self.game.made_moves > 0 && !game.by_command && !self.is_private() {
            // All moves were taken back: the next one is the first.
            self.standing = Standing::Open;
        }
        self.game = game;
        let has_room = bound.is_none_or(|bound| self.played < bound.games.max(self.allowed));
        let opens = bound.and_then(|bound| bound.start).map(|start| start.after_micros(-EARLY));
        let is_judged = matches!(self.standing, Standing::Open | Standing::BeforeTheRound) && game.made_moves > 0;
        if is_judged && !unpaired {
            // A node that counts it as a game of the round knows what an arbiter has said of it.
            self.standing = match (opens, game.first_move) {
                (Some(opens), Some(first)) if first < opens && game.round_game.is_none() => Standing::BeforeTheRound,
                (Some(_), None) => Standing::Open,
                _ if has_room => Standing::OfTheRound,
                _ => Standing::Open,
            };
        }
        // A game that was begun too early and goes on in the round may be the round's: the start may be wrong.
        let is_late = || opens.zip(game.latest_move).is_some_and(|(opens, latest)| latest >= opens);
        let (unpublished, asks) = match self.standing {
            _ if unpaired => (Some(Unpublished::NoPairing), false),
            Standing::OfTheRound => (None, false),
            Standing::BeforeTheRound => (Some(Unpublished::BeforeTheRound), is_late()),
            Standing::Private(why) => (Some(why), false),
            Standing::Open if has_room => (None, false),
            Standing::Open => (Some(Unpublished::AfterTheRound), self.unsettled),
        };
        self.asks = asks;
        unpublished
    }

    /// Whether an arbiter must say whether the game on the board is the round's: it is not published, and the round's game has no
    /// result.
    pub fn asks(&self) -> bool {
        self.asks
    }

    /// Which game of the round is on the board, from 1; none if it is not known to be one.
    pub fn round_game(&self) -> Option<u32> {
        (self.standing == Standing::OfTheRound).then(|| self.played + 1)
    }

    /// An arbiter has said of a game that is not published whether it is the round's, or private. If the round's game before it has no
    /// result, it takes its place (7.2, 7.3); otherwise it is one more. If it is private, nobody is asked about it any more.
    pub fn decide(&mut self, of_the_round: bool, unpublished: Unpublished) {
        if !of_the_round {
            self.standing = Standing::Private(unpublished);
        } else {
            if self.unsettled {
                self.played = self.played.saturating_sub(1);
            } else {
                self.allowed = self.allowed.max(self.played + 1);
            }
            self.standing = Standing::OfTheRound;
            self.unsettled = false;
        }
    }

    /// The round's game before the one on the board got its result, or lost it.
    pub fn note_result(&mut self, has_result: bool) {
        self.unsettled = !has_result && self.played > 0;
    }

    fn is_private(&self) -> bool {
        matches!(self.standing, Standing::Private(_))
    }

    /// Begins another game.
    fn begin(&mut self, next: &GameOnBoard, unpaired: bool) {
        let was_of_the_round = self.standing == Standing::OfTheRound;
        let relation = self.game.relation_to(next);
        if was_of_the_round && relation == Relation::Another {
            self.played += 1;
            self.unsettled = !self.game.settled;
        }
        let goes_on = was_of_the_round && relation == Relation::GoesOn;
        let by_command = next.by_command && !unpaired;
        self.standing = if by_command || goes_on { Standing::OfTheRound } else { Standing::Open };
        if by_command {
            self.allowed = self.allowed.max(self.played + 1);
            self.unsettled = false;
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
mod tests;
