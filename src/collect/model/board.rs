//! Decides which states of a board are believed, and keeps the games of the round on it (`collect/README.md#1`).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::game::{Game, Standing, clock_read, first_move, parts};
use crate::outputs::picture::{MAX_PLIES, MAX_SEGMENTS, Picture, PictureSegment};
use crate::outputs::{board_games, pgn};
use crate::system_clock::{MonotonicTime, Utc};
use crate::wire::round_games::{GameOnBoard, Relation, RoundBound, RoundGames, Unpublished};

/// A state that takes back what was there is believed after this time: a node that has just started may still read its journal.
const DOUBT: Duration = Duration::from_secs(60);
/// The largest number of games of a round on one board.
const MAX_GAMES: usize = 64;

/// The games of a round on one board.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Board {
    /// The number of the board, for people.
    pub(crate) number: u32,
    /// The games, in the order in which they were played.
    pub(crate) games: Vec<Game>,
    /// The number of resets by the organiser that were carried out; none before the pairing was read.
    pub(crate) resets: Option<u32>,
    /// Added to the numbers of the present owner's games, so that numbers grow when the owner changes.
    offset: u32,
    #[serde(skip)]
    follow: RoundGames,
    #[serde(skip)]
    doubted: Option<(Picture, MonotonicTime)>,
    /// The newest state of another node than the owner.
    #[serde(skip)]
    pub(crate) rival: Option<Picture>,
    #[serde(skip)]
    pub(crate) wrong: Option<Wrong>,
    /// A person asked to take the next state as it is.
    #[serde(skip)]
    take_any: bool,
    /// Since when this program has held the last game as it is; none if no state came since its start.
    #[serde(skip)]
    pub(crate) held_since: Option<MonotonicTime>,
}

/// What is wrong with the states of a board, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// A state has a move that cannot be played.
    BadState,
    /// The game on the board is not one of the round.
    Other(Unpublished),
    /// The game on the board is not the one that a person chose.
    NotChosen,
}

/// What became of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The games have changed.
    Changed,
    /// It says nothing new.
    Same,
    /// It is older than what is there, or cannot be believed, or not yet.
    Refused,
}

/// What the pairing of a board says about its games.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bound {
    /// How many games belong to the round, and when it begins; none = all games.
    pub(crate) games: Option<RoundBound>,
    /// The number of the game that a person chose.
    pub(crate) chosen: Option<u32>,
    /// Whether the games are Chess960.
    pub(crate) chess960: bool,
}

impl Board {
    /// A board with this number, without a game. `resets` are those of its pairing, which count as done.
    pub(crate) fn new(number: u32, resets: Option<u32>) -> Board {
        Board { number, resets, ..Board::default() }
    }

    /// The node whose states are believed.
    pub(crate) fn owner(&self) -> Option<&str> {
        self.games.last().map(|game| game.node.as_str())
    }

    /// Lets the rules for the games of a round know the games that come from the disk.
    pub(crate) fn restored(&mut self, chess960: bool) {
        let shown: Vec<GameOnBoard> = self.games.iter().map(|game| game.on_board(chess960)).collect();
        for game in shown {
            self.follow.follow(None, game);
        }
    }

    /// The board has a pairing from now on: of the games on it only the present one may be the round's.
    pub(crate) fn begin_round(&mut self, chess960: bool) {
        self.games.drain(..self.games.len().saturating_sub(1));
        self.follow = RoundGames::default();
        self.restored(chess960);
    }

    /// The next state is taken as it is, because a person asked for it.
    pub(crate) fn reset(&mut self) {
        self.take_any = true;
        if let Some((_, since)) = &mut self.doubted {
            *since = MonotonicTime(0);
        }
    }

    /// Takes a state with all its moves, of the owner or of a new owner.
    pub(crate) fn take(&mut self, picture: Picture, bound: &Bound, now: MonotonicTime) -> Taken {
        let taken = self.judge(picture, bound, now);
        self.note_held(taken, now);
        taken
    }

    /// Any change begins the time anew in which a game is held.
    fn note_held(&mut self, taken: Taken, now: MonotonicTime) {
        match taken {
            Taken::Changed => self.held_since = Some(now),
            Taken::Same => self.held_since = self.held_since.or(Some(now)),
            Taken::Refused => {}
        }
    }

    fn judge(&mut self, picture: Picture, bound: &Bound, now: MonotonicTime) -> Taken {
        let standing = match self.games.last() {
            None => Standing::Next,
            Some(last) if std::mem::take(&mut self.take_any) => {
                let is_same = last.node == picture.node && last.body.game_no == picture.body.game_no;
                if is_same { Standing::Same } else { Standing::Next }
            }
            Some(last) => last.standing(&picture),
        };
        match standing {
            Standing::Old => Taken::Refused,
            Standing::Doubtful => {
                let since = self.doubted.take().map_or(now, |(_, since)| since);
                self.doubted = Some((picture, since));
                self.settle_doubt(bound, now)
            }
            Standing::Same => self.update(picture, bound),
            Standing::Next => self.begin(picture, bound),
        }
    }

    /// Believes a doubted state when its time has come.
    pub(crate) fn settle(&mut self, bound: &Bound, now: MonotonicTime) -> Taken {
        let taken = self.settle_doubt(bound, now);
        self.note_held(taken, now);
        taken
    }

    fn settle_doubt(&mut self, bound: &Bound, now: MonotonicTime) -> Taken {
        let Some((picture, _)) = self.doubted.take_if(|(_, since)| since.0 == 0 || now.since(*since) >= DOUBT) else {
            return Taken::Refused;
        };
        let is_same =
            self.games.last().is_some_and(|last| last.boot <= picture.boot && last.body.game_no == picture.body.game_no);
        if is_same { self.update(picture, bound) } else { self.begin(picture, bound) }
    }

