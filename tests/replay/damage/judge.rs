//! Compares the sure moves of a game with the moves that were played, while the game goes on.

use std::time::Duration;

use flagfall_game::alarm::AlarmKind;
use flagfall_game::game::Game;
use flagfall_protocols::square::{Reading, Square};
use flagfall_protocols::time::Instant;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

/// A wrong move must be named by an open alarm, or be taken back, within this time.
const NAMED_WITHIN: Duration = Duration::from_secs(15);

/// What has become of a whole game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Every move is sure at the end, and no wrong one was ever told.
    Exact,
    /// Moves are missing, or a wrong one was told, and an alarm was open or the move was taken back.
    Named,
    /// No move is wrong, but at the end some are missing, and no alarm is open.
    Short,
    /// A wrong move was told without a word.
    Silent,
}

/// A sure move that was not played at its place.
#[derive(Debug)]
struct Wrong {
    index: usize,
    uci: String,
    told: Instant,
    /// An alarm was open in time, or the move was taken back in time.
    named: bool,
}

/// Follows one game.
pub(crate) struct Judge {
    truth: Vec<String>,
    told: Vec<String>,
    wrong: Vec<Wrong>,
    /// An alarm is open.
    alarmed: bool,
    /// No question to the board is answered, and messages of it are missing or have inverted bits.
    unanswered: bool,
    /// The moves that stand on the board and are not sure.
    pending: Vec<String>,
    rev: u32,
    now: Instant,
}

impl Judge {
    pub(crate) fn new(truth: Vec<String>) -> Judge {
        Judge {
            truth,
            told: Vec::new(),
            wrong: Vec::new(),
            alarmed: false,
            unanswered: false,
            pending: Vec::new(),
            rev: 0,
            now: Instant::ZERO,
        }
    }

    /// Messages are missing or have inverted bits, and the board answers no question: nobody can know that the board differs from what
    /// its messages show.
    pub(crate) fn of_unanswered(self) -> Judge {
        Judge { unanswered: true, ..self }
    }

    /// Looks at the game at this time.
    pub(crate) fn look(&mut self, at: Instant, game: &Game) {
        self.now = at;
        let before = self.wrong.iter().filter(|wrong| !wrong.named && at <= wrong.told.after(NAMED_WITHIN)).count();
        let moves = game.moves();
        let rev = game.rev();
        let same = std::mem::replace(&mut self.rev, rev) == rev && before == 0;
        self.alarmed = game.alarms().iter().any(|alarm| alarm.closed.is_none() && is_about_moves(alarm.kind));
        self.pending = game.pending().map(|mv| mv.uci.to_string()).collect();
        if same {
            return;
        }
        self.told = self.truth[..self.plies_before(game)].to_vec();
        self.told.extend(moves.map(|mv| mv.uci.to_string()));
        let first = self.told.iter().zip(&self.truth).take_while(|(told, played)| told == played).count();
        for (index, uci) in self.told.iter().enumerate().skip(first) {
            let known = self.wrong.iter().any(|wrong| wrong.index == index && wrong.uci == *uci);
            let played = self.truth.get(index);
            let named = self.unanswered && index == first && (shows_exactly(game) || line_shows(game, uci, played));
            if !known && self.truth.get(index) != Some(uci) {
                self.wrong.push(Wrong { index, uci: uci.clone(), told: at, named });
            }
        }
        for wrong in &mut self.wrong {
            let stands = self.told.get(wrong.index) == Some(&wrong.uci);
            wrong.named |= at <= wrong.told.after(NAMED_WITHIN) && (self.alarmed || !stands);
        }
    }

    /// The number of plies that were played before a game was joined, as the note of this join says. The moves before it are missing and
    /// not wrong.
    fn plies_before(&self, game: &Game) -> usize {
        let joined = game.alarms().iter().any(|alarm| alarm.kind == AlarmKind::JoinedInProgress);
        let start = game.start();
        if !joined || *start == Chess::default() {
            return 0;
        }
        let mut position = Chess::default();
        let is_start = |position: &Chess| position.board() == start.board() && position.turn() == start.turn();
        let reached = self.truth.iter().position(|uci| {
            let here = is_start(&position);
            let mv = uci.parse::<UciMove>().expect("UCI").to_move(&position).expect("a move that was played");
            position.play_unchecked(mv);
            here
        });
        reached.unwrap_or(0)
    }

    pub(crate) fn verdict(&self) -> Verdict {
        let unnamed = |wrong: &Wrong| !wrong.named && self.now >= wrong.told.after(NAMED_WITHIN);
        match () {
            () if self.wrong.iter().any(unnamed) => Verdict::Silent,
            () if self.wrong.is_empty() && self.told == self.truth => Verdict::Exact,
            () if !self.alarmed && self.told.len() + self.pending.len() < self.truth.len() => Verdict::Short,
            () => Verdict::Named,
        }
    }

    #[track_caller]
    pub(crate) fn assert_nothing_silent(&self, what: &str) {
        let first = self.wrong.iter().find(|wrong| !wrong.named);
        let around = |moves: &[String], index: usize| {
            moves[index.saturating_sub(2).min(moves.len())..moves.len().min(index + 4)].join(" ")
        };
        assert!(
            self.verdict() != Verdict::Silent,
            "{what}: {first:?}; played {:?}, told {:?}",
            first.map(|wrong| around(&self.truth, wrong.index)),
            first.map(|wrong| around(&self.told, wrong.index)),
        );
    }
}

/// True if the messages show the man of the last sure move, which is this wrong one, on its new square, and not on the square of the move
/// that was `played`.
fn line_shows(game: &Game, wrong: &str, played: Option<&String>) -> bool {
    let square = |uci: &str| Square::parse(&uci[2..4]).expect("a square");
    let Some(played) = played.filter(|_| game.moves().last().is_some_and(|last| last.uci.to_string() == wrong)) else {
        return false;
    };
    let there = game.placement().get(square(wrong));
    let from = game.placement().get(Square::parse(&wrong[..2]).expect("a square"));
    there != Reading::Empty
        && from == Reading::Empty
        && game.placement().get(square(played)) != there
        && wrong[..2] == played[..2]
}

/// True if the messages show the position after the last sure move, on every square.
fn shows_exactly(game: &Game) -> bool {
    game.placement().to_string() == game.sure_position().board().to_string()
}

/// True if this alarm says that the moves or the board should be looked at.
fn is_about_moves(kind: AlarmKind) -> bool {
    use AlarmKind::*;
    matches!(
        kind,
        IllegalMove
            | PromotionNotReplaced
            | PressedWithoutMove
            | PiecesDisplaced
            | BoardLost
            | WrongSetUp
            | MovedByWrongSide
            | PositionDiffers
            | KingMissing
            | TooManyMen
            | UnreadableSquare
            | Ambiguous
            | Unreachable
            | LinkGap
            | PromotionUnconfirmed
            | JoinedInProgress
            | ResultMissing
            | UnpublishedGame
            | PositionToRestore
            | Reopened
    )
}
