//! How many legal games fit everything that a board without identities can show of one: known from the hands alone, with perfect
//! sensors, and with no decoder.

use std::collections::BTreeMap;

use flagfall::emulate::truth::{Ply, Truth};
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Bitboard, CastlingSide, Chess, EnPassantMode, Move, Position, Square};

/// Positions that are followed at once; beyond it the game counts as one that many fit.
const MOST: usize = 4096;

/// What such a board shows of a move.
#[derive(PartialEq, Eq)]
struct Shown {
    emptied: Bitboard,
    filled: Bitboard,
    /// Something stands on the square of the move before and after it.
    captures: bool,
}

/// The games that lead to one position.
struct Way {
    position: Chess,
    /// So many.
    games: u64,
    /// Where one of them differs from what was played, if one does: ply from 1, UCI.
    differs: Option<Vec<(usize, String)>>,
}

/// The legal games that fit.
pub(super) struct Fits {
    /// So many, the one that was played among them.
    pub(super) games: u64,
    /// The plies at which another one differs, and what it has there.
    pub(super) differs: Vec<(usize, String)>,
}

/// Plays all games that show the same. A captured man that was lifted was touched, and nothing else is known of it; a pawn
/// becomes what it became.
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

/// The board shows the same of both moves.
fn alike(known: &Ply, played: Move, other: Move) -> bool {
    if played == other {
        return true;
    }
    let told = |name| known.odd.contains(&name);
    // A man that slid was seen on its way.
    let slid = told("slide");
    let touched = told("victim_first") || told("victim_last") || slid;
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