    /// When a doubted state will be believed.
    pub(crate) fn deadline(&self) -> Option<MonotonicTime> {
        self.doubted.as_ref().map(|(_, since)| since.after(DOUBT))
    }

    /// Whether the last game is over.
    pub(crate) fn is_over(&self, chess960: bool) -> bool {
        self.games.last().is_some_and(|last| last.on_board(chess960).over)
    }

    /// Whether the live audience has more of the same games than the public.
    pub(crate) fn goes_beyond(&self, public: Option<&Board>) -> bool {
        let Some(live) = self.games.last() else { return false };
        let Some(shown) = public.and_then(|public| public.games.last()) else { return true };
        let is_later = (live.number, live.body.plies()) > (shown.number, shown.body.plies());
        let has_result =
            live.number == shown.number && live.body.plies() == shown.body.plies() && live.body.result != shown.body.result;
        live.node == shown.node && (is_later || has_result)
    }

    /// Takes the games of the live audience in the place of a node that is gone.
    pub(crate) fn release(&mut self, games: Vec<Game>, chess960: bool) {
        // The numbers of the changes for the public go on from where they were.
        let known = self.games.last().map(|last| (last.number, last.rev));
        self.games = games;
        if let Some(last) = self.games.last_mut() {
            last.rev = known.filter(|(number, _)| *number == last.number).map_or(0, |(_, rev)| rev);
            last.released = true;
        }
        self.follow = RoundGames::default();
        self.restored(chess960);
        self.doubted = None;
    }

    /// Another state of the last game.
    fn update(&mut self, picture: Picture, bound: &Bound) -> Taken {
        let Some(last) = self.games.last_mut() else { return Taken::Refused };
        let (before, number) = (last.clone(), last.number);
        let body = picture.body.clone();
        if !pgn::legal_plies(&body, bound.chess960).1 {
            return self.refuse(Wrong::BadState);
        }
        let first_move = first_move(&picture, last.first_move);
        let game = Game {
            node: picture.node.clone(),
            boot: picture.boot,
            rev: picture.rev,
            number,
            first_move,
            clock_read: clock_read(&picture),
            before: std::mem::take(&mut last.before),
            body,
            released: false,
        };
        *last = game;
        self.doubted = None;
        self.wrong = None;
        let shown = last.on_board(bound.chess960);
        let changed = *last != before;
        if let Some(why) = self.follow.follow(bound.games.as_ref(), shown).filter(|_| bound.chosen.is_none()) {
            // Its first move came too early.
            self.games.pop();
            self.wrong = Some(Wrong::Other(why));
            return Taken::Changed;
        }
        if changed { Taken::Changed } else { Taken::Same }
    }

    /// A game that is another one than the last, or the first one, or one of another owner.
    fn begin(&mut self, picture: Picture, bound: &Bound) -> Taken {
        let same_series = self.games.last().is_some_and(|last| last.node == picture.node && last.boot <= picture.boot);
        if !same_series && let Some(last) = self.games.last() {
            self.offset = last.number;
        }
        let number = self.offset.saturating_add(picture.body.game_no);
        let body = picture.body.clone();
        // A node that repeats a broken state shows as much of it as can be played.
        let is_whole = pgn::legal_plies(&body, bound.chess960).1;
        if !is_whole && !self.games.is_empty() {
            return self.refuse(Wrong::BadState);
        }
        if bound.chosen.is_some_and(|chosen| chosen != picture.body.game_no) {
            return self.refuse(Wrong::NotChosen);
        }
        let mut first_move = first_move(&picture, None);
        let shown = board_games::on_board(number, &body, first_move.map(Utc), bound.chess960);
        let relation = self.games.last().map(|last| last.on_board(bound.chess960).relation_to(&shown));
        let unpublished = self.follow.follow(bound.games.as_ref(), shown);
        if let Some(why) = unpublished.filter(|_| bound.chosen.is_none()) {
            return self.refuse(Wrong::Other(why));
        }
        if relation == Some(Relation::Another) && shown.made_moves == 0 {
            // The men were set up again. Until a move is made, nobody knows whether a game follows.
            return Taken::Same;
        }
        let mut before = Vec::new();
        if relation == Some(Relation::GoesOn)
            && let Some(last) = self.games.pop()
        {
            first_move = last.first_move.or(first_move);
            before = parts(last.whole(bound.chess960));
            // A game without an end would grow with each of its parts.
            let fits = |parts: &[PictureSegment]| {
                parts.len() <= MAX_SEGMENTS && parts.iter().map(|part| part.moves.len()).sum::<usize>() <= MAX_PLIES
            };
            let first = (0..before.len()).find(|first| fits(&before[*first..])).unwrap_or(before.len());
            before.drain(..first);
        } else if relation == Some(Relation::BegunAnew) || bound.chosen.is_some() {
            self.games.pop();
        }
        if self.games.len() >= MAX_GAMES {
            self.games.remove(0);
        }
        self.doubted = None;
        self.wrong = (!is_whole).then_some(Wrong::BadState);
        let (clock_read, Picture { node, boot, rev, .. }) = (clock_read(&picture), picture);
        self.games.push(Game { node, boot, rev, number, first_move, clock_read, before, body, released: false });
        Taken::Changed
    }

    fn refuse(&mut self, wrong: Wrong) -> Taken {
        // What is wrong is shown with the outputs, so a change of it counts.
        let changed = self.wrong.as_ref() != Some(&wrong);
        self.wrong = Some(wrong);
        if changed { Taken::Changed } else { Taken::Refused }
    }
}

#[cfg(test)]
mod tests;
