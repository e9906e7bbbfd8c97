//! Estimates in several ways at once how near a position is to a mate. The estimates only guide the search.

use shakmaty::{Bitboard, Board, Chess, Color, Position, Square, attacks};

/// The number of estimates.
pub(super) const QUEUES: usize = 6;
/// The number of degrees of nearness. Every position that is farther away has the last degree.
pub(super) const BUCKETS: usize = 192;
/// The corners in which the loser's king may be mated.
const CORNERS: [Square; 4] = [Square::A1, Square::H1, Square::A8, Square::H8];

/// The missing part of a mate, by assumption.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    /// Men of the loser that block his king, with a corner as the first aim.
    Blockers,
    /// The same, but the king counts no more than the others, and a blocker counts by its distance alone.
    Together,
    /// A queen or rook, by promotion. Blockers are needed only for minor men.
    Material,
}

/// The place in each queue: one queue for each corner where the loser's king may be mated, one for mate anywhere, one for new
/// things.
pub(super) fn ranks(after: &Chess, side: Color, plan: Plan, old: usize) -> [usize; QUEUES] {
    let board = after.board();
    let (Some(winner), Some(loser)) = (board.king_of(side), board.king_of(!side)) else {
        return [BUCKETS - 1; QUEUES];
    };
    let men = board.by_color(side);
    let others = board.by_color(!side).without(loser);
    let heavy = (men & board.rooks_and_queens()).any();
    let own = to_promote(men & board.pawns(), side);
    let lack = match own {
        _ if heavy => others.count() / 2,
        Some(ranks) => 4 + 2 * ranks,
        None => 0,
    };
    let open = open_flights(after, side, loser).count();
    let blocked = match plan {
        Plan::Blockers | Plan::Together => !heavy,
        Plan::Material => !heavy && own.is_none(),
    };
    let weight = if plan == Plan::Together { 2 } else { 4 };
    let corner = |corner: Square| {
        let king = corner.distance(loser) as usize;
        let near = (corner.distance(winner) as usize).saturating_sub(2);
        let rest = if !blocked {
            2 * king + lack + open / 2
        } else if plan == Plan::Material {
            2 * king + 2 * open_flights(after, side, corner).count()
        } else if never_checked(board, side, corner) {
            weight * king + lack + open / 2
        } else {
            // The loser's own men must block his king.
            let blockers = others & !board.rooks_and_queens();
            let far = |flight: Square| match plan {
                Plan::Together => 1 + blockers.into_iter().map(|man| man.distance(flight) as usize).min().unwrap_or(6),
                _ => 1 + blocker(after, side, flight),
            };
            weight * king + open_flights(after, side, corner).into_iter().map(far).sum::<usize>()
        };
        rest + near + 3 * old
    };
    let anywhere = match plan {
        Plan::Blockers | Plan::Together => 3 * open + lack / 2 + 4 * old,
        Plan::Material if blocked => {
            let promote = to_promote(others & board.pawns(), !side).unwrap_or(0);
            2 * open + 2 * promote + 6 * old
        }
        Plan::Material => 2 * open + lack + 6 * old,
    };
    let [a, b, c, d] = CORNERS.map(corner);
    [a, b, c, d, anywhere, old * 60 + lack]
}

/// True if neither a knight nor a bishop of `side` can attack the corner.
fn never_checked(board: &Board, side: Color, corner: Square) -> bool {
    let colour = if Bitboard::LIGHT_SQUARES.contains(corner) { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
    (board.by_color(side) & (board.knights() | (board.bishops() & colour))).is_empty()
}

fn to_promote(pawns: Bitboard, color: Color) -> Option<usize> {
    pawns
        .into_iter()
        .map(|pawn| {
            let rank = usize::from(u8::from(pawn) / 8);
            if color.is_white() { 7 - rank } else { rank }
        })
        .min()
}

/// The approximate number of moves until a man of the loser could stand on the square and block his king.
fn blocker(after: &Chess, side: Color, flight: Square) -> usize {
    let board = after.board();
    let others = board.by_color(!side);
    let same = if Bitboard::LIGHT_SQUARES.contains(flight) { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
    let bishops = board.bishops() & same;
    // Rooks and queens block too, but most often they can then take a bishop that gives check, or step between.
    let heavy = others & board.rooks_and_queens();
    let mut best = if (heavy & board.rooks()).any() { 5 } else { 9 };
    if (board.by_color(side) & board.knights()).any() {
        for man in heavy {
            let dear = if board.queens().contains(man) { 3 } else { 1 };
            best = best.min((man.distance(flight) as usize).div_ceil(2) + dear);
        }
    }
    for man in others & (board.knights() | bishops) {
        best = best.min(man.distance(flight) as usize);
    }
    for pawn in others & board.pawns() {
        let ranks = to_promote(Bitboard::from_square(pawn), !side).unwrap_or(0);
        let left = to_promote(Bitboard::from_square(flight), !side).unwrap_or(0);
        let steps = if pawn.file() == flight.file() && left > 0 && ranks >= left {
            ranks - left
        } else {
            let last = pawn.distance(flight) as usize;
            ranks + 1 + last.saturating_sub(ranks) / 2
        };
        best = best.min(steps);
    }
    best
}

/// The squares to which the loser's king could go from here.
fn open_flights(after: &Chess, side: Color, here: Square) -> Bitboard {
    let board = after.board();
    let mut rest = board.occupied();
    if let Some(king) = board.king_of(!side) {
        rest.discard(king);
    }
    let own = board.by_color(!side) & !board.kings();
    (attacks::king_attacks(here) & !own).into_iter().filter(|square| board.attacks_to(*square, side, rest).is_empty()).collect()
}
