//! Writes the sentences that explain an answer of the mate solver.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shakmaty::{Bitboard, Chess, Color, Position, Rank, Role};

use super::super::check::{push, stalemate};
use super::super::reason::{Closure, ForcedEnd, Reach, Reason, Wall};
use super::forced;
use crate::men;

/// The largest number of squares that are named one by one. More are named by their ranks.
const MOST_SQUARES: usize = 12;
/// The largest number of men named in a sentence.
const MOST_MEN: usize = 6;

fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

pub(super) fn winnable(side: Color, plies: usize, shortest: bool) -> String {
    match plies {
        0 => format!("{} has checkmated.", name(side)),
        1 => format!("{} can checkmate with the next move.", name(side)),
        _ => {
            let short = if shortest { "; no series is shorter" } else { "; a shorter one may exist" };
            format!("{} can still checkmate: a series of {plies} legal moves of both sides leads to it{short}.", name(side))
        }
    }
}

pub(super) fn unwinnable(last: &Chess, side: Color, reason: &Reason, san: &str) -> String {
    let who = name(side);
    match reason {
        Reason::Mated => format!("{who} has been checkmated."),
        Reason::Stalemate => format!("{} is stalemated: the game has ended.", name(last.turn())),
        Reason::BareKing => format!("{who} has only the king."),
        Reason::Material => material(last, side),
        Reason::Forced { end, .. } => {
            let end = match end {
                ForcedEnd::Mated => format!("{who} is checkmated"),
                ForcedEnd::Stalemate => format!("{} is stalemated", name(last.turn())),
                ForcedEnd::Material => format!("{who} has nothing left to mate with"),
                ForcedEnd::Circle => "the same position comes back for ever".to_string(),
            };
            format!("Every move is forced: {san}, and {end}.")
        }
        Reason::Wall(wall) => walls(wall, side),
        Reason::Exhausted(closure) => match forced::end(last, side, closure) {
            Some(end) => by_force(closure, side, end),
            None => exhausted(closure, side),
        },
    }
}

fn material(position: &Chess, side: Color) -> String {
    let board = position.board();
    let own = board.by_color(side) & !board.kings();
    let bare = board.by_color(!side).count() == 1;
    if own.is_subset(board.knights()) {
        let king = if bare { "a bare king" } else { "a king that has only queens beside it" };
        return format!("A knight alone cannot mate {king}.");
    }
    let who = if own.count() == 1 { "A bishop alone" } else { "Bishops on squares of one colour" };
    let king =
        if bare { "a bare king" } else { "a king that has only queens, rooks and bishops on squares of that colour beside it" };
    format!("{who} cannot mate {king}.")
}

fn walls(wall: &Wall, side: Color) -> String {
    let steady = wall.steady.occupied();
    let pawns = steady.is_subset(wall.steady.pawns());
    let mut text = format!("Locked {}: ", if pawns { "pawns" } else { "men" });
    let mut told = Vec::new();
    if steady.any() {
        let stay = if pawns { "pawns" } else { "men" };
        told.push(format!("the {stay} on {} can never move or be taken", squares(steady)));
    }
    // The kings come first, because the question is decided between them.
    let kings = wall.reaches.iter().filter(|reach| reach.role == Role::King);
    let men = wall.reaches.iter().filter(|reach| reach.role != Role::King && reach.color == side);
    let regions = kings.chain(men).filter(|reach| steady.is_empty() || !on_all_ranks(reach.squares));
    told.extend(regions.take(MOST_MEN).map(confined));
    text.push_str(&told.join(", "));
    if stalemate::may_end_the_game(wall) {
        text.push_str(", except by a king's step that stalemates the opponent");
    }
    if push::may_end_the_game(wall, side) {
        text.push_str(&format!(", except by a pawn's push that mates {}", name(side)));
    }
    text.push_str(&format!("; so no mate by {} can arise.", name(side)));
    text
}

fn confined(reach: &Reach) -> String {
    let (many, leave) = if reach.count == 1 { ("", "leaves") } else { ("s", "leave") };
    format!("the {}{many} never {leave} {}", men::of_piece(reach.role.of(reach.color)), region(reach.squares))
}

/// True if the region would be named "ranks 1 to 8", which says nothing.
fn on_all_ranks(set: Bitboard) -> bool {
    set.count() > MOST_SQUARES && Rank::ALL.into_iter().all(|rank| (set & Bitboard::from_rank(rank)).any())
}

/// A few squares are given by name, many by their ranks.
fn region(set: Bitboard) -> String {
    if set.count() <= MOST_SQUARES {
        return squares(set);
    }
    let ranks: Vec<Rank> = Rank::ALL.into_iter().filter(|rank| (set & Bitboard::from_rank(*rank)).any()).collect();
    let [first, .., last] = ranks.as_slice() else { return squares(set) };
    format!("ranks {first} to {last}")
}

/// `a1 b1 …`
pub(super) fn squares(set: Bitboard) -> String {
    let names: Vec<String> = set.into_iter().map(|square| square.to_string()).collect();
    names.join(" ")
}

fn by_force(closure: &Closure, side: Color, end: ForcedEnd) -> String {
    let who = name(side);
    let end = match end {
        ForcedEnd::Mated => format!("{who} checkmated"),
        ForcedEnd::Stalemate => "stalemate".to_string(),
        ForcedEnd::Material => format!("{who} having nothing left to mate with"),
        ForcedEnd::Circle => "the same positions".to_string(),
    };
    let (positions, depth) = (thousands(closure.positions.into()), deep(closure));
    format!("Whatever is played ends in {end}: all {positions} positions that can arise were looked at, to {depth} deep.")
}

fn exhausted(closure: &Closure, side: Color) -> String {
    let who = name(side);
    let mut ends = Vec::new();
    let mut end = |count: u32, one: String, many: String| match count {
        0 => {}
        1 => ends.push(format!("1 {one}")),
        _ => ends.push(format!("{} {many}", thousands(count.into()))),
    };
    end(closure.stalemates, "stalemate".to_string(), "stalemates".to_string());
    end(closure.mated, format!("mate of {who}"), format!("mates of {who}"));
    let material = format!("with too little material for {who}");
    end(closure.material, material.clone(), material);
    let behind = "behind locked pawns or men".to_string();
    end(closure.walled, behind.clone(), behind);
    ends.push(format!("none is a mate by {who}"));
    format!(
        "All {} positions that can arise were looked at, to {} deep: {}.",
        thousands(closure.positions.into()),
        deep(closure),
        ends.join(", ")
    )
}

fn deep(closure: &Closure) -> String {
    if closure.depth == 1 { "1 half-move".to_string() } else { format!("{} half-moves", closure.depth) }
}

/// A number with commas.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
