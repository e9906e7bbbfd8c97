//! Keeps one game of a board as its node published it, and joins its parts (`collect/README.md#1`).

use serde::{Deserialize, Serialize};

use crate::outputs::picture::{Body, Picture, PictureClock, PictureSegment};
use crate::outputs::{board_games, pgn};
use crate::system_clock::Utc;
use crate::wire::round_games::GameOnBoard;

/// One game of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Game {
    /// The node that published it.
    pub(crate) node: String,
    pub(super) boot: u64,
    /// Its number on the board, counted over all owners.
    pub(super) number: u32,
    /// When the first move was made, as far as it is known; microseconds since 1970.
    pub(crate) first_move: Option<i64>,
    /// The parts before those of the owner's states.
    pub(super) before: Vec<PictureSegment>,
    /// What changes with each state comes after its moves, so that the stored text stays the same up to there.
    pub(super) body: Body,
    pub(super) rev: u32,
    /// When the clock was read, microseconds since 1970.
    pub(crate) clock_read: Option<i64>,
    /// It was given to the public in the place of a node that is gone (`collect/README.md#5`).
    #[serde(default)]
    pub(crate) released: bool,
}

/// How a state stands to the last game that is kept.
pub(super) enum Standing {
    Same,
    Next,
    Doubtful,
    Old,
}

impl Game {
    /// How a state stands to this game.
    pub(super) fn standing(&self, picture: &Picture) -> Standing {
        if picture.node != self.node {
            return Standing::Next;
        }
        if picture.boot < self.boot {
            return Standing::Doubtful;
        }
        let restarted = picture.boot > self.boot;
        let (new, old) = (&picture.body, &self.body);
        if new.game_no > old.game_no {
            return Standing::Next;
        }
        if new.game_no < old.game_no {
            return if restarted { Standing::Doubtful } else { Standing::Old };
        }
        let has_fewer = new.plies() < old.plies();
        // The node has come back, and its own delay has not reached what was given to the public in its place.
        let lacks_result = new.result.is_none() && old.result.is_some() && new.plies() == old.plies();
        if self.released && (has_fewer || lacks_result) && is_beginning(new, old) {
            return Standing::Old;
        }
        match restarted {
            true if has_fewer && is_beginning(new, old) => Standing::Doubtful,
            false if picture.rev < self.rev || (picture.rev == self.rev && has_fewer) => Standing::Old,
            _ => Standing::Same,
        }
    }

    /// Whether it has no move.
    pub(super) fn is_empty(&self) -> bool {
        self.before.iter().all(|part| part.moves.is_empty()) && self.body.plies() == 0
    }

    /// The times in its last state.
    pub(crate) fn clock(&self) -> &PictureClock {
        &self.body.clock
    }

    /// What the rules for the games of a round need to know of it.
    pub(super) fn on_board(&self, chess960: bool) -> GameOnBoard {
        board_games::on_board(self.number, &self.whole(chess960), self.first_move.map(Utc), chess960)
    }

    /// The whole game: all its parts. A part without moves is none, such as the position that stood there before the game was joined in
    /// progress.
    pub(crate) fn whole(&self, chess960: bool) -> Body {
        if self.before.is_empty() {
            return self.body.clone();
        }
        let mut joined = self.before.clone();
        for part in parts(self.body.clone()) {
            match joined.last_mut() {
                Some(last) if is_same_position(pgn::end_position(last, chess960).as_deref(), &part.initial_fen) => {
                    last.moves.extend(part.moves);
                }
                Some(last) if last.moves.is_empty() => *last = part,
                _ => joined.push(part),
            }
        }
        let mut body = self.body.clone();
        if let Some(PictureSegment { initial_fen, moves }) = joined.pop() {
            (body.initial_fen, body.moves) = (initial_fen, moves);
        }
        body.segments = joined;
        body
    }
}

/// All parts of a game.
pub(super) fn parts(body: Body) -> Vec<PictureSegment> {
    let Body { initial_fen, moves, segments, .. } = body;
    segments.into_iter().chain([PictureSegment { initial_fen, moves }]).collect()
}

/// Whether all that a state has is the beginning of another one, whatever its times.
fn is_beginning(new: &Body, old: &Body) -> bool {
    let moves = |body: &Body| -> Vec<(String, String)> {
        let earlier =
            body.segments.iter().flat_map(|part| part.moves.iter().map(|mv| (part.initial_fen.clone(), mv.san.clone())));
        earlier.chain(body.moves.iter().map(|mv| (body.initial_fen.clone(), mv.san.clone()))).collect()
    };
    moves(old).starts_with(&moves(new))
}

/// Whether two positions have the same men and the same player to move.
fn is_same_position(one: Option<&str>, other: &str) -> bool {
    let start = |fen: &str| fen.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
    one.is_some_and(|one| start(one) == start(other))
}

/// When the first move of the game was made, if a synchronised clock tells it; microseconds since 1970. A node of an older version does
/// not say it: then it is the time of the first state that has a move. `known` is what earlier states told.
pub(super) fn first_move(picture: &Picture, known: Option<i64>) -> Option<i64> {
    if picture.body.plies() == 0 {
        return None;
    }
    let told = picture.body.began.as_deref().and_then(Utc::parse);
    let of_state = || Utc::parse(&picture.t.utc).filter(|_| picture.t.sync.is_synchronised());
    told.map(|utc| utc.0).or(known).or_else(|| of_state().map(|utc| utc.0))
}

/// When the clock was read, for people.
pub(super) fn clock_read(picture: &Picture) -> Option<i64> {
    picture.t.utc_of(picture.body.clock.read_us)
}
