//! The number of legal games that fit all reports of a board that does not identify men, computed from the hands alone, with perfect
//! sensors and without a decoder.

use std::collections::BTreeMap;

use flagfall::emulate::truth::{Ply, Truth};
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Bitboard, CastlingSide, Chess, EnPassantMode, Move, Position, Square};

/// The highest number of positions at once; beyond it the game counts as one with many fitting games.
const MOST: usize = 4096;

/// The reports of a move on such a board.
#[derive(PartialEq, Eq)]
struct Shown {
    emptied: Bitboard,
    filled: Bitboard,
    /// Whether the target square is occupied before and after the move.
    captures: bool,
}

/// The games that lead to one position.
struct Way {
    position: Chess,
    /// The number of games.
    games: u64,
    /// The differences of one other game, if there is one: ply from 1, UCI.
    differs: Option<Vec<(usize, String)>>,
}

/// The legal games that fit.
pub(super) struct Fits {
    /// The number of games; the played game is one of them.
    pub(super) games: u64,
    /// The plies at which another game differs, with its moves.
    pub(super) differs: Vec<(usize, String)>,
}

/// Plays all games with the same reports. Of a captured man that was lifted only the touch is known; the piece of a promotion is known.
pub(super) fn fits(truth: &Truth) -> Option<Fits> {
    let mut played = Chess::default();
    let mut ways = vec![Way { position: played.clone(), games: 1, differs: None }];
    for (ply, known) in (1..).zip(&truth.plies) {
        let mv = known.uci.parse::<UciMove>().ok()?.to_move(&played).ok()?;
        let mut next: BTreeMap<u64, Way> = BTreeMap::new();
        for way in &ways {
            for other in way.position.legal_moves().into_iter().filter(|&other| alike(known, mv, other)) {
                let mut position = way.position.clone();
                position.play_unchecked(other);
                let mut differs = way.differs.clone();
                if way.position != played || other != mv {
                    let uci = UciMove::from_standard(other).to_string();
                    let changed = if uci == known.uci { None } else { Some((ply, uci)) };
                    differs.get_or_insert_default().extend(changed);
                }
                let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Legal);
                let to = next.entry(key).or_insert(Way { position, games: 0, differs: None });
                to.games = to.games.saturating_add(way.games);
                to.differs = to.differs.take().or(differs);
            }
        }
        ways = next.into_values().collect();
        if ways.len() > MOST {
            return None;
        }
        played.play_unchecked(mv);
    }
    let games = ways.iter().fold(0_u64, |sum, way| sum.saturating_add(way.games));
    Some(Fits { games, differs: ways.into_iter().find_map(|way| way.differs).unwrap_or_default() })
}

/// Whether the board reports both moves in the same way.
fn alike(known: &Ply, played: Move, other: Move) -> bool {
    if played == other {
        return true;
    }
    let known_as = |name| known.odd.contains(&name);
    // The board sees a sliding man on its way.
    let slid = known_as("slide");
    let touched = known_as("victim_first") || known_as("victim_last") || slid;
    shown(played) == shown(other) && played.promotion() == other.promotion() && (!touched || played.to() == other.to())
}

fn shown(mv: Move) -> Shown {
    let squares = |squares: &[Square]| squares.iter().fold(Bitboard::EMPTY, |all, &square| all.with(square));
    match mv {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            let color = shakmaty::Color::from_white(king.rank() == shakmaty::Rank::First);
            let (before, after) = (squares(&[king, rook]), squares(&[side.king_to(color), side.rook_to(color)]));
            Shown { emptied: before & !after, filled: after & !before, captures: false }
        }
        Move::EnPassant { from, to } => {
            let taken = Square::from_coords(to.file(), from.rank());
            Shown { emptied: squares(&[from, taken]), filled: squares(&[to]), captures: false }
        }
        Move::Normal { from, to, capture, .. } => Shown {
            emptied: squares(&[from]),
            filled: if capture.is_some() { Bitboard::EMPTY } else { squares(&[to]) },
            captures: capture.is_some(),
        },
        Move::Put { to, .. } => Shown { emptied: Bitboard::EMPTY, filled: squares(&[to]), captures: false },
    }
}
